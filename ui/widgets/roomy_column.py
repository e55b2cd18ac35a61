"""The column of a list that takes what the others leave, and never less than it needs to be read."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from ui.tasks import single_shot


class RoomyColumn(QObject):
    """Keeps a column as wide as there is room, `least_px` at least; then the list scrolls sideways.

    Qt's own stretching squeezes a column to nothing where the others take all the room.
    """

    def __init__(self, view: QAbstractItemView, header: QHeaderView, column: int, least_px: int) -> None:
        super().__init__(view)
        self._view, self._header, self._column, self._least = view, header, column, least_px
        self._fitting = False
        header.setStretchLastSection(False)
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
        view.viewport().installEventFilter(self)
        # In the middle of laying out its sections a header still tells the old length.
        self._later = single_shot(self, 0, self.fit)
        header.sectionResized.connect(self._on_resized)
        header.sectionCountChanged.connect(lambda _before, _now: self.fit())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self.fit()
        return super().eventFilter(watched, event)

    def _on_resized(self, column: int, _before: int, _now: int) -> None:
        self.fit()
        if column != self._column:
            self._later.start()

    def fit(self) -> None:
        """Give the column what is left."""
        header = self._header
        if self._fitting or not 0 <= self._column < header.count():
            return
        self._fitting = True
        others = header.length() - header.sectionSize(self._column)
        header.resizeSection(self._column, max(self._least, self._view.viewport().width() - others))
        self._fitting = False
