"""The page Memories: sidebar, facets, table, bulk bar and detail, and how they follow each other."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QItemSelectionModel, QPoint, Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command, CopyMemories, MoveMemories, SetLayer, TrashMemories
from core.domain.enums import Kind, Layer, TagKind
from core.domain.errors import UserError
from core.domain.ids import DocumentPk, FolderPk, MemoryPk
from core.domain.queries import (
    Counts,
    FacetCounts,
    Folders,
    LibrarySchema,
    MemoryFilter,
    MemoryRows,
    Sort,
    SortKey,
    TagNames,
    TrashScope,
)
from core.domain.results import Changes, Facets, FolderNode, LibraryCounts, MemoryRow
from core.domain.schema import Schema
from ui.context import Context
from ui.models.memory_table import MemoryTableModel
from ui.models.scope import Part, Scope
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.bulk_bar import BulkBar
from ui.views.facet_bar import FacetBar
from ui.views.folder_tree import FolderTree
from ui.views.memory_table import MemoryTable
from ui.views.source_strip import SourceStrip
from ui.widgets.announce import announce
from ui.widgets.state_stack import StateStack

SIDEBAR_PX, MIDDLE_PX, DETAIL_PX = 120, 300, 260
"""Least widths, not grown with the text: at 200 % the window must still fit on a small screen."""
SIDEBAR_TAGS = 24
RECENT = 8
REFRESH_MS = 60
BEHIND_MS = 800
SIDEBAR_MS = 350
COUNTS_MS = 1500
"""At the latest then counts are asked for at the start, also where no row is in sight."""
SETTING_SPLITTER, SETTING_ORDER = "ui.splitter", "ui.table_order"
SETTING_RELATED = "ui.show_related"
SETTING_SUBFOLDERS, SETTING_RECENT = "ui.with_subfolders", "ui.recent_memories"
ROW_MENU = (
    "memory.edit",
    "memory.about",
    "memory.recall",
    "memory.why_not",
    "memory.show_on_graph",
    "memory.in_chat",
    "memory.select_related",
    "",
    "memory.move",
    "memory.copy",
    "",
    "memory.type",
    "memory.layer",
    "memory.importance",
    "memory.tags",
    "memory.visibility",
    "memory.lock",
    "memory.unlock",
    "memory.merge",
    "memory.unmerge",
    "memory.replace",
    "",
    "edit.copy_table",
    "edit.copy_markdown",
    "edit.copy_json",
    "memory.export",
    "",
    "memory.promote",
    "memory.archive",
    "memory.restore",
    "memory.trash",
)
TRASH_MENU = (
    "memory.untrash",
    "memory.delete",
    "",
    "edit.copy_table",
    "edit.copy_markdown",
    "edit.copy_json",
)
FOLDER_MENU = (
    "folder.new",
    "folder.rename",
    "folder.merge",
    "folder.also_reads",
    "library.export",
    "",
    "folder.delete",
)


@dataclass(frozen=True, slots=True)
class _Sidebar:
    """What the sidebar needs, read in one go."""

    folders: tuple[FolderNode, ...]
    all: Facets
    counts: LibraryCounts
    tags: tuple[tuple[str, int], ...]
    recent: tuple[MemoryRow, ...]
    schema: Schema


class MemoriesPage(QWidget):
    """`current(pk or None)` is the memory to show beside the list; `opened(pk)` one to edit."""

    current = Signal(object)
    opened = Signal(object)
    words_set = Signal(str)
    """Other words are searched for than those that were typed."""
    saved_menu = Signal(int, QPoint)
    """The menu of a saved search is wanted, also of one that is not chosen."""
    listed = Signal()
    """A list was had and shown."""

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._text = self._saved_text = ""
        self._said_of = (MemoryFilter(), False)
        self._order = _saved_order(context)
        self._order_chosen = False
        self._total = 0
        self._counts_wait = False
        self._widths: list[int] = []
        self.tells = True
        """Whether actions are about this page's selection; False while another page has it."""
        self._touched: set[MemoryPk] = set()
        self._select_next: tuple[MemoryPk, ...] = ()
        self._folder_next: FolderPk | None = None
        recent = str(context.settings.get(SETTING_RECENT))
        self._recent = [MemoryPk(int(pk)) for pk in recent.split() if pk.isdigit()]
        self.model = MemoryTableModel(context, self)
        self.tree = FolderTree(context)
        self.facets = FacetBar(context)
        self.table = MemoryTable(context, self.model)
        self.stack = StateStack(self.table)
        self.bulk = BulkBar(context)
        self.source = SourceStrip(context)
        self._refresh_soon = single_shot(self, REFRESH_MS, self._refresh)
        self._sidebar_soon = single_shot(self, SIDEBAR_MS, self._ask_sidebar)
        self._recent_later = single_shot(self, 1000, self._keep_recent)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.source)
        column.addWidget(self.facets)
        column.addWidget(self.stack, 1)
        column.addWidget(self.bulk)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        for widget, least in ((self.tree, SIDEBAR_PX), (middle, MIDDLE_PX)):
            widget.setMinimumWidth(least)
            self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(1, 3)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        tr = self._context.tr
        tr.changed.connect(self._name_parts)
        self._name_parts()

    def _name_parts(self) -> None:
        self.tree.setAccessibleName(self._context.tr("sidebar.name"))
        self.table.setAccessibleName(self._context.tr("table.name"))

    def _connect(self) -> None:
        self.tree.chosen.connect(self._on_scope)
        self.tree.dropped.connect(self._on_drop)
        self.tree.takes = lambda _scope: not self.in_trash
        self.tree.menu_wanted.connect(self._folder_menu)
        self.facets.changed.connect(lambda _chosen: self.show_list())
        self.table.current.connect(self._on_current)
        self.table.picked.connect(self._on_picked)
        self.table.opened.connect(self.opened)
        self.table.menu_wanted.connect(self._row_menu)
        self.table.sort_wanted.connect(self._on_sort)
        self.model.asked.connect(lambda: self.stack.show_loading(self._context.tr("table.loading")))
        self.model.listed.connect(self._on_list)
        self.model.unchanged.connect(self._on_list)
        self.model.failed.connect(self._on_failed)
        self._context.bridge.changes.connect(self._on_changes)
        related = self._context.actions.on("view.related", self._toggle_related)
        related.setChecked(bool(self._context.settings.get(SETTING_RELATED)))

    def keep_widths(self) -> None:
        """Before the detail goes to another page: remember how wide the parts are."""
        self._widths = self.splitter.sizes()

    def take_detail(self, widget: QWidget) -> None:
        """The detail comes back from another page."""
        self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(2, 1)
        widget.show()
        if self._widths:
            self.splitter.setSizes(self._widths)

    def add_detail(self, widget: QWidget) -> None:
        """Put the detail beside the table."""
        widget.setMinimumWidth(DETAIL_PX)
        self.splitter.addWidget(widget)
        self.splitter.setStretchFactor(2, 1)
        saved = str(self._context.settings.get(SETTING_SPLITTER))
        if not (saved and self.splitter.restoreState(QByteArray.fromBase64(saved.encode("ascii")))):
            px = self._context.theme.px
            self.splitter.setSizes([px(208), px(596), px(340)])

    def save_state(self) -> None:
        """Keep what a person arranged."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._context.settings.set(SETTING_SPLITTER, state)
        self.table.save_columns()

    # --- the list ---

    def start(self) -> None:
        """First the list and its rows; the counts beside it come when those are there."""
        self._counts_wait = True
        self.show_list()
        self.model.filled.connect(self._ask_counts)
        self.model.unchanged.connect(self._ask_counts)
        self.model.failed.connect(self._ask_counts)
        single_shot(self, COUNTS_MS, self._ask_counts).start()

    def _ask_counts(self, _error: Exception | None = None) -> None:
        """The numbers of facets and sidebar, for the first time."""
        if self._counts_wait:
            self._counts_wait = False
            self._ask_facets(self.filter)
            self._ask_sidebar()

    def search(self, text: str) -> None:
        """List what holds these words."""
        text = text.strip()
        if bool(text) is not bool(self._text):
            self._order_chosen = False
        self._text = text
        self.show_list()

    @property
    def filter(self) -> MemoryFilter:
        """What is listed: place in the sidebar, facets and words together."""
        chosen = self.facets.chosen
        subfolders = bool(self._context.settings.get(SETTING_SUBFOLDERS))
        base = MemoryFilter(
            text=self._text,
            language=True,
            types=chosen.types,
            layers=chosen.layers,
            statuses=chosen.statuses,
            tags=chosen.tags,
            document=chosen.document,
        )
        return self.tree.scope.narrow(base, with_subfolders=subfolders)

    @property
    def words(self) -> str:
        """What is searched for."""
        return self._text

    @property
    def in_trash(self) -> bool:
        """Whether the trash is shown."""
        return self.tree.scope.part is Part.TRASH

    @property
    def folder(self) -> FolderPk | None:
        """The folder that is chosen in the sidebar."""
        return self.tree.scope.folder

    def show_list(self) -> None:
        """Ask for the list that place, facets and words name."""
        by_words = bool(self._text) and not self._order_chosen
        order = Sort(SortKey.RELEVANCE) if by_words else self._order
        self.table.show_order(None if by_words else order)
        where = self.filter
        self.model.show(where, order, related=self._with_related)
        self.source.show_folder(self.folder)
        if not self._counts_wait:
            self._ask_facets(where)
        self._tell_situation()

    def _forget_words(self) -> None:
        """Look for nothing, whatever was typed."""
        self._text = self._saved_text = ""
        self.words_set.emit("")

    def clear_filters(self) -> None:
        """Show the whole place again: no facets, no words. A saved search is nothing without its words."""
        self._forget_words()
        self.facets.clear_quietly()
        if self.tree.scope.part is Part.SAVED:
            self.tree.choose(Scope())
        else:
            self.show_list()

    def lists(self, pk: MemoryPk) -> bool:
        """Whether a memory is in the list that is shown."""
        return self.model.row_of(pk) >= 0

    def go_to(self, pks: tuple[MemoryPk, ...]) -> None:
        """Select these memories, in a list that holds them."""
        self._select_next = pks
        if all(self.model.row_of(pk) >= 0 for pk in pks):
            self._on_list()
            return
        self._forget_words()
        self.facets.clear_quietly()
        self.tree.choose(Scope())
        self.show_list()

    def show_document(self, document: DocumentPk, title: str) -> None:
        """List the pieces of a document."""
        self._forget_words()
        self._order_chosen = False
        self.facets.choose_document(document, title)
        self.tree.choose(Scope())
        self.show_list()

    def show_folder(self, folder: FolderPk) -> None:
        """Go to a folder, also one that the sidebar does not list yet."""
        self._folder_next = folder
        self._ask_sidebar()

    def _toggle_related(self) -> None:
        self._context.settings.set(SETTING_RELATED, self._context.actions.get("view.related").isChecked())
        self.show_list()

    @property
    def _with_related(self) -> bool:
        """Whether what is related is listed too: only where something is looked for, outside the trash."""
        wanted = bool(self._context.settings.get(SETTING_RELATED))
        narrowed = self.searching or self.tree.scope.part is Part.SAVED
        return wanted and narrowed and not self.in_trash

    @property
    def place_name(self) -> str:
        """What the chosen place of the sidebar is called; "" for the whole library."""
        return "" if self.tree.scope.part is Part.ALL else str(self.tree.currentIndex().data() or "")

    @property
    def searching(self) -> bool:
        """Whether the list is narrowed in a way that can be saved."""
        place = self.tree.scope.part not in (Part.ALL, Part.RECENT, Part.SAVED)
        return bool(self._text) or self.facets.active or place

    def _run_saved(self, scope: Scope) -> None:
        """List what a saved search finds, and nothing else; its words go when another place is chosen."""
        saved = self.tree.saved_search
        if scope.part is Part.SAVED and saved is not None:
            self.facets.clear_quietly()
            self._text = self._saved_text = saved.text
            self.words_set.emit(self._text)
        elif self._saved_text:
            if self._text == self._saved_text:
                self._forget_words()
            self._saved_text = ""

    def take_as_saved(self, search: int) -> None:
        """What is looked for now is what the chosen saved search says."""
        if self.tree.scope.search == search:
            self._saved_text = self._text

    def _on_scope(self, scope: Scope) -> None:
        self._run_saved(scope)
        if scope.part is Part.RECENT and scope.memory is not None:
            self._select_next = (scope.memory,)
        self._order_chosen = False
        self.show_list()

    def _on_sort(self, order: Sort) -> None:
        self._order, self._order_chosen = order, True
        self._context.settings.set(SETTING_ORDER, f"{order.key.value} {int(order.descending)}")
        self.show_list()

    def _on_list(self) -> None:
        shown, found = self.model.rowCount(), self.model.hits.found
        related = self.model.related if self.model.with_related else None
        self.facets.show_related(related, limited=self.model.hits.limited)
        self.facets.show_count(found, max(self._total, found))
        if shown:
            self.stack.show_content()
        else:
            self._say_empty()
        if self._select_next:
            chosen, self._select_next = self._select_next, ()
            self.table.select(chosen)
        self._tell_situation()
        self._say_count()
        self.listed.emit()

    def _say_count(self) -> None:
        """How many were found is said to screen readers, where another list was asked for."""
        if (self.model.filter, self.model.with_related) != self._said_of and self.isVisible():
            self._said_of = (self.model.filter, self.model.with_related)
            tr, found = self._context.tr, self.model.hits.found
            related = self.model.with_related
            text = self.facets.count.text() if related else tr("table.found", count=tr.number(found))
            announce(self.table, text if self.model.rowCount() else self.stack.notice.message.text())

    def _say_empty(self) -> None:
        tr = self._context.tr
        if self._text or self.facets.active:
            text = tr("empty.search", text=self._text) if self._text else tr("empty.facets")
            self.stack.show_notice(text, tr("empty.clear"), self.clear_filters)
        elif self.in_trash:
            self.stack.show_notice(tr("empty.trash"), tr("empty.back"), lambda: self.tree.choose(Scope()))
        elif self.tree.scope.part is not Part.ALL:
            self.stack.show_notice(tr("empty.place"), tr("empty.back"), lambda: self.tree.choose(Scope()))
        else:
            action = self._context.actions.get("library.import")
            self.stack.show_notice(tr("empty.library"), action.text(), action.trigger)

    def _on_failed(self, error: Exception) -> None:
        tr = self._context.tr
        text = tr.error(error)
        if _is_unfinished(error):
            self._say_unfinished(text)
        elif self.model.rowCount():
            self.stack.show_stale(tr("table.stale", reason=text), tr("table.again"), self.show_list)
        else:
            self.stack.show_notice(tr("table.failed", reason=text), tr("table.again"), self.show_list)

    def _say_unfinished(self, text: str) -> None:
        """A search that cannot be made yet: what is wrong, above the last result."""
        tr = self._context.tr
        self.stack.show_stale(tr("table.search", reason=text), tr("empty.clear"), self.clear_filters)
        announce(self.table, text)

    # --- what follows the store ---

    def _on_changes(self, changes: Changes) -> None:
        self._touched.update(changes.memories)
        if changes.touched.keys() & {Kind.FOLDER, Kind.MEMORY_TYPE, Kind.RELATION_TYPE} or changes.memories:
            self._refresh_later()

    def _refresh_later(self) -> None:
        """Soon when the page is in sight; seldom behind another page, which many changes would keep waiting."""
        if self.isVisible():
            self._refresh_soon.start(REFRESH_MS)
            self._sidebar_soon.start(SIDEBAR_MS)
            return
        for timer in (self._refresh_soon, self._sidebar_soon):
            if not timer.isActive():
                timer.start(BEHIND_MS)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for timer in (self._refresh_soon, self._sidebar_soon):
            if timer.isActive():
                timer.start(REFRESH_MS)

    def _refresh(self) -> None:
        touched, self._touched = self._touched, set()
        self.model.refresh(touched)
        self.source.refresh()
        self._ask_facets(self.filter)

    def _ask_facets(self, where: MemoryFilter) -> None:
        engine = self._context.engine
        trash = where.trash is TrashScope.INSIDE

        def ask(_progress: Report, cancel: Cancel) -> tuple[Facets, int]:
            counts = engine.ask(Counts(journal=False), cancel=cancel)
            return engine.ask(FacetCounts(where), cancel=cancel), counts.trashed if trash else counts.memories

        self._context.tasks.run(
            Lane.READ, ask, self._take_facets, owner=self, query="facets", failed=self._on_facets_failed
        )

    def _on_facets_failed(self, error: Exception) -> None:
        """What is wrong with a search is said by the list."""
        if not _is_unfinished(error):
            self._context.tasks.error.emit(error)

    def _take_facets(self, answer: tuple[Facets, int]) -> None:
        facets, self._total = answer
        self.facets.show_facets(facets)
        self.facets.show_count(facets.total, max(self._total, facets.total))

    def _ask_sidebar(self) -> None:
        engine, recent = self._context.engine, tuple(self._recent)

        def ask(_progress: Report, cancel: Cancel) -> _Sidebar:
            return _Sidebar(
                folders=engine.ask(Folders(), cancel=cancel),
                all=engine.ask(FacetCounts(), cancel=cancel),
                counts=engine.ask(Counts(journal=False), cancel=cancel),
                tags=engine.ask(TagNames(TagKind.GENERAL, limit=200), cancel=cancel),
                recent=engine.ask(MemoryRows(recent), cancel=cancel),
                schema=engine.ask(LibrarySchema(), cancel=cancel),
            )

        self._context.tasks.run(Lane.READ, ask, self._take_sidebar, owner=self, query="sidebar")

    def _take_sidebar(self, found: _Sidebar) -> None:
        self._context.theme.set_schema(found.schema)
        self.tree.show_folders(found.folders)
        self.tree.show_facets(dict(found.all.layers), dict(found.all.types), found.counts)
        self.tree.show_tags(found.tags[:SIDEBAR_TAGS])
        self.tree.show_recent(tuple(row for row in found.recent if not row.trashed))
        self.facets.show_tags(found.tags)
        self._context.actions.update(trash=found.counts.trashed)
        if self._folder_next is not None:
            folder, self._folder_next = self._folder_next, None
            self.tree.choose(Scope(Part.FOLDER, folder))

    # --- selection ---

    def selected(self) -> tuple[MemoryPk, ...]:
        """The selected memories in the order shown."""
        return self.table.selected()

    def _on_picked(self, count: int) -> None:
        self._tell_situation()
        self.bulk.show_selection(count, in_trash=self.in_trash)

    def _on_current(self, pk: MemoryPk | None) -> None:
        self.current.emit(pk)
        if pk is not None:
            self._recent_later.start()

    def _keep_recent(self) -> None:
        pk = self.table.current_memory
        if pk is None or self._recent[:1] == [pk]:
            return
        self._recent = [pk, *(other for other in self._recent if other != pk)][:RECENT]
        self._context.settings.set(SETTING_RECENT, " ".join(map(str, self._recent)))
        self._sidebar_soon.start()

    def tell(self) -> None:
        """Tell the actions what is selected here."""
        self._tell_situation()

    def _tell_situation(self) -> None:
        if not self.tells:
            return
        folder = self.folder
        self._context.actions.update(
            library=True,
            rows=self.model.rowCount(),
            selected=self.table.picked_count,
            in_trash=self.in_trash,
            folder=folder is not None,
            searching=self.searching,
            saved=self.tree.saved_search is not None,
        )

    def select_all(self) -> None:
        """Select every listed memory."""
        self.table.selectAll()
        if self.table.current_memory is None and self.model.rowCount():
            first = self.model.index(0, 0)
            self.table.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)

    # --- menus and drops ---

    def _row_menu(self, position: QPoint) -> None:
        self._popup(TRASH_MENU if self.in_trash else ROW_MENU, position)

    def _folder_menu(self, scope: Scope, position: QPoint) -> None:
        if scope.part is Part.TRASH:
            self._popup(("trash.empty",), position)
        elif scope.part is Part.SAVED:
            self.saved_menu.emit(scope.search, position)
        else:
            self._popup(FOLDER_MENU, position)

    def _popup(self, ids: tuple[str, ...], position: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addActions(self._context.actions.working(ids))
        menu.popup(position)

    def _on_drop(self, pks: tuple[MemoryPk, ...], scope: Scope, copy: bool) -> None:
        command = command_of_drop(pks, scope, copy=copy, in_trash=self.in_trash)
        if command is not None:
            self._operations.run(command)


def command_of_drop(pks: tuple[MemoryPk, ...], scope: Scope, *, copy: bool, in_trash: bool) -> Command | None:
    """What dropping memories on a place of the sidebar does; None = nothing."""
    match scope.part:
        case _ if in_trash:
            return None  # out of the trash a memory goes back to where it was: by its own action
        case Part.FOLDER if scope.folder is not None and copy:
            return CopyMemories(memories=pks, folder=scope.folder)
        case Part.FOLDER if scope.folder is not None:
            return MoveMemories(memories=pks, folder=scope.folder)
        case Part.LAYER:
            return SetLayer(memories=pks, layer=Layer(scope.name))
        case Part.TRASH:
            return TrashMemories(memories=pks)
    return None


def _saved_order(context: Context) -> Sort:
    key, _, descending = str(context.settings.get(SETTING_ORDER)).partition(" ")
    try:
        return Sort(SortKey(key), descending != "0")
    except ValueError:
        return Sort()


def _is_unfinished(error: Exception) -> bool:
    """Whether it is about how a search is written."""
    return isinstance(error, UserError) and error.key.startswith("error.search.")
