"""Folders that extract by themselves while a library is kept open."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain.commands_extract import SetFolderValues
from core.domain.commands_folders import CreateFolder
from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_schema import SaveMemoryType
from core.domain.commands_upkeep import UnfoldSummaries
from core.domain.endpoints import ModelTask
from core.domain.enums import ActorKind, FolderKind, Layer, OpRole, Role, Status
from core.domain.errors import BadReply, Unavailable, UserError
from core.domain.folder import Message
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.proposal import ProposalState
from core.domain.queries import LibrarySchema, ListMemories, Memories
from core.domain.queries_extract import PromptTask, RunAutomatic, RunState
from core.domain.queries_history import History, UndoStateNow
from core.domain.queries_models import AnswerManual, ManualRequests, ResumeManual
from core.domain.queries_proposals import Proposals
from core.domain.results import Actor, Changes
from core.engine import Engine
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from core.ports.store import OpDraft, UnitOfWork
from core.services.extract.worker import AutomaticThread
from core.services.manual_model import ManualModel
from core.settings import Settings
from tests.extract.desk import ExtractDesk, turns
from tests.fakes.model import ScriptedModel

WAIT_S = 10.0


def grow(library: Library, folder: FolderPk, *texts: str) -> None:
    """New floors, as an import writes them; whoever listens hears of it."""
    with library.store.read() as reader:
        start = len(reader.messages_of(folder))
    floors = [
        Message(folder=folder, seq=start + at, role=Role.USER if at % 2 == 0 else Role.ASSISTANT, text=text)
        for at, text in enumerate(texts)
    ]

    def write(unit: UnitOfWork) -> None:
        unit.insert(floors)

    library.store.write(OpDraft("op.import", Actor(ActorKind.PROGRAM, "bot", "1")), write)
    library.engine.poll()


def heard(library: Library, wanted: Callable[[Changes], bool]) -> threading.Event:
    event = threading.Event()
    library.engine.subscribe(lambda changes: event.set() if wanted(changes) else None)
    return event


def memories(library: Library) -> tuple[Memory, ...]:
    return library.engine.ask(Memories(tuple(library.engine.ask(ListMemories()))))


def test_open_library_extracts_when_a_chat_grows_and_undo_is_not_answered_by_doing_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.services.extract.worker.PATIENCE_S", 0.01)
    settings = Settings()
    settings.set("embedder", "none")
    library = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    try:
        folder = library.engine.run(CreateFolder("chats/a", kind=FolderKind.CHAT)).created_folder
        assert folder is not None
        reply = {"operations": [{"action": "create", "type": "event", "fields": {"summary": "艾琳发现暗门"}}]}
        library.extracting.instead = ScriptedModel(lambda _messages: reply)
        library.extracting.keep_running()
        grow(library, folder, "去钟楼", "艾琳发现暗门。")  # the folder does not ask for it yet
        done = heard(library, lambda changes: changes.op.label == "op.proposal.apply")
        library.engine.run(SetFolderValues(folder, {"extract.enabled": True, "evolution.enabled": False}))
        assert done.wait(WAIT_S)

        (made,) = memories(library)
        assert (made.body, made.layer) == ("艾琳发现暗门", Layer.EMERGENT)
        newest = library.engine.ask(History())[0].op
        assert newest.actor.name == "automatic extraction"
        undo = library.engine.ask(UndoStateNow()).undo
        assert undo is not None
        assert undo.label == "op.folder.values"  # Ctrl+Z takes the person's own

        library.engine.undo(newest.id)
        assert memories(library) == ()
        again = heard(library, lambda changes: changes.op.label == "op.proposal.apply")
        assert not again.wait(0.3)
        grow(library, folder, "然后呢", "她走了下去。")
        assert again.wait(WAIT_S)
    finally:
        library.close()


def test_what_is_taken_back_while_it_works_is_not_made_again_at_once(tmp_path: Path) -> None:
    settings = Settings()
    settings.set("embedder", "none")
    library = open_library(tmp_path / "library", person(), settings, create=True)
    try:
        folder = library.engine.run(CreateFolder("chats/a", kind=FolderKind.CHAT)).created_folder
        assert folder is not None
        reply = {"operations": [{"action": "create", "type": "event", "fields": {"summary": "艾琳发现暗门"}}]}
        library.extracting.instead = ScriptedModel(lambda _messages: reply)
        grow(library, folder, "去钟楼", "艾琳发现暗门。")
        library.engine.run(SetFolderValues(folder, {"extract.enabled": True, "evolution.enabled": False}))
        undone: list[int] = []

        def take_back(changes: Changes) -> None:
            if changes.op.label == "op.proposal.apply" and changes.op.role is OpRole.CHANGE:
                undone.append(changes.op.id)
                library.engine.undo(changes.op.id)

        library.engine.subscribe(take_back)
        library.engine.ask(RunAutomatic(folder=folder))
        assert (len(undone), memories(library)) == (1, ())
    finally:
        library.close()


@pytest.mark.parametrize(
    "error", [Unavailable("model", "gone"), BadReply("reply.empty"), UserError("error.x"), None]
)
def test_thread_outlives_errors_and_ends_when_told(error: Exception | None) -> None:
    ran = threading.Semaphore(0)

    def work(_cancel: CancelToken) -> None:
        ran.release()
        if error is not None:
            raise error

    thread = AutomaticThread(work, patience_s=0.0)
    thread.start()
    for _ in range(2):
        thread._wake.set()
        assert ran.acquire(timeout=WAIT_S)
    thread.stop()
    thread.stop()


def test_engine_of_its_own_is_a_program(tmp_path: Path) -> None:
    library: Any = open_library(tmp_path / "library", person(), Settings(), create=True)
    try:
        own: Engine = library.extracting._own_engine
        assert own.actor.kind is ActorKind.PROGRAM
    finally:
        library.close()


# --- compression by itself ---------------------------------------------------------------------------------


def _answers(messages: Sequence[ChatMessage]) -> dict[str, Any]:
    if "fields" in messages[0].text and "operations" not in messages[0].text:
        return {"fields": {"summary": f"归纳 {len(messages[1].text)}"}}
    said = re.findall(r"^#\d+ .*?\]: (.+)$", messages[1].text, re.MULTILINE)
    return {"operations": [{"action": "create", "type": "event", "fields": {"summary": said[-1]}}]}


def _long_story(desk: ExtractDesk, **values: Any) -> FolderPk:
    """Twelve events and one floor to read; events are summed up in twos, whatever their number."""
    event = desk.ask(LibrarySchema()).type("event")
    assert event is not None
    rule = replace(event.compression, threshold=2, fan_in=2, keep_recent=0, max_depth=10)
    desk.run(SaveMemoryType(replace(event, compression=rule)))
    chat = desk.chat((), extract__enabled=True, evolution__enabled=False, **values)
    for at in range(11):
        desk.memory(chat, body=f"第 {at} 件事", seq=at)
    desk.add_floors(chat, turns("去钟楼", "艾琳发现了暗门。"))
    desk.chosen = ScriptedModel(_answers)
    return chat


def levels(desk: ExtractDesk, chat: FolderPk) -> list[int]:
    return sorted(each.level for each in desk.all_of(chat) if each.status is Status.ACTIVE)


def test_folder_sums_up_by_itself_level_by_level_and_all_of_it_is_taken_back(desk: ExtractDesk) -> None:
    chat = _long_story(desk)
    before, last = desk.dump(), desk.store.last_op()
    desk.ask(RunAutomatic())
    assert levels(desk, chat) == [2, 3]  # 12, then 6, 3 and a rest of one, 2: no more than the threshold
    assert desk.store.last_op() - last == 4, "the extraction, and one change for each level"
    while desk.store.last_op() > last and (undo := desk.ask(UndoStateNow()).undo) and undo.id > last:
        desk.undo()
    assert desk.dump() == before


def test_what_was_unfolded_or_taken_back_is_not_summed_up_again_by_itself(desk: ExtractDesk) -> None:
    chat = _long_story(desk)
    desk.ask(RunAutomatic())
    (top,) = [each.pk for each in desk.all_of(chat) if each.level == 3]
    desk.run(UnfoldSummaries(memories=(top,)))
    assert levels(desk, chat) == [2, 2, 2]
    desk.add_floors(chat, turns("然后呢", "她走了下去。"))
    desk.ask(RunAutomatic())
    assert levels(desk, chat) == [0, 2, 2, 2]


def test_folder_that_does_not_want_it_sums_up_nothing(desk: ExtractDesk) -> None:
    chat = _long_story(desk, compress__enabled=False)
    desk.ask(RunAutomatic())
    assert levels(desk, chat) == [0] * 12


def test_model_that_goes_away_keeps_the_summaries_it_gave(desk: ExtractDesk) -> None:
    chat = _long_story(desk)
    calls = iter(range(100))

    def script(messages: Sequence[ChatMessage]) -> Any:
        match next(calls):
            case 2:
                return {"nothing": 1}  # asked once more, then this group is left out
            case 3:
                return {"nothing": 1}
            case 5:
                return Unavailable("model", "gone")
            case _:
                return _answers(messages)

    desk.chosen = ScriptedModel(script)
    desk.ask(RunAutomatic())
    assert levels(desk, chat) == [0] * 8 + [1, 1]
    assert desk.ask(Proposals(state=ProposalState.OPEN)) == ()
    desk.add_floors(chat, turns("然后呢", "她走了下去。"))
    desk.chosen = ScriptedModel(_answers)
    desk.ask(RunAutomatic())
    assert max(levels(desk, chat)) >= 2, "the next extraction goes on"


def test_folder_that_is_busy_holds_up_no_other(desk: ExtractDesk) -> None:
    first = _long_story(desk)
    second = desk.chat(turns("早", "早安"), name="chats/b", extract__enabled=True)
    with desk.store.jobs.working(f"extract-{first}"):
        (report,) = desk.ask(RunAutomatic())
        with pytest.raises(UserError):
            desk.ask(RunAutomatic(first))
    assert desk.stored(second).last_processed_seq == 1
    assert report.state is RunState.DONE


def test_request_of_a_folder_that_works_by_itself_goes_on_with_the_reply(tmp_path: Path) -> None:
    settings = Settings()
    settings.set("embedder", "none")
    library = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    try:
        manual, scripted = library.models.manual, ScriptedModel(_answers)
        assert manual is not None
        by_hand = ManualModel(manual, ModelTask.SYNOPSIS)
        serve: Any = lambda task: by_hand if task is PromptTask.SYNOPSIS else scripted  # noqa: E731
        library.extracting._model = serve  # type: ignore[method-assign]
        folder = library.engine.run(CreateFolder("chats/a", kind=FolderKind.CHAT)).created_folder
        assert folder is not None
        values = {"extract.enabled": True, "evolution.enabled": False, "synopsis.every": 3}
        library.engine.run(SetFolderValues(folder, values))
        grow(library, folder, "一", "二。", "三", "四。", "五", "六。")
        library.engine.ask(RunAutomatic())
        (request,) = library.engine.ask(ManualRequests())
        library.engine.ask(AnswerManual(request.number, '{"summary": "艾琳追查失踪案。"}'))
        outcome = library.engine.ask(ResumeManual(request.number))
        library.engine.run(ApplyProposal(proposal=outcome.proposals[0]))
        assert "艾琳追查失踪案。" in {each.body for each in memories(library)}
    finally:
        library.close()
