"""The columns of a type as a table: name, label and hint in the window's language, required, role, form, embedded."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.schema import Column, ColumnFormat, ColumnRole, Labels
from ui.context import Context

NAME, LABEL, HINT, REQUIRED, ROLE, FORMAT, CHOICES, LIMIT, EMBED = range(9)
HEADS = ("name", "label", "hint", "required", "role", "format", "choices", "limit", "embed")
ROWS_SHOWN = 7


class ColumnsTable(QWidget):
    """`changed` after each edit. Rows are added, removed and moved with the buttons below."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._columns: list[Column] = []
        self._filling = False
        self.table = QTableWidget(0, len(HEADS))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(context.theme.px(32))
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setSectionResizeMode(HINT, QHeaderView.ResizeMode.Stretch)
        for place, width in (
            (NAME, 128),
            (LABEL, 112),
            (REQUIRED, 72),
            (ROLE, 96),
            (FORMAT, 124),
            (CHOICES, 112),
            (LIMIT, 64),
            (EMBED, 72),
        ):
            self.table.setColumnWidth(place, context.theme.px(width))
        self.table.setMinimumHeight(context.theme.px(32 * ROWS_SHOWN))
        self.table.itemChanged.connect(self._on_item)
        self.table.itemSelectionChanged.connect(self._enable)
        self.add_button, self.remove_button = QPushButton(), QPushButton()
        self.up_button, self.down_button = QPushButton(), QPushButton()
        self.add_button.clicked.connect(self.add)
        self.remove_button.clicked.connect(self.remove)
        self.up_button.clicked.connect(lambda: self.shift(-1))
        self.down_button.clicked.connect(lambda: self.shift(1))
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.add_button, self.remove_button, self.up_button, self.down_button):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.table)
        column.addLayout(row)

    # --- values --------------------------------------------------------------------------

    @property
    def value(self) -> tuple[Column, ...]:
        """The columns as they stand there."""
        return tuple(self._columns)

    def show_value(self, columns: tuple[Column, ...]) -> None:
        """Show columns."""
        self._columns = list(columns)
        self._fill()

    def _fill(self, current: int = -1) -> None:
        self._filling = True
        self.table.setRowCount(len(self._columns))
        for at, column in enumerate(self._columns):
            self._fill_row(at, column)
        self._filling = False
        if 0 <= current < len(self._columns):
            self.table.selectRow(current)
        self._enable()

    def _fill_row(self, at: int, column: Column) -> None:
        code = self._context.tr.code
        texts = {
            NAME: column.name,
            LABEL: column.labels.get(code, ""),
            HINT: column.hint.get(code, ""),
            CHOICES: ", ".join(column.choices),
            LIMIT: str(column.limit) if column.limit else "",
        }
        for place, text in texts.items():
            cell = QTableWidgetItem(text)
            cell.setToolTip(text)
            self.table.setItem(at, place, cell)
        for place, on in ((REQUIRED, column.required), (EMBED, column.embed)):
            item = QTableWidgetItem()
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
            )
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.table.setItem(at, place, item)
        self.table.setCellWidget(at, ROLE, self._choice("role", tuple(ColumnRole), column.role, at))
        self.table.setCellWidget(at, FORMAT, self._choice("format", tuple(ColumnFormat), column.format, at))

    def _choice(
        self, name: str, values: tuple[ColumnRole | ColumnFormat, ...], value: object, at: int
    ) -> QComboBox:
        tr, box = self._context.tr, QComboBox()
        for each in values:
            box.addItem(tr(f"types.{name}.{each.value}"), each.value)
        box.setCurrentIndex(values.index(value))
        box.setAccessibleName(tr(f"types.column.{name}"))
        box.activated.connect(lambda _index: self._on_choice(at, name, str(box.currentData())))
        return box

    def _on_choice(self, at: int, name: str, value: str) -> None:
        column = self._columns[at]
        new = (
            replace(column, role=ColumnRole(value))
            if name == "role"
            else replace(column, format=ColumnFormat(value))
        )
        self._columns[at] = new
        self.changed.emit()

    def _on_item(self, item: QTableWidgetItem) -> None:
        if self._filling:
            return
        at, column = item.row(), self._columns[item.row()]
        checked = item.checkState() is Qt.CheckState.Checked
        match item.column():
            case 0:
                column = replace(column, name=item.text().strip())
            case 1:
                column = replace(column, labels=self._said(column.labels, item.text()))
            case 2:
                column = replace(column, hint=self._said(column.hint, item.text()))
            case 3:
                column = replace(column, required=checked)
            case 6:
                parts = item.text().replace("，", ",").split(",")
                column = replace(column, choices=tuple(part.strip() for part in parts if part.strip()))
            case 7:
                digits = item.text().strip()
                column = replace(column, limit=int(digits) if digits.isdecimal() and len(digits) < 8 else 0)
            case 8:
                column = replace(column, embed=checked)
            case _:
                return
        self._columns[at] = column
        self.changed.emit()

    def _said(self, labels: Labels, text: str) -> Labels:
        rest = {code: label for code, label in labels.items() if code != self._context.tr.code}
        return rest | ({self._context.tr.code: text.strip()} if text.strip() else {})

    # --- rows ----------------------------------------------------------------------------

    @property
    def current(self) -> int:
        """The chosen row, -1 = none."""
        rows = self.table.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def add(self) -> None:
        """A new column at the end, ready to be named."""
        names = {column.name for column in self._columns}
        number = next(n for n in range(1, len(names) + 2) if f"column{n}" not in names)
        self._columns.append(Column(name=f"column{number}"))
        at = len(self._columns) - 1
        self._fill(at)
        self.changed.emit()
        item = self.table.item(at, NAME)
        if item is not None:
            self.table.editItem(item)

    def remove(self) -> None:
        """Without the chosen column; values under its name stay in the memories."""
        at = self.current
        if at >= 0:
            del self._columns[at]
            self._fill(min(at, len(self._columns) - 1))
            self.changed.emit()

    def shift(self, by: int) -> None:
        """The chosen column one place up or down."""
        at, to = self.current, self.current + by
        if at >= 0 and 0 <= to < len(self._columns):
            self._columns[at], self._columns[to] = self._columns[to], self._columns[at]
            self._fill(to)
            self.changed.emit()

    def _enable(self) -> None:
        at = self.current
        self.remove_button.setEnabled(at >= 0)
        self.up_button.setEnabled(at > 0)
        self.down_button.setEnabled(0 <= at < len(self._columns) - 1)
        first = "" if at >= 0 else self._context.tr("types.column.first")
        for button in (self.remove_button, self.up_button, self.down_button):
            button.setToolTip(first)

    def say(self) -> None:
        """All texts anew."""
        tr = self._context.tr
        self.table.setHorizontalHeaderLabels([tr(f"types.column.{name}") for name in HEADS])
        for at, name in enumerate(HEADS):
            header = self.table.horizontalHeaderItem(at)
            if header is not None:
                header.setToolTip(tr(f"types.column.{name}.tip"))
        self.table.setAccessibleName(tr("types.columns"))
        for button, name in (
            (self.add_button, "add"),
            (self.remove_button, "remove"),
            (self.up_button, "up"),
            (self.down_button, "down"),
        ):
            button.setText(tr(f"types.columns.{name}"))
        self._fill(self.current)
