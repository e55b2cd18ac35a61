"""Rows of the queue as a table: file, state in words, folder."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from pathlib import PurePath

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.domain.document import DocumentRow, FileState, QueueRow
from core.domain.ids import DocumentPk
from core.domain.queries_drop import QueueView
from ui.context import Context
from ui.views.transfer_words import FLOORS, counts_text, problem_text

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ICONS: Mapping[FileState, tuple[str, str]] = {
    FileState.WAITING: ("mdi6.clock-outline", "secondary"),
    FileState.READING: ("mdi6.book-open-outline", "accent"),
    FileState.WRITING: ("mdi6.content-cut", "accent"),
    FileState.PAUSED: ("mdi6.pause-circle-outline", "secondary"),
    FileState.DONE: ("mdi6.check-circle-outline", "ok"),
    FileState.SAME: ("mdi6.equal", "secondary"),
    FileState.SKIPPED: ("mdi6.debug-step-over", "secondary"),
    FileState.QUESTION: ("mdi6.help-circle-outline", "warning"),
    FileState.FAILED: ("mdi6.alert-circle-outline", "danger"),
    FileState.CANCELLED: ("mdi6.cancel", "secondary"),
}
EMBEDDING_ICON = ("mdi6.progress-clock", "accent")
IMPORTED = ("memories", "updated", *FLOORS)
NOTED_ICON = ("mdi6.alert-outline", "warning")
"""Done, but not all of the file could be read."""


class QueueColumn(IntEnum):
    """The columns, from the left."""

    FILE = 0
    STATE = 1
    FOLDER = 2


def state_words(row: QueueRow, context: Context, waiting: int = 0) -> str:
    """Where a file is on its way. `waiting`: pieces of it that have no place in the index yet."""
    tr = context.tr
    match row.state:
        case FileState.FAILED | FileState.QUESTION if row.error is not None:
            return problem_text(row.error, tr)
        case FileState.SKIPPED if row.error is not None:
            return tr("queue.skipped", reason=problem_text(row.error, tr))
        case FileState.SAME if row.result == "moved":
            return tr("queue.moved")
        case FileState.DONE if waiting:
            return tr("queue.embedding", done=tr.number(row.total - waiting), total=tr.number(row.total))
        case FileState.DONE:
            if row.result == "imported":
                counts = counts_text(row.counts, tr, IMPORTED)
                return tr("queue.done.imported", counts=counts) if counts else tr("queue.done.in")
            said = tr(f"queue.done.{row.result or 'created'}", count=row.total)
            if 0 < row.text_pages < row.pages:
                return f"{said} · {tr('documents.pages_of', read=row.text_pages, count=row.pages)}"
            return said
        case FileState.WRITING if row.file.imports:
            return tr("queue.importing")
        case FileState.WRITING:
            return tr("queue.writing", count=row.total)
        case state:
            return tr(f"queue.{state.value}")


class QueueTable(QAbstractTableModel):
    """The rows of a QueueView; the same row stays the same index over updates where it can."""

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: tuple[QueueRow, ...] = ()
        self._waiting: Mapping[DocumentPk, int] = {}

    def show(self, view: QueueView) -> None:
        """Show what the queue holds now."""
        before, self._rows = [row.pk for row in self._rows], self._rows
        rows = view.rows
        if [row.pk for row in rows] == before:
            changed = [at for at, row in enumerate(rows) if row != self._rows[at]]
            self._rows = rows
            for at in changed:
                self._tell(at)
        else:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def show_documents(self, documents: tuple[DocumentRow, ...]) -> None:
        """How much of the documents waits for the index."""
        before = self._waiting
        self._waiting = {row.pk: row.waiting for row in documents if row.waiting}
        for at, row in enumerate(self._rows):
            if row.document is not None and before.get(row.document) != self._waiting.get(row.document):
                self._tell(at)

    def _tell(self, at: int) -> None:
        self.dataChanged.emit(self.index(at, 0), self.index(at, len(QueueColumn) - 1))

    def row(self, at: int) -> QueueRow:
        """The row of the queue in a line."""
        return self._rows[at]

    def position(self, pk: int) -> int:
        """The line of a row, -1 when it is not shown."""
        return next((at for at, row in enumerate(self._rows) if row.pk == pk), -1)

    def words(self, at: int) -> str:
        """The state of a line in words."""
        row = self._rows[at]
        waiting = self._waiting.get(row.document, 0) if row.document is not None else 0
        return state_words(row, self._context, waiting)

    def _noted(self, row: QueueRow) -> list[str]:
        """What was odd about a file that came in."""
        if row.state is not FileState.DONE:
            return []
        return [problem_text(problem, self._context.tr) for problem in row.problems]

    def _icon(self, row: QueueRow) -> tuple[str, str]:
        if row.document is not None and self._waiting.get(row.document):
            return EMBEDDING_ICON
        if row.state is FileState.DONE and any(each.severity != "info" for each in row.problems):
            return NOTED_ICON
        return ICONS[row.state]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(QueueColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], QueueColumn(index.column())
        if role == Qt.ItemDataRole.DecorationRole and column is QueueColumn.STATE:
            return self._context.theme.icon(*self._icon(row))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            tip = role == Qt.ItemDataRole.ToolTipRole
            match column:
                case QueueColumn.FILE:
                    return row.file.shown if tip else PurePath(row.file.shown).name
                case QueueColumn.STATE:
                    words = self.words(index.row())
                    return "\n".join([words, *self._noted(row)]) if tip else words
                case QueueColumn.FOLDER if row.state is FileState.SKIPPED:
                    return ""
                case QueueColumn.FOLDER:
                    return row.file.folder or self._context.tr(
                        "queue.folder_own" if row.file.imports else "queue.folder_none"
                    )
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._context.tr(f"queue.column.{QueueColumn(section).name.lower()}")
        return None
