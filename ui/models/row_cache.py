"""Rows of memories by pk, read in the background as they come into sight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries import MemoryRows
from core.domain.results import MemoryRow
from ui.context import Context
from ui.tasks import Lane, single_shot

BLOCK_ROWS = 200
CACHED_ROWS = 20 * BLOCK_ROWS


class RowCache(QObject):
    """`filled` when rows came. What is asked for and not there yet is read soon, the latest wish first."""

    filled = Signal()

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: OrderedDict[int, MemoryRow] = OrderedDict()
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._loading = False
        self._soon = single_shot(self, 0, self._load)

    def get(self, pk: int) -> MemoryRow | None:
        """The row of a memory if it is here."""
        return self._rows.get(pk)

    def want(self, pks: Iterable[int]) -> None:
        """Read these, unless they are here."""
        for pk in pks:
            if pk not in self._rows:
                self._wanted[pk] = None
                self._wanted.move_to_end(pk)
        if self._wanted and not self._loading and not self._soon.isActive():
            self._soon.start()

    def forget(self) -> None:
        """What was read may be out of date."""
        self._rows.clear()
        self._wanted.clear()

    def _load(self) -> None:
        pks = [MemoryPk(self._wanted.popitem()[0]) for _ in range(min(len(self._wanted), BLOCK_ROWS))]
        self._wanted.clear()
        if not pks:
            return
        engine = self._context.engine
        self._loading = True

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows(tuple(pks)), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, failed=self._fail)

    def _take(self, rows: tuple[MemoryRow, ...]) -> None:
        self._loading = False
        self._rows.update((row.pk, row) for row in rows)
        while len(self._rows) > CACHED_ROWS:
            self._rows.popitem(last=False)
        self.filled.emit()
        if self._wanted:
            self._soon.start()

    def _fail(self, error: Exception) -> None:
        self._loading = False
        self._context.tasks.error.emit(error)
