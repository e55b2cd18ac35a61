"""One open library in the window: its context, pages, status line, and what its actions do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from core.domain.api import Cancel, EngineApi, Report
from core.domain.errors import ReadOnlyLibrary
from core.domain.ids import DocumentPk, FolderPk, MemoryPk, OpId
from core.domain.results import LibraryCounts, UndoPreview
from ui.about_link import AboutLink
from ui.actions import TABLE, Actions, Reach
from ui.bridge import Bridge
from ui.chat_link import ChatLink
from ui.context import Context
from ui.desk import Desk
from ui.documents_link import DocumentsLink
from ui.graph_link import GraphLink
from ui.merge_link import MergeLink, unmerge
from ui.model_link import ModelLink
from ui.old_texts_link import OldTextsLink
from ui.operations import Operations
from ui.pages import PAGES, Page, add_page
from ui.prepare_recall import prepare_recall
from ui.read_only import ReadOnlyStrip
from ui.saved_link import SavedLink
from ui.search_completion import SearchCompletion
from ui.services import Services
from ui.tasks import Lane, single_shot
from ui.upkeep_link import UpkeepLink
from ui.views.detail import DetailPane
from ui.views.first_steps import DROP, EDIT, MERGE, UNDO, WHY, FirstSteps
from ui.views.health.light import HealthLight
from ui.views.memories_page import MemoriesPage
from ui.views.rail import Rail
from ui.views.status_line import StatusLine
from ui.views.undo_conflict import UndoConflictDialog
from ui.watch_link import WatchLink
from ui.widgets.search_field import SearchField

if TYPE_CHECKING:
    from ui.views.about.page import AboutPage
    from ui.views.chats.page import ChatsPage
    from ui.views.documents.page import DocumentsPage
    from ui.views.graph.page import GraphPage
    from ui.views.health.page import HealthPage
    from ui.views.history_page import HistoryPage
    from ui.views.recall.page import RecallPage
    from ui.views.review.page import ReviewPage

MEMORIES = "memories"
GRAPH = "graph"
LISTING = (MEMORIES, GRAPH)
"""Pages on which memories and folders are selected."""
RECALL = "recall"
CHATS = "chats"
DOCUMENTS = "documents"
REVIEW = "review"
UPKEEP = "upkeep"
HISTORY = "history"
HEALTH = "health"
TYPES = "types"
ABOUT = "about"
add_page(Page(MEMORIES, "mdi6.cards-outline", MemoriesPage))
add_page(Page(GRAPH, "mdi6.graph-outline", module="ui.views.graph.page:GraphPage"))
add_page(Page(RECALL, "mdi6.text-search", module="ui.views.recall.page:RecallPage"))
add_page(Page(CHATS, "mdi6.forum-outline", module="ui.views.chats.page:ChatsPage"))
add_page(
    Page(DOCUMENTS, "mdi6.file-document-multiple-outline", module="ui.views.documents.page:DocumentsPage")
)
add_page(Page(REVIEW, "mdi6.inbox-outline", module="ui.views.review.page:ReviewPage"))
add_page(Page(UPKEEP, "mdi6.broom", module="ui.views.upkeep.page:UpkeepPage"))
add_page(Page(HISTORY, "mdi6.history", module="ui.views.history_page:HistoryPage"))
add_page(Page(HEALTH, "mdi6.heart-pulse", module="ui.views.health.page:HealthPage", on_rail=False))
add_page(Page(TYPES, "mdi6.shape-outline", module="ui.views.types.page:TypesPage", on_rail=False))
add_page(Page(ABOUT, "mdi6.card-search-outline", module="ui.views.about.page:AboutPage", on_rail=False))

LOAD_PAGES_MS = 1500
"""When the modules of pages not shown yet are imported: the list and its counts come first."""
PREPARE_RECALL_MS = 6000


class Session(QWidget):
    """Lives as long as the library is open. `said(text, is_error)`: a message for the person."""

    said = Signal(str, bool)
    restore_wanted = Signal(str)
    write_wanted = Signal()
    """The library is only read, and is to be opened for writing."""

    def __init__(
        self, engine: EngineApi, services: Services, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._search: SearchField | None = None
        self.completion: SearchCompletion | None = None
        self.steps: FirstSteps | None = None
        bridge = Bridge(engine, services.tasks, self)
        self.context = Context(
            engine=engine,
            tasks=services.tasks,
            bridge=bridge,
            settings=services.settings,
            theme=services.theme,
            tr=services.tr,
            actions=actions,
        )
        why = engine.read_only
        actions.update(read_only="" if why is None else why.value)
        self.read_only = None if why is None else ReadOnlyStrip(self.context, why)
        self.operations = Operations(self.context, self)
        self._stack = QStackedWidget()
        self._pages: dict[str, QWidget] = {}
        page = self.page(MEMORIES)
        assert isinstance(page, MemoriesPage)
        self.memories = page
        self.detail = DetailPane(self.context)
        self.memories.add_detail(self.detail)
        self.status = StatusLine(actions, services.tasks, services.tr, services.theme)
        self.rail = Rail(PAGES, services.tr, services.theme)
        self.light = HealthLight(self.context, self)
        self.watch_link = WatchLink(self.context, self.operations, self)
        self.saved_link = SavedLink(self.context, self.operations, self.memories, self)
        self.desk = Desk(self.context, self.operations, self.memories, self.detail, services.paths, self)
        self.desk.folder_wanted.connect(self._show_imported)
        self.desk.list_wanted.connect(self._show_list)
        self.graph_link = GraphLink(actions, self.desk, self.memories, self.detail, self._show_graph)
        self.chat_link = ChatLink(
            self.context, self.operations, lambda: self.desk.current, self._show_floor, self
        )
        self.documents_link = DocumentsLink(
            self.context, self.operations, self._folder_name, self._show_documents, self
        )
        self.merge_link = MergeLink(self.context, self.operations, self.desk, self)
        self.detail.unmerge_wanted.connect(lambda pks: unmerge(self.context, self.operations, pks))
        self.upkeep_link = UpkeepLink(
            self.context, self.operations, self.desk, self._shown, self.rail.show_count, self
        )
        self.old_texts_link = OldTextsLink(
            self.context, self.operations, self._show_memories, self.upkeep_link.show_proposal, self
        )
        self.about_link = AboutLink(
            self.context, self.desk, self._shown, lambda: self.shown_page, self._show_graph, self
        )
        self._on_detail_built()
        self.detail.built.connect(self._on_detail_built)
        self.model_link = ModelLink(self.context, self)
        self._lay_out()
        self._connect()

    def _on_detail_built(self) -> None:
        """The detail's views are there, or made anew in another language."""
        self.old_texts_link.connect_strip(self.detail.old_texts)
        self.about_link.connect_detail(self.detail)

    def _lay_out(self) -> None:
        middle = QVBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self._stack, 1)
        self.bar = QVBoxLayout()
        self.bar.setContentsMargins(0, 0, 0, 0)
        self.bar.setSpacing(0)
        if self.read_only is not None:
            self.bar.addWidget(self.read_only)
            self.read_only.write_wanted.connect(self.write_wanted)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(middle, 1)
        self.bar.addLayout(row, 1)
        self.bar.addWidget(self.status)
        self.setLayout(self.bar)

    def _connect(self) -> None:
        actions, operations = self.context.actions, self.operations
        actions.on("edit.undo", operations.undo)
        actions.on("edit.redo", operations.redo)
        actions.on("help.first_steps", self._show_first_steps)
        actions.attach(self.memories.table, Reach.LIST)
        actions.attach(self.memories.tree, Reach.FOLDERS)
        operations.said.connect(self._on_said)
        operations.undo_state.connect(self.status.show_undo)
        operations.undo_refused.connect(self._ask_conflict)
        drafts = self.detail.drafts
        drafts.changed.connect(lambda: self.memories.table.mark_drafts(drafts.memories))
        self.context.bridge.waiting.connect(self._on_waiting)
        self.context.bridge.counted.connect(self._on_counts)
        self.light.changed.connect(self.status.show_health)
        self.model_link.warned.connect(self._on_said)
        self.model_link.in_sight = lambda: self.shown_page == REVIEW
        self.model_link.requests_changed.connect(lambda _number: self.upkeep_link.count())
        self.model_link.proposed.connect(self.upkeep_link.show_proposal)
        actions.on("library.health", lambda: self.show_page(HEALTH))
        actions.on("library.types", lambda: self.show_page(TYPES))
        actions.on("library.rebuild", self._rebuild_index)
        actions.on("library.backup", self._back_up)
        self.rail.chosen.connect(self.show_page)
        self.desk.op_wanted.connect(self._show_op)
        self._connect_recall()
        self.documents_link.import_wanted.connect(self.show_import)
        self.documents_link.pieces_wanted.connect(self._show_pieces)
        self.documents_link.dropped.connect(self._on_dropped)
        for entry in PAGES:
            self._lead_to(entry.id)
        self.show_page(MEMORIES)

    # --- pages ---

    def page(self, page_id: str) -> QWidget:
        """A page of the rail; made when it is asked for the first time."""
        made = self._pages.get(page_id)
        if made is None:
            entry = next(entry for entry in PAGES if entry.id == page_id)
            made = self._pages[page_id] = entry.build(self.context, self.operations)
            self._stack.addWidget(made)
            opens = getattr(made, "open_memories", None)
            if opens is not None:
                opens.connect(self._show_memories)
            if page_id != MEMORIES:
                self.upkeep_link.made(page_id, made)
            if page_id == REVIEW:
                review = cast("ReviewPage", made)
                review.handed_in.connect(self.model_link.go_on)
                review.given_up.connect(self.model_link.gone)
                self.model_link.requests_changed.connect(review.show_request)
            if page_id == RECALL:
                self.model_link.answered.connect(cast("RecallPage", made).live.refresh)
            if page_id == GRAPH:
                self.graph_link.made(self.graph)
            if page_id == HEALTH:
                self.health.looked.connect(self.status.show_health)
                self.health.restore_wanted.connect(self.restore_wanted)
            if page_id == ABOUT:
                self.about_link.made(cast("AboutPage", made))
            if page_id == DOCUMENTS:
                self.documents_link.made(cast("DocumentsPage", made))
        return made

    @property
    def recall(self) -> RecallPage:
        """The page Recall."""
        return cast("RecallPage", self.page(RECALL))

    @property
    def health(self) -> HealthPage:
        """The page Health."""
        return cast("HealthPage", self.page(HEALTH))

    @property
    def graph(self) -> GraphPage:
        """The page Graph."""
        return cast("GraphPage", self.page(GRAPH))

    @property
    def shown_page(self) -> str:
        """The page that is shown."""
        shown = self._stack.currentWidget()
        return next((name for name, page in self._pages.items() if page is shown), MEMORIES)

    def show_page(self, page_id: str) -> None:
        """Go to a page."""
        page = self.page(page_id)
        self._stack.setCurrentWidget(page)
        self.rail.show_page(page_id)
        self.graph_link.shown(page)
        self.context.actions.update(listing=page_id in LISTING)

    def _show_documents(self) -> DocumentsPage:
        self.show_page(DOCUMENTS)
        return cast("DocumentsPage", self.page(DOCUMENTS))

    def _folder_name(self) -> str:
        return self.memories.tree.folder_name(self.memories.folder)

    def _show_pieces(self, document: DocumentPk, title: str) -> None:
        self.show_page(MEMORIES)
        self.memories.show_document(document, title)

    def _rebuild_index(self) -> None:
        self.health.rebuild.rebuild_index()

    def _back_up(self) -> None:
        self.health.backups.make()

    def _show_op(self, op: int) -> None:
        self.show_page(HISTORY)
        cast("HistoryPage", self.page(HISTORY)).show_op(OpId(op))

    def _show_graph(self) -> GraphPage:
        self.show_page(GRAPH)
        return self.graph

    def _show_imported(self, folder: int, only_floors: bool) -> None:
        """Show a folder where what came into it is: its floors, or its memories."""
        if only_floors:
            self.show_page(CHATS)
            cast("ChatsPage", self.page(CHATS)).go_to(FolderPk(folder))
            return
        self.show_page(MEMORIES)
        self.memories.show_folder(FolderPk(folder))

    def _show_floor(self, folder: FolderPk, floor: int) -> None:
        self.show_page(CHATS)
        page = cast("ChatsPage", self.page(CHATS))
        page.go_to(folder, floor)

    def _lead_to(self, page_id: str) -> None:
        """The actions of a page that is not made yet (`<page>.<what>`) go to the page."""
        actions = self.context.actions
        for action in TABLE:
            if action.id.startswith(f"{page_id}.") and not actions.works(action.id):
                actions.on(action.id, partial(self.show_page, page_id))

    def _load_pages(self) -> None:
        def load(_progress: Report, cancel: Cancel) -> None:
            for entry in PAGES:
                cancel.check()
                if entry.module:
                    entry.load()

        self.context.tasks.run(Lane.READ, load, owner=self, query="pages")

    def _shown(self, page_id: str) -> QWidget:
        self.show_page(page_id)
        return self.page(page_id)

    def _connect_recall(self) -> None:
        """From a memory to the Recall page and back."""
        actions, detail = self.context.actions, self.detail
        actions.on("memory.recall", lambda: self._recall_from(self.desk.current))
        actions.on("memory.why_not", lambda: self._ask_why(self.desk.current))
        actions.on("recall.on_graph", self._recall_on_graph)
        detail.recall_wanted.connect(lambda pk: self._recall_from(MemoryPk(pk)))
        detail.why_wanted.connect(lambda pk: self._ask_why(MemoryPk(pk)))

    def _recall_from(self, memory: MemoryPk | None) -> None:
        if memory is not None:
            self.show_page(RECALL)
            self.recall.recall_from(memory)

    def _recall_on_graph(self) -> None:
        """Let the result of the Recall page stand out on the graph."""
        view = self.recall.view
        if view is not None:
            self._show_graph().show_recall(view.result)

    def _ask_why(self, memory: MemoryPk | None) -> None:
        if memory is not None:
            self.show_page(RECALL)
            self.recall.ask_why(memory)
            if self.steps is not None:
                self.steps.tick(WHY)

    def _show_memories(self, pks: tuple[MemoryPk, ...]) -> None:
        self.show_page(MEMORIES)
        self.memories.go_to(pks)

    def start(self, search: SearchField) -> None:
        """Fill everything: the list first."""
        self._search = search
        search.set_quietly("")
        self.completion = SearchCompletion(self.context, search, self)
        search.searched.connect(self.memories.search)
        search.searched.connect(self._show_found)
        search.returnPressed.connect(self._show_found)
        search.left_down.connect(self.memories.table.setFocus)
        self.memories.words_set.connect(search.set_quietly)
        self.context.actions.on("edit.search", self._go_to_search)
        self.watch_link.start()
        self.memories.start()
        self.operations.refresh_undo()
        self.context.bridge.start()
        self.light.start()
        self.model_link.check_weights()
        self.documents_link.start()
        self.memories.table.setFocus()
        single_shot(self, LOAD_PAGES_MS, self._load_pages).start()
        single_shot(self, LOAD_PAGES_MS, self.upkeep_link.count).start()
        single_shot(self, PREPARE_RECALL_MS, lambda: prepare_recall(self.context, self)).start()

    def _show_found(self) -> None:
        """What the field at the top finds stands in the list."""
        if self._search is not None and self._search.text():
            self._show_list()

    def _show_list(self) -> None:
        """Show the list, unless it is shown."""
        if not self.memories.isVisible():
            self.show_page(MEMORIES)

    def _go_to_search(self) -> None:
        if self._search is not None:
            self._search.setFocus()
            self._search.selectAll()

    def show_import(self, path: Path) -> None:
        """Show what a file or directory holds, ready to be imported."""
        self.desk.import_path(path)

    def take_files(self, paths: tuple[Path, ...]) -> None:
        """Look into files and directories that were dropped, and see where each goes."""
        if self.context.read_only is not None:
            self.operations.show_error(ReadOnlyLibrary(self.context.read_only))
            return
        self.documents_link.take(paths)

    def offer_first_steps(self, reset: Callable[[], None]) -> None:
        """The sample is open: show what to try, and tick it when it was done."""
        steps = self.steps = FirstSteps(self.context, self._lead)
        self.bar.insertWidget(self.bar.count() - 2, steps)
        steps.reset_wanted.connect(reset)
        self.context.actions.update(sample=True)

    def wait_for_work(self, seconds: float) -> None:
        """Wait, in a thread of the background, until work that was told to stop has let go of the library."""
        self.documents_link.worker.wait(seconds)

    def _on_dropped(self) -> None:
        if self.steps is not None:
            self.steps.tick(DROP)

    def _show_first_steps(self) -> None:
        if self.steps is not None:
            self.steps.bring_back()

    def _lead(self, step: str) -> None:
        """Go to where a first step is done."""
        self.show_page(MEMORIES)
        table = self.memories.table
        if step in (EDIT, WHY) and table.current_memory is None:
            table.selectRow(0)
        ways: dict[str, Callable[[], None]] = {
            DROP: self.context.actions.get("documents.add_files").trigger,
            EDIT: self.detail.edit,
            MERGE: lambda: self.upkeep_link.show_task("duplicates"),
            UNDO: self._undo_or_say,
            WHY: lambda: self._ask_why(table.current_memory),
        }
        ways[step]()

    def _undo_or_say(self) -> None:
        """Undo the newest change; where there is none, say so."""
        actions = self.context.actions
        if why := actions.why_disabled("edit.undo"):
            self.status.say(why)
        else:
            actions.get("edit.undo").trigger()

    def close_library(self) -> EngineApi:
        """Keep what is typed and arranged; gives back the engine, to be closed by whoever opened it."""
        self.detail.close_drafts()
        self.watch_link.close()
        self.graph_link.leave()
        for page in self._pages.values():
            save = getattr(page, "save_state", None)
            if save is not None:
                save()
        self.detail.drafts.close()  # what the pages kept last
        self.detail.drafts.deleteLater()
        self.documents_link.close()
        self.context.bridge.close()
        if self.completion is not None:
            self.completion.leave()
        if self._search is not None:
            self._search.searched.disconnect(self.memories.search)
            self._search.searched.disconnect(self._show_found)
            self._search.returnPressed.disconnect(self._show_found)
            self._search.left_down.disconnect(self.memories.table.setFocus)
            self.memories.words_set.disconnect(self._search.set_quietly)
        self.context.tasks.drop_below(self)
        return self._engine

    def _on_said(self, text: str, error: bool) -> None:
        if not error:
            self.status.say(text)
        self.said.emit(text, error)

    def _on_counts(self, counts: LibraryCounts) -> None:
        self.context.actions.update(trash=counts.trashed)

    def _on_waiting(self, count: int) -> None:
        """Nothing waits as long as search by meaning is switched off."""
        off = self.context.settings.text("embedder") == "none"
        self.status.show_waiting(0 if off else count)

    def _ask_conflict(self, preview: UndoPreview) -> None:
        dialog = UndoConflictDialog(self.context, preview, self.window())
        dialog.undo_rest.connect(lambda op: self.operations.undo_op(op, partly=True))
        dialog.show_memories.connect(self.memories.go_to)
        dialog.open()
