"""What the actions on memories and folders do: run the command, or ask for what it needs first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import (
    ArchiveMemories,
    Command,
    RestoreMemories,
    SetImportance,
    SetLayer,
    SetLocked,
    SetType,
    TrashMemories,
    UntrashMemories,
)
from core.domain.commands_floors import MarkLookedAt
from core.domain.commands_folders import DeleteFolder, RenameFolder
from core.domain.enums import Layer
from core.domain.folder import SEPARATOR
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import LibrarySchema, Memories, MemoryRows
from core.domain.results import MemoryRow, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.bulk import TagsDialog, VisibilityDialog
from ui.dialogs.export_subjects import FolderSubject, LibrarySubject, SelectionSubject
from ui.dialogs.exporting import ExportDialog
from ui.dialogs.folders import AlsoReadsDialog, MergeFolderDialog
from ui.dialogs.importing import ImportDialog
from ui.dialogs.move import MoveDialog
from ui.dialogs.replace import ReplaceDialog
from ui.dialogs.select_related import SelectRelatedDialog
from ui.dialogs.source_changes import SourceChangesDialog
from ui.dialogs.write_back import WriteBackDialog
from ui.models.copying import as_json, as_markdown, as_tsv
from ui.models.table_columns import COLUMNS, Words
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.tasks import Lane
from ui.views.detail import DetailPane
from ui.views.erase import EraseDialog
from ui.views.keys import KeysDialog
from ui.views.memories_page import MemoriesPage
from ui.views.new_folder import NewFolderDialog
from ui.widgets.plain_text import copy_text

SETTING_SUBFOLDERS = "ui.with_subfolders"
IMPORTANCES = range(10, -1, -1)
Pks = tuple[MemoryPk, ...]


class Source(Protocol):
    """Another page than the list whose selection the actions are about."""

    def selected(self) -> Pks:
        """The selected memories."""

    def current(self) -> MemoryPk | None:
        """The one selected last."""

    def select_all(self) -> None:
        """Select all that is shown."""

    def go_to(self, pks: Pks) -> None:
        """Select these memories and look at them."""

    def select(self, pks: Pks) -> None:
        """Select these memories."""

    def shows(self, pk: MemoryPk) -> bool:
        """Whether a memory is there to be selected."""

    def show_new(self, pk: MemoryPk) -> None:
        """A memory was made while this page was shown."""

    def folder(self) -> FolderPk | None:
        """The folder that is shown."""


class Desk(QObject):
    """Connects the table of actions with one open library.

    `folder_wanted(folder, only floors)`: what was imported is to be looked at. `list_wanted`: the list, or
    another page with memories to select, must be in sight for what comes. `op_wanted(op)`: show a change in History.
    """

    op_wanted = Signal(int)
    folder_wanted = Signal(int, bool)
    list_wanted = Signal()

    def __init__(
        self,
        context: Context,
        operations: Operations,
        page: MemoriesPage,
        detail: DetailPane,
        paths: PathChoice,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._page, self._detail, self._paths, self._window = page, detail, paths, parent
        self._schema = Schema((), ())
        self.source: Source | None = None
        """Where the selection is, when it is not in the list."""
        self._connect_detail()
        self._connect_commands()
        self._connect_menus()
        self._connect_copying()
        self._connect_view()
        self._connect_dialogs()
        self._connect_folders()

    # --- which action does what ---

    def _connect_detail(self) -> None:
        page, detail = self._page, self._detail
        page.current.connect(lambda _pk: self.show_selected())
        page.table.picked.connect(lambda _count: self.show_selected())
        page.opened.connect(lambda _pk: detail.edit())
        detail.open_memory.connect(lambda pk: self._go_to(MemoryPk(pk)))
        detail.created.connect(lambda pk: self._show_new(MemoryPk(pk)))
        detail.tag_clicked.connect(lambda tag: page.facets.toggle("tag", tag))
        self._context.actions.on("memory.new", self._new_memory)

    def _new_memory(self) -> None:
        if self.source is None:
            self.list_wanted.emit()
        self._detail.new_memory(self.folder)

    # --- what they are about ---

    def selected(self) -> Pks:
        """The memories that actions are about: those selected on the page that is shown."""
        return self._page.selected() if self.source is None else self.source.selected()

    @property
    def current(self) -> MemoryPk | None:
        """The memory that was selected last."""
        return self._page.table.current_memory if self.source is None else self.source.current()

    @property
    def folder(self) -> FolderPk | None:
        """The folder that is shown."""
        return self._page.folder if self.source is None else self.source.folder()

    def _go_to(self, pk: MemoryPk) -> None:
        (self._page if self.source is None else self.source).go_to((pk,))

    def _show_new(self, pk: MemoryPk) -> None:
        if self.source is None:
            self._page.go_to((pk,))
        else:
            self.source.show_new(pk)

    def _select_all(self) -> None:
        (self._page if self.source is None else self.source).select_all()

    def show_selected(self) -> None:
        """Show in the detail pane what is selected in the list."""
        if self.source is not None:
            return
        count = self._page.table.picked_count
        if count > 1:
            self._detail.show_many(count)
        else:
            self._detail.show_memory(self._page.table.current_memory)

    def _connect_commands(self) -> None:
        commands: dict[str, Callable[[Pks], Command]] = {
            "memory.lock": lambda pks: SetLocked(memories=pks, locked=True),
            "memory.unlock": lambda pks: SetLocked(memories=pks, locked=False),
            "memory.archive": lambda pks: ArchiveMemories(memories=pks),
            "memory.restore": lambda pks: RestoreMemories(memories=pks),
            "memory.trash": lambda pks: TrashMemories(memories=pks),
            "memory.untrash": lambda pks: UntrashMemories(memories=pks),
            "memory.looked_at": lambda pks: MarkLookedAt(memories=pks),
        }
        for name, make in commands.items():
            self._context.actions.on(name, partial(self._run, make))
        self._context.actions.on("folder.rename", self._rename_folder)
        self._page.tree.renamed.connect(
            lambda folder, name: self._operations.run(RenameFolder(FolderPk(folder), name))
        )

    def _run(self, make: Callable[[Pks], Command]) -> None:
        pks = self.selected()
        if pks:
            self._operations.run(make(pks))

    def _rename_folder(self) -> None:
        folder = self._page.folder
        if folder is not None:
            self._page.tree.rename(folder)

    # --- choices as sub-menus ---

    def _connect_menus(self) -> None:
        fills: dict[str, Callable[[QMenu], None]] = {
            "memory.type": self._fill_types,
            "memory.layer": self._fill_layers,
            "memory.importance": self._fill_importances,
        }
        for name, fill in fills.items():
            action = self._context.actions.on(name, lambda: None)
            menu = QMenu(self._window)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(partial(_refill, menu, fill))
            action.setMenu(menu)
        self._context.bridge.counted.connect(lambda _counts: self._ask_schema())
        self._ask_schema()

    def _ask_schema(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> Schema:
            return engine.ask(LibrarySchema(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take_schema, owner=self, query="schema")

    def _take_schema(self, schema: Schema) -> None:
        self._schema = schema
        self._context.theme.set_schema(schema)

    def _fill_types(self, menu: QMenu) -> None:
        tr, theme = self._context.tr, self._context.theme
        for kind in self._schema.types:
            entry = menu.addAction(theme.type_icon(kind.id), theme.type_label(kind.id, tr.code))
            self._entry_runs(entry, partial(_set_type, kind.id))

    def _fill_layers(self, menu: QMenu) -> None:
        for layer in Layer:
            entry = menu.addAction(self._context.tr(f"layer.{layer.value}"))
            entry.setToolTip(self._context.tr(f"layer.{layer.value}.tip"))
            self._entry_runs(entry, partial(_set_layer, layer))

    def _fill_importances(self, menu: QMenu) -> None:
        for value in IMPORTANCES:
            entry = menu.addAction(self._context.tr.number(value))
            self._entry_runs(entry, partial(_set_importance, float(value)))

    def _entry_runs(self, entry: QAction, make: Callable[[Pks], Command]) -> None:
        entry.triggered.connect(lambda: self._run(make))

    # --- copying ---

    def _connect_copying(self) -> None:
        actions = self._context.actions
        actions.on("edit.select_all", self._select_all)
        actions.on("edit.copy_table", lambda: self._copy_rows(markdown=False))
        actions.on("edit.copy_markdown", lambda: self._copy_rows(markdown=True))
        actions.on("edit.copy_json", self._copy_json)

    def _copy_rows(self, *, markdown: bool) -> None:
        pks, engine = self.selected(), self._context.engine
        columns = [COLUMNS[index] for index in self._page.table.visible_columns()]
        words = Words(self._context.tr, self._context.theme)

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryRow, ...]:
            return engine.ask(MemoryRows(pks), cancel=cancel)

        def put(rows: tuple[MemoryRow, ...]) -> None:
            cells = [[column.copied(row, words) for column in columns] for row in rows]
            head = [self._context.tr(column.text_key) for column in columns]
            self._put(as_markdown(head, cells) if markdown else as_tsv(cells), len(rows))

        self._context.tasks.run(Lane.READ, ask, put, owner=self, query="copy", label="task.copy")

    def _copy_json(self) -> None:
        pks, engine = self.selected(), self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> str:
            return as_json(engine.ask(Memories(pks), cancel=cancel))

        self._context.tasks.run(
            Lane.READ,
            ask,
            lambda text: self._put(text, len(pks)),
            owner=self,
            query="copy",
            label="task.copy",
        )

    def _put(self, text: str, count: int) -> None:
        copy_text(text)
        self._operations.said.emit(self._context.tr("copied", count=count), False)

    # --- the view ---

    def _connect_view(self) -> None:
        actions, settings = self._context.actions, self._context.settings
        subfolders = actions.on("view.subfolders", self._toggle_subfolders)
        subfolders.setChecked(bool(settings.get(SETTING_SUBFOLDERS)))
        actions.on("view.clear_filters", self._page.clear_filters)

    def _toggle_subfolders(self) -> None:
        on = self._context.actions.get("view.subfolders").isChecked()
        self._context.settings.set(SETTING_SUBFOLDERS, on)
        self._page.show_list()

    # --- dialogs ---

    def _connect_dialogs(self) -> None:
        actions = self._context.actions
        dialogs: dict[str, Callable[[Pks], QDialog]] = {
            "memory.move": lambda pks: MoveDialog(self._context, pks, self._top),
            "memory.copy": lambda pks: MoveDialog(self._context, pks, self._top, copy=True),
            "memory.tags": lambda pks: TagsDialog(self._context, pks, self._top),
            "memory.visibility": lambda pks: VisibilityDialog(self._context, pks, self._top),
            "memory.replace": lambda pks: ReplaceDialog(self._context, pks, self._top),
            "memory.export": lambda pks: ExportDialog(self._context, SelectionSubject(pks), self._top),
            "memory.delete": lambda pks: EraseDialog(self._context, pks, self._top),
        }
        for name, make in dialogs.items():
            actions.on(name, partial(self._ask, make))
        actions.on("memory.select_related", self._select_related)
        actions.on("trash.empty", lambda: EraseDialog(self._context, None, self._top).open())
        actions.on("library.import", lambda: self._import(self._paths.file))
        actions.on("library.import_directory", lambda: self._import(self._paths.directory))
        actions.on(
            "library.export_all", lambda: ExportDialog(self._context, LibrarySubject(), self._top).open()
        )
        actions.on("help.keys", lambda: KeysDialog(self._context, self._top).open())

    @property
    def _top(self) -> QWidget:
        return self._window.window()

    def _ask(self, make: Callable[[Pks], QDialog]) -> None:
        pks = self.selected()
        if pks:
            make(pks).open()

    def _select_related(self) -> None:
        """Add what is related to the selection, chosen in a dialog."""
        pks, source, page = self.selected(), self.source, self._page
        if not pks:
            return
        shown = page.lists if source is None else source.shows
        add = page.go_to if source is None else source.select
        dialog = SelectRelatedDialog(self._context, pks, shown, self._top)
        dialog.chosen.connect(lambda found: add((*pks, *found)))
        dialog.open()

    def _import(self, choose: Callable[[QWidget, str, Path], Path | None]) -> None:
        path = choose(self._top, self._context.tr("chooser.import.title"), Path.home())
        if path is not None:
            self.import_path(path)

    def import_path(self, path: Path) -> None:
        """Show what a file or directory holds, ready to be imported."""
        dialog = ImportDialog(self._context, path, self._top)
        dialog.show_folder.connect(self.folder_wanted)
        dialog.open()

    # --- folders ---

    def _connect_folders(self) -> None:
        actions = self._context.actions
        dialogs: dict[str, Callable[[FolderPk], QDialog]] = {
            "folder.merge": lambda folder: MergeFolderDialog(self._context, folder, self._top),
            "folder.also_reads": lambda folder: AlsoReadsDialog(self._context, folder, self._top),
            "library.export": lambda folder: ExportDialog(self._context, FolderSubject(folder), self._top),
        }
        for name, make in dialogs.items():
            actions.on(name, partial(self._ask_folder, make))
        actions.on("folder.new", self._new_folder)
        self._page.source.write_wanted.connect(self._write_back)
        self._page.source.changes_wanted.connect(self._show_changes)
        actions.on("folder.delete", self._delete_folder)

    def _write_back(self, folder: int) -> None:
        WriteBackDialog(self._context, FolderPk(folder), self._top).open()

    def _show_changes(self, folder: int) -> None:
        """What was changed in a folder since its file was taken in."""
        dialog = SourceChangesDialog(self._context, FolderPk(folder), self._top)
        dialog.open_memory.connect(lambda pk: self._page.go_to((MemoryPk(pk),)))
        dialog.open_op.connect(self.op_wanted)
        dialog.write_wanted.connect(self._write_back)
        dialog.open()

    def _ask_folder(self, make: Callable[[FolderPk], QDialog]) -> None:
        folder = self._page.folder
        if folder is not None:
            make(folder).open()

    def _new_folder(self) -> None:
        around = self._page.tree.folder_name(self._page.folder)
        dialog = NewFolderDialog(self._context, f"{around}{SEPARATOR}" if around else "", self._top)
        dialog.on_done(self._show_new_folder)
        dialog.open()

    def _show_new_folder(self, result: OpResult) -> None:
        if result.created_folder is not None:
            self._page.show_folder(result.created_folder)

    def _delete_folder(self) -> None:
        folder = self._page.folder
        if folder is not None:
            self._operations.run(DeleteFolder(folder))


def _refill(menu: QMenu, fill: Callable[[QMenu], None]) -> None:
    menu.clear()
    fill(menu)


def _set_type(kind: TypeId, pks: Pks) -> Command:
    return SetType(memories=pks, type=kind)


def _set_layer(layer: Layer, pks: Pks) -> Command:
    return SetLayer(memories=pks, layer=layer)


def _set_importance(importance: float, pks: Pks) -> Command:
    return SetImportance(memories=pks, importance=importance)
