"""Pick a memory by typing: searches the library and lists what fits."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import ListMemories, MemoryFilter, MemoryRows, Sort, SortKey
from core.domain.results import MemoryRow
from ui.context import Context
from ui.tasks import Lane, single_shot
from ui.widgets.plain_text import PlainLineEdit

SEARCH_AFTER_MS = 200
LIMIT = 50
PK = Qt.ItemDataRole.UserRole


class MemoryPicker(QWidget):
    """A search line over a list. `picked` changes as the current row does; Enter is `activated`."""

    changed = Signal()
    activated = Signal()

    def __init__(
        self, ctx: Context, exclude: frozenset[MemoryPk] = frozenset(), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._ctx, self._exclude = ctx, exclude
        self.search = PlainLineEdit()
        self.search.setPlaceholderText(ctx.tr("picker.search"))
        self.search.setAccessibleName(ctx.tr("picker.search"))
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(ctx.tr("picker.results"))
        self.list.setMinimumHeight(ctx.theme.row_px * 6)
        self.list.currentRowChanged.connect(lambda _row: self.changed.emit())
        self.list.itemActivated.connect(lambda _item: self.activated.emit())
        self.said = QLabel()
        self.said.setProperty("role", "small")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.search)
        box.addWidget(self.list, 1)
        box.addWidget(self.said)
        self.setFocusProxy(self.search)
        self._timer = single_shot(self, SEARCH_AFTER_MS, self._ask)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self._ask()

    @property
    def picked(self) -> MemoryPk | None:
        """The memory of the current row."""
        row = self.list.currentRow()
        return MemoryPk(self.list.item(row).data(PK)) if row >= 0 else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow(min(max(self.list.currentRow() + step, 0), self.list.count() - 1))
                return True
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        text, exclude = self.search.text().strip(), self._exclude
        engine = self._ctx.engine
        sort = Sort(SortKey.RELEVANCE if text else SortKey.UPDATED)

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            pks = engine.ask(ListMemories(MemoryFilter(text=text), sort), cancel=cancel)
            wanted = [MemoryPk(pk) for pk in pks[: LIMIT + len(exclude)] if pk not in exclude]
            return engine.ask(MemoryRows(tuple(wanted[:LIMIT])), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="search", failed=self._on_failed)

    def _show(self, rows: tuple[MemoryRow, ...]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        self.list.clear()
        for row in rows:
            name = row.title or row.snippet or tr("memory.untitled")
            item = QListWidgetItem(theme.type_icon(row.type), name)
            item.setToolTip(f"{theme.type_label(row.type, tr.code)} · {row.folder_name}\n{row.snippet}")
            item.setData(PK, row.pk)
            self.list.addItem(item)
        if rows:
            self.list.setCurrentRow(0)
        self.said.setText(tr("picker.none") if not rows else "")
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self.list.clear()
        self.said.setText(self._ctx.tr.error(error))
        self.changed.emit()
