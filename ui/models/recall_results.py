"""The middle of the Recall page as a list: asked about, recalled, left out, always injected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from core.domain.ids import MemoryPk
from core.domain.recall import Recalled, WhyNotAnswer
from ui.models.recall_view import SHOWN_CORE, RecallView

ROW_ROLE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class RowKind(StrEnum):
    """What a row of the list is."""

    HEADING = "heading"
    ASKED = "asked"
    RECALLED = "recalled"
    LEFT_OUT = "left_out"
    CORE = "core"
    MORE = "more"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row. `place` counts from 1 within its part; a heading's is the number of rows below it."""

    kind: RowKind
    part: RowKind
    place: int = 0
    pk: MemoryPk | None = None
    recalled: Recalled | None = None
    answer: WhyNotAnswer | None = None
    ticked: bool = False
    lit: bool = False


class RecallResults(QAbstractListModel):
    """Rows of one recall. `ticks_changed`: other memories are ticked as expected."""

    ticks_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ResultRow] = []
        self._answers: dict[MemoryPk, WhyNotAnswer] = {}
        self._ticked: set[MemoryPk] = set()
        self._asked: WhyNotAnswer | None = None
        self._lit: frozenset[MemoryPk] = frozenset()
        self.view: RecallView | None = None
        self.say: dict[str, Any] = {}

    # --- what is shown ---

    def show(self, view: RecallView | None) -> None:
        """Show a result; ticks and the memory asked about stay."""
        self.beginResetModel()
        self.view = view
        self._answers.clear()
        self._rows = self._made()
        self.endResetModel()

    def ask_about(self, answer: WhyNotAnswer | None) -> None:
        """Show one memory's answer on top; None takes it away."""
        self.beginResetModel()
        self._asked = answer
        if answer is not None:
            self._answers[answer.recalled.pk] = answer
        self._rows = self._made()
        self.endResetModel()

    @property
    def answer_asked(self) -> WhyNotAnswer | None:
        """The answer for the memory that was asked about."""
        return self._asked

    @property
    def asked_about(self) -> MemoryPk | None:
        """The memory that was asked about."""
        return self._asked.recalled.pk if self._asked is not None else None

    def put_answer(self, answer: WhyNotAnswer) -> None:
        """What would bring a memory in has become known."""
        self._answers[answer.recalled.pk] = answer
        self._change(lambda row: replace(row, answer=answer), [answer.recalled.pk])

    def light(self, memories: Iterable[MemoryPk]) -> None:
        """Mark these rows and no others."""
        lit = frozenset(memories)
        if lit != self._lit:
            before, self._lit = self._lit, lit
            self._change(lambda row: replace(row, lit=row.pk in lit), [*before, *lit])

    def _change(self, changed: Any, memories: Iterable[MemoryPk]) -> None:
        wanted = set(memories)
        for at, row in enumerate(self._rows):
            if row.pk in wanted:
                self._rows[at] = changed(row)
                index = self.index(at)
                self.dataChanged.emit(index, index)

    def _made(self) -> list[ResultRow]:
        rows: list[ResultRow] = []
        if self._asked is not None:
            rows += self._part(RowKind.ASKED, [self._asked.recalled])
        if self.view is not None:
            result = self.view.result
            rows += self._part(RowKind.RECALLED, result.selected)
            rows += self._part(RowKind.LEFT_OUT, result.left_out)
            if result.core:
                rows.append(ResultRow(RowKind.HEADING, RowKind.CORE, len(result.core)))
                shown = result.core[:SHOWN_CORE]
                rows += [self._row(RowKind.CORE, place, pk, None) for place, pk in enumerate(shown, 1)]
                if len(result.core) > len(shown):
                    rows.append(ResultRow(RowKind.HEADING, RowKind.MORE, len(result.core) - len(shown)))
        return rows

    def _part(self, part: RowKind, found: Iterable[Recalled]) -> list[ResultRow]:
        rows = [self._row(part, place, recalled.pk, recalled) for place, recalled in enumerate(found, 1)]
        heading = ResultRow(RowKind.HEADING, part, len(rows))
        return [heading, *rows] if rows or part is RowKind.RECALLED else []

    def _row(self, part: RowKind, place: int, pk: MemoryPk, recalled: Recalled | None) -> ResultRow:
        return ResultRow(
            part, part, place, pk, recalled, self._answers.get(pk), pk in self._ticked, pk in self._lit
        )

    # --- asking ---

    def row(self, index: Index) -> ResultRow | None:
        """The row of an index."""
        at = index.row()
        return self._rows[at] if index.isValid() and at < len(self._rows) else None

    def index_of(self, memory: MemoryPk) -> QModelIndex:
        """The first row of a memory; an invalid index when it is in none."""
        at = next((at for at, row in enumerate(self._rows) if row.pk == memory), -1)
        return self.index(at) if at >= 0 else QModelIndex()

    def unanswered(self, first: int, last: int) -> tuple[MemoryPk, ...]:
        """Left-out memories among these rows whose remedy is not known yet."""
        rows = self._rows[max(first, 0) : last + 1]
        return tuple(
            row.pk
            for row in rows
            if row.kind is RowKind.LEFT_OUT and row.pk is not None and row.pk not in self._answers
        )

    @property
    def ticked(self) -> tuple[MemoryPk, ...]:
        """Memories that are ticked, in the order of the list, then those out of it."""
        listed = [row.pk for row in self._rows if row.pk in self._ticked and row.pk is not None]
        return tuple(dict.fromkeys([*listed, *sorted(self._ticked)]))

    def set_ticked(self, memories: Iterable[MemoryPk]) -> None:
        """Tick these and no others."""
        before, self._ticked = self._ticked, set(memories)
        self._change(lambda row: replace(row, ticked=row.pk in self._ticked), before | self._ticked)
        self.ticks_changed.emit()

    def toggle(self, memory: MemoryPk) -> None:
        """Tick a memory, or take the tick away."""
        self.set_ticked(self._ticked ^ {memory})

    # --- Qt ---

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.CheckStateRole and row.kind is not RowKind.HEADING:
            return Qt.CheckState.Checked if row.ticked else Qt.CheckState.Unchecked
        words = self.say.get("accessible" if role == Qt.ItemDataRole.AccessibleTextRole else "")
        if role == Qt.ItemDataRole.DisplayRole:
            words = self.say.get("title")
        elif role == Qt.ItemDataRole.ToolTipRole:
            words = self.say.get("tip")
        return words(row) if words is not None else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None or row.kind is RowKind.HEADING:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
