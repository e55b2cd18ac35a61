"""A message above the page: what happened, with a button for each way out, until it is closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from ui.language import Language
from ui.theme import Theme

Way = tuple[str, Callable[[], None]]


class MessageStrip(QWidget):
    """One line that never blocks the window; the newest message replaces the last."""

    def __init__(self, tr: Language, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tr, self._theme = tr, theme
        self._error = False
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = QLabel()
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._buttons = QHBoxLayout()
        self._close = QToolButton()
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.label, 1)
        row.addLayout(self._buttons)
        row.addWidget(self._close)
        theme.bind(self, self._look)
        tr.changed.connect(self._look)
        self.hide()

    def say(self, text: str, *, error: bool = False, ways: Sequence[Way] = ()) -> None:
        """Show a message; each way is (button text, what it does)."""
        self._error = error
        self.label.setText(text)
        self.setAccessibleName(text)
        while (item := self._buttons.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for name, act in ways:
            button = QPushButton(name)
            button.clicked.connect(lambda _checked=False, do=act: self._take(do))
            self._buttons.addWidget(button)
        self._look()
        self.show()

    def _take(self, act: Callable[[], None]) -> None:
        self.hide()
        act()

    def _look(self) -> None:
        name, color = (
            ("mdi6.alert-circle-outline", "danger") if self._error else ("mdi6.information-outline", "accent")
        )
        self._icon.setPixmap(self._theme.icon(name, color).pixmap(self._theme.icon_size))
        self._close.setIcon(self._theme.icon("mdi6.close"))
        self._close.setIconSize(self._theme.icon_size)
        self._close.setToolTip(self._tr("message.close"))
        self._close.setAccessibleName(self._tr("message.close"))
