"""The list below a field that is typed in: rows to choose from, without ever taking the focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.folder import SEPARATOR
from core.domain.search import Completion, Suggestion
from ui.language import Language
from ui.theme import Theme
from ui.views.title_delegate import draw_line, icon_spot, mark_selected
from ui.widgets.announce import announce

ROWS_SHOWN = 10
WIDTH_PX = 480
GAP_PX = 8
FRAMES_PX = 12
"""Edges and margins around the rows."""
ROW_ROLE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex


class SuggestionList(QFrame):
    """A child of the window, over what lies below the field. `taken(Suggestion)` when a row was clicked."""

    taken = Signal(object)

    def __init__(self, tr: Language, theme: Theme, field: QWidget) -> None:
        super().__init__(field.window())
        self._tr, self._theme, self._field = tr, theme, field
        self.setProperty("role", "card")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._model = _Rows(tr, self)
        self.view = QListView()
        self.view.setModel(self._model)
        self.view.setItemDelegate(_Delegate(theme, self._model, self.view))
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.clicked.connect(lambda index: self.taken.emit(self._model.rows[index.row()]))
        self._more = QLabel()
        self._more.setProperty("role", "small")
        self._more.setContentsMargins(GAP_PX, 2, GAP_PX, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 4, 1, 4)
        column.setSpacing(0)
        column.addWidget(self.view)
        column.addWidget(self._more)
        self.hide()

    @property
    def rows(self) -> Sequence[Suggestion]:
        """What is listed."""
        return self._model.rows

    @property
    def chosen(self) -> Suggestion | None:
        """The row that the keys stand on."""
        row = self.view.currentIndex().row()
        return self._model.rows[row] if 0 <= row < len(self._model.rows) else None

    def offer(self, found: Completion, *, choose_first: bool) -> None:
        """Show rows below the field."""
        self._model.show(found)
        self.view.setAccessibleName(self._tr("search.suggestions"))
        self._more.setText(self._tr("search.suggestions.more"))
        self._more.setVisible(found.more)
        self.place()
        self.show()
        self.raise_()
        self.view.setCurrentIndex(self._model.index(0) if choose_first else QModelIndex())
        self.view.scrollToTop()
        announce(self._field, self._tr("search.suggestions.count", count=len(found.rows)))

    def step(self, rows: int) -> None:
        """Go up or down; past an end to the other one."""
        last, now = len(self._model.rows) - 1, self.view.currentIndex().row()
        if abs(rows) > 1:
            to = min(max(now + rows, 0), last)
        elif now < 0:
            to = 0 if rows > 0 else last
        else:
            to = (now + rows) % (last + 1)
        index = self._model.index(to)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        announce(self._field, str(index.data(Qt.ItemDataRole.AccessibleTextRole)))

    def place(self) -> None:
        """Right below the field, as wide as the window allows."""
        window, theme = self._field.window(), self._theme
        if self.parentWidget() is not window:
            self.setParent(window)
        below = self._field.mapTo(window, QPoint(0, self._field.height() + theme.px(2)))
        width = min(max(theme.px(WIDTH_PX), self._field.width()), window.width() - below.x() - GAP_PX)
        shown = min(len(self._model.rows), ROWS_SHOWN)
        more = self._more.sizeHint().height() if not self._more.isHidden() else 0
        room = window.height() - below.y() - GAP_PX
        height = min(shown * theme.row_px + more + FRAMES_PX, room)
        self.setGeometry(QRect(below, QSize(width, height)))


class _Rows(QAbstractListModel):
    def __init__(self, tr: Language, parent: QWidget) -> None:
        super().__init__(parent)
        self._tr = tr
        self.key = ""
        self.rows: tuple[Suggestion, ...] = ()

    def show(self, found: Completion) -> None:
        """Other rows."""
        self.beginResetModel()
        self.key, self.rows = found.key, found.rows
        self.endResetModel()

    def label(self, row: Suggestion) -> str:
        """What a row means, unless that is what it says already."""
        said = self._tr(row.text) if row.text else row.label
        return "" if said.casefold() == row.shown.casefold() else said

    def count(self, row: Suggestion) -> str:
        """The number behind a row."""
        return "" if row.count is None else self._tr.number(row.count)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.shown
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                parts = (row.shown, self.label(row), self.count(row))
                return self._tr("list.comma").join(part for part in parts if part)
            case Qt.ItemDataRole.UserRole:
                return row
        return None


class _Delegate(QStyledItemDelegate):
    """Icon of a type, the value, what it means behind it, the count at the right."""

    def __init__(self, theme: Theme, model: _Rows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._rows = theme, model

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, self._theme.row_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        option.widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        row: Suggestion = index.data(ROW_ROLE)
        theme, area = self._theme, QRect(option.rect).adjusted(GAP_PX, 0, -GAP_PX, 0)
        painter.save()
        mark_selected(painter, option, theme)
        if row.type:
            theme.type_icon(row.type).paint(painter, icon_spot(area, theme))
            area.adjust(theme.icon_size.width() + GAP_PX, 0, 0, 0)
        area = self._paint_count(painter, area, self._rows.count(row))
        self._paint_words(painter, option, area, row)
        painter.restore()

    def _paint_count(self, painter: QPainter, area: QRect, count: str) -> QRect:
        if not count:
            return area
        font = self._theme.font("small")
        painter.setFont(font)
        painter.setPen(self._theme.color("secondary"))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
        return area.adjusted(0, 0, -QFontMetrics(font).horizontalAdvance(count) - GAP_PX, 0)

    def _paint_words(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: Suggestion
    ) -> None:
        metrics, secondary = QFontMetrics(option.font), self._theme.color("secondary")
        painter.setFont(option.font)
        above, separator, name = (
            row.shown.rpartition(SEPARATOR) if self._rows.key == "folder" else ("", "", "")
        )
        if separator:
            painter.setPen(secondary)
            used = draw_line(painter, area, above + separator, metrics)
            area = area.adjusted(used, 0, 0, 0)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        used = draw_line(painter, area, name or row.shown, metrics)
        label = self._rows.label(row)
        after = area.adjusted(used + 2 * GAP_PX, 0, 0, 0)
        if label and after.width() > 3 * GAP_PX:
            painter.setPen(secondary)
            draw_line(painter, after, label, metrics)
