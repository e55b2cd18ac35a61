"""The memory table's model: pks in order from the store, rows loaded page by page in the background."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import ListMemories, MemoryFilter, MemoryRows, Sort
from core.domain.queries_search import Hits, ListWithRelated
from core.domain.results import MemoryRow
from ui.context import Context
from ui.models.table_columns import COLUMNS, TITLE, Words, text_beside_title, title_of
from ui.tasks import Lane, single_shot
from ui.widgets.bidi import alignment_of

PAGE_ROWS = 200
CACHED_ROWS = 20 * PAGE_ROWS
PAGES_IN_FLIGHT = 2
PAGES_WANTED = 4
PLACEHOLDER = "\u2026"
MIME_MEMORIES = "application/x-memory-curator-memories"
ROW_ROLE = Qt.ItemDataRole.UserRole
RELATED_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Whether the row does not pass the filter itself, but is related to one that does."""
ROW_FLAGS = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemNeverHasChildren
)
Index = QModelIndex | QPersistentModelIndex
Pks = NDArray[np.int64]


def encode_memories(pks: Sequence[int]) -> QMimeData:
    """Memories as drag data."""
    data = QMimeData()
    data.setData(MIME_MEMORIES, array("q", pks).tobytes())
    return data


def decode_memories(data: QMimeData) -> tuple[MemoryPk, ...]:
    """Memories of drag data; () when it holds none."""
    pks = array("q")
    pks.frombytes(bytes(data.data(MIME_MEMORIES).data()))
    return tuple(MemoryPk(pk) for pk in pks)


class MemoryTableModel(QAbstractTableModel):
    """Holds the pks in order and a cache of rows by pk; asks for what it lacks, never blocks.

    `asked` when a list was asked for, `before_list` and `listed` around the moment when another
    list of pks takes the place of the old one, `filled` when rows came, `failed(error)` when it could not
    be had.
    """

    asked = Signal()
    before_list = Signal()
    listed = Signal()
    unchanged = Signal()
    filled = Signal()
    failed = Signal(object)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._words = Words(context.tr, context.theme)
        self._filter = MemoryFilter()
        self._sort = Sort()
        self.with_related = False
        self.hits = Hits((), 0)
        """What was found, and what is related to it."""
        self._pks: Pks = np.empty(0, np.int64)
        self._rows: OrderedDict[int, MemoryRow] = OrderedDict()
        self._stale: set[int] = set()
        self._wanted: dict[int, None] = {}
        self._loading: set[int] = set()
        self._list_number = 0
        self._load_soon = single_shot(self, 0, self._load_wanted)
        context.tr.changed.connect(self._look_changed)
        context.theme.changed.connect(self._look_changed)

    # --- what is shown ---

    @property
    def filter(self) -> MemoryFilter:
        """The filter of the list shown or asked for."""
        return self._filter

    @property
    def order(self) -> Sort:
        """The order of the list shown or asked for."""
        return self._sort

    @property
    def pks(self) -> Pks:
        """All pks in order (n,)."""
        return self._pks

    def pk_at(self, row: int) -> MemoryPk | None:
        """The memory of a row."""
        return MemoryPk(int(self._pks[row])) if 0 <= row < len(self._pks) else None

    def row_of(self, pk: int) -> int:
        """The row of a memory, -1 when it is not listed. Cost: O(n), a few ms at 1,000,000."""
        found = np.flatnonzero(self._pks == pk)
        return int(found[0]) if len(found) else -1

    def rows_of(self, pks: Pks) -> Pks:
        """The rows, ascending, of those of the memories that are listed."""
        return np.flatnonzero(np.isin(self._pks, pks))

    def cached(self, pk: int) -> MemoryRow | None:
        """The row of a memory, if it is loaded."""
        return self._rows.get(pk)

    def show(self, filter_: MemoryFilter, sort: Sort, *, related: bool = False) -> None:
        """List other memories, also those related to them. The present list stays until the new one is there."""
        self._filter, self._sort, self.with_related = filter_, sort, related
        self._ask()

    @property
    def related(self) -> int:
        """How many of the rows are there only because they are related."""
        return len(self._pks) - self.hits.found

    def refresh(self, touched: Iterable[int] = ()) -> None:
        """Ask again for the list and for these rows, because they changed."""
        self._stale.update(pk for pk in touched if pk in self._rows)
        self._ask()

    def _ask(self) -> None:
        engine, where, sort, related = self._context.engine, self._filter, self._sort, self.with_related

        def ask(_progress: Report, cancel: Cancel) -> tuple[Pks, Hits]:
            if related:
                hits = engine.ask(ListWithRelated(where, sort), cancel=cancel)
            else:
                pks = engine.ask(ListMemories(where, sort), cancel=cancel)
                hits = Hits(pks, len(pks))
            return np.array(hits.pks, dtype=np.int64), replace(hits, pks=())

        self.asked.emit()
        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="list", failed=self.failed.emit)

    def _take(self, answer: tuple[Pks, Hits]) -> None:
        pks, hits = answer
        same, self.hits = hits == self.hits, hits
        if same and np.array_equal(pks, self._pks):
            if self._stale:
                self._rows_changed(0, len(self._pks) - 1)
            self.unchanged.emit()
            return
        self.before_list.emit()
        self.beginResetModel()
        self._pks = pks
        self._list_number += 1
        self._wanted.clear()
        self._loading.clear()
        self.endResetModel()
        self.listed.emit()

    # --- rows in pages ---

    def _want(self, row: int) -> None:
        page = row // PAGE_ROWS
        if page in self._loading:
            return
        self._wanted.pop(page, None)
        self._wanted[page] = None
        while len(self._wanted) > PAGES_WANTED:
            self._wanted.pop(next(iter(self._wanted)))
        if not self._load_soon.isActive():
            self._load_soon.start()

    def _load_wanted(self) -> None:
        while self._wanted and len(self._loading) < PAGES_IN_FLIGHT:
            page, _ = self._wanted.popitem()
            self._load(page)

    def _load(self, page: int) -> None:
        first = page * PAGE_ROWS
        part = self._pks[first : first + PAGE_ROWS].tolist()
        pks = tuple(MemoryPk(pk) for pk in part if pk not in self._rows or pk in self._stale)
        if not pks:
            return
        self._loading.add(page)
        self._stale.difference_update(pks)
        engine, number = self._context.engine, self._list_number

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows(pks), cancel=cancel)

        self._context.tasks.run(
            Lane.READ,
            ask,
            lambda rows: self._take_rows(number, page, rows),
            owner=self,
            failed=lambda error: self._rows_failed(page, error),
        )

    def _take_rows(self, number: int, page: int, rows: tuple[MemoryRow, ...]) -> None:
        for row in rows:
            self._rows[row.pk] = row
            self._rows.move_to_end(row.pk)
        while len(self._rows) > CACHED_ROWS:
            self._rows.popitem(last=False)
        if number == self._list_number:
            self._loading.discard(page)
            first = page * PAGE_ROWS
            self._rows_changed(first, min(first + PAGE_ROWS, len(self._pks)) - 1)
        self.filled.emit()
        self._load_wanted()

    def _rows_failed(self, page: int, error: Exception) -> None:
        self._loading.discard(page)
        self.failed.emit(error)

    def _rows_changed(self, first: int, last: int) -> None:
        if last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(COLUMNS) - 1))

    def _look_changed(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self._rows_changed(0, len(self._pks) - 1)

    # --- Qt's model ---

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._pks)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(COLUMNS)

    def row(self, number: int) -> MemoryRow | None:
        """The loaded row at a place; None = on its way."""
        pk = int(self._pks[number])
        row = self._rows.get(pk)
        if row is None or pk in self._stale:
            self._want(number)
        return row

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._pks):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index)
            case Qt.ItemDataRole.AccessibleTextRole:
                marked = self._is_related(index) and index.column() == TITLE
                text = self._text(index)
                return self._context.tr("table.related", title=text) if marked else text
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(index)
            case Qt.ItemDataRole.ToolTipRole:
                return self._tooltip(index)
            case Qt.ItemDataRole.UserRole:
                return self.row(index.row())
            case _ if role == RELATED_ROLE:
                return self._is_related(index)
        return None

    def _is_related(self, index: Index) -> bool:
        return index.row() >= self.hits.found

    def _text(self, index: Index) -> str:
        row = self.row(index.row())
        if row is None:
            return PLACEHOLDER if index.column() == TITLE else ""
        return COLUMNS[index.column()].text(row, self._words)

    def _alignment(self, index: Index) -> Qt.AlignmentFlag:
        if COLUMNS[index.column()].right:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return alignment_of(self._text(index)) | Qt.AlignmentFlag.AlignVCenter

    def _tooltip(self, index: Index) -> str:
        row = self._rows.get(int(self._pks[index.row()]))
        if row is None:
            return ""
        if index.column() == TITLE:
            why = self._context.tr("table.related.tip") if self._is_related(index) else ""
            return "\n".join(part for part in (title_of(row), text_beside_title(row), why) if part)
        return COLUMNS[index.column()].copied(row, self._words)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._context.tr(column.text_key)
            case Qt.ItemDataRole.ToolTipRole:
                return self._context.tr(f"{column.text_key}.tip")
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return ROW_FLAGS
