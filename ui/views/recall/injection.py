"""The exact text for the prompt: each line knows its memory; tokens by section; copy, pin, where from."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QScrollArea,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.ids import MemoryPk
from core.domain.recall import Injection
from ui.context import Context
from ui.models.recall_text import Places, Spans
from ui.models.recall_view import RecallView
from ui.views.naming import name_of, shorten
from ui.views.recall.section_bars import SectionBars
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.fold import Fold
from ui.widgets.plain_text import PlainTextEdit, copy_text

CLICK_PX = 3
ORIGINS_PX = 96


class InjectionText(PlainTextEdit):
    """The text. `clicked(pk)` a line's memory, `hovered(pk or None)`, `origin_wanted` from its menu."""

    clicked = Signal(int)
    hovered = Signal(object)
    origin_wanted = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent, read_only=True)
        self._ctx = ctx
        self._places, self._spans = Places(""), Spans(())
        self._lit: frozenset[MemoryPk] = frozenset()
        self._current: MemoryPk | None = None
        self._pressed_at = 0
        self._hovering: MemoryPk | None = None
        self.setProperty("role", "reading")
        self.document().setDocumentMargin(8)
        self.viewport().setMouseTracking(True)
        ctx.theme.changed.connect(self._paint_lights)

    def show_injection(self, injection: Injection) -> None:
        """Show a text; the place of the scroll bar stays when only a little changed."""
        top = self.verticalScrollBar().value()
        self._places, self._spans = Places(injection.text), Spans(injection.spans)
        if injection.text != self.text():
            self.set_text(injection.text)
            self.verticalScrollBar().setValue(top)
        self._paint_lights()

    def light(self, memories: Iterable[MemoryPk], current: MemoryPk | None) -> None:
        """Light the lines of these memories; those of the current one more strongly."""
        lit = frozenset(memories)
        if (lit, current) != (self._lit, self._current):
            self._lit, self._current = lit, current
            self._paint_lights()

    def show_lines(self, memory: MemoryPk) -> None:
        """Scroll to the first line of a memory."""
        spans = self._spans.of(memory)
        if spans:
            cursor = QTextCursor(self.document())
            cursor.setPosition(self._places.in_document(spans[0].start))
            self.setTextCursor(cursor)
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.cursorRect().top() - self.viewport().height() // 3)

    @property
    def lit_text(self) -> str:
        """What is lit now, for tests and screen readers."""
        return "\n".join(selection.cursor.selectedText() for selection in self.extraSelections())

    def selected_memories(self) -> tuple[MemoryPk, ...]:
        """The memories from which the selected text (or the line of the cursor) comes."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        first = self._places.in_text(start)
        return self._spans.between(first, max(self._places.in_text(end), first + 1))

    def _paint_lights(self) -> None:
        theme = self._ctx.theme
        selections: list[QTextEdit.ExtraSelection] = []
        length = self.document().characterCount() - 1
        wanted = [(pk, "accent_soft") for pk in self._lit if pk != self._current]
        if self._current is not None:
            wanted.append((self._current, "selected"))
        for pk, color in wanted:
            for span in self._spans.of(pk):
                cursor = QTextCursor(self.document())
                cursor.setPosition(min(self._places.in_document(span.start), length))
                cursor.setPosition(
                    min(self._places.in_document(span.end), length), QTextCursor.MoveMode.KeepAnchor
                )
                selection = QTextEdit.ExtraSelection()
                form = QTextCharFormat()
                form.setBackground(theme.color(color))
                if color == "selected":
                    form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
                    form.setUnderlineColor(theme.color("accent"))
                selection.format, selection.cursor = form, cursor
                selections.append(selection)
        self.setExtraSelections(selections)

    def _memory_at(self, event: QMouseEvent) -> MemoryPk | None:
        cursor = self.cursorForPosition(event.position().toPoint())
        return self._spans.at(self._places.in_text(cursor.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = self.cursorForPosition(event.position().toPoint()).position()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            memory = self._memory_at(event)
            if memory is not None:
                self.clicked.emit(memory)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self._memory_at(event))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, memory: MemoryPk | None) -> None:
        if memory != self._hovering:
            self._hovering = memory
            self.hovered.emit(memory)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        menu.addAction(self._ctx.tr("recall_page.where_from"), self.origin_wanted.emit)
        menu.popup(event.globalPos())


class InjectionView(QWidget):
    """Head with tokens and buttons, sections, the text, and where a selection comes from."""

    chosen = Signal(int)
    hovered = Signal(object)
    pinned = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._view: RecallView | None = None
        tr, theme = ctx.tr, ctx.theme
        self.total = QLabel()
        self.total.setTextFormat(Qt.TextFormat.PlainText)
        self.place = QLabel()
        self.place.setProperty("role", "small")
        self.place.setWordWrap(True)
        self.copy_button = QToolButton()
        self.copy_button.setProperty("button", "true")
        self.copy_button.setIcon(theme.icon("mdi6.content-copy"))
        self.copy_button.setIconSize(theme.icon_size)
        self.copy_button.setToolTip(tr("action.recall.copy.tip"))
        self.copy_button.setAccessibleName(tr("action.recall.copy"))
        self.pin_button = QPushButton(theme.icon("mdi6.pin-outline"), tr("recall_page.pin"))
        self.pin_button.setToolTip(tr("action.recall.pin.tip"))
        self.origin_button = QPushButton(tr("recall_page.where_from"))
        self.origin_button.setToolTip(tr("recall_page.where_from.tip"))
        self.bars = SectionBars(ctx)
        self.fold = Fold(theme, tr("recall_page.sections"), is_open=True)
        self.fold.column.addWidget(self.bars)
        self.text = InjectionText(ctx)
        self.text.setAccessibleName(tr("recall_page.injection"))
        self._origins = QWidget()
        self._flow = FlowLayout(self._origins)
        self.origin_area = QScrollArea()
        self.origin_area.setWidgetResizable(True)
        self.origin_area.setWidget(self._origins)
        self.origin_area.setMaximumHeight(theme.px(ORIGINS_PX))
        self.origin_area.hide()
        self._lay_out()
        self.copy_button.clicked.connect(self.copy)
        self.pin_button.clicked.connect(self.pinned)
        self.origin_button.clicked.connect(self.show_origins)
        self.text.clicked.connect(self.chosen)
        self.text.hovered.connect(self.hovered)
        self.text.origin_wanted.connect(self.show_origins)
        self.text.selectionChanged.connect(self._on_selection)
        self._on_selection()

    def _lay_out(self) -> None:
        head = QWidget()
        head.setProperty("role", "toolbar")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        box = QVBoxLayout(head)
        box.setContentsMargins(12, 8, 12, 4)
        box.setSpacing(2)
        line = QWidget()
        row = FlowLayout(line, gap=6, tail=2)
        row.addWidget(self.total)
        row.addWidget(self.pin_button)
        row.addWidget(self.copy_button)
        box.addWidget(line)
        box.addWidget(self.place)
        box.addWidget(self.fold)
        foot = QWidget()
        foot.setProperty("role", "bar")
        foot.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        low = QVBoxLayout(foot)
        low.setContentsMargins(12, 6, 12, 6)
        low.addWidget(self.origin_area)
        low.addWidget(self.origin_button, 0, Qt.AlignmentFlag.AlignLeft)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self.text, 1)
        column.addWidget(foot)

    def show_view(self, view: RecallView) -> None:
        """Show the text of a result."""
        self._view = view
        injection, tr = view.result.injection, self._ctx.tr
        tokens = tr.number(injection.tokens)
        if injection.budget:
            self.total.setText(tr("recall_page.tokens_of", tokens=tokens, budget=tr.number(injection.budget)))
        else:
            self.total.setText(tr("recall_page.tokens", tokens=tokens))
        family = f"recipe.setting.token_family.{injection.token_family}"
        self.place.setText(
            tr(
                "recall_page.placed",
                position=tr(f"recipe.setting.position.{injection.position}"),
                depth=injection.depth,
                role=tr(f"recipe.setting.role.{injection.role}"),
                family=tr(family) if tr.has(family) else injection.token_family,
            )
        )
        self.bars.show_injection(injection)
        self.text.show_injection(injection)
        self.origin_button.setEnabled(True)
        self._clear_origins()

    def copy(self) -> None:
        """The text on the clipboard."""
        if self._view is not None:
            copy_text(self._view.result.injection.text)

    def show_origins(self) -> None:
        """Name the memories from which the selected text comes."""
        if self._view is None:
            return
        self._clear_origins()
        tr, theme = self._ctx.tr, self._ctx.theme
        found = self.text.selected_memories()
        for pk in found:
            row = self._view.rows.get(pk)
            button = QPushButton(shorten(name_of(self._view.title(pk), tr), 40))
            if row is not None:
                button.setIcon(theme.type_icon(row.type))
                button.setToolTip(f"{theme.type_label(row.type, tr.code)} · {row.folder_name}\n{row.snippet}")
            button.clicked.connect(lambda _checked=False, memory=pk: self.chosen.emit(memory))
            self._flow.addWidget(button)
        if not found:
            words = QLabel(tr("recall_page.where_from.none"))
            words.setProperty("role", "small")
            self._flow.addWidget(words)
        self.origin_area.show()

    def _clear_origins(self) -> None:
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.origin_area.hide()

    def _on_selection(self) -> None:
        self.origin_button.setEnabled(self._view is not None)
        if not self.text.textCursor().hasSelection():
            self._clear_origins()
