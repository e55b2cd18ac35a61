"""Some rows of a change were changed again since: undo the rest, look at each, or leave it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.domain.results import UndoConflict, UndoPreview
from ui.context import Context
from ui.views.op_words import op_name

LISTED = 500


class UndoConflictDialog(QDialog):
    """`undo_rest(op id)`: take back what can be taken back. `show_memories(pks)`: go to those in conflict."""

    undo_rest = Signal(object)
    show_memories = Signal(object)

    def __init__(self, context: Context, preview: UndoPreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tr = context.tr
        self._preview = preview
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("undo_conflict.title", name=op_name(preview.op, tr)))
        self.setMinimumWidth(context.theme.wide(480))
        blocked, rest = len(preview.conflicts), preview.restorable
        total = blocked + rest
        key = "undo_conflict.text" if rest else "undo_conflict.text_none"
        self.text = QLabel(tr(key, blocked=tr.number(blocked), total=tr.number(total), rest=tr.number(rest)))
        self.text.setWordWrap(True)
        self.rows = QListWidget()
        for conflict in preview.conflicts[:LISTED]:
            self.rows.addItem(QListWidgetItem(conflict_line(context, conflict)))
        self.rows.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(self.text)
        column.addWidget(self.rows)
        column.addWidget(self._buttons(context, rest))

    def _buttons(self, context: Context, rest: int) -> QDialogButtonBox:
        tr = context.tr
        box = QDialogButtonBox()
        if rest:
            undo = box.addButton(
                tr("undo_conflict.undo", count=tr.number(rest)), QDialogButtonBox.ButtonRole.AcceptRole
            )
            undo.setDefault(True)
            undo.clicked.connect(self._undo)
        self.each = box.addButton(tr("undo_conflict.each"), QDialogButtonBox.ButtonRole.ActionRole)
        self.each.clicked.connect(self._show_each)
        memories = tuple(MemoryPk(c.pk) for c in self._preview.conflicts if c.kind is Kind.MEMORY)
        if memories:
            go = box.addButton(tr("undo_conflict.go"), QDialogButtonBox.ButtonRole.ActionRole)
            go.clicked.connect(lambda: self.show_memories.emit(memories))
            go.clicked.connect(self.reject)
        leave = box.addButton(tr("undo_conflict.leave"), QDialogButtonBox.ButtonRole.RejectRole)
        leave.clicked.connect(self.reject)
        return box

    def _undo(self) -> None:
        self.undo_rest.emit(self._preview.op.id)
        self.accept()

    def _show_each(self) -> None:
        self.rows.show()
        self.each.setEnabled(False)
        self.adjustSize()


def conflict_line(context: Context, conflict: UndoConflict) -> str:
    """A row in conflict: what it is called, and what was changed since."""
    tr = context.tr
    columns = tr("list.comma").join(_column_name(context, name) for name in conflict.columns)
    title = conflict.title or tr(f"kind.{conflict.kind.value}")
    return tr("undo_conflict.row", title=title, columns=columns)


def _column_name(context: Context, column: str) -> str:
    key = f"value.{column}"
    return context.tr(key) if context.tr.has(key) else column
