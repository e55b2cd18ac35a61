"""Right of the canvas: the detail, and the neighbours of the current memory. Away while nothing is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from ui.context import Context
from ui.graph.canvas import Canvas
from ui.language import isolate
from ui.tasks import Lane, single_shot
from ui.views.graph.looks import names_of
from ui.views.graph.neighbours import Beside, Neighbours
from ui.views.graph.picture import GraphPicture
from ui.views.naming import name_of

NEIGHBOURS_MOST = 300
LEAST_PX, DETAIL_PX, NEIGHBOURS_PX = 220, 440, 220


class BesideColumn(QSplitter):
    """`shown(on)`: it came or went. `chosen` tells it that something is selected, `full` that the detail is."""

    shown = Signal(bool)

    def __init__(self, ctx: Context, picture: GraphPicture, canvas: Canvas) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._ctx, self._picture, self._canvas = ctx, picture, canvas
        self._chosen = self._full = False
        self._detail: QWidget | None = None
        self.neighbours = Neighbours(ctx)
        self.setChildrenCollapsible(False)
        self.addWidget(self.neighbours)
        self.setMinimumWidth(LEAST_PX)
        self.soon = single_shot(self, QApplication.doubleClickInterval(), self.settle)
        self.hide()

    # --- there or not ---

    def add_detail(self, widget: QWidget) -> None:
        """Take the detail in, above the neighbours."""
        self._detail = widget
        self.insertWidget(0, widget)
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 1)
        widget.show()
        self.setSizes([self._ctx.theme.px(DETAIL_PX), self._ctx.theme.px(NEIGHBOURS_PX)])
        self.settle()

    def choose(self, chosen: bool) -> None:
        """Whether something is selected. It comes a little later: a second click may still be meant for the
        canvas, which must not move away under it."""
        self._chosen = chosen
        self._settle_soon()

    def fill(self, full: bool) -> None:
        """Whether the detail has something to read or to write."""
        self._full = full
        self._settle_soon()

    def _settle_soon(self) -> None:
        if self._wanted != self._is_there:
            self.soon.start()
        else:
            self.soon.stop()

    def settle(self) -> None:
        """Come or go now."""
        self.soon.stop()
        if self._wanted != self._is_there:
            self.setVisible(self._wanted)
            self.shown.emit(self._wanted)

    @property
    def _wanted(self) -> bool:
        there = self._detail is not None and self.indexOf(self._detail) >= 0
        return there and (self._chosen or self._full)

    @property
    def _is_there(self) -> bool:
        return not self.isHidden()

    # --- neighbours ---

    def show_around(self, current: int | None) -> None:
        """List the neighbours of a memory."""
        state, tr, scene = self._picture.state, self._ctx.tr, self._canvas.scene
        node = state.index(current) if state is not None and current is not None else -1
        if state is None or node < 0:
            self.neighbours.show_neighbours("", ())
            self._canvas.setAccessibleDescription("")
            return
        mask = scene.lines.shown if scene is not None else None
        around = state.neighbours(node, mask)
        near = around[:NEIGHBOURS_MOST]
        pks = (state.pk(node), *(state.pk(other) for _, other in near))
        titles = self._picture.titles.known
        if any(not titles(pk) for pk in pks):
            self._ask_titles(pks, current)
        title = name_of(titles(state.pk(node)), tr)
        self.neighbours.show_neighbours(title, [self._line(node, *pair) for pair in near], len(around))
        self._canvas.setAccessibleDescription(
            tr("graph.canvas.current", title=isolate(title), count=len(around))
        )

    def _line(self, node: int, edge: int, other: int) -> Beside:
        state, schema = self._picture.state, self._picture.schema
        assert state is not None
        edges, data = state.data.edges, state.data
        return Beside(
            memory=state.pk(other),
            edge=int(edges.pks[edge]),
            title=name_of(self._picture.titles.known(state.pk(other)), self._ctx.tr),
            type=data.types[data.nodes.type[other]],
            relation=names_of(self._ctx, schema).relation_name(data.relations[edges.relation[edge]]),
            outgoing=int(edges.source[edge]) == node,
            live=bool(edges.live[edge]),
            strength=float(edges.strength[edge]),
        )

    def _ask_titles(self, pks: tuple[int, ...], current: int | None) -> None:
        titles = self._picture.titles

        def show(found: dict[int, str]) -> None:
            if any(found.values()):
                self.show_around(current)

        self._ctx.tasks.run(Lane.READ, lambda _p, _c: titles(pks), show, owner=self, query="titles")
