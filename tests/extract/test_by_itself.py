"""Folders that extract by themselves while a library is kept open."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.container import Library, open_library, person
from core.domain.commands_extract import SetFolderValues
from core.domain.commands_folders import CreateFolder
from core.domain.enums import ActorKind, FolderKind, Layer, Role
from core.domain.errors import BadReply, Unavailable, UserError
from core.domain.folder import Message
from core.domain.ids import FolderPk
from core.domain.memory import Memory
from core.domain.queries import ListMemories, Memories
from core.domain.queries_history import History, UndoStateNow
from core.domain.results import Actor, Changes
from core.engine import Engine
from core.ports.progress import CancelToken
from core.ports.store import OpDraft, UnitOfWork
from core.services.extract.worker import AutomaticThread
from core.settings import Settings
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
