"""Room on the Graph page: legend, picture and detail side by side, and what lies in the picture's corners."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from ui.context import Context
from ui.graph.canvas import Canvas
from ui.graph.minimap import Minimap
from ui.views.graph.beside import BesideColumn
from ui.views.graph.notes import Notes
from ui.views.graph.side import Side
from ui.views.graph.tools import Tools

GAP_PX = 12
SIDE_PX, MIDDLE_PX, BESIDE_PX, DETAIL_LEAST_PX = 244, 704, 340, 300
CANVAS_LEAST_PX = 460
"""With less room for the picture the legend gives way, unless a person wants it."""
SETTING_SPLITTER = "ui.graph_splitter"


class Room(QObject):
    """Divides the width of the page, and says to the tools whether the legend is there."""

    def __init__(
        self, ctx: Context, side: Side, middle: QWidget, beside: BesideColumn, tools: Tools, canvas: Canvas
    ) -> None:
        super().__init__(canvas)
        self._ctx, self._side, self._beside, self._tools = ctx, side, beside, tools
        self._canvas = canvas
        self._wanted: bool | None = None
        """Whether a person wants the legend; None = when there is room."""
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        for at, (widget, stretch) in enumerate(((side, 0), (middle, 1), (beside, 0))):
            self.splitter.addWidget(widget)
            self.splitter.setStretchFactor(at, stretch)
        saved = str(ctx.settings.get(SETTING_SPLITTER))
        if not (saved and self.splitter.restoreState(QByteArray.fromBase64(saved.encode("ascii")))):
            px = ctx.theme.px
            self.splitter.setSizes([px(SIDE_PX), px(MIDDLE_PX), px(BESIDE_PX)])
        beside.hide()
        tools.legend_wanted.connect(self._want_legend)

    def save_state(self) -> None:
        """Keep the widths."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._ctx.settings.set(SETTING_SPLITTER, state)

    def divide(self) -> None:
        """The legend gives way where the picture would be tiny; a person's own choice comes first."""
        px = self._ctx.theme.px
        taken = px(SIDE_PX) + (0 if self._beside.isHidden() else px(DETAIL_LEAST_PX))
        enough = self.splitter.width() - taken >= px(CANVAS_LEAST_PX)
        shown = enough if self._wanted is None else self._wanted
        self._side.setVisible(shown)
        self._tools.show_legend(shown)

    def _want_legend(self, wanted: bool) -> None:
        self._wanted = wanted
        self.divide()

    def make_way(self, node: int) -> None:
        """The detail came or went: divide anew, and keep the current node (-1 = none) in sight of it."""
        self.divide()
        self.splitter.refresh()
        if node >= 0:
            self._canvas.bring_in(node)


class Corners(QObject):
    """Keeps the minimap and the hint where they belong."""

    def __init__(self, canvas: Canvas, minimap: Minimap, notes: Notes) -> None:
        super().__init__(canvas)
        self._canvas, self._minimap, self._notes = canvas, minimap, notes
        canvas.moved.connect(self.place)

    def place(self) -> None:
        """Into the lower corners."""
        canvas, map_ = self._canvas, self._minimap
        map_.move(canvas.width() - map_.width() - GAP_PX, canvas.height() - map_.height() - GAP_PX)
        self._notes.place_hint(canvas.height() - self._notes.hint.height() - GAP_PX)
