"""The legend, which is also the filter: what colours mean, and what is shown of each kind."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ui.context import Context
from ui.graph.coloring import Entry, Scale
from ui.views.graph.legend_lines import Lines, Row, Section
from ui.views.graph.legend_section import LegendSection

RAMP_PX = 10


class Ramp(QWidget):
    """A row of colours with what its two ends mean."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._scale: Scale | None = None

    def show_scale(self, scale: Scale | None) -> None:
        """Show this scale; None hides it."""
        self._scale = scale
        self.setVisible(scale is not None)
        if scale is not None:
            self.setAccessibleName(f"{scale.low} – {scale.high}")
            self.setFixedHeight(RAMP_PX + 4 + self.fontMetrics().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, RAMP_PX + 4 + self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        scale = self._scale
        if scale is None:
            return
        painter = QPainter(self)
        area = QRectF(0, 0, self.width(), RAMP_PX)
        ramp = QLinearGradient(area.topLeft(), area.topRight())
        for at, rgb in enumerate(scale.colors):
            ramp.setColorAt(at / max(len(scale.colors) - 1, 1), QColor(rgb))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(ramp))
        painter.drawRoundedRect(area, 3, 3)
        painter.setPen(self._ctx.theme.color("secondary"))
        painter.setFont(self._ctx.theme.font("small"))
        line = QRectF(0, RAMP_PX + 2, self.width(), self.height() - RAMP_PX - 2)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, scale.low)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, scale.high)
        painter.end()


class Legend(QWidget):
    """`switched(part, value)` when a line was switched on or off."""

    switched = Signal(str, str)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.heading = QLabel()
        self.heading.setProperty("role", "section")
        self.ramp = Ramp(ctx)
        self.meanings = Lines(ctx)
        for widget in (self.heading, self.ramp, self.meanings):
            self._column.addWidget(widget)
        self._sections: dict[str, LegendSection] = {}

    def section(self, part: str) -> LegendSection:
        """A section, once it was shown."""
        return self._sections[part]

    def lines(self, part: str) -> Lines:
        """The lines of a section."""
        return self._sections[part].lines

    def show_meanings(self, title: str, entries: Sequence[Entry], scale: Scale | None) -> None:
        """What colours mean, when that is not one of the sections."""
        shown = bool(entries) or scale is not None
        self.heading.setText(title)
        self.heading.setVisible(shown)
        self.ramp.show_scale(scale)
        rows = [Row("", entry.label, entry.count, on=True, rgb=entry.rgb) for entry in entries]
        self.meanings.show_rows(rows, checkable=False)
        self.meanings.setAccessibleName(title)
        self.meanings.setVisible(bool(rows))

    def show_sections(self, sections: Sequence[Section]) -> None:
        """The kinds of memories and relations with their counts."""
        for section in sections:
            if section.part not in self._sections:
                made = LegendSection(self._ctx)
                made.switched.connect(lambda value, part=section.part: self.switched.emit(part, value))
                self._column.addWidget(made)
                self._sections[section.part] = made
            self._sections[section.part].show_section(section)
