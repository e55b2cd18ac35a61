"""Suggestions for a search come from the library, with counts, in the language of the window."""

from collections.abc import Iterator

import pytest

from core.algos.search_language import parse, render
from core.domain import texts
from core.domain.commands import ChangeTags, SetAliases
from core.domain.commands_folders import CreateFolder
from core.domain.queries_search import CompleteSearch
from core.domain.search import Completion
from core.services.completing import Completing
from tests.services.desk import Desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("library"))
    folder = made.folder("chats/night shift")
    bell = made.memory(folder, body="The bell rings in the fog.")
    ada = made.memory(folder, "character", title="Ada Finch")
    made.edge(ada, bell, "involved_in")
    made.run(SetAliases(memory=ada, aliases=("The Keeper",)))
    made.memory(folder, "location", title="钟楼", body="雾里的钟声")
    made.engine.run(ChangeTags(memories=(bell,), add=("Harbour", "old harbour")))
    yield made
    made.engine.close()
    made.store.close()


@pytest.fixture(scope="module")
def completing(desk: Desk) -> Completing:
    return Completing(desk.store, lambda: desk.store.search)


def asked(completing: Completing, text: str, language: str = "en") -> Completion:
    return completing.complete(CompleteSearch(text, len(text), language), None)


@pytest.mark.parametrize(
    ("text", "language", "first"),
    [
        ("ty", "en", ("type:", None)),
        ("类", "en", ("类型:", None)),
        ("楼", "zh_CN", ("楼层:", None)),
        ("type:ev", "en", ("event", 1)),
        ("type:", "zh_CN", ("事件", 1)),
        ("type:eve", "zh_CN", ("event", 1)),
        ("type:事", "en", ("event", 1)),
        ("层：", "zh_CN", ("常驻", 0)),
        ("layer:long", "en", ("long-term", 3)),
        ("folder:night", "en", ('"chats/night shift"', 3)),
        ("folder:", "en", ("chats", 3)),
        ("tag:har", "en", ("Harbour", 1)),
        ("-(tag:old", "en", ('"old harbour"', 1)),
        ("person:ada", "en", ('"Ada Finch"', 1)),
        ("person:keep", "en", ('"The Keeper"', 1)),
        ("related:钟", "en", ("钟楼", None)),
        ("is:lo", "en", ("locked", None)),
        ("has:重", "zh_CN", ("重复", None)),
        ("never:", "en", ("recalled", None)),
        ("in:b", "en", ("body", None)),
        ("relation:矛", "zh_CN", ("矛盾", None)),
        ("field.mo", "en", None),
        ("field.statu", "en", ("field.status:", None)),
        ("field.status:res", "en", ("resolved", None)),
        ("created>", "en", ("yesterday", None)),
        ("recalled:", "en", ("0", None)),
        ("fog", "en", None),
        ("t", "en", None),
        ("type:event", "en", None),
    ],
)
def test_what_is_typed_is_completed_from_the_library(
    completing: Completing, text: str, language: str, first: tuple[str, int | None] | None
) -> None:
    rows = asked(completing, text, language).rows
    assert (rows[0].insert, rows[0].count) == first if first else rows == ()


def test_new_folders_are_offered_after_the_change(desk: Desk, completing: Completing) -> None:
    assert not asked(completing, "folder:harb").rows
    desk.engine.run(CreateFolder("harbour"))
    assert asked(completing, "folder:harb").rows[0].insert == "harbour"


def test_long_lists_are_cut_and_say_so(completing: Completing) -> None:
    found = completing.complete(CompleteSearch("type:", 5, limit=3), None)
    assert (len(found.rows), found.more) == (3, True)


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_example_of_the_help_can_be_searched(language: str) -> None:
    examples = [key for key in texts.keys(language) if key.startswith("search.help.") and key.endswith(".as")]
    assert len(examples) == 14
    for key in examples:
        assert render(parse(texts.render(language, key)))
