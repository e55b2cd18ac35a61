"""The four faces of every view: loading, empty, error, content - and content that is stale."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

LOADING_AFTER_MS = 150
"""A load shorter than this never shows its loading face (no flicker)."""


class Notice(QWidget):
    """A centred message with folded details and at most one button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], None] | None = None
        self.message = QLabel()
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message.setProperty("role", "notice")
        self.button = QPushButton()
        self.button.clicked.connect(self._on_click)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addStretch(2)
        column.addWidget(self.message)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def show_text(self, text: str, button: str = "", act: Callable[[], None] | None = None) -> None:
        """Say something; `button` does `act`."""
        self.message.setText(text)
        self.message.setAccessibleName(text)
        self.button.setText(button)
        self.button.setVisible(bool(button))
        self._act = act

    def _on_click(self) -> None:
        if self._act is not None:
            self._act()


class StateStack(QWidget):
    """Holds a content widget and shows it, or says why it is not there."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self.notice = Notice()
        self._loading = QWidget()
        self._loading_text = QLabel()
        self._loading_text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setMaximumWidth(160)
        bar.setMaximumHeight(6)
        column = QVBoxLayout(self._loading)
        column.addStretch(2)
        column.addWidget(self._loading_text)
        column.addWidget(bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        self._stack = QStackedWidget()
        for page in (content, self.notice, self._loading):
            self._stack.addWidget(page)
        self._strip = _Strip()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self._strip)
        outer.addWidget(self._stack, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOADING_AFTER_MS)
        self._timer.timeout.connect(lambda: self._stack.setCurrentWidget(self._loading))

    @property
    def shows(self) -> str:
        """`content`, `notice` or `loading`."""
        page = self._stack.currentWidget()
        return "content" if page is self.content else "notice" if page is self.notice else "loading"

    @property
    def strip_text(self) -> str:
        """What stands above the content; "" for nothing."""
        return self._strip.text if self._strip.isVisibleTo(self) else ""

    def show_loading(self, text: str) -> None:
        """The loading face, unless the answer comes at once; old content stays until then."""
        self._loading_text.setText(text)
        if self.shows != "loading" and not self._timer.isActive():
            self._timer.start()

    def show_content(self) -> None:
        """The content, fresh."""
        self._timer.stop()
        self._strip.hide()
        self._stack.setCurrentWidget(self.content)

    def show_notice(self, text: str, button: str = "", act: Callable[[], None] | None = None) -> None:
        """An empty or error face."""
        self._timer.stop()
        self._strip.hide()
        self.notice.show_text(text, button, act)
        self._stack.setCurrentWidget(self.notice)

    def show_stale(self, text: str, button: str, act: Callable[[], None]) -> None:
        """Keep the content and say above it that it is old."""
        self._timer.stop()
        self._strip.show_text(text, button, act)
        self._stack.setCurrentWidget(self.content)


class _Strip(QWidget):
    """A line above content: a message and a button."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._act: Callable[[], None] | None = None
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._button = QPushButton()
        self._button.clicked.connect(self._on_click)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def show_text(self, text: str, button: str, act: Callable[[], None]) -> None:
        """Say it."""
        self._label.setText(text)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        self._act = act
        self.show()

    def _on_click(self) -> None:
        if self._act is not None:
            self._act()
