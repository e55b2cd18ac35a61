"""A window that grows when what it says becomes longer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from ui.tasks import single_shot
from ui.theme import WINDOW_SHARE


class Growing(QObject):
    """Gives a window the height that its layout needs: Qt does not look at wrapped lines in a window shown.

    A filter and a timer, not an override of `event`: a fault in that would stand in the way of every event.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._soon = single_shot(self, 0, self.grow)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._soon.start()
        return False

    def grow(self) -> None:
        """Make room now."""
        window = self._window
        layout = window.layout()
        if layout is None or not window.isVisible():
            return
        needed = layout.totalMinimumHeightForWidth(window.width())
        room = round(window.screen().availableSize().height() * WINDOW_SHARE)
        if window.height() < min(needed, room):
            window.resize(window.width(), min(needed, room))
