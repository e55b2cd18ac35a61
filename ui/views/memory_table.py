"""The memory table: columns chosen and moved, selection by memory, kept over every refresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QDrag, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from core.domain.ids import MemoryPk
from core.domain.queries import Sort
from ui.context import Context
from ui.models.memory_table import MemoryTableModel, encode_memories
from ui.models.table_columns import COLUMNS, TITLE, column_of_sort
from ui.views.title_delegate import CellDelegate, TitleDelegate

SETTING_COLUMNS = "ui.table_columns"
BY_HAND = "title:"


@dataclass(frozen=True, slots=True)
class _Place:
    """What a person sees in the table: selection, current row, and the row on top of the view."""

    selected: NDArray[np.int64]
    all_selected: bool
    current: int | None
    in_sight: bool
    first: int
    column: int
    top: int | None
    offset_px: int
    horizontal_px: int


class MemoryTable(QTableView):
    """Shows a MemoryTableModel. `current(pk or None)` and `picked(count)` speak of memories."""

    current = Signal(object)
    picked = Signal(int)
    opened = Signal(object)
    menu_wanted = Signal(QPoint)
    sort_wanted = Signal(object)

    def __init__(self, context: Context, model: MemoryTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._list = model
        self._place: _Place | None = None
        self._restoring = False
        self._current_pk: MemoryPk | None = None
        self._picked = 0
        self._fitting = False
        self._title_by_hand = False
        self.setModel(model)
        self._set_up()
        self._set_up_header()
        self._listed = model.filter
        model.before_list.connect(self._remember)
        model.listed.connect(self._restore)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.customContextMenuRequested.connect(self._on_menu)
        self.doubleClicked.connect(lambda index: self.opened.emit(model.pk_at(index.row())))
        context.theme.bind(self, self._on_theme)

    def _set_up(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        theme = self._context.theme
        self.setItemDelegate(CellDelegate(theme, self))
        self._titles = TitleDelegate(theme, self)
        self.setItemDelegateForColumn(TITLE, self._titles)

    def mark_drafts(self, pks: frozenset[int]) -> None:
        """Put a dot on the memories that have typed text not saved yet."""
        self._titles.drafts = pks
        self.viewport().update()

    def _set_up_header(self) -> None:
        header = self.horizontalHeader()
        # A header asks its selection model for whole columns at each paint: a call for every row.
        header.setSelectionModel(QItemSelectionModel(self._list, header))
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._column_menu)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(False)
        for index, column in enumerate(COLUMNS):
            self.setColumnHidden(index, not column.shown)
            self.setColumnWidth(index, self._context.theme.px(column.width))
        saved = self._context.settings.get(SETTING_COLUMNS)
        if isinstance(saved, str) and saved:
            self._title_by_hand = saved.startswith(BY_HAND)
            saved = saved.removeprefix(BY_HAND)
            header.restoreState(QByteArray.fromBase64(saved.encode("ascii")))
        self.show_order(self._list.order)
        header.sortIndicatorChanged.connect(self._on_sort)
        header.sectionResized.connect(self._on_resized)

    # --- selection by memory ---

    def _parts(self) -> list[QItemSelectionRange]:
        selection = self.selectionModel().selection()
        return [selection.at(place) for place in range(selection.count())]

    def selected_rows(self) -> NDArray[np.int64]:
        """The numbers of the selected rows, ascending. Cost: by ranges, not by cells."""
        parts = [np.arange(part.top(), part.bottom() + 1, dtype=np.int64) for part in self._parts()]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def selected(self) -> tuple[MemoryPk, ...]:
        """The selected memories, in the order shown."""
        return cast("tuple[MemoryPk, ...]", tuple(self._list.pks[self.selected_rows()].tolist()))

    @property
    def picked_count(self) -> int:
        """How many rows are selected."""
        return self._picked

    @property
    def current_memory(self) -> MemoryPk | None:
        """The memory of the current row."""
        return self._current_pk

    def select(self, pks: Sequence[int], *, scroll: bool = True) -> None:
        """Select these memories, as far as they are listed, and go to the first."""
        rows = self._list.rows_of(np.array(pks, np.int64))
        self._select_rows(rows)
        if len(rows):
            first = self._list.index(int(rows[0]), TITLE)
            self.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            if scroll:
                self.scrollTo(first)

    def _select_rows(self, rows: NDArray[np.int64]) -> None:
        selection = QItemSelection()
        last = len(COLUMNS) - 1
        for start, stop in _ranges(rows):
            selection.append(QItemSelectionRange(self._list.index(start, 0), self._list.index(stop, last)))
        self.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _remember(self) -> None:
        rows = self.selected_rows()
        top = self.rowAt(0)
        index = self.currentIndex()
        self._place = _Place(
            selected=self._list.pks[rows],
            all_selected=0 < len(rows) == len(self._list.pks),
            current=self._current_pk,
            in_sight=self._in_sight(self.currentIndex()),
            first=int(rows[0]) if len(rows) else -1,
            column=max(index.column(), 0),
            top=self._list.pk_at(top),
            offset_px=-self.rowViewportPosition(top) if top >= 0 else 0,
            horizontal_px=self.horizontalScrollBar().value(),
        )
        self._restoring = True

    def _restore(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            self._select_rows(self._list.rows_of(place.selected))
            row = -1 if place.current is None else self._list.row_of(place.current)
            if row >= 0:
                index = self._list.index(row, place.column)
                self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            if self._is_new_search():
                self.scrollToTop()
            else:
                self._scroll_back(place)
                if row >= 0 and place.in_sight and not self._in_sight(self.currentIndex()):
                    self.scrollTo(self._list.index(row, place.column))
            if row < 0:
                self._take_next(place)
        self._listed = self._list.filter
        self._restoring = False
        self._tell()

    def _is_new_search(self) -> bool:
        """Its best hits stand on top. The end of a search goes on from the row in hand."""
        text = self._list.filter.text
        return bool(text) and text != self._listed.text

    def _take_next(self, place: _Place) -> None:
        """What was selected went from this list (to the trash, to another folder): go on with the row behind it."""
        last, same_list = len(self._list.pks) - 1, self._list.filter == self._listed
        was_chosen = place.in_sight and place.first >= 0
        if was_chosen and same_list and last >= 0 and not len(self.selected_rows()):
            self.select([int(self._list.pks[min(place.first, last)])])

    def _in_sight(self, index: QModelIndex) -> bool:
        area = self.visualRect(index)
        return index.isValid() and area.top() >= 0 and area.bottom() <= self.viewport().height()

    def _scroll_back(self, place: _Place) -> None:
        self.updateGeometries()
        self.horizontalScrollBar().setValue(place.horizontal_px)
        row = -1 if place.top is None else self._list.row_of(place.top)
        if row >= 0:
            at = self.verticalHeader().sectionPosition(row)
            self.verticalScrollBar().setValue(at + place.offset_px)
        elif place.top is not None:
            self.verticalScrollBar().setValue(0)

    def _on_selection(self) -> None:
        if not self._restoring:
            self._tell()

    def _on_current(self, _now: QModelIndex, _before: QModelIndex) -> None:
        if not self._restoring:
            self._tell()

    def _tell(self) -> None:
        """Say what is picked and current, when it is something else than before."""
        picked = sum(part.bottom() - part.top() + 1 for part in self._parts())
        index = self.currentIndex()
        pk = self._list.pk_at(index.row()) if index.isValid() and picked else None
        if pk is not None and not self.selectionModel().isRowSelected(index.row()):
            first = min(part.top() for part in self._parts())
            pk = self._list.pk_at(first) if picked == 1 else pk
        if picked != self._picked:
            self._picked = picked
            self.picked.emit(picked)
        if pk != self._current_pk:
            self._current_pk = pk
            self.current.emit(pk)

    # --- columns and order ---

    def visible_columns(self) -> list[int]:
        """The columns as shown, from left to right."""
        header = self.horizontalHeader()
        order = [header.logicalIndex(place) for place in range(header.count())]
        return [column for column in order if not self.isColumnHidden(column)]

    def show_order(self, sort: Sort | None) -> None:
        """Mark the column by which the list is ordered."""
        header = self.horizontalHeader()
        blocked = header.blockSignals(True)
        column = -1 if sort is None else column_of_sort(sort.key)
        descending = sort is not None and sort.descending
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        header.setSortIndicator(column, order)
        header.blockSignals(blocked)
        header.viewport().update()

    def save_columns(self) -> None:
        """Keep widths, order and choice of columns."""
        state = self.horizontalHeader().saveState().toBase64().data()
        by_hand = BY_HAND if self._title_by_hand else ""
        self._context.settings.set(SETTING_COLUMNS, by_hand + bytes(state).decode("ascii"))

    def _on_resized(self, column: int, _before: int, _now: int) -> None:
        if self._fitting:
            return
        if column == TITLE:
            self._title_by_hand = True
        else:
            self._fit_title()

    def _fit_title(self) -> None:
        """The title takes what the other columns leave, until a person sets its width."""
        if self._title_by_hand:
            return
        others = sum(self.columnWidth(column) for column in self.visible_columns() if column != TITLE)
        width = max(self.viewport().width() - others, self._context.theme.px(COLUMNS[TITLE].width))
        self._fitting = True
        self.setColumnWidth(TITLE, width)
        self._fitting = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _on_sort(self, column: int, order: Qt.SortOrder) -> None:
        if 0 <= column < len(COLUMNS):
            self.sort_wanted.emit(Sort(COLUMNS[column].sort, order == Qt.SortOrder.DescendingOrder))

    def _column_menu(self, position: QPoint) -> None:
        menu = self.column_menu()
        menu.popup(self.horizontalHeader().mapToGlobal(position))

    def column_menu(self) -> QMenu:
        """A menu that shows and hides columns (the title always stays)."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index, column in enumerate(COLUMNS):
            if index == TITLE:
                continue
            entry = QAction(self._context.tr(column.text_key), menu)
            entry.setCheckable(True)
            entry.setChecked(not self.isColumnHidden(index))
            entry.toggled.connect(lambda on, at=index: self._show_column(at, on))
            menu.addAction(entry)
        return menu

    def _show_column(self, index: int, shown: bool) -> None:
        self.setColumnHidden(index, not shown)
        if shown and self.columnWidth(index) < self._context.theme.px(40):
            self.setColumnWidth(index, self._context.theme.px(COLUMNS[index].width))
        self._fit_title()
        self.save_columns()

    # --- what a person does ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self._current_pk is not None:
            self.opened.emit(self._current_pk)
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are shortcuts here; Qt's own search would ask for every row."""

    def startDrag(self, actions: Qt.DropAction) -> None:
        pks = self.selected()
        if not pks:
            return
        drag = QDrag(self)
        drag.setMimeData(encode_memories(pks))
        drag.setPixmap(self._drag_picture(len(pks)))
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction, Qt.DropAction.MoveAction)

    def _drag_picture(self, count: int) -> QPixmap:
        from PySide6.QtWidgets import QLabel

        label = QLabel(self._context.tr("drag.memories", count=count), self)
        label.setProperty("role", "drag")
        label.ensurePolished()
        label.adjustSize()
        label.deleteLater()
        return label.grab()

    def _on_menu(self, position: QPoint) -> None:
        self.menu_wanted.emit(self.viewport().mapToGlobal(position))

    def _on_theme(self) -> None:
        header = self.verticalHeader()
        header.setMinimumSectionSize(self._context.theme.row_px)
        header.setDefaultSectionSize(self._context.theme.row_px)
        self.setIconSize(self._context.theme.icon_size)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.viewport().update()


def _ranges(rows: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Runs (first, last) of consecutive numbers in an ascending array."""
    if not len(rows):
        return []
    breaks = np.flatnonzero(np.diff(rows) > 1)
    starts = np.concatenate(([0], breaks + 1))
    stops = np.concatenate((breaks, [len(rows) - 1]))
    return [(int(rows[a]), int(rows[b])) for a, b in zip(starts, stops, strict=True)]
