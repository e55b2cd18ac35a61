"""A real library, opened as the program opens it, with a context as every view gets it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from app import paths
from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.schema_data import default_schema
from core.settings import Settings
from tests.fakes.embedder import HashEmbedder
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.operations import Operations
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme


@dataclass
class Window:
    """A context over a real library; `said` are the messages."""

    qtbot: QtBot
    library: Library
    embedder: HashEmbedder
    context: Context
    operations: Operations
    folder: FolderPk
    said: list[tuple[str, bool]]

    def add(self, body: str, **more: Any) -> MemoryPk:
        values = {"folder": self.folder, "type": TypeId("event"), "body": body} | more
        return self.library.engine.run(CreateMemory(NewMemory(**values))).created[0]

    def sql(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.library.files.database)) as db:
            db.execute(statement, values)
            db.commit()

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()
            self.qtbot.waitUntil(lambda: self.context.tasks.busy == 0, timeout=15_000)

    def click(self, button: QAbstractButton) -> None:
        assert button.isEnabled()
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        self.settle()


@pytest.fixture
def desk(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Window]:
    monkeypatch.setattr(paths, "log_dir", lambda: tmp_path / "log")
    settings = Settings(tmp_path / "settings.json")
    library = open_library(tmp_path / "library", person(), settings, create=True, keep=True)
    embedder = HashEmbedder()
    library.__dict__["embedder"] = embedder
    tasks, theme, tr = TaskRunner(), Theme(qapp, Scheme.LIGHT), Language("en")
    theme.set_schema(default_schema())
    context = Context(
        engine=library.engine,
        tasks=tasks,
        bridge=Bridge(library.engine, tasks),
        settings=settings,
        theme=theme,
        tr=tr,
        actions=Actions(tr, theme),
    )
    operations = Operations(context)
    said: list[tuple[str, bool]] = []
    operations.said.connect(lambda text, error: said.append((text, error)))
    folder = library.engine.run(CreateFolder("银灯港")).created_folder
    assert folder is not None
    made = Window(qtbot, library, embedder, context, operations, folder, said)
    yield made
    made.settle()
    context.bridge.close()
    tasks.close()
    library.close()
    theme.end()
