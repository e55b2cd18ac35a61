"""The rows of a plan: numbers in arrays, titles read as they come into sight, a choice for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QIcon

from core.domain.results import MemoryRow
from ui.context import Context
from ui.models.memory_table import PLACEHOLDER, ROW_ROLE
from ui.models.row_cache import RowCache
from ui.models.table_columns import text_beside_title, title_of

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
CHOICE, TITLE = 0, 1
AHEAD = 60
"""Rows read beyond the one that is wanted: about a screen."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What can be chosen for a row: text key and icon; a tick has neither."""

    key: str
    icon: str = ""
    color: str = "text"


@dataclass(frozen=True, slots=True, eq=False)
class PlanColumn:
    """One column behind the title. `order`: (n,) numbers to sort by; `show` and `tip` get the row of the plan."""

    key: str
    order: NDArray[Any]
    show: Callable[[int], str]
    tip: Callable[[int], str] | None = None
    right: bool = True
    width: int = 96


class PlanModel(QAbstractTableModel):
    """The rows that pass the mask, in order. `chosen` when a choice changed.

    With `ticks` the first column is a tick (1 = ticked), else it names one of the `choices`.
    """

    chosen = Signal()

    def __init__(self, context: Context, choices: Sequence[Choice], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choices = tuple(choices)
        self._titles = RowCache(context, self)
        self._titles.filled.connect(self._repaint)
        self.pks: NDArray[np.int64] = np.empty(0, np.int64)
        self.choice: NDArray[np.int8] = np.empty(0, np.int8)
        self._columns: tuple[PlanColumn, ...] = ()
        self._mask: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._order: NDArray[np.int64] = np.empty(0, np.int64)
        self.shown: NDArray[np.int64] = np.empty(0, np.int64)
        self._sort = (-1, Qt.SortOrder.AscendingOrder)
        self.by_hand: dict[int, int] = {}
        """What a person chose, by memory: it stays when the plan is asked for again."""
        context.tr.changed.connect(self._repaint)
        context.theme.changed.connect(self._repaint)

    # --- what is in it ---

    def fill(self, pks: NDArray[np.int64], choice: NDArray[np.int8], columns: Sequence[PlanColumn]) -> None:
        """Another plan; the order that was chosen stays."""
        self.beginResetModel()
        self.pks, self.choice, self._columns = pks, choice.copy(), tuple(columns)
        self._keep_choices()
        self._mask = np.ones(len(pks), np.bool_)
        self._titles.forget()
        self._arrange()
        self.endResetModel()
        self.chosen.emit()

    def _keep_choices(self) -> None:
        if self.by_hand:
            for at in np.flatnonzero(np.isin(self.pks, list(self.by_hand))).tolist():
                self.choice[at] = self.by_hand[int(self.pks[at])]

    def narrow(self, mask: NDArray[np.bool_]) -> None:
        """Show only the rows of the mask (n,)."""
        self.beginResetModel()
        self._mask = mask
        self.shown = self._order[mask[self._order]]
        self.endResetModel()

    def set_choices(self, choice: NDArray[np.int8]) -> None:
        """Another choice for every row; what was chosen by hand stays."""
        self.choice[:] = choice
        self._keep_choices()
        self._repaint()
        self.chosen.emit()

    def choose(self, rows: NDArray[np.int64], value: int) -> None:
        """Choose something for rows of the plan."""
        self.choice[rows] = value
        self.by_hand.update(dict.fromkeys(self.pks[rows].tolist(), value))
        self._repaint()
        self.chosen.emit()

    def picked(self, value: int) -> NDArray[np.int64]:
        """The memories of a choice, in order of the plan, shown or not."""
        picked: NDArray[np.int64] = self.pks[self.choice == value]
        return picked

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()  # nothing stays selected: a selection means memories, not places
        self._sort = (column, order)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        column, order = self._sort
        keys: NDArray[Any] | None = None
        if column == CHOICE:
            keys = self.choice
        elif column > TITLE and column - TITLE - 1 < len(self._columns):
            keys = self._columns[column - TITLE - 1].order
        if keys is None:
            self._order = np.arange(len(self.pks))
        else:
            ascending = np.argsort(keys, kind="stable")
            self._order = ascending if order is Qt.SortOrder.AscendingOrder else ascending[::-1]
        self.shown = self._order[self._mask[self._order]]

    # --- Qt's model ---

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else TITLE + 1 + len(self._columns)

    def pk_at(self, row: int) -> int:
        """The memory of a row shown."""
        return int(self.pks[self.shown[row]])

    def row(self, row: int) -> MemoryRow | None:
        """The memory's row of a row shown; None = on its way."""
        found = self._titles.get(self.pk_at(row))
        if found is None:
            self._titles.want(self.pks[self.shown[row : row + AHEAD]][::-1].tolist())
        return found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.shown):
            return None
        match index.column():
            case 0:
                return self._choice_data(int(self.choice[self.shown[index.row()]]), role)
            case 1:
                return self._title_data(index.row(), role)
            case column:
                return self._cell_data(self._columns[column - TITLE - 1], int(self.shown[index.row()]), role)

    def _choice_data(self, value: int, role: int) -> Any:
        if not self._choices:
            if role == Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if value else Qt.CheckState.Unchecked
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self._context.tr("plan.ticked" if value else "plan.not_ticked")
            return None
        choice = self._choices[value]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._context.tr(choice.key)
            case Qt.ItemDataRole.DecorationRole:
                icon: QIcon = self._context.theme.icon(choice.icon, choice.color)
                return icon
            case Qt.ItemDataRole.ToolTipRole:
                return self._context.tr(f"{choice.key}.tip")
        return None

    def _title_data(self, row: int, role: int) -> Any:
        found = self.row(row)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return PLACEHOLDER if found is None else title_of(found)
            case Qt.ItemDataRole.ToolTipRole if found is not None:
                return "\n".join(part for part in (title_of(found), text_beside_title(found)) if part)
            case _ if role == ROW_ROLE:
                return found
        return None

    def _cell_data(self, column: PlanColumn, at: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return column.show(at)
            case Qt.ItemDataRole.ToolTipRole:
                return (column.tip or column.show)(at)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        key = self._heading(section)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._context.tr(key) if key else ""
            case Qt.ItemDataRole.ToolTipRole if key:
                return self._context.tr(f"{key}.tip")
            case Qt.ItemDataRole.TextAlignmentRole:
                right = section > TITLE and self._columns[section - TITLE - 1].right
                side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _heading(self, section: int) -> str:
        if section == CHOICE:
            return "plan.column.verdict" if self._choices else ""
        return "plan.column.title" if section == TITLE else f"plan.column.{self._columns[section - 2].key}"

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        if index.column() == CHOICE and not self._choices:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != CHOICE or self._choices:
            return False
        ticked = Qt.CheckState(value) is Qt.CheckState.Checked
        self.choose(self.shown[index.row() : index.row() + 1], int(ticked))
        return True

    def _repaint(self) -> None:
        if len(self.shown):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.shown) - 1, self.columnCount() - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
