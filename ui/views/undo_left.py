"""After a sitting was undone: the rows that stay as they are because they were changed since."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QVBoxLayout, QWidget

from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.domain.results import UndoConflict
from ui.context import Context
from ui.views.undo_conflict import LISTED, conflict_line


class UndoLeftDialog(QDialog):
    """`show_memories(pks)`: go to those that stayed."""

    show_memories = Signal(object)

    def __init__(
        self, context: Context, undone: int, left: Sequence[UndoConflict], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        tr = context.tr
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("history.left.title"))
        self.setMinimumWidth(context.theme.wide(480))
        text = QLabel(tr("history.left.text", count=undone, rows=tr.number(len(left))))
        text.setWordWrap(True)
        self.rows = QListWidget()
        self.rows.setAccessibleName(tr("history.left.title"))
        for conflict in left[:LISTED]:
            self.rows.addItem(conflict_line(context, conflict))
        box = QDialogButtonBox()
        pks = tuple(dict.fromkeys(MemoryPk(each.pk) for each in left if each.kind is Kind.MEMORY))
        if pks:
            go = box.addButton(tr("undo_conflict.go"), QDialogButtonBox.ButtonRole.ActionRole)
            go.clicked.connect(lambda: self.show_memories.emit(pks))
            go.clicked.connect(self.reject)
        close = box.addButton(tr("dialog.close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setDefault(True)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(text)
        column.addWidget(self.rows)
        column.addWidget(box)
