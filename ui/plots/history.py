"""Memories over time, and memories by how often they were recalled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from ui.context import Context

HEIGHT_PX = 180
MOST_BARS = 40
"""Beyond so many times recalled, memories share the last bar."""


class _Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A still picture in the colours of the theme, with its numbers as its description."""

    def __init__(self, context: Context, axis: object | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems={} if axis is None else {"bottom": axis})
        self._context = context
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        item.getAxis("left").setWidth(context.theme.px(44))

    def look(self) -> None:
        """Colours and sizes of the theme."""
        theme = self._context.theme
        self.setFixedHeight(theme.px(HEIGHT_PX))
        self.setBackground(theme.color("base"))
        for side in ("left", "bottom"):
            axis = self.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(theme.color("border")))
            axis.setTextPen(pg.mkPen(theme.color("secondary")))
            axis.setTickFont(theme.font("small"))
        self.draw()

    def draw(self) -> None:
        """The marks."""
        raise NotImplementedError


class TimePlot(_Plot):
    """Memories that were there at the end of each day."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        self._days: tuple[tuple[datetime, int], ...] = ()
        super().__init__(context, pg.DateAxisItem(orientation="bottom"), parent)
        self.curve = pg.PlotCurveItem(stepMode="right")
        self.addItem(self.curve)
        context.theme.bind(self, self.look)

    def show_days(self, days: Sequence[tuple[datetime, int]]) -> None:
        """Show memories made by day."""
        self._days = tuple(days)
        self.draw()

    @property
    def total(self) -> int:
        """Memories at the end."""
        return sum(count for _, count in self._days)

    def draw(self) -> None:
        """A line with a soft area below."""
        theme = self._context.theme
        if not self._days:
            self.curve.setData([], [])
            return
        times = np.array([day.timestamp() for day, _ in self._days])
        counts = np.cumsum([count for _, count in self._days])
        times = np.append(times, times[-1] + 86_400)
        counts = np.append(counts, counts[-1]).astype(np.float64)
        soft = theme.color("accent")
        soft.setAlpha(40)
        self.curve.setData(
            times, counts, pen=pg.mkPen(theme.color("accent"), width=2), fillLevel=0, brush=pg.mkBrush(soft)
        )
        self.setXRange(times[0], times[-1], padding=0.02)
        self.setYRange(0, max(1.0, float(counts[-1])), padding=0.05)
        tr = self._context.tr
        self.setAccessibleName(tr("health.plot.made.said", count=tr.number(self.total), days=len(self._days)))


class RecallsPlot(_Plot):
    """Memories by times recalled; the heights are roots, since most are recalled never or seldom."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        self._counts: dict[int, int] = {}
        super().__init__(context, None, parent)
        self.bars = pg.BarGraphItem(x=[], height=[], width=0.8)
        self.addItem(self.bars)
        context.theme.bind(self, self.look)

    def show_counts(self, counts: Sequence[tuple[int, int]]) -> None:
        """Show (times recalled, memories)."""
        self._counts = {}
        for times, memories in counts:
            place = min(times, MOST_BARS)
            self._counts[place] = self._counts.get(place, 0) + memories
        self.draw()

    def draw(self) -> None:
        """One bar for each number of recalls."""
        theme, tr = self._context.theme, self._context.tr
        places = sorted(self._counts)
        heights = [float(np.sqrt(self._counts[place])) for place in places]
        color = theme.color("accent")
        self.bars.setOpts(x=places, height=heights, width=0.8, brush=color, pen=pg.mkPen(color))
        last = max(places, default=1)
        self.setXRange(-0.6, max(1, last) + 0.6, padding=0.01)
        self.setYRange(0, max([1.0, *heights]), padding=0.05)
        left = self.getPlotItem().getAxis("left")
        top = max(self._counts.values(), default=1)
        ticks = sorted({1, round(top / 16) or 1, round(top / 4) or 1, top})
        left.setTicks([[(float(np.sqrt(tick)), tr.number(tick)) for tick in ticks]])
        step = max(1, -(-last // 8))
        marks = [(place, tr.number(place)) for place in range(0, last + 1, step)]
        if last == MOST_BARS:
            marks[-1] = (MOST_BARS, tr("health.plot.more", count=MOST_BARS))
        self.getPlotItem().getAxis("bottom").setTicks([marks])
        never = self._counts.get(0, 0)
        self.setAccessibleName(
            tr(
                "health.plot.recalled.said",
                count=tr.number(sum(self._counts.values())),
                never=tr.number(never),
            )
        )
