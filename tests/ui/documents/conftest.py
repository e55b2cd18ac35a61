"""The whole window over a real library without embedder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain.document import DocumentRow, FileState
from core.settings import Settings
from tests.ui.conftest import OneLibrary
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.documents.page import DocumentsPage

CASES = Path(__file__).parents[2] / "data" / "cases"


@dataclass
class Shown:
    """The window, its page Documents, and the store behind it."""

    qtbot: QtBot
    window: MainWindow
    library: Library
    said: list[str]

    @property
    def session(self) -> Session:
        assert self.window.session is not None
        return self.window.session

    @property
    def page(self) -> DocumentsPage:
        page = self.session.page("documents")
        assert isinstance(page, DocumentsPage)
        return page

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=20_000)

    def settle(self) -> None:
        """Wait until nothing runs and nothing is about to."""
        page, tasks = self.page, self.session.context.tasks
        timers = (page._refresh_soon, page.worker._soon, self.session.memories._refresh_soon)
        self.until(lambda: tasks.busy == 0 and not any(timer.isActive() for timer in timers))

    def ask(self, query: q.Query[Any]) -> Any:
        return self.library.engine.ask(query)

    def documents(self) -> tuple[DocumentRow, ...]:
        return self.library.engine.ask(qd.Documents())

    def states(self) -> dict[str, FileState]:
        return {row.file.path.name: row.state for row in self.library.engine.ask(qd.QueueRows())}

    def drop(self, *paths: Path) -> None:
        self.session.take_files(paths)

    def dialog(self, kind: type[Any]) -> Any:
        def found() -> list[QDialog]:
            return [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]

        self.until(lambda: bool(found()))
        return found()[0]

    def act(self, name: str) -> None:
        action = self.session.context.actions.get(name)
        assert action.isEnabled()
        action.trigger()


@pytest.fixture
def library(tmp_path: Path, settings: Settings) -> Library:
    settings.set("embedder", "none")
    return container.open_library(tmp_path / "library", writers.person(), settings, create=True)


@pytest.fixture
def shown(
    qtbot: QtBot,
    library: Library,
    tasks: TaskRunner,
    settings: Settings,
    theme: Theme,
    tr: Language,
) -> Iterator[Shown]:
    """The page Documents of an empty library."""
    window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
    window.resize(1300, 820)
    window.start(Path("library"))
    window.show()
    qtbot.waitUntil(lambda: window.session is not None and window._show_soon.isActive() is False)
    said: list[str] = []
    made = Shown(qtbot, window, library, said)
    made.session.said.connect(lambda text, _error: said.append(text))
    made.session.show_page("documents")
    made.settle()
    yield made
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog) and widget.isVisible():
            widget.reject()
    window.close()
    window.deleteLater()
    library.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Two Markdown notes and a text."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "灯塔.md").write_text(
        "# 灯塔\n\n## 点灯\n\n" + "守灯人每天晚上点亮灯塔。" * 100, encoding="utf-8"
    )
    (folder / "fog.md").write_text("# Fog\n\nThe bell rings in fog. 🌫️ " * 3, encoding="utf-8")
    (folder / "log.txt").write_text("Nothing happened at the lighthouse today.", encoding="utf-8")
    return folder
