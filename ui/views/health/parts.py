"""Small pieces that the parts of the page share: cards, pairs of name and figure, sizes in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.domain.health import Severity
from ui.context import Context

MEGABYTE, KILOBYTE = 1_000_000, 1_000
MARKS = {
    Severity.ERROR: ("mdi6.close-circle", "danger"),
    Severity.WARNING: ("mdi6.alert", "warning"),
    Severity.NOTE: ("mdi6.information-outline", "secondary"),
}


def size_text(context: Context, size: int) -> str:
    """A number of bytes in words."""
    tr = context.tr
    if size >= MEGABYTE:
        return tr("health.mb", size=tr.number(round(size / MEGABYTE, 1)))
    return tr("health.kb", size=tr.number(max(1, round(size / KILOBYTE)) if size else 0))


class Card(QFrame):
    """A titled frame with a column."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.title = QLabel()
        self.title.setProperty("role", "section")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 12, 16, 12)
        self.column.setSpacing(8)
        self.column.addWidget(self.title)

    def name(self, text: str) -> None:
        """Give it a heading."""
        self.title.setText(text)
        self.setAccessibleName(text)


class Figures(QWidget):
    """Names with figures, in pairs of columns."""

    def __init__(self, columns: int = 2, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = columns
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(4)
        self.shown: dict[str, str] = {}

    def show_pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Show these instead."""
        self.shown = dict(pairs)
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        rows = -(-len(pairs) // self._columns)
        for at, (name, value) in enumerate(pairs):
            row, column = at % rows, at // rows * 2
            label, figure = QLabel(name), QLabel(value)
            label.setProperty("role", "secondary")
            for each in (label, figure):
                each.setTextFormat(Qt.TextFormat.PlainText)
            figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            figure.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(label, row, column)
            self._grid.addWidget(figure, row, column + 1)
        for column in range(self._columns):
            self._grid.setColumnStretch(2 * column, 1)
            self._grid.setColumnMinimumWidth(2 * column + 1, 48)


def scrolled(inside: QWidget) -> QScrollArea:
    """The widget in an area that scrolls up and down."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    inside.setProperty("surface", "base")
    area.setWidget(inside)
    return area


def emptied(column: QVBoxLayout) -> None:
    """Take all widgets out of a column."""
    while (item := column.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
