"""The lines of the legend: a tick, a mark, a name and a count each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ui.context import Context

VALUE = int(Qt.ItemDataRole.UserRole)
MARK_PX = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One line that can be switched off."""

    value: str
    label: str
    count: int
    on: bool
    icon: QIcon | None = None
    rgb: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A group of lines. `part` names what they filter."""

    part: str
    title: str
    rows: tuple[Row, ...]


def mark(rgb: int, ratio: float = 2.0) -> QIcon:
    """A small disc of a colour."""
    side = round(16 * ratio)
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(rgb))
    gap = (16 - MARK_PX) / 2 * ratio
    painter.drawEllipse(QRectF(gap, gap, MARK_PX * ratio, MARK_PX * ratio))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)


class Lines(QTreeWidget):
    """Lines with a tick, a mark, a name and a count; as high as they are many."""

    switched = Signal(str)
    _changed = Signal(str)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._filling = False
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAllColumnsShowFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.header().setStretchLastSection(False)
        self.header().setMinimumSectionSize(24)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        # Later: what follows may make the lines anew, while Qt still holds the one that was clicked.
        self._changed.connect(self.switched, Qt.ConnectionType.QueuedConnection)
        self.itemChanged.connect(self._on_changed)
        self.itemClicked.connect(self._on_clicked)
        self._pressed: Qt.CheckState | None = None
        self.itemPressed.connect(self._on_pressed)
        self.setProperty("surface", "window")

    def show_rows(self, rows: Sequence[Row], *, checkable: bool = True) -> None:
        """Show these lines; the same ones stay as they are, with their focus."""
        self._filling = True
        listed = [str(item.data(0, VALUE)) for item in self._items()]
        if listed != [row.value for row in rows]:
            self.clear()
            for _ in rows:
                self.addTopLevelItem(QTreeWidgetItem())
        for item, row in zip(self._items(), rows, strict=True):
            self._fill(item, row, checkable=checkable)
        self._filling = False
        height = self.sizeHintForRow(0) * len(rows) if rows else 0
        self.setFixedHeight(max(height + 2, 2))

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(at) for at in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _fill(self, item: QTreeWidgetItem, row: Row, *, checkable: bool) -> None:
        item.setText(0, row.label)
        item.setText(1, self._ctx.tr.number(row.count))
        item.setData(0, VALUE, row.value)
        item.setToolTip(0, row.label)
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(1, self._ctx.theme.color("secondary"))
        if checkable:
            item.setCheckState(0, Qt.CheckState.Checked if row.on else Qt.CheckState.Unchecked)
        mark_of = row.icon if row.icon is not None else mark(row.rgb) if row.rgb is not None else QIcon()
        item.setIcon(0, mark_of)

    def _on_pressed(self, item: QTreeWidgetItem, _column: int) -> None:
        self._pressed = item.checkState(0)

    def _on_clicked(self, item: QTreeWidgetItem, _column: int) -> None:
        """A click anywhere on the line switches it, not only on the tick."""
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable and item.checkState(0) == self._pressed:
            on = item.checkState(0) == Qt.CheckState.Checked
            if item.data(0, Qt.ItemDataRole.CheckStateRole) is not None:
                item.setCheckState(0, Qt.CheckState.Unchecked if on else Qt.CheckState.Checked)

    def _on_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == 0:
            self._changed.emit(str(item.data(0, VALUE)))
