"""A window on a real library with the Graph page shown; the hand is real mouse and key events."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app import container, writers
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge, PinMemories
from core.domain.edge import Edge
from core.domain.graph import GraphOf, place_key
from core.domain.ids import EdgePk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.memory import Memory
from core.domain.queries import LiveEdges, Memories, MemoryFilter, Query
from core.settings import Settings
from tests.ui.conftest import OneLibrary
from ui.graph.canvas import Canvas
from ui.graph.scene import Guide, Note
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.graph.page import GraphPage

T = TypeVar("T")
KEY = place_key(MemoryFilter())
LEFT = Qt.MouseButton.LeftButton
DOUBLE_CLICK_MS = 150
"""So long the detail waits before it comes; less than usual, as every click of a test waits for it."""
NO_KEYS = Qt.KeyboardModifier.NoModifier


class Library:
    """What a test puts into the library before the window opens it."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.files = container.open_library(root, writers.person(), settings, create=True)
        self.engine = self.files.engine
        self.folder = self.make_folder("tale")

    def make_folder(self, name: str) -> FolderPk:
        folder = self.engine.run(CreateFolder(name)).created_folder
        assert folder is not None
        return folder

    def memory(self, title: str, type_id: str = "character", **values: Any) -> MemoryPk:
        new = NewMemory(**({"folder": self.folder, "type": TypeId(type_id), "title": title} | values))
        return self.engine.run(CreateMemory(new)).created[0]

    def edge(self, source: int, target: int, relation: str = "related", **more: Any) -> EdgePk:
        command = AddEdge(
            source=MemoryPk(source), target=MemoryPk(target), relation=RelationId(relation), **more
        )
        edge = self.engine.run(command).created_edge
        assert edge is not None
        return edge

    def put(self, places: dict[MemoryPk, tuple[float, float]]) -> None:
        self.engine.run(PinMemories(key=KEY, places=tuple((pk, x, y) for pk, (x, y) in places.items())))

    def ask(self, query: Query[T]) -> T:
        return self.engine.ask(query)


@dataclass
class Desk:
    """The window with the graph shown."""

    qtbot: QtBot
    library: Library
    window: MainWindow
    session: Session

    @property
    def page(self) -> GraphPage:
        return self.session.graph

    @property
    def canvas(self) -> Canvas:
        return self.page.canvas

    def ready(self) -> None:
        """Until nothing runs and the picture is exact."""
        tasks = self.window._services.tasks

        def quiet() -> bool:
            page = self.page
            waits = page.waiting
            shown = page.stack.shows != "content" or self.canvas.settled
            return tasks.busy == 0 and not waits and shown and page.picture.state is not None

        self.qtbot.waitUntil(quiet, timeout=20_000)
        QApplication.processEvents()
        self.qtbot.waitUntil(quiet, timeout=20_000)

    def notes(self) -> tuple[Note, ...]:
        """Words in the picture."""
        return self.canvas.scene.notes if self.canvas.scene is not None else ()

    def guides(self) -> tuple[Guide, ...]:
        """Names at its left rim."""
        return self.canvas.scene.guides if self.canvas.scene is not None else ()

    # --- looking into the store ---

    def memory(self, pk: int) -> Memory:
        return self.library.ask(Memories((MemoryPk(pk),)))[0]

    def edges(self, pk: int) -> list[Edge]:
        return [view.edge for view in self.library.ask(LiveEdges(MemoryPk(pk)))]

    def pins(self) -> dict[int, tuple[float, float]]:
        data = self.library.ask(GraphOf())
        return {
            int(pk): (float(x), float(y))
            for pk, (x, y), pinned in zip(data.nodes.pks, data.positions, data.pinned, strict=True)
            if pinned
        }

    # --- the hand ---

    def at(self, pk: int) -> QPoint:
        """Where a memory is drawn."""
        state = self.page.picture.state
        assert state is not None
        return self.canvas.place_of(state.index(pk)).toPoint()

    def between(self, a: int, b: int) -> QPoint:
        return (self.at(a) + self.at(b)) / 2

    def click(
        self, place: QPoint, keys: Qt.KeyboardModifier = NO_KEYS, button: Qt.MouseButton = LEFT
    ) -> None:
        self.hover(place)
        QTest.mouseClick(self.canvas, button, keys, place)
        self.ready()

    def hover(self, place: QPoint) -> None:
        self._send(
            QMouseEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, Qt.MouseButton.NoButton, NO_KEYS
        )

    def drag(
        self, places: Sequence[QPoint], keys: Qt.KeyboardModifier = NO_KEYS, *, drop: bool = True
    ) -> None:
        """Press at the first place, move through the others, let go at the last."""
        self.hover(places[0])
        self._send(QMouseEvent.Type.MouseButtonPress, places[0], LEFT, LEFT, keys)
        for start, end in pairwise(places):
            for step in range(1, 6):
                place = start + (end - start) * step / 5
                self._send(QMouseEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, LEFT, keys)
        if drop:
            self._send(QMouseEvent.Type.MouseButtonRelease, places[-1], LEFT, Qt.MouseButton.NoButton, keys)
            self.ready()

    def _send_release(self, place: QPoint) -> None:
        self._send(QMouseEvent.Type.MouseButtonRelease, place, LEFT, Qt.MouseButton.NoButton, NO_KEYS)

    def _send(
        self,
        kind: QMouseEvent.Type,
        place: QPoint,
        button: Qt.MouseButton,
        buttons: Qt.MouseButton,
        keys: Qt.KeyboardModifier,
    ) -> None:
        event = QMouseEvent(
            kind, QPointF(place), QPointF(self.canvas.mapToGlobal(place)), button, buttons, keys
        )
        QApplication.sendEvent(self.canvas, event)

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
        self.canvas.setFocus()
        QTest.keyClick(self.canvas, key, keys)
        self.ready()

    def right_click(self, place: QPoint) -> QMenu:
        """The menu that opens there."""
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, self.canvas.mapToGlobal(place))
        QApplication.sendEvent(self.canvas, event)
        self.qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return menu

    def choose(self, menu: QMenu, name: str) -> None:
        """Click an entry of a menu, named by its action or its text."""
        [action] = [each for each in menu.actions() if name in {each.objectName(), each.text()}]
        QTest.mouseClick(menu, LEFT, NO_KEYS, menu.actionGeometry(action).center())
        self.ready()

    def undo(self) -> None:
        self.session.context.actions.get("edit.undo").trigger()
        self.ready()


Opener = Callable[[], Desk]


@pytest.fixture
def library(tmp_path: Path, settings: Settings) -> Iterator[Library]:
    settings.set("embedder", "none")
    settings.set("ui.reduce_motion", True)
    made = Library(tmp_path / "library", settings)
    yield made
    made.files.close()


@pytest.fixture
def show(
    qtbot: QtBot, library: Library, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language
) -> Iterator[Opener]:
    """Opens the window on what the library holds by then, at its Graph page."""
    windows: list[MainWindow] = []
    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(DOUBLE_CLICK_MS)

    def run() -> Desk:
        window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
        windows.append(window)
        window.resize(1400, 900)
        window.start()
        window.show()
        window.open_library(Path("library"))
        qtbot.waitUntil(lambda: window.session is not None)
        session = window.session
        assert session is not None
        qtbot.waitUntil(lambda: tasks.busy == 0, timeout=10_000)
        session.show_page("graph")
        desk = Desk(qtbot, library, window, session)
        desk.ready()
        return desk

    yield run
    QApplication.setDoubleClickInterval(interval)
    for window in windows:
        window.close()
        window.deleteLater()


@dataclass
class Trio:
    """Three memories in a row: Ada - Bram - Cora, the first two related."""

    ada: MemoryPk
    bram: MemoryPk
    cora: MemoryPk
    edge: EdgePk


@pytest.fixture
def trio(library: Library) -> Trio:
    ada, bram, cora = (library.memory(name) for name in ("Ada", "Bram", "Cora"))
    edge = library.edge(ada, bram, "involved_in")
    library.put({ada: (0.0, 0.0), bram: (200.0, 0.0), cora: (100.0, 180.0)})
    return Trio(ada, bram, cora, edge)
