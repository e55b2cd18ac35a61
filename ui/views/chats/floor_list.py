"""The list of floors: scrolls, searches, and lets the pointer be dragged."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from ui.context import Context
from ui.models.chat_floors import ChatFloors
from ui.views.chats.floor_delegate import FloorDelegate

GRAB_PX = 5
"""So near to its line the pointer can be taken with the mouse."""


class FloorList(QListView):
    """`pointer_moved(floor)`: dropped after that floor (-1 = before the first); `chosen()`: other floors."""

    pointer_moved = Signal(int)
    chosen = Signal()

    def __init__(self, context: Context, floors: ChatFloors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self.floors = context, floors
        self._dragging = False
        self.delegate = FloorDelegate(context, floors, self)
        self.setModel(floors)
        self.setItemDelegate(self.delegate)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(context.tr("chats.floors"))
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        context.theme.bind(self, self._look)

    def _look(self) -> None:
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    # --- the pointer ---

    @property
    def pointer(self) -> int:
        """The floor up to which all is processed."""
        return self.delegate.pointer

    def set_pointer(self, floor: int) -> None:
        """Show the pointer behind that floor."""
        self.delegate.pointer = floor
        self.viewport().update()

    def set_boundaries(self, floors: Iterable[int]) -> None:
        """Mark where new segments begin."""
        self.delegate.boundaries = frozenset(floors)
        self.viewport().update()

    def _near_pointer(self, spot: QPoint) -> bool:
        line = self._line_of_pointer()
        return line is not None and abs(spot.y() - line) <= GRAB_PX

    def _line_of_pointer(self) -> int | None:
        """Where the pointer's line lies in the viewport, in px; None when it is not in the list."""
        if not len(self.floors.numbers):
            return None
        if self.pointer < 0:
            return self.visualRect(self.floors.index(0)).top()
        row = self.floors.row_of(self.pointer)
        if row < 0 or self.floors.floor_at(row) != self.pointer:
            return None
        return self.visualRect(self.floors.index(row)).bottom()

    def _floor_above(self, spot: QPoint) -> int:
        """The floor behind which the pointer would land when it is dropped here."""
        index = self.indexAt(QPoint(GRAB_PX, max(spot.y(), 0)))
        if not index.isValid():
            return self.floors.floor_at(len(self.floors.numbers) - 1) if spot.y() > 0 else -1
        area = self.visualRect(index)
        row = index.row() if spot.y() > area.center().y() else index.row() - 1
        return self.floors.floor_at(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._near_pointer(event.position().toPoint()):
            self._dragging = True
            self.delegate.target = self.pointer
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = event.position().toPoint()
        if self._dragging:
            self.delegate.target = self._floor_above(spot)
            self._scroll_at_edge(spot)
            self.viewport().update()
            return
        shape = Qt.CursorShape.SplitVCursor if self._near_pointer(spot) else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._dragging:
            super().mouseReleaseEvent(event)
            return
        target = self.delegate.target
        self._end_drag()
        if target is not None and target != self.pointer:
            self.pointer_moved.emit(target)

    def _scroll_at_edge(self, spot: QPoint) -> None:
        bar, step = self.verticalScrollBar(), self.delegate.height // 2
        if spot.y() < GRAB_PX:
            bar.setValue(bar.value() - step)
        elif spot.y() > self.viewport().height() - GRAB_PX:
            bar.setValue(bar.value() + step)

    def _end_drag(self) -> None:
        self._dragging = False
        self.delegate.target = None
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._dragging and event.key() == Qt.Key.Key_Escape:
            self._end_drag()
            return
        super().keyPressEvent(event)

    # --- floors ---

    def selected_floors(self) -> tuple[int, int] | None:
        """First and last of the selected floors."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return (self.floors.floor_at(rows[0]), self.floors.floor_at(rows[-1])) if rows else None

    def go_to(self, floor: int) -> None:
        """Select a floor and bring it into view."""
        row = self.floors.row_of(floor)
        if row >= 0:
            index: QModelIndex = self.floors.index(row)
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
