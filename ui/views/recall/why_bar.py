"""A search line with suggestions: why is this memory not recalled?"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLabel, QListView, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import ListMemories, MemoryFilter, MemoryRows, Sort, SortKey, TrashScope
from core.domain.results import MemoryRow
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.search_field import SearchField

LIMIT = 12
PK = Qt.ItemDataRole.UserRole


class WhyBar(QWidget):
    """`asked(pk)` when a suggestion was chosen; `cleared` when the answer is no longer wanted."""

    asked = Signal(int)
    cleared = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.label = QLabel(tr("recall_page.why_not"))
        self.field = SearchField()
        self.field.setPlaceholderText(tr("recall_page.why_not.placeholder"))
        self.field.setAccessibleName(tr("recall_page.why_not.placeholder"))
        self.label.setBuddy(self.field)
        self._found = QStandardItemModel(self)
        self.completer = QCompleter(self._found, self)
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer.setWidget(self.field)
        self.popup = QListView()
        self.completer.setPopup(self.popup)
        self.completer.activated.connect(lambda _text: self._on_chosen(self.popup.currentIndex()))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self.label)
        row.addWidget(self.field, 1)
        self.field.searched.connect(self._search)
        self.field.left_down.connect(self._show_popup)

    def show_asked(self, title: str) -> None:
        """The memory that is asked about."""
        self.field.set_quietly(title)

    def clear(self) -> None:
        """Ask about none."""
        self.field.set_quietly("")
        self.cleared.emit()

    def start(self) -> None:
        """Put the cursor in the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    @property
    def suggestions(self) -> tuple[MemoryPk, ...]:
        """What is offered now."""
        items = [self._found.item(row) for row in range(self._found.rowCount())]
        return tuple(MemoryPk(item.data(PK)) for item in items if item.data(PK) is not None)

    def _search(self, text: str) -> None:
        text, engine = text.strip(), self._ctx.engine
        if not text:
            self.clear()
            return

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            where = MemoryFilter(text=text, trash=TrashScope.BOTH)
            pks = engine.ask(ListMemories(where, Sort(SortKey.RELEVANCE)), cancel=cancel)
            return engine.ask(MemoryRows(tuple(MemoryPk(pk) for pk in pks[:LIMIT])), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="suggestions", failed=lambda _error: None
        )

    def _show(self, rows: tuple[MemoryRow, ...]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        self._found.clear()
        for row in rows:
            name = row.title or row.snippet or tr("memory.untitled")
            shown = tr("recall_page.in_trash", title=name) if row.trashed else name
            item = QStandardItem(theme.type_icon(row.type), shown)
            item.setToolTip(f"{theme.type_label(row.type, tr.code)} · {row.folder_name}\n{row.snippet}")
            item.setData(row.pk, PK)
            self._found.appendRow(item)
        if not rows:
            none = QStandardItem(tr("picker.none"))
            none.setFlags(Qt.ItemFlag.NoItemFlags)
            self._found.appendRow(none)
        if self.field.hasFocus():
            self._show_popup()

    def _show_popup(self) -> None:
        if self._found.rowCount():
            self.completer.complete()

    def _on_chosen(self, index: QModelIndex) -> None:
        pk = index.data(PK)
        if pk is not None:
            self.show_asked(str(index.data()))
            self.asked.emit(int(pk))
