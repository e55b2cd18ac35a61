"""How cells of the memory table are drawn: type icon, title, start of the text, lock; own directions."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.enums import Status
from core.domain.results import MemoryRow
from ui.models.memory_table import PLACEHOLDER, RELATED_ROLE, ROW_ROLE
from ui.models.table_columns import text_beside_title, title_of
from ui.theme import Theme
from ui.widgets.bidi import alignment_of, is_right_to_left

GAP_PX = 8
BAR_PX = 3
DOT_PX = 8
Index = QModelIndex | QPersistentModelIndex


class CellDelegate(QStyledItemDelegate):
    """Plain cells: each in the direction of its own first strong letter, no dotted focus frame."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        text = option.text
        if is_right_to_left(text):
            option.direction = Qt.LayoutDirection.RightToLeft
            option.displayAlignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        row = index.data(ROW_ROLE)
        if isinstance(row, MemoryRow) and (row.trashed or row.status is not Status.ACTIVE):
            secondary = self._theme.color("secondary")
            palette = option.palette
            palette.setColor(QPalette.ColorRole.Text, secondary)
            palette.setColor(QPalette.ColorRole.HighlightedText, secondary)


class TitleDelegate(CellDelegate):
    """The first column: icon in the type's colour, the title, and the start of the text behind it.

    A memory among `drafts` has a dot on its icon: text that was typed and not saved.
    """

    drafts: frozenset[int] = frozenset()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        style = option.widget.style()
        whole = QRect(option.rect)
        option.text = ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setClipRect(whole)
        mark_selected(painter, option, self._theme)
        area = whole.adjusted(GAP_PX, 0, -GAP_PX, 0)
        if isinstance(row, MemoryRow):
            if index.data(RELATED_ROLE):
                area = self._paint_sign(painter, area, "mdi6.link-variant")
            self._paint_row(painter, option, area, row)
        else:
            painter.setPen(self._theme.color("secondary"))
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, PLACEHOLDER)
        painter.restore()

    def _paint_row(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: MemoryRow
    ) -> None:
        size = self._theme.icon_size
        spot = icon_spot(area, self._theme)
        self._theme.type_icon(row.type).paint(painter, spot)
        if row.pk in self.drafts:
            dot_draft(painter, spot, self._theme)
        area = area.adjusted(size.width() + GAP_PX, 0, 0, 0)
        if row.locked:
            area = self._paint_sign(painter, area, "mdi6.lock")
        palette: QPalette = option.palette
        font: QFont = option.font
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = title_of(row)
        used = draw_line(painter, area, title, QFontMetrics(font))
        rest = text_beside_title(row)
        if rest and not is_right_to_left(title) and area.width() - used > 6 * GAP_PX:
            painter.setPen(self._theme.color("secondary"))
            after = area.adjusted(used + GAP_PX, 0, 0, 0)
            if not is_right_to_left(rest):
                draw_line(painter, after, rest, QFontMetrics(font))

    def _paint_sign(self, painter: QPainter, area: QRect, icon: str) -> QRect:
        """A quiet sign at the end of the cell; what is left of the area."""
        size, top = self._theme.icon_size, icon_spot(area, self._theme).top()
        spot = QRect(area.right() - size.width() + 1, top, size.width(), size.height())
        self._theme.icon(icon, "secondary").paint(painter, spot)
        return area.adjusted(0, 0, -size.width() - GAP_PX, 0)


def icon_spot(area: QRect, theme: Theme) -> QRect:
    """Where the icon before a text goes: on the middle of its letters, a pixel below that of the line."""
    size = theme.icon_size
    return QRect(area.left(), area.center().y() - size.height() // 2 + 1, size.width(), size.height())


def dot_draft(painter: QPainter, spot: QRect, theme: Theme) -> None:
    """A dot on the upper corner of an icon."""
    size = theme.px(DOT_PX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(theme.color("base"))
    painter.setBrush(theme.color("accent"))
    painter.drawEllipse(spot.right() - size // 2, spot.top() - size // 4, size, size)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def mark_selected(painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> None:
    """A bar in the accent colour at the start of a selected row: its grey alone is too close to the others'."""
    if option.state & QStyle.StateFlag.State_Selected:
        row = option.rect
        painter.fillRect(QRect(0, row.top(), theme.px(BAR_PX), row.height()), theme.color("accent"))


def draw_line(painter: QPainter, area: QRect, text: str, metrics: QFontMetrics) -> int:
    """Draw one line, cut with an ellipsis, in the direction of its first strong letter; the width used."""
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    painter.setLayoutDirection(
        Qt.LayoutDirection.RightToLeft if is_right_to_left(text) else Qt.LayoutDirection.LeftToRight
    )
    flags = alignment_of(text) | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(area, int(flags.value) | int(Qt.TextFlag.TextSingleLine.value), shown)
    return min(metrics.horizontalAdvance(shown), area.width())
