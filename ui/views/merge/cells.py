"""Cells of the merge desk: a value with its mark, texts with their differences, ticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QTextOption
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from ui.context import Context
from ui.models.merge_choice import Tick
from ui.widgets.diff_text import DiffText, Part, parts
from ui.widgets.flow_layout import FlowLayout

MOST_LINES = 14
LONG_CHARS = 60
"""From here on a text stands in a field of its own, wrapped and selectable."""


def plain_label(text: str, role: str = "") -> QLabel:
    """Wrapped plain text."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(True)
    if role:
        made.setProperty("role", role)
    return made


class ValueCell(QWidget):
    """A value with a radio button; a click on the value chooses it too.

    `against`: the text that it is compared with; what stands only here is marked. `first`: it is the older side.
    """

    def __init__(
        self,
        context: Context,
        text: str,
        name: str,
        choose: Callable[[], None],
        *,
        against: str | None = None,
        first: bool = False,
        extra: str = "",
    ) -> None:
        super().__init__()
        self.mark = QRadioButton()
        self.mark.setAutoExclusive(False)
        self.mark.setAccessibleName(f"{name}: {text}")
        self._choose = choose
        self.mark.clicked.connect(lambda _on: choose())
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 4, 4)
        row.setSpacing(6)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(2)
        self.text: QWidget
        if len(text) > LONG_CHARS or "\n" in text or against is not None:
            self.text = _compared(context, text, against, first=first)
            self.text.setAccessibleName(name)
        else:
            self.text = plain_label(text)
        column.addWidget(self.text)
        if extra:
            column.addWidget(plain_label(extra, "secondary"))
        column.addStretch(1)
        row.addLayout(column, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose()
        super().mousePressEvent(event)


def _compared(context: Context, text: str, against: str | None, *, first: bool) -> DiffText:
    """The text with what the other one does not say."""
    theme = context.theme
    field = DiffText(
        gone=theme.color("diff_gone"),
        new=theme.color("diff_gone" if first else "diff_new"),
        lines=1,
        max_lines=MOST_LINES,
    )
    field.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if against is None or against == text:
        field.set_text(text)
        return field
    found = parts(text, against) if first else parts(against, text)
    hidden = Part.NEW if first else Part.GONE
    own = Part.NEW  # on either side what stands only here is underlined, nothing is struck through
    field.show_parts(
        [(own if part is not Part.SAME else part, word) for part, word in found if part is not hidden]
    )
    return field


class Ticks(QWidget):
    """Boxes for what is taken or left. `changed(at, on)` is called when one was clicked."""

    def __init__(
        self,
        ticks: Sequence[Tick],
        texts: Sequence[str],
        changed: Callable[[int, bool], None],
        *,
        rows: bool = False,
    ) -> None:
        super().__init__()
        self.boxes: list[QCheckBox] = []
        layout: FlowLayout | QVBoxLayout
        if rows:
            layout = QVBoxLayout(self)
            layout.setSpacing(2)
        else:
            layout = FlowLayout(self, gap=8)
        layout.setContentsMargins(0, 0, 0, 0)
        for at, (tick, text) in enumerate(zip(ticks, texts, strict=True)):
            box = QCheckBox(text.replace("&", "&&"))
            box.setChecked(tick.on)
            box.toggled.connect(lambda on, at=at: changed(at, on))
            self.boxes.append(box)
            layout.addWidget(box)
