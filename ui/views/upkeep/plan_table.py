"""The table of a plan: choose for the selected rows by key, click or menu."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from core.domain.ids import MemoryPk
from ui.context import Context
from ui.models.plan_rows import CHOICE, TITLE, Choice, PlanColumn, PlanModel
from ui.views.title_delegate import CellDelegate, TitleDelegate

TICK_PX, VERDICT_PX, TITLE_PX = 32, 124, 200


class PlanTable(QTableView):
    """`open_memories(pks)`: show these in the list. `picked(count)`: how many rows are selected.

    `keys`: letters that choose for the selected rows while the table has the focus; Space ticks.
    """

    open_memories = Signal(object)
    picked = Signal(int)

    def __init__(
        self,
        context: Context,
        choices: Sequence[Choice] = (),
        keys: Mapping[Qt.Key, int] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._choices, self._keys = context, tuple(choices), dict(keys or {})
        self.rows = PlanModel(context, choices, self)
        self.setModel(self.rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.setAccessibleName(context.tr("upkeep.plan"))
        self.setItemDelegate(CellDelegate(context.theme, self))
        self.setItemDelegateForColumn(TITLE, TitleDelegate(context.theme, self))
        header = self.horizontalHeader()
        header.setSelectionModel(QItemSelectionModel(self.rows, header))
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.clicked.connect(self._on_click)
        self.doubleClicked.connect(lambda _index: self._open())
        self.customContextMenuRequested.connect(self._on_menu)
        self.selectionModel().selectionChanged.connect(lambda *_: self.picked.emit(len(self.selected())))
        context.theme.bind(self, self._on_theme)

    def fill(self, pks: NDArray[np.int64], choice: NDArray[np.int8], columns: Sequence[PlanColumn]) -> None:
        """Another plan."""
        self.rows.fill(pks, choice, columns)
        px = self._context.theme.px
        self.setColumnWidth(CHOICE, px(VERDICT_PX if self._choices else TICK_PX))
        for at, column in enumerate(columns, TITLE + 1):
            self.setColumnWidth(at, px(column.width))
        self._fit_title()

    def selected(self) -> NDArray[np.int64]:
        """The selected rows, as rows of the plan."""
        selection = self.selectionModel().selection()
        parts = [selection.at(at) for at in range(selection.count())]
        rows = [np.arange(part.top(), part.bottom() + 1, dtype=np.int64) for part in parts]
        return self.rows.shown[np.unique(np.concatenate(rows))] if rows else np.empty(0, np.int64)

    def choose(self, value: int) -> None:
        """Choose for the selected rows."""
        rows = self.selected()
        if len(rows):
            self.rows.choose(rows, value)

    def choose_all(self, value: int) -> None:
        """Choose for every row that is shown."""
        if len(self.rows.shown):
            self.rows.choose(self.rows.shown, value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, letters = Qt.Key(event.key()), bool(self._context.settings.get("ui.letters"))
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and key in self._keys and letters and len(self.selected()):
            self.choose(self._keys[key])
        elif plain and key is Qt.Key.Key_Space and not self._choices and len(self.selected()):
            rows = self.selected()
            self.rows.choose(rows, int(not self.rows.choice[rows].all()))
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._open()
        elif key is Qt.Key.Key_Menu:
            self._on_menu(self.visualRect(self.currentIndex()).center())
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters choose here; Qt's own search would ask for every row."""

    def menu(self) -> QMenu:
        """What can be chosen for the selected rows."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        tr, theme = self._context.tr, self._context.theme
        shortcuts = {value: Qt.Key(key) for key, value in self._keys.items()}
        for value, choice in enumerate(self._choices):
            key = f"\t{chr(shortcuts[value].value)}" if value in shortcuts else ""
            entry = menu.addAction(theme.icon(choice.icon, choice.color), tr(choice.key) + key)
            entry.triggered.connect(lambda _checked=False, number=value: self.choose(number))
        if not self._choices:
            menu.addAction(tr("plan.tick")).triggered.connect(lambda: self.choose(1))
            menu.addAction(tr("plan.untick")).triggered.connect(lambda: self.choose(0))
        menu.addSeparator()
        menu.addAction(theme.icon("mdi6.cards-outline"), tr("plan.open")).triggered.connect(self._open)
        return menu

    def _on_menu(self, position: QPoint) -> None:
        if len(self.selected()):
            self.menu().popup(self.viewport().mapToGlobal(position))

    def _on_click(self, index: QModelIndex) -> None:
        """A click on a verdict of a selected row offers the others."""
        if index.column() == CHOICE and self._choices and len(self.selected()):
            self.menu().popup(self.viewport().mapToGlobal(self.visualRect(index).bottomLeft()))

    def _open(self) -> None:
        pks = tuple(MemoryPk(pk) for pk in self.rows.pks[self.selected()].tolist())
        if pks:
            self.open_memories.emit(pks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        count = self.rows.columnCount()
        others = sum(self.columnWidth(column) for column in range(count) if column != TITLE)
        self.setColumnWidth(TITLE, max(self.viewport().width() - others, self._context.theme.px(TITLE_PX)))

    def _on_theme(self) -> None:
        header, theme = self.verticalHeader(), self._context.theme
        header.setMinimumSectionSize(theme.row_px)
        header.setDefaultSectionSize(theme.row_px)
        self.setIconSize(theme.icon_size)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.viewport().update()
