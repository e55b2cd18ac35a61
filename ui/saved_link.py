"""Saved searches in the window: what their actions do, and the numbers beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_search import ChangeSavedSearch, OrderSavedSearches, RemoveSavedSearches
from core.domain.enums import Kind
from core.domain.queries_search import SavedSearchCounts, SavedSearches
from core.domain.results import Changes
from core.domain.saved_search import SavedSearch
from ui.context import Context
from ui.dialogs.saved_search import RenameSearchDialog, SaveSearchDialog
from ui.operations import Operations
from ui.read_only import entries_need_writing
from ui.tasks import Lane, single_shot
from ui.views.memories_page import MemoriesPage

COUNT_MS = 1200
"""So long after the last change the numbers are asked for again."""
NAME_CHARS = 40
MENU = ("saved.change", "saved.rename", "", "saved.up", "saved.down", "", "saved.delete")


class SavedLink(QObject):
    """Fills the sidebar's section and answers its menu. Lives as long as the library is open."""

    def __init__(self, context: Context, operations: Operations, page: MemoriesPage, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._operations, self._page, self._window = context, operations, page, parent
        self._count_soon = single_shot(self, COUNT_MS, self._ask_counts)
        self._does: dict[str, Callable[[SavedSearch], object]] = {
            "saved.change": lambda one: operations.run(
                ChangeSavedSearch(one.pk, page.filter), lambda _result: page.take_as_saved(one.pk)
            ),
            "saved.rename": lambda one: RenameSearchDialog(context, one, parent).open(),
            "saved.up": lambda one: self._move(one, -1),
            "saved.down": lambda one: self._move(one, 1),
            "saved.delete": lambda one: operations.run(RemoveSavedSearches((one.pk,))),
        }
        context.actions.on("search.save", self.save)
        for name in self._does:
            context.actions.on(name, partial(self._do, name))
        page.saved_menu.connect(self._menu)
        context.bridge.changes.connect(self._on_changes)
        page.listed.connect(self._start)

    def save(self) -> None:
        """Ask for a name for what the list shows."""
        name = " ".join(self._page.words.split())[:NAME_CHARS] or self._page.place_name
        SaveSearchDialog(self._context, self._page.filter, name, self._window).open()

    def _start(self) -> None:
        """The first list is there: now what stands beside it."""
        self._page.listed.disconnect(self._start)
        self._ask()

    # --- the section ---

    def _ask(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[SavedSearch, ...]:
            return engine.ask(SavedSearches(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="saved")

    def _take(self, searches: tuple[SavedSearch, ...]) -> None:
        self._page.tree.show_saved(searches)
        if searches:
            self._ask_counts()

    def _ask_counts(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> Mapping[int, int]:
            return engine.ask(SavedSearchCounts(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._page.tree.show_saved_counts, owner=self, query="saved counts"
        )

    def _on_changes(self, changes: Changes) -> None:
        if Kind.SAVED_SEARCH in changes.touched:
            self._ask()
        elif changes.memories and self._page.tree.saved:
            self._count_soon.start()

    # --- the menu ---

    def _menu(self, pk: int, position: QPoint) -> None:
        """The actions for one saved search, which need not be the chosen one."""
        one = next((each for each in self._page.tree.saved if each.pk == pk), None)
        if one is None:
            return
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for name in MENU:
            if not name:
                menu.addSeparator()
                continue
            like = self._context.actions.get(name)
            entry = menu.addAction(like.icon(), like.text())
            entry.setObjectName(name)
            entry.setToolTip(self._context.tr(f"action.{name}.tip"))
            entries_need_writing(self._context, menu, entry)
            entry.triggered.connect(lambda _checked=False, name=name: self._does[name](one))
        menu.popup(position)

    def _do(self, name: str) -> None:
        one = self._page.tree.saved_search
        if one is not None:
            self._does[name](one)

    def _move(self, one: SavedSearch, step: int) -> None:
        order = [each.pk for each in self._page.tree.saved]
        at = order.index(one.pk)
        to = at + step
        if 0 <= to < len(order):
            order[at], order[to] = order[to], order[at]
            self._operations.run(OrderSavedSearches(tuple(order)))
