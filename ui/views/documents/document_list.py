"""The documents of the library: a table that is narrowed by words and sorted by any column."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QVBoxLayout, QWidget

from core.domain.document import DocumentRow
from core.domain.ids import DocumentPk
from ui.context import Context
from ui.models.document_table import DocumentColumn, DocumentTable
from ui.widgets.roomy_column import RoomyColumn
from ui.widgets.search_field import SearchField
from ui.widgets.state_stack import StateStack

TITLE_PX = 140


class _Table(QTableView):
    """`key(name)`: Del or F2 was pressed on a document."""

    key = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        name = {Qt.Key.Key_Delete: "delete", Qt.Key.Key_F2: "rename"}.get(Qt.Key(event.key()))
        if name is not None and not event.modifiers():
            self.key.emit(name)
            return
        super().keyPressEvent(event)


class DocumentList(QWidget):
    """`current(DocumentRow or None)`; `key(name)`; `menu_wanted(global place)`."""

    current = Signal(object)
    key = Signal(str)
    menu_wanted = Signal(QPoint)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._pick_next: DocumentPk | None = None
        self._told: DocumentRow | None = None
        self.model = DocumentTable(ctx, self)
        self.table = self._make_table()
        self.search = SearchField()
        self.search.searched.connect(self._narrow)
        self.search.left_down.connect(self.table.setFocus)
        self.stack = StateStack(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack, 1)
        ctx.tr.changed.connect(self._look)
        ctx.theme.bind(self, self._look)

    def _make_table(self) -> _Table:
        table = _Table()
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setSortingEnabled(True)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(
            lambda place: self.menu_wanted.emit(table.viewport().mapToGlobal(place))
        )
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setSortIndicator(DocumentColumn.WHEN, Qt.SortOrder.DescendingOrder)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        RoomyColumn(table, head, DocumentColumn.TITLE, self._ctx.theme.px(TITLE_PX))
        for column, width in (
            (DocumentColumn.FOLDER, 104),
            (DocumentColumn.PIECES, 64),
            (DocumentColumn.WHEN, 104),
            (DocumentColumn.SOURCE, 128),
        ):
            table.setColumnWidth(column, self._ctx.theme.px(width))
        table.selectionModel().currentRowChanged.connect(lambda _now, _old: self._tell())
        table.key.connect(self.key)
        self.model.modelReset.connect(self._after_reset)
        return table

    @property
    def document(self) -> DocumentRow | None:
        """The current document."""
        at = self.table.currentIndex().row()
        return self.model.document(at) if 0 <= at < self.model.rowCount() else None

    def selected(self) -> tuple[DocumentRow, ...]:
        """All selected documents."""
        return tuple(self.model.document(index.row()) for index in self.table.selectionModel().selectedRows())

    def show_documents(self, rows: tuple[DocumentRow, ...]) -> None:
        """Show these; the current one stays."""
        keep = self._pick_next or (self._told.pk if self._told is not None else None)
        self._pick_next = keep
        self.model.show(rows)
        self._after_reset()
        self._say_empty()

    def go_to(self, pk: DocumentPk) -> None:
        """Make a document the current one, as soon as it is listed."""
        self._pick_next = pk
        if self.model.position(pk) < 0:
            self.search.set_quietly("")
            self.model.narrow("")
        self._after_reset()

    def _narrow(self, words: str) -> None:
        self._pick_next = self._told.pk if self._told is not None else None
        self.model.narrow(words)
        self._say_empty()

    def _show_all(self) -> None:
        self.search.set_quietly("")
        self._narrow("")

    def _say_empty(self) -> None:
        tr = self._ctx.tr
        if self.model.rowCount():
            self.stack.show_content()
        elif self.model.total:
            self.stack.show_notice(tr("documents.none_found"), tr("documents.show_all"), self._show_all)
        else:
            self.stack.show_notice(
                tr("documents.none"),
                tr("action.documents.add_files"),
                self._ctx.actions.get("documents.add_files").trigger,
            )

    def _after_reset(self) -> None:
        at = self.model.position(self._pick_next)
        if at >= 0:
            self._pick_next = None
            self.table.selectRow(at)
            self.table.scrollTo(self.model.index(at, 0))
        self._tell()

    def _tell(self) -> None:
        found = self.document
        if found != self._told:
            self._told = found
            self.current.emit(found)

    def _look(self) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        self.search.setPlaceholderText(tr("documents.search"))
        self.search.setAccessibleName(tr("documents.search"))
        self.search.show_glass(theme.icon("mdi6.magnify", "secondary"), theme.icon_size)
        self.table.setAccessibleName(tr("page.documents"))
        self.model.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.model.columnCount() - 1)
        self.table.verticalHeader().setDefaultSectionSize(self._ctx.theme.row_px)
