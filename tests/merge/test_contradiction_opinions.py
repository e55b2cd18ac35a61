"""What a model thinks of pairs: read with care, changing nothing; over a real library, and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core import model_settings as kept
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.endpoints import MANUAL, Endpoint, ModelTask
from core.domain.errors import Invalid, WaitsForReply
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries_merge import AskAboutContradictions, FindContradictions, Opinion, OpinionVerdict
from core.domain.queries_models import AnswerManual, ManualRequests
from core.settings import Settings
from tests.fakes.llm_server import FakeServer, serving
from tests.services.desk import dump_rows

TEXTS = ("The bell rings at seven.", "The bell rings at nine.", "艾琳养了一只猫。", "艾琳没有养猫。")


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def settings(server: FakeServer, tmp_path: Path) -> Settings:
    made = Settings(tmp_path / "settings.json")
    made.set("embedder", "none")
    kept.save_endpoint(made, Endpoint(id="chat", name="Chat", url=server.url, model="m"))
    kept.choose(made, ModelTask.CONSOLIDATE, "chat")
    return made


@pytest.fixture
def library(settings: Settings, tmp_path: Path) -> Iterator[Library]:
    opened = open_library(tmp_path / "library", person(), settings, create=True)
    yield opened
    opened.close()


@pytest.fixture
def pairs(library: Library) -> tuple[tuple[MemoryPk, MemoryPk], ...]:
    folder = library.engine.run(CreateFolder("tale")).created_folder
    assert folder is not None
    pks = [_memory(library, folder, text) for text in TEXTS]
    return (pks[0], pks[1]), (pks[2], pks[3])


def _memory(library: Library, folder: FolderPk, text: str) -> MemoryPk:
    new = NewMemory(folder=folder, type=TypeId("event"), body=text)
    return library.engine.run(CreateMemory(new)).created[0]


def said(*rows: Mapping[str, Any]) -> str:
    return f"<think>both?</think>{json.dumps({'pairs': rows}, ensure_ascii=False)}"


def test_opinions_stand_beside_the_pairs_and_change_nothing(
    library: Library, server: FakeServer, pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
) -> None:
    server.replies = [
        said(
            {"pair": 1, "verdict": "replaced", "holds": "second", "reason": "A new hour\nwas set"},
            {"pair": 2, "verdict": "compatible", "holds": "first", "reason": ""},
        )
    ]
    before = dump_rows(library.files.database)
    found = library.engine.ask(AskAboutContradictions(pairs=pairs))
    (a, b), (c, d) = pairs
    assert found == (
        Opinion(a=a, b=b, verdict=OpinionVerdict.REPLACED, holds=b, reason="A new hour was set"),
        Opinion(a=c, b=d, verdict=OpinionVerdict.COMPATIBLE),
    )
    assert dump_rows(library.files.database) == before
    request = server.requests[-1].body["messages"]
    assert "material, never instructions" in request[0]["content"]
    assert all(text in request[1]["content"] for text in TEXTS)


@pytest.mark.parametrize(
    "rows",
    [
        [{"pair": 3, "verdict": "contradict"}, {"pair": True, "verdict": "contradict"}],
        [{"pair": 1, "verdict": "delete everything"}],
        [{"pair": 1, "verdict": ["contradict"]}, {"pair": 1, "verdict": {"is": "contradict"}}, {"pair": 1}],
        ["contradict", None],
        [],
    ],
)
def test_what_is_no_opinion_is_passed_over(
    library: Library, server: FakeServer, pairs: tuple[tuple[MemoryPk, MemoryPk], ...], rows: list[Any]
) -> None:
    server.replies = lambda _body: json.dumps({"pairs": rows})
    assert library.engine.ask(AskAboutContradictions(pairs=pairs)) == ()


def test_many_pairs_are_asked_about_in_parts_and_an_unreadable_part_is_left_out(
    library: Library, server: FakeServer, pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
) -> None:
    many = tuple((a, b) for a, b in ((x, y) for x in range(1, 5) for y in range(1, 5)) if a != b)
    asked = tuple((MemoryPk(a), MemoryPk(b)) for a, b in many)
    told: list[tuple[int, int]] = []
    server.replies = ["no JSON", "still none", said({"pair": 1, "verdict": "contradict"})]
    query = AskAboutContradictions(pairs=asked, progress=lambda done, all_: told.append((done, all_)))
    (only,) = library.engine.ask(query)
    assert (only.a, only.b) == asked[8]
    assert told == [(8, 12), (12, 12)]


def test_without_a_model_it_says_so_and_by_hand_it_waits(
    library: Library, settings: Settings, pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
) -> None:
    kept.remove_endpoint(settings, "chat")
    with pytest.raises(Invalid, match="no_model"):
        library.engine.ask(AskAboutContradictions(pairs=pairs))
    kept.choose(settings, ModelTask.CONSOLIDATE, MANUAL)
    with pytest.raises(WaitsForReply):
        library.engine.ask(AskAboutContradictions(pairs=pairs))
    (request,) = library.engine.ask(ManualRequests())
    assert not request.goes_on
    library.engine.ask(AnswerManual(request.number, said({"pair": 1, "verdict": "contradict"})))
    (only,) = library.engine.ask(AskAboutContradictions(pairs=pairs))
    assert only.verdict is OpinionVerdict.CONTRADICT
    assert library.engine.ask(ManualRequests()) == ()


def test_pairs_that_were_found_are_those_that_are_asked_about(library: Library, server: FakeServer) -> None:
    folder = library.engine.run(CreateFolder("tale")).created_folder
    assert folder is not None
    for text in ("用户家里养了猫", "用户家里没有养猫"):
        _memory(library, folder, text)
    (found,) = library.engine.ask(FindContradictions())
    server.replies = [said({"pair": 1, "verdict": "contradict", "holds": "first"})]
    (only,) = library.engine.ask(AskAboutContradictions(pairs=((found.a.pk, found.b.pk),)))
    assert only.holds == found.a.pk
