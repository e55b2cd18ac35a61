"""Which chats of one file are to come in: a list with ticks, found by words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ui.context import Context
from ui.models.import_choice import ChatColumn, ImportChoice, PlannedChat
from ui.widgets.search_field import SearchField

LIST_PX = 200


class ChatChoice(QWidget):
    """Search, all, none, and the list. `chosen_changed`: other chats are ticked."""

    chosen_changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        self.model = ImportChoice(ctx, self)
        self.model.ticked.connect(self._tell)
        self.search = SearchField()
        self.search.setPlaceholderText(tr("import.chats.search"))
        self.search.setAccessibleName(tr("import.chats.search"))
        self.search.searched.connect(self.model.narrow)
        self.all = QPushButton(tr("import.chats.all"))
        self.none = QPushButton(tr("import.chats.none"))
        for button, on in ((self.all, True), (self.none, False)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, on=on: self.model.tick_shown(on=on))
        self.count = QLabel()
        self.count.setProperty("role", "secondary")
        self.table = self._make_table()
        self.search.left_down.connect(self.table.setFocus)
        row = QHBoxLayout()
        row.setSpacing(8)
        for widget, stretch in ((self.search, 1), (self.count, 0), (self.all, 0), (self.none, 0)):
            row.addWidget(widget, stretch)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addLayout(row)
        box.addWidget(self.table, 1)

    def _make_table(self) -> QTableView:
        ctx = self._ctx
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName(ctx.tr("import.chats"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ctx.theme.px(28))
        table.setMinimumHeight(ctx.theme.tall(LIST_PX))
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSectionResizeMode(ChatColumn.TITLE, QHeaderView.ResizeMode.Stretch)
        for column, width in ((ChatColumn.FLOORS, 72), (ChatColumn.LAST, 104), (ChatColumn.STATE, 104)):
            table.setColumnWidth(column, ctx.theme.px(width))
        table.setSortingEnabled(True)
        return table

    @property
    def chosen(self) -> frozenset[str] | None:
        """The keys of the chosen chats; None for all of them."""
        return None if len(self.model.chosen) == self.model.total else self.model.chosen

    def show_chats(self, chats: Sequence[PlannedChat]) -> None:
        """Show these, all of them chosen."""
        self.search.clear()
        self.model.show(chats)
        self._tell()

    def _tell(self) -> None:
        chosen, total = len(self.model.chosen), self.model.total
        self.count.setText(self._ctx.tr("import.chats.count", chosen=chosen, total=total))
        self.chosen_changed.emit()
