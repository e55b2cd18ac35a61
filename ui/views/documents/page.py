"""The page Documents: queue and questions above the list of documents, the chosen document beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QTabWidget, QToolButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.document import CutSettings, Cutting, DocumentRow, QueueRow
from core.domain.enums import Kind
from core.domain.ids import DocumentPk, MemoryPk
from core.domain.queries_documents import Documents
from core.domain.queries_drop import QueueView
from core.domain.results import Changes
from ui.context import Context
from ui.dialogs.cutting import CutAgainDialog, CutFileDialog
from ui.operations import Operations
from ui.queue_worker import queue_worker
from ui.tasks import Lane, single_shot
from ui.views.documents.document_list import DocumentList
from ui.views.documents.document_pane import ACTIONS, DocumentPane
from ui.views.documents.doing import DocumentDoing
from ui.views.documents.questions import QuestionsPanel
from ui.views.documents.queue_panel import QueuePanel

REFRESH_MS, WORKING_MS = 250, 1000
"""How soon the list is read again: seldom while the queue changes it file by file."""
SETTING_SPLITTER = "ui.documents_splitter"
ADDS = ("documents.add_files", "documents.add_folder", "documents.new_text", "library.watched")
QUEUE, QUESTIONS = range(2)
LEFT_PX, RIGHT_PX = 300, 280


class DocumentsPage(QWidget):
    """`open_memories(pks)`: show them in the list; `files_wanted(paths)`, `import_wanted(path)`: look into them;
    `memories_wanted(DocumentRow)`: list all pieces of a document; `came`: a text was taken in, show the page."""

    open_memories = Signal(tuple)
    memories_wanted = Signal(object)
    files_wanted = Signal(object)
    import_wanted = Signal(object)
    came = Signal()

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._stale, self._waiting, self._asked_open = True, 0, False
        self.worker = queue_worker(ctx)
        self.setProperty("surface", "base")
        self.doing = DocumentDoing(ctx, operations, self)
        self.list = DocumentList(ctx)
        self.pane = DocumentPane(ctx)
        self.queue = QueuePanel(ctx, self.worker)
        self.questions = QuestionsPanel(ctx, self.worker)
        self.upper = QTabWidget()
        self.upper.setDocumentMode(True)
        self.upper.addTab(self.queue, "")
        self.upper.addTab(self.questions, "")
        self._refresh_soon = single_shot(self, REFRESH_MS, self.refresh)
        self._lay_out()
        self._connect()
        self._say()
        self._on_view(self.worker.view)

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setProperty("role", "toolbar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(4)
        for name in ADDS:
            button = QToolButton()
            button.setDefaultAction(self._ctx.actions.get(name))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(self._ctx.theme.icon_size)
            row.addWidget(button)
        row.addStretch(1)
        self.list.search.setMaximumWidth(self._ctx.theme.px(240))
        row.addWidget(self.list.search, 1)
        self.left = QSplitter(Qt.Orientation.Vertical)
        self.left.setChildrenCollapsible(False)
        self.left.addWidget(self.upper)
        self.left.addWidget(self.list)
        self.left.setStretchFactor(0, 2)
        self.left.setStretchFactor(1, 3)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        for widget, least in ((self.left, LEFT_PX), (self.pane, RIGHT_PX)):
            widget.setMinimumWidth(least)
            self.splitter.addWidget(widget)
        saved = str(self._ctx.settings.get(SETTING_SPLITTER))
        if not (saved and self.splitter.restoreState(QByteArray.fromBase64(saved.encode("ascii")))):
            self.splitter.setSizes([self._ctx.theme.px(600), self._ctx.theme.px(540)])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.splitter, 1)

    def _connect(self) -> None:
        ctx = self._ctx
        self.list.current.connect(self._on_current)
        self.list.key.connect(lambda name: ctx.actions.get(f"documents.{name}").trigger())
        self.list.menu_wanted.connect(self._menu)
        self.pane.open_memory.connect(lambda pk: self.open_memories.emit((MemoryPk(pk),)))
        self.queue.cut_wanted.connect(self._cut_file)
        self.queue.opened.connect(lambda pk: self.go_to(DocumentPk(pk)))
        self.questions.look_wanted.connect(self.import_wanted)
        self.questions.changed.connect(self._on_questions)
        self.worker.viewed.connect(self._on_view)
        self.worker.failed.connect(self._operations.show_error)
        ctx.bridge.changes.connect(self._on_changes)
        ctx.bridge.waiting.connect(self._on_waiting)
        ctx.tr.changed.connect(self._say)
        doing = self.doing
        for name, does in (
            ("memories", self._show_memories),
            ("cut", self._cut_again),
            ("open_source", lambda: doing.open_source(self.pane.document, self.pane.piece)),
            ("export", lambda: doing.export(self.list.selected())),
            ("rename", lambda: doing.rename(self.list.document)),
            ("delete", lambda: doing.delete(self.list.selected())),
        ):
            ctx.actions.on(f"documents.{name}", does)
        ctx.actions.on("documents.add_files", lambda: self._add(doing.choose_files()))
        ctx.actions.on("documents.add_folder", lambda: self._add(doing.choose_folder()))
        ctx.actions.on("documents.new_text", lambda: doing.new_text(self._show_new))

    # --- what is listed ---

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.worker.look()
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the list of documents again."""
        self._stale = False
        if not self.worker.working:
            self.worker.look()  # another program may have put files in
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[DocumentRow, ...]:
            return engine.ask(Documents(), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="documents", failed=self._fail)

    def go_to(self, document: DocumentPk) -> None:
        """Show a document, also one that the list does not hold yet."""
        self.list.go_to(document)
        self.refresh()

    def _show_new(self, document: DocumentPk) -> None:
        self.came.emit()
        self.go_to(document)

    def _show(self, rows: tuple[DocumentRow, ...]) -> None:
        """Nothing waits for the index as long as search by meaning is switched off."""
        if self._ctx.settings.text("embedder") == "none":
            rows = tuple(replace(row, waiting=0) for row in rows)
        self.list.show_documents(rows)
        self.queue.show_documents(rows)

    def _fail(self, error: Exception) -> None:
        tr, stack = self._ctx.tr, self.list.stack
        if self.list.model.total:
            stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self.refresh)
        else:
            stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    def _on_changes(self, changes: Changes) -> None:
        if Kind.DOCUMENT in changes.touched or Kind.FOLDER in changes.touched or changes.memories:
            self._later()

    def _on_waiting(self, count: int) -> None:
        """Pieces found their place in the index: the rows say how far it is."""
        if count != self._waiting:
            self._waiting = count
            self._later()

    def _later(self) -> None:
        self._stale = True
        if self.isVisible() and not self._refresh_soon.isActive():
            self._refresh_soon.start(WORKING_MS if self.worker.working else REFRESH_MS)

    def _on_view(self, view: QueueView) -> None:
        self.upper.setVisible(not self.queue.is_empty)

    def _on_questions(self, count: int) -> None:
        self._say()
        if count and not self._asked_open:
            self.upper.setCurrentIndex(QUESTIONS)
        elif not count:
            self.upper.setCurrentIndex(QUEUE)
        self._asked_open = bool(count)

    def _say(self) -> None:
        tr, count = self._ctx.tr, self.questions.count
        self.upper.setTabText(QUEUE, tr("queue.title"))
        self.upper.setTabText(QUESTIONS, tr("questions.title", count=count))
        self.upper.setTabVisible(QUESTIONS, bool(count))

    # --- what is done ---

    def _on_current(self, row: DocumentRow | None) -> None:
        self.pane.show_document(row)
        self._ctx.actions.update(document=row is not None)

    def _menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addActions([self._ctx.actions.get(name) for name in ACTIONS])
        menu.popup(place)

    def _add(self, paths: tuple[Path, ...]) -> None:
        if paths:
            self.files_wanted.emit(paths)

    def _show_memories(self) -> None:
        if self.list.document is not None:
            self.memories_wanted.emit(self.list.document)

    def _cut_again(self) -> None:
        row = self.list.document
        if row is not None:
            settings = CutSettings(cutting=_cutting_of(row))
            CutAgainDialog(self._ctx, row.pk, row.title, settings, self.window()).open()

    def _cut_file(self, row: QueueRow) -> None:
        CutFileDialog(self._ctx, row, self.window(), self.worker.look).open()

    def save_state(self) -> None:
        """Keep what a person arranged."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._ctx.settings.set(SETTING_SPLITTER, state)


def _cutting_of(row: DocumentRow) -> Cutting:
    kept = row.details.get("cutting")
    return Cutting(kept) if isinstance(kept, str) and kept in set(Cutting) else Cutting.DEFAULT
