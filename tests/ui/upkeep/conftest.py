"""The Upkeep page over a real library whose memories are as old as a test wants."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.queries import LibrarySchema, Memories
from core.settings import Settings
from tests.services.desk import dump_rows
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.operations import Operations
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme

DAY_MICROS = 86_400_000_000


@dataclass
class Bench:
    """A library, a context on it, and short forms."""

    qtbot: QtBot
    library: Library
    context: Context
    operations: Operations
    folder: FolderPk

    def create(self, type_id: str = "event", days: float = 0.0, used: int = 0, **values: Any) -> MemoryPk:
        """A memory of that age, recalled so often."""
        new = NewMemory(**({"folder": self.folder, "type": TypeId(type_id), "body": "b"} | values))
        pk = self.library.engine.run(CreateMemory(new)).created[0]
        with closing(sqlite3.connect(self.library.files.database)) as connection, connection:
            connection.execute(
                "UPDATE memory SET created_at = created_at - ?, activation_count = ? WHERE pk = ?",
                (int(days * DAY_MICROS), used, pk),
            )
        return pk

    def memory(self, pk: int) -> Memory:
        return self.library.engine.ask(Memories((MemoryPk(pk),)))[0]

    def dump(self) -> dict[str, list[dict[str, Any]]]:
        return dump_rows(self.library.files.database)

    def show(self, widget: QWidget) -> None:
        self.qtbot.addWidget(widget)
        widget.resize(1100, 700)
        widget.show()
        self.settle()

    def settle(self) -> None:
        """Wait until nothing runs, and nothing is about to run again."""
        for _ in range(2):
            self.qtbot.waitUntil(lambda: self.context.tasks.busy == 0, timeout=10_000)
            QApplication.processEvents()

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=10_000)


@pytest.fixture
def bench(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Bench]:
    settings = Settings()
    settings.set("embedder", "none")
    library = container.open_library(tmp_path / "library", writers.person(), settings, create=True)
    theme, tr, tasks = Theme(qapp, Scheme.LIGHT), Language("en"), TaskRunner()
    theme.set_schema(library.engine.ask(LibrarySchema()))
    bridge = Bridge(library.engine, tasks)
    context = Context(library.engine, tasks, bridge, settings, theme, tr, Actions(tr, theme))
    folder = library.engine.run(CreateFolder("钟楼")).created_folder
    assert folder is not None
    yield Bench(qtbot, library, context, Operations(context), folder)
    bridge.close()
    tasks.close()
    theme.end()
    library.close()
