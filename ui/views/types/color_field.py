"""A colour: its number, a swatch, and the system's chooser."""

from __future__ import annotations

import re

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QColorDialog, QHBoxLayout, QLineEdit, QToolButton, QWidget

from ui.context import Context

HEX = re.compile(r"#[0-9A-Fa-f]{6}")


class ColorField(QWidget):
    """`changed` while it is typed or when another is chosen."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.edit = QLineEdit()
        self.edit.setMaximumWidth(context.theme.px(96))
        self.button = QToolButton()
        self.button.setProperty("button", "true")
        self.button.clicked.connect(self.choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.edit)
        row.addWidget(self.button)
        row.addStretch(1)
        self.edit.textChanged.connect(lambda _text: self._on_text())

    @property
    def value(self) -> str:
        """What stands there."""
        return self.edit.text().strip()

    def show_value(self, color: str) -> None:
        """Show a colour."""
        self.edit.setText(color)
        self._paint()

    def name(self, text: str) -> None:
        """What the colour is of."""
        self.edit.setAccessibleName(text)
        self.button.setAccessibleName(text)
        self.button.setToolTip(text)

    def choose(self) -> None:
        """Ask for another colour, without holding the window."""
        dialog = QColorDialog(QColor(self.value) if HEX.fullmatch(self.value) else QColor(), self)
        dialog.colorSelected.connect(lambda color: self.edit.setText(color.name().upper()))
        dialog.open()

    def _on_text(self) -> None:
        self._paint()
        self.changed.emit()

    def _paint(self) -> None:
        size = self._context.theme.icon_size
        picture = QPixmap(size)
        good = HEX.fullmatch(self.value) is not None
        picture.fill(QColor(self.value) if good else self._context.theme.color("window"))
        self.button.setIcon(QIcon(picture))
        self.button.setIconSize(size)
