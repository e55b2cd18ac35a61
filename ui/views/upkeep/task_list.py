"""The list of the page Upkeep: name, one line of what it is for, and how much waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ui.language import Language
from ui.theme import Theme
from ui.views.upkeep.tasks import UpkeepTask

ABOUT, COUNT, TASK = (Qt.ItemDataRole.UserRole + at for at in range(3))
WIDTH_PX, PAD_PX, GAP_PX = 256, 10, 8
MOST_PX = 340
ABOUT_LINES = 4
WRAP = Qt.TextFlag.TextWordWrap


class TaskList(QListWidget):
    """`chosen(task id)` when another task becomes the current one."""

    chosen = Signal(str)

    def __init__(self, tasks: Sequence[UpkeepTask], tr: Language, theme: Theme) -> None:
        super().__init__()
        self._tasks, self._tr, self._theme = tuple(tasks), tr, theme
        self.setProperty("surface", "window")
        self.setItemDelegate(_TaskDelegate(theme, self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        for task in self._tasks:
            item = QListWidgetItem()
            item.setData(TASK, task.id)
            self.addItem(item)
        self.currentItemChanged.connect(self._on_current)
        tr.changed.connect(self._say)
        theme.bind(self, self._say)

    def show_count(self, task_id: str, count: int) -> None:
        """Say how much waits for a task."""
        for row, task in enumerate(self._tasks):
            if task.id == task_id:
                self.item(row).setData(COUNT, count)
                self._say()

    def choose(self, task_id: str) -> None:
        """Make a task the current one."""
        self.setCurrentRow(next(row for row, task in enumerate(self._tasks) if task.id == task_id))

    def _on_current(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(str(item.data(TASK)))

    def _say(self) -> None:
        tr = self._tr
        self.setAccessibleName(tr("upkeep.tasks"))
        self.setFixedWidth(min(self._theme.px(WIDTH_PX), MOST_PX))
        for row, task in enumerate(self._tasks):
            item, about = self.item(row), tr(f"{task.text_key}.about")
            count = item.data(COUNT)
            item.setText(tr(task.text_key))
            item.setData(ABOUT, about)
            item.setIcon(self._theme.icon(task.icon))
            item.setToolTip(about)
            said = tr("upkeep.waiting", count=count) if count else ""
            spoken = " · ".join(part for part in (tr(task.text_key), said, about) if part)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
        self.scheduleDelayedItemsLayout()


class _TaskDelegate(QStyledItemDelegate):
    """Icon and name with the count at the end of the line; the explanation below, at most two lines."""

    def __init__(self, theme: Theme, parent: QListWidget) -> None:
        super().__init__(parent)
        self._theme, self._list = theme, parent

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        px = self._theme.px
        small = QFontMetrics(self._theme.font("small"))
        whole = self._list.viewport().width()
        room = whole - px(2 * PAD_PX + GAP_PX) - self._theme.icon_size.width()
        about = small.boundingRect(QRect(0, 0, room, px(400)), WRAP, str(index.data(ABOUT))).height()
        most = ABOUT_LINES * small.lineSpacing()
        height = QFontMetrics(self._theme.font(bold=True)).height() + min(about, most) + px(2 * PAD_PX)
        return QSize(whole, height)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme, px = self._theme, self._theme.px
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selected"))
            painter.fillRect(QRect(area.left(), area.top(), px(2), area.height()), theme.color("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.color("hover"))
        bold, small = theme.font(bold=True), theme.font("small")
        line = QFontMetrics(bold).height()
        left, top = area.left() + px(PAD_PX), area.top() + px(PAD_PX)
        side = theme.icon_size.width()
        index.data(Qt.ItemDataRole.DecorationRole).paint(painter, QRect(left, top, side, line))
        text_left = left + side + px(GAP_PX)
        right = area.right() - px(PAD_PX)
        right_of_name = self._paint_count(painter, index.data(COUNT), right, top, line)
        painter.setFont(bold)
        painter.setPen(theme.color("text"))
        name = QFontMetrics(bold).elidedText(
            str(index.data(Qt.ItemDataRole.DisplayRole)),
            Qt.TextElideMode.ElideRight,
            right_of_name - text_left,
        )
        painter.drawText(QRect(text_left, top, right_of_name - text_left, line), 0, name)
        painter.setFont(small)
        painter.setPen(theme.color("secondary"))
        about = QRect(text_left, top + line, right - text_left, area.bottom() - top - line - px(PAD_PX) + 1)
        painter.drawText(about, WRAP, str(index.data(ABOUT)))
        painter.restore()

    def _paint_count(self, painter: QPainter, count: int | None, right: int, top: int, line: int) -> int:
        """The number at the end of the line; where the room for the name ends."""
        if not count:
            return right
        theme = self._theme
        font = theme.font("small", bold=True)
        text = f"{count:,}"
        width = QFontMetrics(font).horizontalAdvance(text) + theme.px(12)
        badge = QRect(right - width, top, width, line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("pressed"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(badge, line / 2, line / 2)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)
        return right - width - theme.px(GAP_PX)
