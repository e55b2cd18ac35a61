"""How many memories have which retention value, with the threshold as a line to drag."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ui.context import Context

BINS = 80
LEAST_SPAN = 1.0
SPAN_QUANTILE = 0.995
"""The few memories that are used all the time would squeeze all others into one bar."""
HEIGHT_PX = 180
STEP = 0.01


class RetentionPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """`moved(threshold)` while the line is dragged. Arrow keys move it by 0.01, with Ctrl by 0.1."""

    moved = Signal(float)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._values: NDArray[np.float64] = np.empty(0)
        self._threshold = 0.0
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.layout.setContentsMargins(8, 4, 16, 4)  # the last number of the axis stands half outside
        self.setMouseEnabled(x=False, y=False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.below = pg.BarGraphItem(x=[], height=[], width=1)
        self.above = pg.BarGraphItem(x=[], height=[], width=1)
        self.line = pg.InfiniteLine(angle=90, movable=True)
        self.line.setZValue(10)
        for part in (self.above, self.below, self.line):
            self.addItem(part)
        self.line.sigPositionChanged.connect(self._on_line)
        context.tr.changed.connect(self._say)
        context.theme.bind(self, self._look)

    def show_values(self, values: NDArray[np.float64]) -> None:
        """Draw other values (n,)."""
        self._values = values
        self._draw()

    def show_threshold(self, threshold: float) -> None:
        """Put the line at a value, without `moved`."""
        self._threshold = threshold
        blocked = self.line.blockSignals(True)
        self.line.setValue(threshold)
        self.line.blockSignals(blocked)
        self._draw()

    @property
    def threshold(self) -> float:
        """Where the line is."""
        return self._threshold

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            step *= 10
        self.line.setValue(round(self._threshold + step, 2))

    def _on_line(self) -> None:
        value = max(0.0, round(float(self.line.value()), 3))
        if value != self._threshold:
            self._threshold = value
            self._draw()
            self.moved.emit(value)

    def _draw(self) -> None:
        values = self._values
        span = max(LEAST_SPAN, self._threshold * 1.1)
        if len(values):
            span = max(span, float(np.quantile(values, SPAN_QUANTILE)))
        counts, edges = np.histogram(np.minimum(values, span), BINS, (0.0, span))
        width = span / BINS
        left = edges[:-1]
        share = np.clip((self._threshold - left) / width, 0.0, 1.0)
        """The bar in which the line stands is cut by it."""
        self.below.setOpts(x0=left, width=share * width, height=counts)
        self.above.setOpts(x0=left + share * width, width=(1.0 - share) * width, height=counts)
        self.setXRange(0.0, span, padding=0.01)
        self.setYRange(0.0, max(1, int(counts.max(initial=0))), padding=0.05)

    def _look(self) -> None:
        theme = self._context.theme
        self.setBackground(theme.color("base"))
        self.setFixedHeight(theme.px(HEIGHT_PX))
        self.below.setOpts(brush=theme.color("danger"), pen=None)
        self.above.setOpts(brush=theme.color("border_strong"), pen=None)
        self.line.setPen(pg.mkPen(theme.color("accent"), width=2))
        self.line.setHoverPen(pg.mkPen(theme.color("accent_hover"), width=4))
        for side in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(side)
            axis.setPen(theme.color("border"))
            axis.setTextPen(theme.color("secondary"))
            axis.setStyle(tickFont=theme.font("small"))
        self._say()

    def _say(self) -> None:
        tr, item = self._context.tr, self.getPlotItem()
        color = self._context.theme.color("secondary").name()
        item.setLabel("bottom", tr("forget.axis.retention"), color=color)
        item.setLabel("left", tr("forget.axis.memories"), color=color)
        self.setAccessibleName(tr("forget.plot"))
        self.setToolTip(tr("forget.plot.tip"))
