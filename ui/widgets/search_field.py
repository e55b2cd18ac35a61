"""The search field: asks 200 ms after the last change, never while an input method composes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QIcon, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from ui.tasks import single_shot
from ui.widgets.dropped import leave_files

DEBOUNCE_MS = 200
GLASS_GAP_PX = 8


class SearchField(QLineEdit):
    """`searched(text)` when the person paused; Enter asks at once, Escape clears.

    Letters of an unfinished composition (pinyin) are no text yet and ask nothing.
    """

    searched = Signal(str)
    left_down = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self._asked = ""
        self.holds: Callable[[], bool] = lambda: False
        """Whether to wait with asking, because what is typed is about to be completed. Enter does not wait."""
        self._glass: QLabel | None = None
        self._timer = single_shot(self, DEBOUNCE_MS, self._on_pause)
        self.setClearButtonEnabled(True)
        self.textChanged.connect(self._on_text)
        self.returnPressed.connect(self._ask)

    @property
    def composing(self) -> bool:
        """Whether an input method is in the middle of a word."""
        return self._composing

    def show_glass(self, icon: QIcon, size: QSize) -> None:
        """A magnifier at the start of the field. (An action of a line edit has one size for ever.)"""
        if self._glass is None:
            self._glass = QLabel(self)
            self._glass.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._glass.show()
        self._glass.setPixmap(icon.pixmap(size))
        self._glass.resize(size)
        self.setTextMargins(size.width() + GLASS_GAP_PX, 0, 0, 0)
        self._place_glass()

    def _place_glass(self) -> None:
        if self._glass is not None:
            room, size = self.rect(), self._glass.size()
            left = GLASS_GAP_PX
            if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
                left = room.width() - size.width() - GLASS_GAP_PX
            self._glass.move(left, (room.height() - size.height()) // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_glass()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not leave_files(event):
            super().dragEnterEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        if self._composing:
            self._timer.stop()
        super().inputMethodEvent(event)
        if not self._composing and self.text() != self._asked:
            self._timer.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() and not self._composing:
            self.clear()
            self._ask()
            return
        if event.key() == Qt.Key.Key_Down and not self._composing:
            self.left_down.emit()
            return
        super().keyPressEvent(event)

    def set_quietly(self, text: str) -> None:
        """Show a text without asking for it."""
        self._asked = text
        self.setText(text)
        self._timer.stop()

    def _on_text(self) -> None:
        if not self._composing:
            self._timer.start()

    def ask_soon(self) -> None:
        """What was held back is asked for, unless more is typed."""
        if self.text() != self._asked:
            self._timer.start()

    def _on_pause(self) -> None:
        if not self.holds():
            self._ask()

    def _ask(self) -> None:
        self._timer.stop()
        if self._composing or self.text() == self._asked:
            return
        self._asked = self.text()
        self.searched.emit(self._asked)
