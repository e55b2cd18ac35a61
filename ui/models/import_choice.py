"""The chats of one file as a table with ticks: which of them are to come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from core.domain.folder import SEPARATOR
from core.domain.transfer import ImportPlan
from ui.context import Context

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
NUMBERS = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
TICK = Qt.ItemDataRole.CheckStateRole
GAP = "\u2002"
"""Behind numbers, which end where the next column begins."""


@dataclass(frozen=True, slots=True)
class PlannedChat:
    """One chat of a file. `known`: it is in the library and would be brought up to date."""

    key: str
    title: str
    floors: int
    last: datetime | None
    known: bool


def planned_chats(plan: ImportPlan) -> tuple[PlannedChat, ...]:
    """The chats of a plan in its order. Cost: all messages are looked at, so not in the window's thread."""
    floors: dict[str, int] = {}
    last: dict[str, datetime] = {}
    for message in plan.messages:
        floors[message.folder] = floors.get(message.folder, 0) + 1
        if message.sent_at is not None:
            last[message.folder] = max(message.sent_at, last.get(message.folder, message.sent_at))
    return tuple(
        PlannedChat(
            folder.key,
            folder.name.rpartition(SEPARATOR)[2],
            floors.get(folder.key, 0),
            last.get(folder.key),
            folder.into is not None,
        )
        for folder in plan.folders
    )


class ChatColumn(IntEnum):
    """The columns, from the left."""

    TITLE = 0
    FLOORS = 1
    LAST = 2
    STATE = 3


class ImportChoice(QAbstractTableModel):
    """Chats with ticks, narrowed by words, sorted by any column. `ticked`: what is chosen has changed."""

    ticked = Signal()

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._all: tuple[PlannedChat, ...] = ()
        self._rows: list[PlannedChat] = []
        self._left_out: set[str] = set()
        self._words: list[str] = []
        self._order: tuple[int, bool] | None = None

    def show(self, chats: Sequence[PlannedChat]) -> None:
        """Show these, all of them ticked."""
        self._all, self._left_out, self._words = tuple(chats), set(), []
        self._renew()

    def narrow(self, words: str) -> None:
        """Show only chats in whose title all these words stand."""
        self._words = words.casefold().split()
        self._renew()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._renew()

    def tick_shown(self, *, on: bool) -> None:
        """Tick the chats that are shown, or take their ticks away."""
        shown = {row.key for row in self._rows}
        self._left_out = self._left_out - shown if on else self._left_out | shown
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0), [TICK])
        self.ticked.emit()

    @property
    def total(self) -> int:
        """Chats of the file."""
        return len(self._all)

    @property
    def chosen(self) -> frozenset[str]:
        """The keys of the ticked ones, shown or not."""
        return frozenset(chat.key for chat in self._all) - self._left_out

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(ChatColumn)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == ChatColumn.TITLE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        chat = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._words_of(chat, index.column())
            case Qt.ItemDataRole.ToolTipRole if index.column() == ChatColumn.LAST:
                return self._context.tr.exact(chat.last)
            case Qt.ItemDataRole.ToolTipRole:
                return chat.title
            case Qt.ItemDataRole.CheckStateRole if index.column() == ChatColumn.TITLE:
                return Qt.CheckState.Unchecked if chat.key in self._left_out else Qt.CheckState.Checked
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == ChatColumn.FLOORS:
                return NUMBERS
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != TICK or not index.isValid():
            return False
        key = self._rows[index.row()].key
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._left_out.discard(key)
        else:
            self._left_out.add(key)
        self.dataChanged.emit(index, index, [TICK])
        self.ticked.emit()
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            name = self._context.tr(f"import.chats.{ChatColumn(section).name.lower()}")
            return name + GAP if section == ChatColumn.FLOORS else name
        return NUMBERS if role == Qt.ItemDataRole.TextAlignmentRole and section == ChatColumn.FLOORS else None

    def _words_of(self, chat: PlannedChat, column: int) -> str:
        tr = self._context.tr
        match ChatColumn(column):
            case ChatColumn.TITLE:
                return chat.title
            case ChatColumn.FLOORS:
                return tr.number(chat.floors) + GAP
            case ChatColumn.LAST:
                return tr.relative(chat.last)
            case ChatColumn.STATE:
                return tr("import.chats.known" if chat.known else "import.chats.new")

    def _renew(self) -> None:
        self.beginResetModel()
        self._rows = self._sorted(
            chat for chat in self._all if all(word in chat.title.casefold() for word in self._words)
        )
        self.endResetModel()

    def _sorted(self, chats: Iterable[PlannedChat]) -> list[PlannedChat]:
        if self._order is None:
            return list(chats)
        column, descending = self._order
        return sorted(chats, key=lambda chat: _key(chat, column), reverse=descending)


def _key(chat: PlannedChat, column: int) -> tuple[float, str]:
    match ChatColumn(column):
        case ChatColumn.FLOORS:
            return chat.floors, chat.title
        case ChatColumn.LAST:
            return chat.last.timestamp() if chat.last else 0.0, chat.title
        case ChatColumn.STATE:
            return float(chat.known), chat.title
        case _:
            return 0.0, chat.title.casefold()
