"""How a floor is drawn in the list: number, speaker, time and marks over two lines of its text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.chat import is_notice
from core.domain.enums import Role
from core.domain.folder import Message
from ui.context import Context
from ui.models.chat_floors import FLOOR_ROLE, ChatFloors
from ui.views.title_delegate import mark_selected
from ui.widgets.bidi import is_right_to_left

GAP_PX = 8
BAND_PX = 3
LINES = 2
LOOK_CHARS = 600
"""So much of a floor is enough to fill its two lines."""
Index = QModelIndex | QPersistentModelIndex
ROLE_COLORS = {Role.USER: "accent", Role.ASSISTANT: "part_graph", Role.SYSTEM: "secondary"}


def speaker(context: Context, message: Message) -> str:
    """Who speaks, in words."""
    return message.name or context.tr(f"chats.role.{message.role.value}")


class FloorDelegate(QStyledItemDelegate):
    """Rows of one height, so that a hundred thousand of them scroll. The pointer is a line under its floor."""

    def __init__(self, context: Context, floors: ChatFloors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._floors = context, floors
        self.pointer = -1
        self.boundaries: frozenset[int] = frozenset()
        """Floors at which a new segment begins."""
        self.target: int | None = None
        """Where the pointer would land while it is dragged."""

    @property
    def height(self) -> int:
        """Height of a row in px."""
        theme = self._context.theme
        line = QFontMetrics(theme.font()).lineSpacing()
        return QFontMetrics(theme.font("small")).lineSpacing() + LINES * line + theme.px(16)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(200, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        painter.save()
        painter.setClipRect(option.rect)
        mark_selected(painter, option, self._context.theme)
        message = index.data(FLOOR_ROLE)
        area = option.rect.adjusted(GAP_PX + BAND_PX, 0, -GAP_PX, 0)
        if isinstance(message, Message):
            self._paint_floor(painter, option, area, message, self._floors.memories_at(index.row()))
        self._paint_pointer(painter, option.rect, self._floors.floor_at(index.row()), first=index.row() == 0)
        painter.restore()

    def _paint_floor(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, message: Message, memories: int
    ) -> None:
        theme = self._context.theme
        band = QRect(area.left(), area.top() + theme.px(8), BAND_PX, area.height() - theme.px(16))
        painter.fillRect(band, theme.color(ROLE_COLORS[message.role]))
        text = area.adjusted(BAND_PX + GAP_PX, theme.px(6), 0, 0)
        head = QRect(text.left(), text.top(), text.width(), QFontMetrics(theme.font("small")).lineSpacing())
        self._paint_head(painter, head, message, memories)
        body = text.adjusted(0, head.height() + theme.px(2), 0, -theme.px(4))
        faint = message.hidden or is_notice(message)
        painter.setPen(theme.color("secondary" if faint else "text"))
        self._paint_lines(painter, body, message.text)

    def _paint_head(self, painter: QPainter, head: QRect, message: Message, memories: int) -> None:
        theme, tr = self._context.theme, self._context.tr
        right = head.right()
        if memories:
            right = self._tag(painter, head, right, tr("chats.memories", count=memories), "accent")
        if self._floors.proposed_at(message.seq):
            right = self._tag(painter, head, right, tr("chats.proposed"), "warning")
        if message.seq in self.boundaries:
            right = self._tag(painter, head, right, tr("chats.segment"), "secondary")
        if is_notice(message):
            right = self._tag(painter, head, right, tr("chats.notice"), "secondary")
        elif message.hidden:
            right = self._tag(painter, head, right, tr("chats.hidden"), "secondary")
        room = head.adjusted(0, 0, right - head.right(), 0)
        painter.setFont(theme.font("small", bold=True))
        painter.setPen(theme.color("text"))
        who = f"#{message.seq}  {speaker(self._context, message)}"
        used = self._line(painter, room, who)
        if message.sent_at is not None:
            painter.setFont(theme.font("small"))
            painter.setPen(theme.color("secondary"))
            self._line(painter, room.adjusted(used + 2 * GAP_PX, 0, 0, 0), tr.exact(message.sent_at))

    def _tag(self, painter: QPainter, head: QRect, right: int, text: str, color: str) -> int:
        """A word at the right end of a line; returns where the room before it ends."""
        theme = self._context.theme
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color(color))
        width = painter.fontMetrics().horizontalAdvance(text)
        painter.drawText(
            QRect(right - width, head.top(), width + 1, head.height()), Qt.AlignmentFlag.AlignVCenter, text
        )
        return right - width - 2 * GAP_PX

    @staticmethod
    def _line(painter: QPainter, room: QRect, text: str) -> int:
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room.width(), 0))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
        return metrics.horizontalAdvance(shown)

    def _paint_lines(self, painter: QPainter, area: QRect, text: str) -> None:
        """The first lines of a text, the last of them with an ellipsis where more follows."""
        shown = " ".join(text[:LOOK_CHARS].split())
        theme = self._context.theme
        painter.setFont(theme.font())
        layout = QTextLayout(shown, theme.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if is_right_to_left(shown):
            option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        layout.setTextOption(option)
        layout.beginLayout()
        metrics = painter.fontMetrics()
        for number in range(LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(area.width())
            top = area.top() + number * metrics.lineSpacing()
            part = shown[line.textStart() :]
            if number < LINES - 1:
                part = part[: line.textLength()].rstrip()
            shortened = metrics.elidedText(part, Qt.TextElideMode.ElideRight, area.width())
            spot = QRect(area.left(), top, area.width(), metrics.lineSpacing())
            painter.setLayoutDirection(option.textDirection())
            painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, shortened)
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        layout.endLayout()

    def _paint_pointer(self, painter: QPainter, row: QRect, floor: int, *, first: bool) -> None:
        """The line under the floor up to which all is processed; above the first one when nothing is."""
        theme = self._context.theme
        shown = self.pointer if self.target is None else self.target
        if floor != shown and not (first and shown < 0):
            painter.fillRect(QRect(row.left(), row.bottom(), row.width(), 1), theme.color("border"))
            return
        color = theme.color("warning" if self.target is not None else "accent")
        top = row.top() if floor != shown else row.bottom() - 1
        painter.fillRect(QRect(row.left(), top, row.width(), 2), color)
