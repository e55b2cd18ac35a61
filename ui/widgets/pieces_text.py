"""A text with the pieces that it is cut into drawn in it: where each begins, where two overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from ui.theme import Theme

MOST_CHARS = 120_000
"""A longer text is shown in part, around the current piece: laying all of it out would hold the window."""
_BEFORE = 30_000
_ASTRAL = 0xFFFF
_GUTTER_PX = 44


@dataclass(frozen=True, slots=True)
class Span:
    """Where a piece stands in the text, in characters."""

    start: int
    end: int


class PiecesText(QPlainTextEdit):
    """Read-only. `clicked(number)`: the piece at a click, from 0.

    Pieces take turns in tint; text that two of them share is marked by a wavy line; the current one stands out by
    an accent tint; a bar and a number in the margin say where each begins.
    """

    clicked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text, self._spans = "", tuple[Span, ...]()
        self._from, self._astral = 0, list[int]()
        self._current = -1
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setProperty("role", "pieces")
        self._gutter = _Gutter(self)
        self.setViewportMargins(theme.px(_GUTTER_PX), 0, 0, 0)
        self.updateRequest.connect(lambda _rect, _dy: self._gutter.update())
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._tint())
        theme.changed.connect(self._on_theme)

    @property
    def spans(self) -> tuple[Span, ...]:
        """The pieces that are drawn."""
        return self._spans

    @property
    def current(self) -> int:
        """The piece that stands out, -1 = none."""
        return self._current

    def show_text(self, text: str, spans: Sequence[Span], current: int = -1) -> None:
        """Show a text with its pieces, in the order of the text. A text that is there already stays in place."""
        same = text == self._text
        self._spans = tuple(spans)
        self._current = current if 0 <= current < len(self._spans) else -1
        self._text = text
        if not same or not self._holds(self._current):
            self._lay_out()
        if self._current >= 0:
            self._reveal()
        self._tint()

    def show_piece(self, number: int) -> None:
        """Let a piece stand out, and bring it into sight."""
        if not 0 <= number < len(self._spans):
            return
        self._current = number
        if not self._holds(number):
            self._lay_out()
        self._reveal()
        self._tint()

    def piece_at(self, position: int) -> int:
        """The piece in which a character of the text stands: of two that share it the later; -1 = in none."""
        at = bisect_right(self._spans, position, key=lambda span: span.start) - 1
        return at if at >= 0 and position < self._spans[at].end else -1

    # --- what of the text is laid out ---

    def _holds(self, number: int) -> bool:
        if number < 0 or len(self._text) <= MOST_CHARS:
            return True
        span = self._spans[number]
        return self._from <= span.start and span.end <= self._from + MOST_CHARS

    def _lay_out(self) -> None:
        start = self._spans[self._current].start if self._current >= 0 else 0
        self._from = 0 if len(self._text) <= MOST_CHARS else max(0, start - _BEFORE)
        shown = self._text[self._from : self._from + MOST_CHARS]
        wide = not shown.isascii() and max(shown, default="") > chr(_ASTRAL)
        self._astral = [at for at, character in enumerate(shown) if ord(character) > _ASTRAL] if wide else []
        self.setPlainText(shown)

    @property
    def is_part(self) -> bool:
        """Whether only a part of the text is laid out."""
        return len(self._text) > MOST_CHARS

    def _position(self, at: int) -> int:
        """The place of a character of the text in Qt's document, which counts in 16-bit units."""
        inside = min(max(at - self._from, 0), MOST_CHARS, len(self._text))
        return inside + bisect_left(self._astral, inside)

    def _character(self, position: int) -> int:
        low, high = 0, min(MOST_CHARS, len(self._text))
        while low < high:
            middle = (low + high) // 2
            if middle + bisect_left(self._astral, middle) < position:
                low = middle + 1
            else:
                high = middle
        return low + self._from

    def _cursor(self, span: Span) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position(span.start))
        cursor.setPosition(self._position(span.end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _reveal(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position(self._spans[self._current].start))
        self.setTextCursor(cursor)
        if self._is_in_sight(cursor):
            self.ensureCursorVisible()
        else:
            self.centerCursor()

    def _is_in_sight(self, cursor: QTextCursor) -> bool:
        return bool(self.viewport().rect().intersects(self.cursorRect(cursor)))

    # --- drawing ---

    def visible_pieces(self) -> range:
        """The pieces of which something is in sight."""
        height = self.viewport().height()
        first = self._character(self.cursorForPosition(self.viewport().rect().topLeft()).position())
        last = self._character(
            self.cursorForPosition(QRect(0, 0, self.viewport().width(), height).bottomRight()).position()
        )
        begin = bisect_left(self._spans, first + 1, key=lambda span: span.end)
        end = bisect_right(self._spans, last, key=lambda span: span.start)
        return range(max(0, begin - 1), min(len(self._spans), end + 1))

    def _tint(self) -> None:
        found: list[QTextEdit.ExtraSelection] = []
        tints = (QColor(0, 0, 0, 0), self._theme.color("alternate"))
        for number in self.visible_pieces():
            span = self._spans[number]
            color = self._theme.color("accent_soft") if number == self._current else tints[number % 2]
            found.append(self._selection(span, color))
            if number and self._spans[number - 1].end > span.start:
                found.append(self._shared(Span(span.start, self._spans[number - 1].end)))
        if self._current >= 0:
            found.append(self._selection(self._spans[self._current], self._theme.color("accent_soft")))
        self.setExtraSelections(found)
        self._gutter.update()

    def _selection(self, span: Span, color: QColor) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        kind = QTextCharFormat()
        kind.setBackground(color)
        selection.cursor, selection.format = self._cursor(span), kind
        return selection

    def _shared(self, span: Span) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        kind = QTextCharFormat()
        kind.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        kind.setUnderlineColor(self._theme.color("secondary"))
        selection.cursor, selection.format = self._cursor(span), kind
        return selection

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self._theme.color("accent"), max(1, self._theme.px(2))))
        for number in self.visible_pieces():
            box = self._start_box(number)
            painter.drawLine(box.topLeft(), box.bottomLeft())
        painter.end()

    def _start_box(self, number: int) -> QRect:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position(self._spans[number].start))
        return self.cursorRect(cursor)

    def paint_numbers(self, painter: QPainter) -> None:
        """The numbers of pieces beside the lines in which they begin."""
        painter.fillRect(self._gutter.rect(), self._theme.color("window"))
        painter.setFont(self._theme.font("small"))
        last = -1
        for number in self.visible_pieces():
            box = self._start_box(number)
            if box.top() == last:
                continue
            last = box.top()
            own = number == self._current
            painter.setPen(self._theme.color("accent" if own else "secondary"))
            place = QRect(0, box.top(), self._gutter.width() - self._theme.px(8), box.height())
            painter.drawText(
                place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1)
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        width = self._theme.px(_GUTTER_PX)
        self.setViewportMargins(width, 0, 0, 0)
        self._gutter.setGeometry(inside.left(), inside.top(), width, inside.height())
        self._tint()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._click(event.position())

    def _click(self, place: QPointF) -> None:
        number = self.piece_at(self._character(self.cursorForPosition(place.toPoint()).position()))
        if number >= 0:
            self.clicked.emit(number)

    def _on_theme(self) -> None:
        self.setViewportMargins(self._theme.px(_GUTTER_PX), 0, 0, 0)
        self._tint()


class _Gutter(QWidget):
    """The margin beside the text."""

    def __init__(self, text: PiecesText) -> None:
        super().__init__(text)
        self._text = text

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._text.paint_numbers(painter)
        painter.end()
