"""The list in the middle: recalled, left out and always injected, with ticks, buttons and paths."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QWidget

from core.domain.ids import MemoryPk
from core.domain.recall import WhyNotAnswer
from ui.context import Context
from ui.models.recall_remedy import writes
from ui.models.recall_results import Index, RecallResults, ResultRow
from ui.models.recall_view import RecallView
from ui.read_only import entries_need_writing
from ui.tasks import single_shot
from ui.views.recall.result_delegate import ResultDelegate
from ui.views.recall.words import remedy_text, row_texts

TELL_AFTER_MS = 250
DIM_AFTER_MS = 180
"""A run shorter than this never dims the list (no flicker)."""


class ResultsList(QListView):
    """`chosen(pk or None)`, `hovered(pk or None)`; `remedy_wanted(pk)`, `opened(pk)`, `why_wanted(pk)`.

    `in_sight(pks)`: left-out memories in view whose remedy is not known yet.
    """

    chosen = Signal(object)
    hovered = Signal(object)
    remedy_wanted = Signal(int)
    opened = Signal(int)
    why_wanted = Signal(int)
    in_sight = Signal(object)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.results = RecallResults(self)
        self.results.say = {
            "title": lambda row: row_texts(ctx.tr, self.results.view, row)[0],
            "accessible": self._accessible,
            "tip": lambda row: "\n".join(row_texts(ctx.tr, self.results.view, row)),
        }
        self.folder_name: Callable[[object], str] = lambda _value: ""
        self._delegate = ResultDelegate(ctx.tr, ctx.theme, self.results, self.remedy_of, self)
        self.setModel(self.results)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._tell = single_shot(self, TELL_AFTER_MS, self._say_in_sight)
        self._dim = single_shot(self, DIM_AFTER_MS, lambda: self._set_dimmed(dimmed=True))
        self._delegate.remedy_wanted.connect(self.remedy_wanted)
        self._delegate.tick_wanted.connect(lambda pk: self.results.toggle(MemoryPk(pk)))
        self.entered.connect(self._hover)
        self.activated.connect(self._on_activated)
        self.customContextMenuRequested.connect(self._show_menu)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._tell.start())
        ctx.theme.changed.connect(self._look)
        ctx.tr.changed.connect(self._look)
        self._look()

    # --- showing ---

    def show_view(self, view: RecallView) -> None:
        """Show a result; the current memory and the place of the list stay."""
        self._renew(lambda: self.results.show(view))

    def show_answer(self, answer: WhyNotAnswer | None) -> None:
        """Show the answer for one memory on top; None takes it away. Nothing else moves."""
        self._renew(lambda: self.results.ask_about(answer))

    def show_asked(self) -> None:
        """Go to the memory that was asked about."""
        self._fresh()
        pk = self.results.asked_about
        if pk is not None:
            self.select(pk)
            self.scrollToTop()

    def mark_old(self) -> None:
        """A newer result is on its way: dim this one when it takes a while."""
        if not self._delegate.dimmed:
            self._dim.start()

    def keep(self) -> None:
        """No newer result comes: show this one undimmed."""
        self._fresh()

    def select(self, memory: MemoryPk) -> None:
        """Make a memory the current one, in sight; nothing when the list has it not."""
        index = self.results.index_of(memory)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(index)

    @property
    def current_row(self) -> ResultRow | None:
        """The current row."""
        return self.results.row(self.currentIndex())

    @property
    def current_memory(self) -> MemoryPk | None:
        """The memory of the current row."""
        row = self.current_row
        return row.pk if row is not None else None

    @property
    def dimmed(self) -> bool:
        """Whether what is shown is being replaced."""
        return self._delegate.dimmed

    def remedy_of(self, row: ResultRow) -> str:
        """What the button of a row says; "" for none."""
        view = self.results.view
        if row.answer is None or row.answer.selected or (view is not None and row.pk in view.in_text):
            return ""
        return remedy_text(self._ctx.tr, row.answer, self.folder_name(row.answer.value))

    # --- inside ---

    def _fresh(self) -> None:
        self._dim.stop()
        self._set_dimmed(dimmed=False)
        self._tell.start()

    def _set_dimmed(self, *, dimmed: bool) -> None:
        self._delegate.dimmed = dimmed
        self.viewport().update()

    def _renew(self, change: Callable[[], None]) -> None:
        current, top = self.current_memory, self.verticalScrollBar().value()
        change()
        self._fresh()
        self._restore(current, top)

    def _restore(self, current: MemoryPk | None, top: int) -> None:
        if current is not None:
            index = self.results.index_of(current)
            if index.isValid():
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.doItemsLayout()
        self.verticalScrollBar().setValue(top)

    def _say_in_sight(self) -> None:
        if not self.isVisible():
            return
        first = self.indexAt(QPoint(4, 2)).row()
        last = self.indexAt(QPoint(4, self.viewport().height() - 2)).row()
        wanted = self.results.unanswered(first, last if last >= 0 else self.results.rowCount())
        if wanted:
            self.in_sight.emit(wanted)

    def _hover(self, index: QModelIndex) -> None:
        row = self.results.row(index)
        self.hovered.emit(row.pk if row is not None else None)

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        row = self.results.row(current)
        self.chosen.emit(row.pk if row is not None else None)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.results.row(index)
        if row is None or row.pk is None:
            return
        if self.remedy_of(row):
            self.remedy_wanted.emit(row.pk)
        else:
            self.opened.emit(row.pk)

    def _show_menu(self, at: QPoint) -> None:
        row = self.results.row(self.indexAt(at))
        if row is None or row.pk is None:
            return
        pk, tr, menu = row.pk, self._ctx.tr, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        remedy = self.remedy_of(row)
        if remedy:
            entry = menu.addAction(remedy, lambda: self.remedy_wanted.emit(pk))
            if row.answer is not None and writes(row.answer):
                entries_need_writing(self._ctx, menu, entry)
        menu.addAction(tr("recall_page.why_this"), lambda: self.why_wanted.emit(pk))
        menu.addAction(tr("recall_page.open"), lambda: self.opened.emit(pk))
        menu.addAction(
            tr("recall_page.untick" if row.ticked else "recall_page.tick"), lambda: self.results.toggle(pk)
        )
        menu.popup(self.viewport().mapToGlobal(at))

    def _accessible(self, row: ResultRow) -> str:
        lines = row_texts(self._ctx.tr, self.results.view, row)
        if self.remedy_of(row):
            lines.append(self._ctx.tr("recall_page.press_enter"))
        return "\n".join(lines)

    def _look(self) -> None:
        self.setAccessibleName(self._ctx.tr("recall_page.results"))
        self.doItemsLayout()
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and row is not None and not event.modifiers():
            self._on_activated(self.currentIndex())
            return
        if event.key() == Qt.Key.Key_Space and row is not None and row.pk is not None:
            self.results.toggle(row.pk)
            return
        super().keyPressEvent(event)
