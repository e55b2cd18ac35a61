"""The detail pane: one memory to read, edit, relate and look back on; or what many have in common."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.enums import Kind, Layer
from core.domain.errors import NotFound
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import Folders, LibrarySchema, MemoryDetailOf
from core.domain.results import Changes, MemoryDetail
from core.domain.schema import Schema
from ui.context import Context
from ui.drafts import drafts_of
from ui.read_only import why_not
from ui.tasks import Lane
from ui.views.editor import Editor
from ui.views.merge.merged_strip import MergedStrip
from ui.views.novelty_strip import NoveltyStrip
from ui.views.old_texts_strip import OldTextsStrip
from ui.views.reading import ReadingView
from ui.views.recall_history import RecallHistory
from ui.views.relations import RelationsView
from ui.views.versions import VersionsView
from ui.widgets.state_stack import StateStack

READ, EDIT, RELATIONS, HISTORY, RECALL = range(5)


@dataclass(frozen=True, slots=True)
class _Loaded:
    detail: MemoryDetail
    schema: Schema


class DetailPane(QWidget):
    """Shows what is selected. Switching away keeps typed text as a draft (`drafts`)."""

    open_memory = Signal(int)
    """Another memory is to be shown (a relation was followed)."""
    created = Signal(int)
    """A new memory was saved."""
    tag_clicked = Signal(str)
    recall_wanted = Signal(int)
    """A memory's text is to be the message of a recall."""
    why_wanted = Signal(int)
    """It is to be said why a memory is not recalled."""
    unmerge_wanted = Signal(object)
    """Merged memories are to be taken out again."""
    built = Signal()
    """Its views were made, or made anew in another language."""
    filled = Signal(bool)
    """Whether there is something to read or to write."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._pk: MemoryPk | None = None
        self._loaded: _Loaded | None = None
        self._many = 0
        self._edit_next = False
        self.drafts = drafts_of(ctx)
        self.drafts.load()
        self._build()
        ctx.bridge.changes.connect(self._on_changes)
        ctx.theme.changed.connect(self._repaint)
        ctx.tr.changed.connect(self._rebuild)
        ctx.actions.on("memory.edit", self.edit)
        ctx.actions.on("memory.save", self.save)
        ctx.actions.on("memory.discard", self._revert)
        self.show_nothing()

    def _build(self) -> None:
        self.reading = ReadingView(self._ctx)
        self.reading.tag_clicked.connect(self.tag_clicked)
        self.editor = Editor(self._ctx, self.drafts)
        self.editor.dirty_changed.connect(self._on_dirty)
        self.editor.saved.connect(self._on_saved)
        self.editor.reload_wanted.connect(self._load)
        self.relations = RelationsView(self._ctx)
        self.relations.open_memory.connect(self.open_memory)
        self.versions = VersionsView(self._ctx)
        self.recalls = RecallHistory(self._ctx)
        self.recalls.recall_wanted.connect(self.recall_wanted)
        self.recalls.why_wanted.connect(self.why_wanted)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        tr = self._ctx.tr
        for view, name in (
            (self.reading, "read"),
            (self.editor, "edit"),
            (self.relations, "relations"),
            (self.versions, "history"),
            (self.recalls, "recall"),
        ):
            self.tabs.addTab(view, tr(f"detail.tab.{name}"))
        if self._ctx.read_only is not None:
            self.tabs.setTabEnabled(EDIT, False)
            self.tabs.setTabToolTip(EDIT, why_not(tr, self._ctx.read_only))
        self.tabs.currentChanged.connect(self._on_tab)
        self.merged = MergedStrip(self._ctx)
        self.merged.open_memory.connect(self.open_memory)
        self.merged.unmerge_wanted.connect(self.unmerge_wanted)
        self.novelty = NoveltyStrip(self._ctx)
        self.novelty.open_memory.connect(self.open_memory)
        self.old_texts = OldTextsStrip(self._ctx)
        self.built.emit()
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        inside.addWidget(self.merged)
        inside.addWidget(self.novelty)
        inside.addWidget(self.old_texts)
        inside.addWidget(self.tabs, 1)
        self.stack = StateStack(content)
        if self.layout() is None:
            column = QVBoxLayout(self)
            column.setContentsMargins(0, 0, 0, 0)
        layout = self.layout()
        if layout is not None:
            layout.addWidget(self.stack)
        self.setMinimumWidth(self._ctx.theme.px(300))

    # --- what is shown ---

    @property
    def memory(self) -> MemoryPk | None:
        """The memory that is shown."""
        return self._pk

    @property
    def folder(self) -> FolderPk | None:
        """The folder of the memory that is shown."""
        return None if self._loaded is None else self._loaded.detail.memory.folder

    def show_memory(self, pk: MemoryPk | None) -> None:
        """Show a memory; None = nothing is selected."""
        if pk is None:
            self.show_nothing()
            return
        self._many = 0
        if pk == self._pk and self._loaded is not None:
            return
        self.editor.keep_draft()
        self._pk = pk
        self._loaded, self._edit_next = None, False
        self._load()

    def show_many(self, count: int) -> None:
        """Say that so many memories are selected."""
        self._leave()
        self._many = count
        self.stack.show_notice(self._ctx.tr("detail.many", count=count))

    def show_nothing(self) -> None:
        """Say that nothing is selected."""
        self._leave()
        self.stack.show_notice(self._ctx.tr("detail.none"))

    def edit(self) -> None:
        """Go to the form, with the cursor in its first field; as soon as the memory is there."""
        if self._ctx.read_only is not None:
            return
        self._edit_next = self._loaded is None and self._pk is not None
        if self._loaded is not None and self._loaded.detail.memory.deleted_at is None:
            self.tabs.setCurrentIndex(EDIT)
            self.editor.form.focus_first()

    def new_memory(self, folder: FolderPk | None, type_id: str = "", layer: Layer = Layer.MEMORY) -> None:
        """Begin a new memory in a folder (None = the first one)."""
        if self._ctx.read_only is not None:
            return
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[Schema, list[Folder]]:
            nodes = engine.ask(Folders(), cancel=cancel)
            return engine.ask(LibrarySchema(), cancel=cancel), [node.folder for node in nodes]

        def show(found: tuple[Schema, list[Folder]]) -> None:
            schema, folders = found
            place = next((item for item in folders if item.pk == folder), None) or next(iter(folders), None)
            if place is not None and schema.types:
                known = schema.type(type_id)
                self._show_new(place, schema, known.id if known else schema.types[0].id, layer)

        self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="detail", failed=self._fail)

    def save(self) -> None:
        """Save what is typed, from wherever in the window."""
        self.editor.save()
        if self.editor.dirty:
            self.tabs.setCurrentIndex(EDIT)

    def close_drafts(self) -> None:
        """Before the window closes: put typed text into the library."""
        self.editor.keep_draft()
        self.drafts.close()

    # --- inside ---

    def _leave(self) -> None:
        self.editor.forget()
        self._pk, self._loaded, self._many, self._edit_next = None, None, 0, False
        self._ctx.tasks.drop(self, "detail")
        self._tell()

    def _load(self) -> None:
        pk, engine = self._pk, self._ctx.engine
        if pk is None:
            return
        self.stack.show_loading(self._ctx.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Loaded:
            detail = engine.ask(MemoryDetailOf(pk), cancel=cancel)
            return _Loaded(detail, engine.ask(LibrarySchema(), cancel=cancel))

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="detail", failed=self._fail)

    def _show(self, loaded: _Loaded) -> None:
        if loaded.detail.memory.pk != self._pk:
            return
        self._loaded = loaded
        detail, schema = loaded.detail, loaded.schema
        self.merged.show_memory(detail.memory.pk)
        self.novelty.show_memory(detail.memory.pk)
        self.old_texts.show_memory(detail.memory.pk)
        self.reading.show_memory(detail, schema)
        self.editor.show_memory(detail, schema)
        self.relations.show_memory(detail, schema)
        count = len(detail.edges)
        name = self._ctx.tr("detail.tab.relations")
        self.tabs.setTabText(RELATIONS, f"{name} {count}" if count else name)
        trashed = detail.memory.deleted_at is not None
        for tab in (READ, EDIT, RELATIONS, HISTORY, RECALL):
            self.tabs.setTabEnabled(tab, not (tab == EDIT and (trashed or self._ctx.read_only is not None)))
        if self.tabs.currentIndex() == HISTORY:
            self.versions.show_memory(detail, schema)
        elif self.tabs.currentIndex() == RECALL:
            self.recalls.show_memory(detail.memory)
        elif self.tabs.currentIndex() == EDIT:
            self.editor.load_tag_suggestions()
        self.stack.show_content()
        self._tell()
        if self._edit_next:
            self.edit()

    def _show_new(self, folder: Folder, schema: Schema, type_id: TypeId, layer: Layer) -> None:
        self._pk, self._loaded, self._many = None, None, 0
        self.merged.show_memory(None)
        self.novelty.show_memory(None)
        self.old_texts.show_memory(None)
        self.editor.show_new(folder, schema, type_id, layer.value)
        for tab in (READ, RELATIONS, HISTORY, RECALL):
            self.tabs.setTabEnabled(tab, False)
        self.tabs.setTabEnabled(EDIT, True)
        self.tabs.setCurrentIndex(EDIT)
        self.editor.load_tag_suggestions()
        self.stack.show_content()
        self.editor.form.focus_first()
        self._tell()

    def _fail(self, error: Exception) -> None:
        tr = self._ctx.tr
        if isinstance(error, NotFound):
            self.editor.forget()
            self.stack.show_notice(tr("detail.gone"))
        elif self._loaded is not None:
            self.stack.show_stale(tr("state.stale", reason=tr.error(error)), tr("state.again"), self._load)
        else:
            self.stack.show_notice(tr.error(error), tr("state.again"), self._load)

    def _on_tab(self, tab: int) -> None:
        loaded = self._loaded
        if loaded is not None and tab == HISTORY:
            self.versions.show_memory(loaded.detail, loaded.schema)
        elif loaded is not None and tab == RECALL:
            self.recalls.show_memory(loaded.detail.memory)
        elif tab == EDIT:
            self.editor.load_tag_suggestions()
        self._tell()

    def _on_changes(self, changes: Changes) -> None:
        kinds = changes.touched.keys()
        mine = self._pk is not None and self._pk in changes.memories
        if mine or (
            self._pk is not None and {Kind.MEMORY_TYPE, Kind.RELATION_TYPE, Kind.FOLDER} & set(kinds)
        ):
            self._load()

    def _on_dirty(self, dirty: bool) -> None:
        name = self._ctx.tr("detail.tab.edit")
        self.tabs.setTabText(EDIT, f"{name} •" if dirty else name)
        self.tabs.setTabToolTip(EDIT, self._ctx.tr("edit.unsaved") if dirty else "")
        self._tell()

    def _on_saved(self, pk: int) -> None:
        if self._pk is None and not self.editor.is_new:
            self.show_memory(MemoryPk(pk))
            self.tabs.setCurrentIndex(READ)
            if self.editor.judged is not None:
                self.novelty.show_report(MemoryPk(pk), *self.editor.judged)
                self.editor.judged = None
            self.created.emit(pk)

    def _revert(self) -> None:
        self.editor.revert()

    def _tell(self) -> None:
        editing = self.tabs.currentIndex() == EDIT and (self._pk is not None or self.editor.is_new)
        self._ctx.actions.update(editing=editing, unsaved=self.editor.dirty)
        self.filled.emit(self._pk is not None or self.editor.is_new)

    def _repaint(self) -> None:
        if self._loaded is not None:
            self.reading.show_memory(self._loaded.detail, self._loaded.schema)
            self.relations.show_memory(self._loaded.detail, self._loaded.schema)

    def _rebuild(self) -> None:
        """All texts in the other language: the views are made anew, typed text comes back as a draft."""
        self.editor.keep_draft()
        tab, old = self.tabs.currentIndex(), self.stack
        self._build()
        old.hide()
        old.deleteLater()
        self._loaded = None
        self.tabs.setCurrentIndex(tab)
        if self._pk is not None:
            self._load()
        elif self._many:
            self.stack.show_notice(self._ctx.tr("detail.many", count=self._many))
        else:
            self.show_nothing()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.tabs.currentIndex() == EDIT and self._loaded is not None:
            self.tabs.setCurrentIndex(READ)
            self.tabs.setFocus()
            return
        super().keyPressEvent(event)
