"""A real library in a temporary directory, with a context as every view gets it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.adapters.formats.files import FormatFiles
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.enums import ActorKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.queries import Memories
from core.domain.results import Actor
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.services.completing import Completing
from core.services.file_answers import file_answers
from core.services.saved_searches import SavedCounts
from core.services.searching import Searching
from core.settings import Settings
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme


@dataclass
class RealLibrary:
    """The engine of a person, the engine of a program on the same store, and the context."""

    qtbot: QtBot
    store: SqlStore
    engine: Engine
    agent: Engine
    context: Context
    folder: FolderPk

    def create(self, type_id: str = "event", **values: Any) -> MemoryPk:
        new = NewMemory(**({"folder": self.folder, "type": TypeId(type_id)} | values))
        return self.engine.run(CreateMemory(new)).created[0]

    def memory(self, pk: int) -> Memory:
        return self.engine.ask(Memories((MemoryPk(pk),)))[0]

    def foreign(self) -> None:
        """Let the window hear of what the program wrote."""
        self.engine.poll()
        self.settle()

    def settle(self) -> None:
        """Wait until nothing runs."""
        self.qtbot.waitUntil(lambda: self.context.tasks.busy == 0, timeout=10_000)
        QApplication.processEvents()
        self.qtbot.waitUntil(lambda: self.context.tasks.busy == 0, timeout=10_000)

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=10_000)

    def close(self) -> None:
        self.context.bridge.close()
        self.context.tasks.close()
        self.engine.close()


def open_real(qtbot: QtBot, qapp: QApplication, directory: Path, language: str = "en") -> RealLibrary:
    store = SqlStore(LibraryFiles(directory), default_schema())
    engine = Engine(
        store,
        Actor(ActorKind.PERSON, "me", "window"),
        {
            **file_answers(store, FormatFiles(lambda _path, _collections: None, lambda _name: True), None),
            **Completing(store, lambda: store.search).answers(),
            **SavedCounts(store).answers(),
            **Searching(store, lambda _text, _limit, _allowed: ()).answers(),
        },
    )
    agent = Engine(store, Actor(ActorKind.PROGRAM, "agent", "mcp"))
    tasks = TaskRunner()
    theme, tr = Theme(qapp, Scheme.LIGHT), Language(language)
    theme.set_schema(default_schema())
    context = Context(
        engine=engine,
        tasks=tasks,
        bridge=Bridge(engine, tasks),
        settings=Settings(),
        theme=theme,
        tr=tr,
        actions=Actions(tr, theme),
    )
    folder = engine.run(CreateFolder("chats/银灯港")).created_folder
    assert folder is not None
    return RealLibrary(qtbot, store, engine, agent, context, folder)
