"""All shortcuts in one list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ui.actions import TABLE
from ui.context import Context


class KeysDialog(QDialog):
    """Every action that has a key and does something now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tr, theme = context.tr, context.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("keys.title"))
        self.resize(theme.wide(520), 2 * theme.tall(280))
        rows = [
            (tr(f"action.{row.id}").rstrip("…"), context.actions.get(row.id).shortcut())
            for row in TABLE
            if row.shortcut and context.actions.works(row.id)
        ]
        table = QTableWidget(len(rows), 2)
        table.setHorizontalHeaderLabels([tr("keys.action"), tr("keys.key")])
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(theme.row_px)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(1, theme.px(160))
        for place, (name, keys) in enumerate(rows):
            table.setItem(place, 0, QTableWidgetItem(name))
            shown = keys.toString(QKeySequence.SequenceFormat.NativeText)
            table.setItem(place, 1, QTableWidgetItem(shown))
        self.table = table
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setText(tr("dialog.close"))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(table, 1)
        column.addWidget(buttons)
