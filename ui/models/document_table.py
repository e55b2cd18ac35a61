"""Documents as a table: title, folder, pieces, when, source; sorted by any of them."""

from __future__ import annotations

from enum import IntEnum
from pathlib import PurePath

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain.document import DocumentRow
from core.domain.ids import DocumentPk
from ui.context import Context

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
NUMBERS = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class DocumentColumn(IntEnum):
    """The columns, from the left."""

    TITLE = 0
    FOLDER = 1
    PIECES = 2
    WHEN = 3
    SOURCE = 4


class DocumentTable(QAbstractTableModel):
    """All documents of the library, newest first until another column is chosen."""

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._all: tuple[DocumentRow, ...] = ()
        self._rows: list[DocumentRow] = []
        self._words = ""
        self._column, self._descending = DocumentColumn.WHEN, True

    def show(self, rows: tuple[DocumentRow, ...]) -> None:
        """Show these documents."""
        if rows == self._all:
            return
        same = [row.pk for row in rows] == [row.pk for row in self._all]
        self._all = rows
        fresh = self._ordered()
        if same and [row.pk for row in fresh] == [row.pk for row in self._rows]:
            self._rows = fresh
            self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(DocumentColumn) - 1))
            return
        self.beginResetModel()
        self._rows = fresh
        self.endResetModel()

    def narrow(self, words: str) -> None:
        """Show only documents in whose title, folder or source all these words stand."""
        self.beginResetModel()
        self._words = words.casefold()
        self._rows = self._ordered()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        self._column, self._descending = DocumentColumn(column), order == Qt.SortOrder.DescendingOrder
        self._rows = self._ordered()
        self.endResetModel()

    def _ordered(self) -> list[DocumentRow]:
        words = self._words.split()
        found = [row for row in self._all if _holds(row, words)]
        return sorted(found, key=self._order, reverse=self._descending)

    def _order(self, row: DocumentRow) -> tuple[object, int]:
        match self._column:
            case DocumentColumn.TITLE:
                return row.title.casefold(), row.pk
            case DocumentColumn.FOLDER:
                return row.folder_name.casefold(), row.pk
            case DocumentColumn.PIECES:
                return row.pieces, row.pk
            case DocumentColumn.SOURCE:
                return row.path.casefold(), row.pk
            case _:
                return row.created_at.timestamp() if row.created_at else 0.0, row.pk

    @property
    def total(self) -> int:
        """Documents of the library."""
        return len(self._all)

    def document(self, at: int) -> DocumentRow:
        """The document of a line."""
        return self._rows[at]

    def position(self, pk: DocumentPk | None) -> int:
        """The line of a document, -1 when it is not shown."""
        return next((at for at, row in enumerate(self._rows) if row.pk == pk), -1)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(DocumentColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column, tr = self._rows[index.row()], DocumentColumn(index.column()), self._context.tr
        if role == Qt.ItemDataRole.TextAlignmentRole and column is DocumentColumn.PIECES:
            return NUMBERS
        if role == Qt.ItemDataRole.DecorationRole and column is DocumentColumn.TITLE:
            return self._context.theme.icon("mdi6.file-document-outline", "secondary")
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        tip = role == Qt.ItemDataRole.ToolTipRole
        match column:
            case DocumentColumn.TITLE:
                return row.title
            case DocumentColumn.FOLDER:
                return row.folder_name
            case DocumentColumn.PIECES:
                waiting = tr("documents.waiting", count=row.waiting) if tip and row.waiting else ""
                return waiting or tr.number(row.pieces)
            case DocumentColumn.WHEN:
                return tr.exact(row.created_at) if tip else tr.relative(row.created_at)
            case DocumentColumn.SOURCE:
                return row.path if tip else PurePath(row.path).name if row.path else tr("documents.typed")

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self._context.tr(f"documents.column.{DocumentColumn(section).name.lower()}")
            if role == Qt.ItemDataRole.TextAlignmentRole and section == DocumentColumn.PIECES:
                return NUMBERS
        return None


def _holds(row: DocumentRow, words: list[str]) -> bool:
    where = f"{row.title}\n{row.folder_name}\n{row.path}".casefold()
    return all(word in where for word in words)
