"""The floors of one chat as a list model: numbers from the store, floors loaded page by page."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from core.domain.api import Cancel, Report
from core.domain.folder import Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_chat import FloorMarks, FloorMarksOf, FloorNumbers, FloorProposal, FloorsOf
from ui.context import Context
from ui.tasks import Lane, single_shot

PAGE_ROWS = 100
CACHED_PAGES = 60
FLOOR_ROLE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
Numbers = NDArray[np.int64]


class ChatFloors(QAbstractListModel):
    """Row r is the floor `numbers[r]`. `listed` when another chat's floors are there, `marked` when it is known
    what came from them, `failed(error)`.
    """

    listed = Signal()
    marked = Signal()
    failed = Signal(object)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.folder: FolderPk | None = None
        self.numbers: Numbers = np.empty(0, np.int64)
        self.marks = FloorMarks()
        self._counts: Numbers = np.empty(0, np.int64)
        self._pages: dict[int, tuple[Message, ...]] = {}
        self._asked: set[int] = set()
        self._wanted: dict[int, None] = {}
        self._load_soon = single_shot(self, 0, self._load_wanted)

    # --- what is asked for ---

    def show_chat(self, folder: FolderPk | None) -> None:
        """Show the floors of another chat, or of the same one again."""
        if folder != self.folder:
            self.folder = folder
            self._take_numbers(np.empty(0, np.int64))
        if folder is not None:
            self.refresh()

    def refresh(self) -> None:
        """Read numbers and marks again; floors that are shown stay until the new ones come."""
        engine, folder = self._context.engine, self.folder
        if folder is None:
            return

        def ask(_progress: Report, cancel: Cancel) -> tuple[Numbers, FloorMarks]:
            numbers = np.array(engine.ask(FloorNumbers(folder), cancel=cancel), dtype=np.int64)
            return numbers, engine.ask(FloorMarksOf(folder), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._take, owner=self, query="floors", failed=self.failed.emit
        )

    def _take(self, answer: tuple[Numbers, FloorMarks]) -> None:
        numbers, self.marks = answer
        self._pages.clear()
        self._asked.clear()
        if np.array_equal(numbers, self.numbers):
            self._count()
            self._all_changed()
        else:
            self._take_numbers(numbers)
        self.listed.emit()

    def _take_numbers(self, numbers: Numbers) -> None:
        self.beginResetModel()
        self.numbers = numbers
        self._pages.clear()
        self._asked.clear()
        self._count()
        self.endResetModel()

    def _count(self) -> None:
        """How many memories came from each floor."""
        edges = np.zeros(len(self.numbers) + 1, np.int64)
        spans = np.array(list(self.marks.spans.values()), np.int64).reshape(-1, 2)
        np.add.at(edges, np.searchsorted(self.numbers, spans[:, 0]), 1)
        np.add.at(edges, np.searchsorted(self.numbers, spans[:, 1], side="right"), -1)
        self._counts = np.cumsum(edges)[:-1]
        self.marked.emit()

    # --- what is there ---

    def row_of(self, floor: int) -> int:
        """The row of a floor, or of the next one behind it; -1 when there is none."""
        row = int(np.searchsorted(self.numbers, floor))
        return row if row < len(self.numbers) else -1

    def floor_at(self, row: int) -> int:
        """The number of the floor of a row, -1 outside."""
        return int(self.numbers[row]) if 0 <= row < len(self.numbers) else -1

    def message(self, row: int) -> Message | None:
        """The floor of a row, when it is loaded; otherwise it is asked for."""
        number, within = divmod(row, PAGE_ROWS)
        page = self._pages.get(number)
        if page is None:
            self._wanted[number] = None
            self._load_soon.start()
            return None
        return page[within] if within < len(page) else None

    def memories_at(self, row: int) -> int:
        """How many memories came from the floor of a row."""
        return int(self._counts[row]) if 0 <= row < len(self._counts) else 0

    def memories_of(self, first: int, last: int) -> tuple[MemoryPk, ...]:
        """The memories that came from any of these floors."""
        return tuple(pk for pk, (start, end) in self.marks.spans.items() if start <= last and end >= first)

    def proposed_at(self, floor: int) -> bool:
        """Whether a proposal that waits was made from a floor."""
        return any(each.start <= floor <= each.end for each in self.marks.proposed)

    def proposed_of(self, first: int, last: int) -> tuple[FloorProposal, ...]:
        """What waits and was made from any of these floors."""
        return tuple(each for each in self.marks.proposed if each.start <= last and each.end >= first)

    # --- Qt ---

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.numbers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        message = self.message(index.row())
        if role == FLOOR_ROLE:
            return message
        if role == Qt.ItemDataRole.AccessibleTextRole:
            floor = self.floor_at(index.row())
            return f"#{floor}" if message is None else f"#{floor} {message.name}: {message.text[:400]}"
        return None

    # --- loading ---

    def _load_wanted(self) -> None:
        wanted = [page for page in list(self._wanted)[-3:] if page not in self._asked]
        self._wanted.clear()
        for page in wanted:
            self._load(page)

    def _load(self, page: int) -> None:
        engine, folder = self._context.engine, self.folder
        rows = self.numbers[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]
        if folder is None or not len(rows):
            return
        self._asked.add(page)
        query = FloorsOf(folder, int(rows[0]), int(rows[-1]) + 1)

        def ask(_progress: Report, cancel: Cancel) -> tuple[Message, ...]:
            return engine.ask(query, cancel=cancel)

        self._context.tasks.run(
            Lane.READ,
            ask,
            partial(self._take_page, folder, page),
            owner=self,
            query=f"floors {page}",
            failed=self.failed.emit,
        )

    def _take_page(self, folder: FolderPk, page: int, floors: tuple[Message, ...]) -> None:
        if folder != self.folder:
            return
        while len(self._pages) >= CACHED_PAGES:
            oldest = next(iter(self._pages))
            del self._pages[oldest]
            self._asked.discard(oldest)
        self._pages[page] = floors
        first = page * PAGE_ROWS
        last = min(first + len(floors), len(self.numbers)) - 1
        if last >= first:
            self.dataChanged.emit(self.index(first), self.index(last))

    def _all_changed(self) -> None:
        if len(self.numbers):
            self.dataChanged.emit(self.index(0), self.index(len(self.numbers) - 1))
