"""The page Chats over a library as the program opens it, with a scripted model in place of the chosen one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain.commands_folders import CreateFolder
from core.domain.enums import FolderKind, Role
from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk
from core.domain.queries import LibrarySchema
from core.ports.store import OpDraft
from core.settings import Settings
from ui.actions import Actions
from ui.bridge import Bridge
from ui.context import Context
from ui.language import Language
from ui.operations import Operations
from ui.tasks import TaskRunner
from ui.theme import Scheme, Theme


@dataclass
class ChatDesk:
    """A library with short forms."""

    qtbot: QtBot
    library: Library
    context: Context
    operations: Operations

    def chat(self, lines: list[str], name: str = "钟楼") -> FolderPk:
        """A chat whose even floors are the user's."""
        folder = self.library.engine.run(CreateFolder(name, FolderKind.CHAT)).created_folder
        assert folder is not None
        floors = [
            Message(
                folder=folder,
                seq=seq,
                role=Role.ASSISTANT if seq % 2 else Role.USER,
                name="艾琳" if seq % 2 else "阿澈",
                text=text,
            )
            for seq, text in enumerate(lines)
        ]
        writer = OpDraft("op.import", writers.person())
        self.library.store.write(writer, lambda uow: uow.insert(floors))
        return folder

    def folder(self, pk: FolderPk) -> Folder:
        with self.library.store.read() as reader:
            return reader.records(Folder, [pk])[0]

    def show(self, widget: QWidget) -> None:
        widget.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        self.qtbot.addWidget(widget)
        widget.resize(1200, 760)
        widget.show()
        self.settle()

    def settle(self) -> None:
        for _ in range(2):
            self.until(lambda: self.context.tasks.busy == 0)
            QApplication.processEvents()

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=15_000)


@pytest.fixture
def chat_desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[ChatDesk]:
    settings = Settings()
    settings.set("embedder", "none")
    library = container.open_library(tmp_path / "library", writers.person(), settings, create=True)
    theme, tr, tasks = Theme(qapp, Scheme.LIGHT), Language("en"), TaskRunner()
    theme.set_schema(library.engine.ask(LibrarySchema()))
    bridge = Bridge(library.engine, tasks)
    context = Context(library.engine, tasks, bridge, settings, theme, tr, Actions(tr, theme))
    yield ChatDesk(qtbot, library, context, Operations(context))
    bridge.close()
    tasks.close()
    theme.end()
    library.close()
