"""Menus of the Graph page: what a right click offers on a memory, on free ground, and behind “More”."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.context import Context
from ui.graph.canvas import Canvas
from ui.views.graph.seeing import MOST_HOPS, Seeing

NODE_MENU = (
    "graph.open", "memory.edit", "memory.about", "memory.recall", "memory.why_not", "", "graph.relate", "graph.group",
    "memory.merge", "graph.path", "", "memory.select_related", "graph.focus", "graph.unfold", "graph.fold", "graph.hide", "",
    "graph.pin", "graph.unpin", "", "memory.move", "memory.importance", "memory.layer", "memory.lock",
    "memory.unlock", "memory.export", "", "memory.archive", "memory.restore", "memory.trash",
)  # fmt: skip
GROUND_MENU = (
    "memory.new", "", "graph.fit", "graph.clear", "graph.arrange", "graph.injection", "", "graph.table",
    "graph.png", "graph.svg", "graph.graphml",
)  # fmt: skip
MORE_MENU = (
    "graph.fit", "graph.arrange", "graph.clear", "", "graph.focus", "graph.path", "graph.injection", "",
    "graph.table", "graph.png", "graph.svg", "graph.graphml", "library.export", "", "view.still",
)  # fmt: skip


class Menus(QObject):
    """Opens them. `new_at`: where in the world a new memory was asked for. `focus_wanted(hops)`."""

    focus_wanted = Signal(int)

    def __init__(self, ctx: Context, canvas: Canvas, seeing: Seeing, place: QWidget) -> None:
        super().__init__(place)
        self._ctx, self._canvas, self._seeing, self._place = ctx, canvas, seeing, place
        self.new_at: tuple[float, float] | None = None
        self.open: QMenu | None = None
        canvas.menu_wanted.connect(self.show)

    def more(self) -> list[QAction]:
        """What is rarer."""
        return list(self._ctx.actions.working(MORE_MENU))

    def show(self, pk: int | None, place: QPoint) -> None:
        """The menu of a memory, or of free ground."""
        menu = QMenu(self._place)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addActions(self._ctx.actions.working(NODE_MENU if pk is not None else GROUND_MENU))
        if pk is not None:
            self._add_hops(menu)
        here = self._canvas.mapFromGlobal(place)
        world = self._canvas.camera.to_world(here.x(), here.y())
        menu.triggered.connect(lambda action: self._remember(action.objectName(), world))
        menu.popup(place)

    def _add_hops(self, menu: QMenu) -> None:
        """How far the focus reaches, beside the focus itself."""
        before = next((each for each in menu.actions() if each.objectName() == "graph.unfold"), None)
        reach = QMenu(self._ctx.tr("graph.hops"), menu)
        for hops in range(1, MOST_HOPS + 1):
            action = reach.addAction(self._ctx.tr("graph.hops.value", count=hops))
            action.setCheckable(True)
            action.setChecked(hops == self._seeing.hops)
            action.triggered.connect(partial(self.focus_wanted.emit, hops))
        menu.insertMenu(before, reach)  # type: ignore[arg-type]  # None appends, the stub leaves that out

    def _remember(self, action: str, world: tuple[float, float]) -> None:
        self.new_at = world if action == "memory.new" else None
