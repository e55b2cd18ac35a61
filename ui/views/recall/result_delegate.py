"""How a row of the results is drawn: tick, place, icon, title, score; bar and legend; why it is here or not."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.recall import Stage
from ui.language import Language
from ui.models.recall_results import ROW_ROLE, RecallResults, ResultRow, RowKind
from ui.theme import Theme
from ui.views.naming import name_of
from ui.views.recall.score_bar import legend, paint_bar, paint_legend
from ui.views.recall.words import dropped_text, no_remedy_text, number, source_text
from ui.views.title_delegate import draw_line

EDGE_PX = 12
GAP_PX = 6
BAR_PX = 7
LINE_PX = 18
PLACE_PX = 22
DIMMED = 0.45
Index = QModelIndex | QPersistentModelIndex


class ResultDelegate(QStyledItemDelegate):
    """Draws rows; `remedy_wanted(pk)` when a row's button was used, `tick_wanted(pk)` when its box was."""

    remedy_wanted = Signal(int)
    tick_wanted = Signal(int)

    def __init__(
        self,
        tr: Language,
        theme: Theme,
        results: RecallResults,
        remedy: Callable[[ResultRow], str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._tr, self._theme, self._results, self._remedy = tr, theme, results, remedy
        self.dimmed = False

    # --- sizes ---

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = index.data(ROW_ROLE)
        px = self._theme.px
        if not isinstance(row, ResultRow):
            return QSize(0, 0)
        width = 200
        match row.kind:
            case RowKind.HEADING:
                return QSize(width, px(34 if row.place or row.part is not RowKind.RECALLED else 52))
            case RowKind.CORE:
                return QSize(width, px(30))
            case _:
                lines = 2 if self._is_in(row) else 1
                bar = px(BAR_PX + 3) if self._has_bar(row) else 0
                button = 0 if self._is_in(row) else px(28)
                return QSize(width, px(8 + 22) + bar + lines * px(LINE_PX) + button + px(6))

    @staticmethod
    def _is_in(row: ResultRow) -> bool:
        return row.recalled is not None and row.recalled.stage is Stage.SELECTED

    @staticmethod
    def _has_bar(row: ResultRow) -> bool:
        return row.recalled is not None and row.recalled.score > 0

    def tick_rect(self, whole: QRect) -> QRect:
        """Where the tick box of a row is."""
        size = self._theme.px(16)
        return QRect(whole.left() + self._theme.px(EDGE_PX), whole.top() + self._theme.px(11), size, size)

    def button_rect(self, whole: QRect, text: str) -> QRect:
        """Where the button of a row is."""
        px = self._theme.px
        metrics = QFontMetrics(self._theme.font("base"))
        left = self._text_left(whole)
        width = min(metrics.horizontalAdvance(text) + px(20), whole.right() - px(EDGE_PX) - left)
        return QRect(left, whole.bottom() - px(6 + 24), width, px(24))

    def _text_left(self, whole: QRect) -> int:
        return whole.left() + self._theme.px(EDGE_PX + 16 + GAP_PX + PLACE_PX)

    # --- painting ---

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, ResultRow):
            return
        painter.save()
        if self.dimmed:
            painter.setOpacity(DIMMED)
        whole = QRect(option.rect)
        if row.kind is RowKind.HEADING:
            self._paint_heading(painter, whole, row)
        else:
            self._paint_ground(painter, option, row)
            self._paint_title(painter, whole, row)
            if row.recalled is not None:
                self._paint_body(painter, whole, row)
        painter.restore()

    def _paint_heading(self, painter: QPainter, whole: QRect, row: ResultRow) -> None:
        px, theme = self._theme.px, self._theme
        painter.fillRect(whole, theme.color("window"))
        painter.setFont(theme.font("base", bold=True))
        painter.setPen(theme.color("text"))
        area = whole.adjusted(px(EDGE_PX), 0, -px(EDGE_PX), 0)
        name = self._tr(f"recall_page.heading.{row.part.value}", count=row.place)
        if row.place:
            draw_line(painter, area, name, QFontMetrics(painter.font()))
            return
        draw_line(
            painter, area.adjusted(0, px(6), 0, -area.height() // 2), name, QFontMetrics(painter.font())
        )
        painter.setFont(theme.font("base"))
        painter.setPen(theme.color("secondary"))
        lower = area.adjusted(0, area.height() // 2, 0, -px(6))
        draw_line(painter, lower, self._tr("recall_page.nothing"), QFontMetrics(painter.font()))

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, row: ResultRow) -> None:
        theme, whole = self._theme, option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or row.lit:
            painter.fillRect(whole, theme.color("selected" if chosen else "accent_soft"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(whole, theme.color("hover"))
        painter.fillRect(QRect(whole.left(), whole.bottom(), whole.width(), 1), theme.color("border"))
        if chosen:
            painter.fillRect(
                QRect(whole.left(), whole.top(), theme.px(3), whole.height()), theme.color("accent")
            )

    def _paint_title(self, painter: QPainter, whole: QRect, row: ResultRow) -> None:
        theme, px = self._theme, self._theme.px
        box = self.tick_rect(whole)
        name, color = (
            ("mdi6.checkbox-marked", "accent") if row.ticked else ("mdi6.checkbox-blank-outline", "secondary")
        )
        if row.kind is RowKind.CORE:
            box.moveTop(whole.center().y() - box.height() // 2)
        theme.icon(name, color).paint(painter, box)
        height = px(22)
        top = whole.top() + px(8) if row.kind is not RowKind.CORE else whole.center().y() - height // 2
        line = QRect(
            box.right() + px(GAP_PX), top, whole.right() - px(EDGE_PX) - box.right() - px(GAP_PX), height
        )
        painter.setFont(theme.font("base"))
        painter.setPen(theme.color("secondary"))
        if row.kind is RowKind.RECALLED:
            painter.drawText(
                QRect(line.left(), line.top(), px(PLACE_PX), height),
                Qt.AlignmentFlag.AlignVCenter,
                str(row.place),
            )
        left = self._text_left(whole)
        size = theme.icon_size
        kind = self._type(row)
        spot = QRect(left, line.center().y() - size.height() // 2 + 1, size.width(), size.height())
        theme.type_icon(kind).paint(painter, spot)
        right = line.right()
        if row.recalled is not None and row.recalled.score:
            right -= self._paint_score(painter, line, number(row.recalled.score)) + px(GAP_PX)
        painter.setFont(theme.font("base", bold=row.kind is not RowKind.CORE))
        painter.setPen(theme.color("text"))
        title = QRect(spot.right() + px(GAP_PX), line.top(), right - spot.right() - px(GAP_PX), height)
        draw_line(painter, title, self._title(row), QFontMetrics(painter.font()))

    def _paint_score(self, painter: QPainter, line: QRect, text: str) -> int:
        painter.setFont(self._theme.font("base"))
        painter.setPen(self._theme.color("secondary"))
        width = QFontMetrics(painter.font()).horizontalAdvance(text)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        return width

    def _paint_body(self, painter: QPainter, whole: QRect, row: ResultRow) -> None:
        recalled, view = row.recalled, self._results.view
        if recalled is None:
            return
        theme, px = self._theme, self._theme.px
        left, right = self._text_left(whole), whole.right() - px(EDGE_PX)
        top = whole.top() + px(8 + 22)
        if self._has_bar(row):
            bar = QRect(left, top + px(1), right - left, px(BAR_PX))
            paint_bar(painter, bar, recalled, view.best if view is not None else recalled.score, theme)
            top += px(BAR_PX + 3)
        painter.setFont(theme.font("small"))
        metrics = QFontMetrics(painter.font())
        line = QRect(left, top, right - left, px(LINE_PX))
        if self._is_in(row):
            paint_legend(painter, line, legend(self._tr, recalled), metrics, theme)
            painter.setPen(theme.color("secondary"))
            line.translate(0, px(LINE_PX))
            if view is not None:
                draw_line(painter, line, source_text(self._tr, view, recalled), metrics)
            return
        painter.setPen(theme.color("text"))
        draw_line(painter, line, dropped_text(self._tr, recalled, view), metrics)
        self._paint_button(painter, whole, row)

    def _paint_button(self, painter: QPainter, whole: QRect, row: ResultRow) -> None:
        theme, px = self._theme, self._theme.px
        text = self._remedy(row)
        painter.setFont(theme.font("base" if text else "small"))
        metrics = QFontMetrics(painter.font())
        if not text:
            view = self._results.view
            there = view is not None and row.pk in view.in_text
            wait = "" if row.answer is None or there else no_remedy_text(self._tr, row.answer)
            painter.setPen(theme.color("secondary"))
            draw_line(painter, self.button_rect(whole, "x" * 200), wait, metrics)
            return
        area = self.button_rect(whole, text)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("border_strong"))
        painter.setBrush(theme.color("base"))
        painter.drawRoundedRect(area.adjusted(0, 0, -1, -1), px(4), px(4))
        painter.setPen(theme.color("text"))
        inner = area.adjusted(px(9), 0, -px(9), 0)
        painter.drawText(
            inner,
            Qt.AlignmentFlag.AlignCenter,
            metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width()),
        )

    def _type(self, row: ResultRow) -> str:
        view = self._results.view
        known = view.rows.get(row.pk) if view is not None and row.pk is not None else None
        if known is not None:
            return known.type
        return row.recalled.type if row.recalled is not None else ""

    def _title(self, row: ResultRow) -> str:
        view = self._results.view
        title = view.title(row.pk) if view is not None and row.pk is not None else ""
        return name_of(title or (row.recalled.title if row.recalled is not None else ""), self._tr)

    # --- using ---

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        row = index.data(ROW_ROLE)
        if not isinstance(row, ResultRow) or row.pk is None:
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in {Qt.Key.Key_Space, Qt.Key.Key_Select}:
                self.tick_wanted.emit(row.pk)
                return True
            return False
        if not isinstance(event, QMouseEvent) or event.type() != QEvent.Type.MouseButtonRelease:
            return False
        at, whole = event.position().toPoint(), QRect(option.rect)
        grown = self._theme.px(4)
        if self.tick_rect(whole).adjusted(-grown, -grown, grown, grown).contains(at):
            self.tick_wanted.emit(row.pk)
            return True
        text = "" if self._is_in(row) or row.kind is RowKind.CORE else self._remedy(row)
        if text and self.button_rect(whole, text).contains(at):
            self.remedy_wanted.emit(row.pk)
            return True
        return False
