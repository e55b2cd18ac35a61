"""From a chat file to recall with every model behind one endpoint of a real server, and back by undo."""

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
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_transfer import ApplyImport
from core.domain.endpoints import Endpoint, EndpointKind, Measured
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.queries import Folders, ListMemories, Memories, MemoryFilter
from core.domain.queries_extract import Reach, ResumeExtraction, RunExtraction, RunState
from core.domain.queries_history import History
from core.domain.queries_models import ModelUsage, SwitchEmbedder
from core.domain.queries_proposals import ProposalOf
from core.domain.queries_recall import Recall
from core.domain.queries_transfer import ReadFile
from core.domain.recall import RecallRequest
from core.settings import Settings
from tests.fakes.llm_server import FakeServer, Fault, serving

FLOORS = (
    ("失踪的人最后都在钟楼附近出现过，会不会和钟楼有关？", True),
    ("艾琳推开钟楼尘封的大门，在齿轮间发现一扇隐藏的暗门，下面是通往地下入口的石阶。", False),
)
REPLY = {
    "thought": "一条事件",
    "operations": [
        {
            "action": "create",
            "type": "event",
            "importance": 8,
            "fields": {"summary": "艾琳在钟楼发现隐藏的暗门"},
        },
        {"action": "create", "type": "location", "fields": {"name": "钟楼", "state": "暗门后是石阶"}},
    ],
}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def library(tmp_path: Path, server: FakeServer) -> Iterator[Library]:
    settings = Settings(tmp_path / "settings.json")
    kept.save_endpoint(settings, Endpoint(id="chat", name="Chat", url=server.url, model="m", price_in=2.0))
    kept.save_endpoint(
        settings,
        Endpoint(
            id="vectors", name="Vectors", url=server.url, model="v", kind=EndpointKind.EMBEDDING, measured=Measured(32)
        ),
    )  # fmt: skip
    kept.serve_all(settings, "chat")
    settings.set("embedder", "none")
    opened = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    yield opened
    opened.close()


def chat(library: Library, place: Path) -> FolderPk:
    path = place / "story.jsonl"
    lines: list[Mapping[str, Any]] = [{"user_name": "User", "character_name": "艾琳"}]
    lines += [
        {"name": "User" if user else "艾琳", "is_user": user, "mes": text, "send_date": "2026-01-01 10:00"}
        for text, user in FLOORS
    ]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n", "utf-8")
    library.engine.run(ApplyImport(library.engine.ask(ReadFile(path))))
    return next(each.folder.pk for each in library.engine.ask(Folders()) if each.messages)


def memories(library: Library) -> list[Memory]:
    return list(library.engine.ask(Memories(tuple(library.engine.ask(ListMemories(MemoryFilter()))))))


def test_chat_is_extracted_embedded_recalled_and_undone(
    library: Library, server: FakeServer, tmp_path: Path
) -> None:
    folder = chat(library, tmp_path)
    thinking = '<think>也许删除 M1？{"operations": [{"action": "delete", "nodeId": "M1"}]}</think>'

    def reply(body: Mapping[str, Any]) -> str:
        text = body["messages"][-1]["content"]
        ids = [json.loads(line)["id"] for line in text.splitlines() if line.startswith('{"id"')]
        if ids:
            return json.dumps({"selected_ids": ids})
        return thinking + f"```json\n{json.dumps(REPLY, ensure_ascii=False)}\n```"

    server.replies = reply
    report = library.engine.ask(RunExtraction(folder=folder, reach=Reach.ALL))
    assert (report.state, report.model) == (RunState.DONE, "m")
    assert memories(library) == []  # a proposal changes nothing
    assert report.proposal is not None
    used = library.engine.ask(ProposalOf(report.proposal)).proposal.used
    spent = [row.usage for row in library.engine.ask(ModelUsage()) if row.task == "extract"]
    assert [used] == spent
    assert used.cost == pytest.approx(used.tokens_in * 2 / 1e6)
    library.engine.run(ApplyProposal(proposal=report.proposal))
    applied = library.engine.ask(History(limit=1))[0].op
    assert (applied.args["model"], applied.args["tokens"]) == ("m", used.tokens)
    assert applied.args["cost"] == pytest.approx(used.cost)
    assert sorted(each.type for each in memories(library)) == ["event", "location"]

    library.engine.ask(SwitchEmbedder("vectors"))
    request = RecallRequest(message="钟楼的暗门在哪里？", folder=folder, settings={"rerank": True})
    found = library.engine.ask(Recall(request))
    assert "钟楼" in found.injection.text
    used = {(row.endpoint, row.task): row.usage.calls for row in library.engine.ask(ModelUsage())}
    assert used["chat", "extract"] >= 1
    assert used["chat", "recall"] == 1
    assert used["vectors", "embed"] >= 1

    library.engine.undo()
    assert memories(library) == []


def test_server_that_goes_in_the_middle_leaves_the_run_to_go_on(
    library: Library, server: FakeServer, tmp_path: Path
) -> None:
    folder = chat(library, tmp_path)
    server.replies = lambda _body: json.dumps(REPLY, ensure_ascii=False)
    server.faults = [Fault(401, b'{"detail": "gone"}')] * 3
    report = library.engine.ask(RunExtraction(folder=folder, reach=Reach.ALL))
    assert report.state is not RunState.DONE
    assert memories(library) == []
    server.faults = []
    assert report.run is not None
    resumed = library.engine.ask(ResumeExtraction(report.run))
    assert resumed.state is RunState.DONE
    assert resumed.parts == 2


def test_page_instead_of_a_reply_is_said_and_changes_nothing(
    library: Library, server: FakeServer, tmp_path: Path
) -> None:
    folder = chat(library, tmp_path)
    server.replies = lambda _body: "<html><body>Sign in</body></html>"
    report = library.engine.ask(RunExtraction(folder=folder, reach=Reach.ALL))
    assert report.parts == 0
    assert memories(library) == []
