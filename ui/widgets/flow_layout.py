"""A layout that puts its items in a row and goes on in the next one when the width is used up."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

GAP_PX = 4


class FlowLayout(QLayout):
    """Items keep their size hint; rows are as high as their highest item, the others stand at its middle.

    The last item gets the rest of its row when `stretch_last` is set (a text input after chips). The last `tail`
    items stand at the far end as long as one row is enough.
    """

    def __init__(
        self, parent: QWidget | None = None, *, stretch_last: bool = False, gap: int = GAP_PX, tail: int = 0
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._stretch_last = stretch_last
        self._gap, self._tail = gap, tail
        self.setContentsMargins(QMargins(0, 0, 0, 0))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def insert_widget(self, index: int, widget: QWidget) -> None:
        """Put a widget at a place in the flow."""
        self.addWidget(widget)
        self._items.insert(index, self._items.pop())
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the items (or only measure); the height used."""
        area = rect.marginsRemoved(self.contentsMargins())
        y = area.y()
        rows = self._rows(area)
        tail = sum(not item.isEmpty() for item in self._items[len(self._items) - self._tail :])
        for number, row in enumerate(rows):
            height = max(size.height() for _item, size in row)
            y += self._gap if number else 0
            x = area.x()
            used = sum(size.width() for _item, size in row) + self._gap * (len(row) - 1)
            for place, (item, size) in enumerate(row):
                if tail and len(rows) == 1 and place == len(row) - tail:
                    x += max(0, area.width() - used)
                if move:
                    at = QPoint(x, y + (height - size.height()) // 2)
                    item.setGeometry(self._mirrored(QRect(at, size), area))
                x += size.width() + self._gap
            y += height
        return y - rect.y() + self.contentsMargins().bottom()

    def _rows(self, area: QRect) -> list[list[tuple[QLayoutItem, QSize]]]:
        """The items that are shown with their sizes, row by row."""
        rows: list[list[tuple[QLayoutItem, QSize]]] = []
        x, shown = area.x(), [item for item in self._items if not item.isEmpty()]
        for item in shown:
            size = item.sizeHint().boundedTo(QSize(max(area.width(), 1), 100_000))
            if not rows or (x > area.x() and x + size.width() > area.right() + 1):
                rows.append([])
                x = area.x()
            if self._stretch_last and item is shown[-1]:
                size.setWidth(max(size.width(), area.right() + 1 - x))
            rows[-1].append((item, size))
            x += size.width() + self._gap
        return rows

    def _mirrored(self, item: QRect, area: QRect) -> QRect:
        """The rectangle as seen in a right-to-left window."""
        parent = self.parentWidget()
        if parent is None or parent.layoutDirection() is Qt.LayoutDirection.LeftToRight:
            return item
        return QRect(area.left() + area.right() - item.right(), item.y(), item.width(), item.height())
