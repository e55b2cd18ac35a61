"""A group of fields under a heading that folds it away."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from ui.theme import Theme


class Fold(QWidget):
    """A heading button over a body. `note` stands beside the heading: what the folded fields say."""

    folded = Signal(bool)

    def __init__(
        self, theme: Theme, name: str, parent: QWidget | None = None, *, is_open: bool = False
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.button = QToolButton()
        self.button.setProperty("fold", "true")
        self.button.setCheckable(True)
        self.button.setChecked(is_open)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setProperty("role", "small")
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(8)
        head.addWidget(self.button)
        head.addWidget(self.note, 1)
        self.body = QWidget()
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(4, 2, 0, 8)
        self.column.setSpacing(6)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self.body)
        self.button.toggled.connect(self._on_toggled)
        self.rename(name)
        theme.bind(self, self._look)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self.button.isChecked()

    def open(self, *, is_open: bool = True) -> None:
        """Show the body, or fold it away."""
        self.button.setChecked(is_open)

    def rename(self, name: str) -> None:
        """Give the heading another text."""
        self.button.setText(name)
        self.button.setAccessibleName(name)

    def _on_toggled(self, is_open: bool) -> None:
        self._look()
        self.folded.emit(not is_open)

    def _look(self) -> None:
        is_open = self.button.isChecked()
        self.body.setVisible(is_open)
        self.button.setIcon(
            self._theme.icon("mdi6.chevron-down" if is_open else "mdi6.chevron-right", "secondary")
        )
        self.button.setIconSize(self._theme.icon_size)
