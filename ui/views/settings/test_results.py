"""What a test of a connection found, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.domain.model_answers import Outcome, TestLine
from ui.context import Context

MARKS = {
    Outcome.WORKS: ("mdi6.check-circle-outline", "ok"),
    Outcome.MISSING: ("mdi6.information-outline", "warning"),
    Outcome.FAILS: ("mdi6.close-circle-outline", "danger"),
}


class TestResults(QWidget):
    """One line a finding, with a mark and its words."""

    __test__ = False

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.lines: list[str] = []
        self.hide()

    def say(self, text: str) -> None:
        """One line of words alone."""
        self._clear()
        self.lines = [text]
        self._column.addWidget(self._words(text))
        self.show()

    def show_lines(self, lines: Sequence[TestLine]) -> None:
        """The findings of a test."""
        self._clear()
        tr = self._context.tr
        for line in lines:
            text = tr(line.text, **line.args)
            icon, color = MARKS[line.outcome]
            mark = QLabel()
            mark.setPixmap(self._context.theme.icon(icon, color).pixmap(self._context.theme.icon_size))
            mark.setAccessibleName(tr(f"models.outcome.{line.outcome.value}"))
            row = QHBoxLayout()
            row.setSpacing(8)
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(self._words(text), 1)
            self._column.addLayout(row)
            self.lines.append(text)
        self.show()

    def _words(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _clear(self) -> None:
        self.lines = []
        while (item := self._column.takeAt(0)) is not None:
            for part in _widgets(item):
                part.hide()
                part.deleteLater()


def _widgets(item: object) -> list[QWidget]:
    widget = getattr(item, "widget", lambda: None)()
    if widget is not None:
        return [widget]
    layout = getattr(item, "layout", lambda: None)()
    found: list[QWidget] = []
    while layout is not None and (inner := layout.takeAt(0)) is not None:
        found += _widgets(inner)
    return found
