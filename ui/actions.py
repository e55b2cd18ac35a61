"""The table of actions: every menu, toolbar and context-menu entry comes from here.

An action has a text, a tooltip, a shortcut or the reason why it has none, and a need: what must be
so for it to be enabled, with the words for when it is not. An action without a handler is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from ui.language import Language
from ui.theme import Theme
from ui.widgets.search_field import SearchField


@dataclass(frozen=True, slots=True)
class Situation:
    """What the window shows now, as far as actions depend on it."""

    library: bool = False
    listing: bool = True
    """Whether a page is shown on which memories and folders are selected."""
    rows: int = 0
    selected: int = 0
    in_trash: bool = False
    trash: int = 0
    undo: str = ""
    redo: str = ""
    undo_label: str = ""
    redo_label: str = ""
    folder: bool = False
    searching: bool = False
    saved: bool = False
    editing: bool = False
    recall: bool = False
    graph: bool = False
    document: bool = False
    sample: bool = False
    unsaved: bool = False
    read_only: str = ""
    """Why nothing can be written (core.domain.access.ReadOnly)."""


class Need(StrEnum):
    """What must be so for an action to be enabled; `why.<need>` is said when it is not."""

    NOTHING = "nothing"
    LIBRARY = "library"
    LISTING = "listing"
    ROWS = "rows"
    SELECTION = "selection"
    ONE = "one"
    OUTSIDE_TRASH = "outside_trash"
    INSIDE_TRASH = "inside_trash"
    ONE_OUTSIDE = "one_outside"
    SEVERAL_OUTSIDE = "several_outside"
    TRASH_FULL = "trash_full"
    UNDO = "undo"
    REDO = "redo"
    FOLDER = "folder"
    SEARCHING = "searching"
    SAVED = "saved"
    UNSAVED = "unsaved"
    EDITING = "editing"
    RECALL = "recall"
    SAMPLE = "sample"
    DOCUMENT = "document"
    GRAPH = "graph"
    GRAPH_PICKED = "graph_picked"
    GRAPH_ONE = "graph_one"
    GRAPH_TWO = "graph_two"


NEEDS: dict[Need, Callable[[Situation], bool]] = {
    Need.NOTHING: lambda _: True,
    Need.LIBRARY: lambda now: now.library,
    Need.LISTING: lambda now: now.library,
    Need.ROWS: lambda now: now.rows > 0,
    Need.SELECTION: lambda now: now.selected > 0,
    Need.ONE: lambda now: now.selected == 1,
    Need.OUTSIDE_TRASH: lambda now: now.selected > 0 and not now.in_trash,
    Need.INSIDE_TRASH: lambda now: now.selected > 0 and now.in_trash,
    Need.SEVERAL_OUTSIDE: lambda now: now.selected > 1 and not now.in_trash,
    Need.ONE_OUTSIDE: lambda now: now.selected == 1 and not now.in_trash,
    Need.TRASH_FULL: lambda now: now.trash > 0,
    Need.UNDO: lambda now: bool(now.undo),
    Need.REDO: lambda now: bool(now.redo),
    Need.FOLDER: lambda now: now.folder,
    Need.SEARCHING: lambda now: now.searching,
    Need.SAVED: lambda now: now.saved,
    Need.UNSAVED: lambda now: now.unsaved,
    Need.EDITING: lambda now: now.editing,
    Need.RECALL: lambda now: now.recall,
    Need.SAMPLE: lambda now: now.sample,
    Need.DOCUMENT: lambda now: now.document,
    Need.GRAPH: lambda now: now.graph,
    Need.GRAPH_PICKED: lambda now: now.graph and now.selected > 0,
    Need.GRAPH_ONE: lambda now: now.graph and now.selected == 1,
    Need.GRAPH_TWO: lambda now: now.graph and now.selected == 2,
}


OF_THE_LIST = frozenset(
    {
        Need.LISTING,
        Need.ROWS,
        Need.SELECTION,
        Need.ONE,
        Need.OUTSIDE_TRASH,
        Need.INSIDE_TRASH,
        Need.SEVERAL_OUTSIDE,
        Need.ONE_OUTSIDE,
        Need.FOLDER,
    }
)
"""These must also be in sight: nothing is done to a selection on a page that is not shown."""


class Reach(StrEnum):
    """Where a shortcut works: in the whole window, or only with a list (never a text field) in focus.

    In a text field Ctrl+Z, Ctrl+C and their like are the field's own: it takes these keys first.
    """

    WINDOW = "window"
    LIST = "list"
    FOLDERS = "folders"
    GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class Action:
    """One row of the table. The texts are `action.<id>`, `action.<id>.tip` and, for narrow
    places, `action.<id>.short`.

    `no_shortcut`: reason key (`no_shortcut.*`) when there is no shortcut. `writes`: not where the library is
    only read.
    """

    id: str
    icon: str = ""
    shortcut: str = ""
    no_shortcut: str = ""
    need: Need = Need.LIBRARY
    reach: Reach = Reach.WINDOW
    checkable: bool = False
    writes: bool = False


RARE = "no_shortcut.rare"
MENU = "no_shortcut.by_menu"
DANGER = "no_shortcut.danger"

TABLE: tuple[Action, ...] = (
    # library
    Action("library.open", "mdi6.folder-open-outline", "Ctrl+O", need=Need.NOTHING),
    Action("library.open_read_only", "mdi6.eye-outline", no_shortcut=RARE, need=Need.NOTHING),
    Action("library.new", "mdi6.plus-box-outline", no_shortcut=RARE, need=Need.NOTHING),
    Action("library.sample", "mdi6.flask-outline", no_shortcut=RARE, need=Need.NOTHING),
    Action("library.reset_sample", "mdi6.flask-empty-outline", no_shortcut=DANGER, need=Need.NOTHING),
    Action("library.close", "mdi6.close-box-outline", no_shortcut=RARE),
    Action("library.import", "mdi6.import", "Ctrl+I", writes=True),
    Action("library.import_directory", "mdi6.folder-search-outline", "Ctrl+Shift+I", writes=True),
    Action("library.export", "mdi6.export", "Ctrl+Shift+E", need=Need.FOLDER),
    Action("library.watched", "mdi6.folder-eye-outline", no_shortcut=RARE, writes=True),
    Action("library.export_all", "mdi6.package-variant-closed", no_shortcut=RARE),
    Action("library.types", "mdi6.shape-outline", no_shortcut=RARE),
    Action("library.health", "mdi6.heart-pulse", no_shortcut=RARE),
    Action("library.backup", "mdi6.content-save-all-outline", no_shortcut=RARE, writes=True),
    Action("library.rebuild", "mdi6.database-refresh-outline", no_shortcut=RARE, writes=True),
    Action("library.models", "mdi6.brain", no_shortcut=RARE),
    Action("library.requests", "mdi6.account-voice", no_shortcut=RARE),
    Action("window.settings", "mdi6.cog-outline", "Ctrl+,"),
    Action("window.quit", "mdi6.exit-to-app", "Ctrl+Q", need=Need.NOTHING),
    # changes
    Action("edit.undo", "mdi6.undo", "Ctrl+Z", need=Need.UNDO, writes=True),
    Action("edit.redo", "mdi6.redo", "Ctrl+Shift+Z", need=Need.REDO, writes=True),
    Action("edit.search", "mdi6.magnify", "Ctrl+F"),
    Action("edit.select_all", "mdi6.select-all", "Ctrl+A", need=Need.ROWS, reach=Reach.LIST),
    Action("edit.copy_table", "mdi6.content-copy", "Ctrl+C", need=Need.SELECTION, reach=Reach.LIST),
    Action("edit.copy_json", "mdi6.code-json", "Ctrl+Shift+J", need=Need.SELECTION, reach=Reach.LIST),
    Action(
        "edit.copy_markdown",
        "mdi6.language-markdown-outline",
        "Ctrl+Shift+K",
        need=Need.SELECTION,
        reach=Reach.LIST,
    ),
    # one memory
    Action("memory.new", "mdi6.plus", "Ctrl+N", writes=True),
    Action("memory.edit", "mdi6.pencil-outline", "E", need=Need.ONE_OUTSIDE, reach=Reach.LIST, writes=True),
    Action("memory.save", "mdi6.content-save-outline", "Ctrl+S", need=Need.UNSAVED, writes=True),
    Action("memory.discard", "mdi6.close", no_shortcut=DANGER, need=Need.EDITING),
    Action("memory.about", "mdi6.card-search-outline", "D", need=Need.ONE, reach=Reach.LIST),
    # many memories
    Action("memory.select_related", "mdi6.selection-multiple", "Ctrl+Alt+R", need=Need.OUTSIDE_TRASH),
    Action("memory.move", "mdi6.folder-move-outline", "Ctrl+M", need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.copy", "mdi6.content-duplicate", "Ctrl+Shift+D", need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.type", "mdi6.shape-outline", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.layer", "mdi6.layers-outline", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.importance", "mdi6.star-outline", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.tags", "mdi6.tag-outline", "Ctrl+T", need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.visibility", "mdi6.eye-outline", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True),
    Action("memory.lock", "mdi6.lock-outline", "Ctrl+L", need=Need.OUTSIDE_TRASH, writes=True),
    Action(
        "memory.unlock",
        "mdi6.lock-open-variant-outline",
        "Ctrl+Shift+L",
        need=Need.OUTSIDE_TRASH,
        writes=True,
    ),
    Action("memory.replace", "mdi6.find-replace", "Ctrl+H", need=Need.OUTSIDE_TRASH, writes=True),
    Action(
        "memory.looked_at", "mdi6.eye-check-outline", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True
    ),
    Action("memory.export", "mdi6.export-variant", "Ctrl+E", need=Need.OUTSIDE_TRASH),
    Action("memory.merge", "mdi6.call-merge", "Ctrl+Shift+M", need=Need.SEVERAL_OUTSIDE, writes=True),
    Action("memory.unmerge", "mdi6.call-split", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True),
    Action(
        "memory.promote",
        "mdi6.arrow-up-bold-circle-outline",
        no_shortcut=MENU,
        need=Need.OUTSIDE_TRASH,
        writes=True,
    ),
    Action(
        "memory.unfold", "mdi6.arrow-expand-vertical", no_shortcut=MENU, need=Need.OUTSIDE_TRASH, writes=True
    ),
    Action("memory.archive", "mdi6.archive-outline", "Ctrl+Shift+A", need=Need.OUTSIDE_TRASH, writes=True),
    Action(
        "memory.restore",
        "mdi6.archive-arrow-up-outline",
        "Ctrl+Shift+R",
        need=Need.OUTSIDE_TRASH,
        writes=True,
    ),
    Action(
        "memory.trash",
        "mdi6.trash-can-outline",
        "Del",
        need=Need.OUTSIDE_TRASH,
        reach=Reach.LIST,
        writes=True,
    ),
    Action("memory.untrash", "mdi6.delete-restore", "Ctrl+Shift+U", need=Need.INSIDE_TRASH, writes=True),
    Action(
        "memory.delete", "mdi6.delete-forever-outline", no_shortcut=DANGER, need=Need.SELECTION, writes=True
    ),
    Action("trash.empty", "mdi6.delete-sweep-outline", no_shortcut=DANGER, need=Need.TRASH_FULL, writes=True),
    # recall
    Action("memory.recall", "mdi6.text-search", "P", need=Need.ONE_OUTSIDE, reach=Reach.LIST),
    Action("memory.why_not", "mdi6.help-circle-outline", "W", need=Need.ONE, reach=Reach.LIST),
    Action("recall.run", "mdi6.play-outline", "Ctrl+Return", need=Need.RECALL),
    Action("recall.why_not", "mdi6.help-circle-outline", "Ctrl+Shift+W", need=Need.RECALL),
    Action("recall.copy", "mdi6.content-copy", "Ctrl+Shift+C", need=Need.RECALL),
    Action("recall.pin", "mdi6.pin-outline", "Ctrl+Shift+P", need=Need.RECALL),
    Action("recall.last", "mdi6.history", "Ctrl+Shift+Y", need=Need.RECALL),
    Action("recall.save_case", "mdi6.clipboard-check-outline", "Ctrl+Shift+T", need=Need.RECALL, writes=True),
    Action("recall.run_cases", "mdi6.clipboard-play-outline", "Ctrl+Shift+G", need=Need.RECALL),
    Action("recall.on_graph", "mdi6.graph-outline", "Ctrl+G", need=Need.RECALL),
    # graph
    Action("memory.in_chat", "mdi6.forum-outline", "O", need=Need.ONE, reach=Reach.LIST),
    Action("memory.show_on_graph", "mdi6.graph-outline", "G", need=Need.OUTSIDE_TRASH, reach=Reach.LIST),
    Action("graph.open", "mdi6.text-box-outline", no_shortcut=MENU, need=Need.GRAPH_PICKED),
    Action("graph.fit", "mdi6.fit-to-page-outline", "F", need=Need.GRAPH, reach=Reach.GRAPH),
    Action("graph.search", "mdi6.magnify", "/", need=Need.GRAPH, reach=Reach.GRAPH),
    Action("graph.relate", "mdi6.vector-line", "R", need=Need.GRAPH_ONE, reach=Reach.GRAPH, writes=True),
    Action("graph.group", "mdi6.group", "T", need=Need.GRAPH_PICKED, reach=Reach.GRAPH, writes=True),
    Action("graph.path", "mdi6.map-marker-path", "B", need=Need.GRAPH_TWO, reach=Reach.GRAPH),
    Action("graph.focus", "mdi6.image-filter-center-focus", "K", need=Need.GRAPH_PICKED, reach=Reach.GRAPH),
    Action("graph.unfold", "mdi6.arrow-expand-all", "X", need=Need.GRAPH_ONE, reach=Reach.GRAPH),
    Action("graph.fold", "mdi6.arrow-collapse-all", "C", need=Need.GRAPH_ONE, reach=Reach.GRAPH),
    Action("graph.hide", "mdi6.eye-off-outline", "H", need=Need.GRAPH_PICKED, reach=Reach.GRAPH),
    Action("graph.clear", "mdi6.filter-remove-outline", "A", need=Need.GRAPH, reach=Reach.GRAPH),
    Action("graph.pin", "mdi6.pin-outline", "N", need=Need.GRAPH_PICKED, reach=Reach.GRAPH, writes=True),
    Action(
        "graph.unpin", "mdi6.pin-off-outline", "U", need=Need.GRAPH_PICKED, reach=Reach.GRAPH, writes=True
    ),
    Action("graph.arrange", "mdi6.creation-outline", no_shortcut=MENU, need=Need.GRAPH),
    Action("graph.injection", "mdi6.lightning-bolt-outline", "I", need=Need.GRAPH, reach=Reach.GRAPH),
    Action("graph.table", "mdi6.table", "L", need=Need.GRAPH, reach=Reach.GRAPH),
    Action("graph.png", "mdi6.file-image-outline", no_shortcut=MENU, need=Need.GRAPH),
    Action("graph.svg", "mdi6.vector-curve", no_shortcut=MENU, need=Need.GRAPH),
    Action("graph.graphml", "mdi6.graph-outline", no_shortcut=MENU, need=Need.GRAPH),
    # documents
    Action("documents.add_files", "mdi6.file-plus-outline", "Ctrl+Shift+O", writes=True),
    Action("documents.add_folder", "mdi6.folder-plus-outline", no_shortcut=RARE, writes=True),
    Action("documents.new_text", "mdi6.text-box-plus-outline", "Ctrl+Shift+V", writes=True),
    Action("documents.memories", "mdi6.cards-outline", no_shortcut=MENU, need=Need.DOCUMENT),
    Action("documents.cut", "mdi6.content-cut", no_shortcut=MENU, need=Need.DOCUMENT, writes=True),
    Action("documents.open_source", "mdi6.open-in-new", no_shortcut=MENU, need=Need.DOCUMENT),
    Action("documents.export", "mdi6.export", no_shortcut=MENU, need=Need.DOCUMENT),
    Action("documents.rename", "mdi6.rename-box", no_shortcut=MENU, need=Need.DOCUMENT, writes=True),
    Action("documents.delete", "mdi6.trash-can-outline", no_shortcut=DANGER, need=Need.DOCUMENT, writes=True),
    # folders
    Action("folder.new", "mdi6.folder-plus-outline", "Ctrl+Shift+N", writes=True),
    Action("folder.rename", "mdi6.rename-box", "F2", need=Need.FOLDER, reach=Reach.FOLDERS, writes=True),
    Action("folder.merge", "mdi6.call-merge", no_shortcut=MENU, need=Need.FOLDER, writes=True),
    Action(
        "folder.also_reads", "mdi6.book-arrow-right-outline", no_shortcut=MENU, need=Need.FOLDER, writes=True
    ),
    Action("folder.delete", "mdi6.folder-remove-outline", no_shortcut=DANGER, need=Need.FOLDER, writes=True),
    # searches
    Action("search.save", "mdi6.star-plus-outline", "Ctrl+Shift+S", need=Need.SEARCHING, writes=True),
    Action("view.about", "mdi6.card-search-outline", "Ctrl+D"),
    Action("view.related", "mdi6.link-variant", "Ctrl+R", checkable=True),
    Action("saved.change", "mdi6.star-check-outline", no_shortcut=MENU, need=Need.SAVED, writes=True),
    Action("saved.rename", "mdi6.rename-box", no_shortcut=MENU, need=Need.SAVED, writes=True),
    Action("saved.up", "mdi6.arrow-up", "Alt+Up", need=Need.SAVED, reach=Reach.FOLDERS, writes=True),
    Action("saved.down", "mdi6.arrow-down", "Alt+Down", need=Need.SAVED, reach=Reach.FOLDERS, writes=True),
    Action("saved.delete", "mdi6.star-remove-outline", no_shortcut=MENU, need=Need.SAVED, writes=True),
    # the window
    Action("view.subfolders", "mdi6.file-tree-outline", "Ctrl+Shift+B", need=Need.LISTING, checkable=True),
    Action("view.clear_filters", "mdi6.filter-remove-outline", "Ctrl+Shift+F", need=Need.LISTING),
    Action("view.light", "mdi6.white-balance-sunny", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("view.dark", "mdi6.weather-night", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("view.system", "mdi6.theme-light-dark", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("view.still", "mdi6.motion-pause-outline", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("view.larger", "mdi6.format-font-size-increase", "Ctrl++", need=Need.NOTHING),
    Action("view.smaller", "mdi6.format-font-size-decrease", "Ctrl+-", need=Need.NOTHING),
    Action("view.normal_size", "mdi6.format-size", "Ctrl+0", need=Need.NOTHING),
    Action("view.english", "mdi6.translate", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("view.chinese", "mdi6.translate", no_shortcut=RARE, need=Need.NOTHING, checkable=True),
    Action("help.first_steps", "mdi6.format-list-checks", no_shortcut=RARE, need=Need.SAMPLE),
    Action("help.search", "mdi6.help-circle-outline", "Shift+F1"),
    Action("help.keys", "mdi6.keyboard-outline", "F1", need=Need.NOTHING),
)
BY_ID = {action.id: action for action in TABLE}


def text_keys(action: Action) -> tuple[str, ...]:
    """Every text that an action needs."""
    keys = [f"action.{action.id}", f"action.{action.id}.tip"]
    if action.no_shortcut:
        keys.append(action.no_shortcut)
    if action.need is not Need.NOTHING:
        keys.append(f"why.{action.need.value}")
    return tuple(keys)


class Actions(QObject):
    """The live actions of one window: made from the table, enabled by the situation."""

    def __init__(self, tr: Language, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tr, self._theme = tr, theme
        self._situation = Situation()
        self._handlers: dict[str, Callable[[], None]] = {}
        self._actions = {action.id: self._make(action) for action in TABLE}
        tr.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def get(self, action_id: str) -> QAction:
        """The action itself, for menus, toolbars and buttons."""
        return self._actions[action_id]

    def on(self, action_id: str, handler: Callable[[], None]) -> QAction:
        """Say what an action does; only then is it shown. A later handler replaces the earlier."""
        self._handlers[action_id] = handler
        action = self._actions[action_id]
        action.setVisible(True)
        self._show(BY_ID[action_id])
        return action

    def works(self, action_id: str) -> bool:
        """Whether somebody handles the action."""
        return action_id in self._handlers

    def working(self, ids: Iterable[str]) -> list[QAction]:
        """The actions of these ids that do something; "" becomes a separator."""
        shown: list[QAction] = []
        for action_id in ids:
            if not action_id:
                separator = QAction(self)
                separator.setSeparator(True)
                shown.append(separator)
            elif self.works(action_id):
                shown.append(self._actions[action_id])
        return shown

    @property
    def situation(self) -> Situation:
        """What the window shows now."""
        return self._situation

    def update(self, **changed: object) -> None:
        """Tell what is different now; actions enable and disable themselves."""
        new = replace(self._situation, **changed)  # type: ignore[arg-type]  # names are checked by replace
        if new != self._situation:
            self._situation = new
            self.refresh()

    def forget_library(self, kept: Iterable[str]) -> None:
        """The library was closed: only these actions still do something."""
        keep = set(kept)
        for action_id in [name for name in self._handlers if name not in keep]:
            del self._handlers[action_id]
            self._actions[action_id].setVisible(False)
            self._actions[action_id].setMenu(None)  # type: ignore[arg-type]  # None takes the menu away
        self._situation = Situation()
        self.refresh()

    @property
    def handled(self) -> frozenset[str]:
        """The actions that do something now."""
        return frozenset(self._handlers)

    def attach(self, widget: QWidget, reach: Reach) -> None:
        """Make the shortcuts of that reach work in a widget: the window, the table, the folder tree."""
        for action in TABLE:
            if action.reach is reach:
                widget.addAction(self._actions[action.id])

    def use_letters(self, on: bool) -> None:
        """Whether single letters are shortcuts."""
        for action in TABLE:
            if len(action.shortcut) == 1:
                self._actions[action.id].setShortcut(QKeySequence(action.shortcut if on else ""))
        self.refresh()

    def refresh(self) -> None:
        """Texts, icons, tooltips and enabled state anew."""
        for action in TABLE:
            self._show(action)

    def why_disabled(self, action_id: str) -> str:
        """The words for why an action cannot be used now; "" when it can."""
        row = BY_ID[action_id]
        if self._kept_from_writing(row):
            return self._tr(f"why.read_only.{self._situation.read_only}")
        if self._out_of_sight(row):
            return self._tr("why.listing")
        return "" if NEEDS[row.need](self._situation) else self._tr(f"why.{row.need.value}")

    def _out_of_sight(self, row: Action) -> bool:
        return row.need in OF_THE_LIST and not self._situation.listing

    def _kept_from_writing(self, row: Action) -> bool:
        return row.writes and bool(self._situation.read_only)

    def _make(self, row: Action) -> QAction:
        action = QAction(self)
        action.setObjectName(row.id)
        action.setCheckable(row.checkable)
        action.setVisible(False)
        if row.shortcut:
            action.setShortcut(QKeySequence(row.shortcut))
        list_only = row.reach is not Reach.WINDOW
        action.setShortcutContext(
            Qt.ShortcutContext.WidgetShortcut if list_only else Qt.ShortcutContext.WindowShortcut
        )
        action.triggered.connect(lambda _checked=False, name=row.id: self._trigger(name))
        return action

    def _trigger(self, action_id: str) -> None:
        if composing():
            return
        handler = self._handlers.get(action_id)
        if handler is not None and not self._kept_from_writing(BY_ID[action_id]):
            handler()

    def _show(self, row: Action) -> None:
        action = self._actions[row.id]
        text = self._tr(f"action.{row.id}")
        now = self._situation
        if row.id == "edit.undo" and now.undo_label:
            text = self._tr("action.edit.undo.named", name=now.undo_label)
        elif row.id == "edit.redo" and now.redo_label:
            text = self._tr("action.edit.redo.named", name=now.redo_label)
        enabled = row.id in self._handlers and not self.why_disabled(row.id)
        action.setText(text)
        if self._tr.has(f"action.{row.id}.short"):
            action.setIconText(self._tr(f"action.{row.id}.short"))
        action.setEnabled(enabled)
        if row.icon:
            action.setIcon(self._theme.icon(row.icon))
        tip = self._tr(f"action.{row.id}.tip")
        key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        why = "" if enabled else self.why_disabled(row.id)
        action.setToolTip("\n".join(part for part in (f"{tip} ({key})" if key else tip, why) if part))
        action.setStatusTip(tip)


def composing() -> bool:
    """Whether an input method is in the middle of a word in the field in focus."""
    focused = QApplication.focusWidget()
    if isinstance(focused, QPlainTextEdit | QTextEdit):
        return bool(focused.textCursor().block().layout().preeditAreaText())
    return isinstance(focused, SearchField) and focused.composing
