"""The menus of the window, as lists of action ids; "" is a line. Actions that do nothing are left out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from ui.actions import Actions
from ui.language import Language

MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "library",
        (
            "library.open", "library.open_read_only", "library.new", "library.sample", "library.reset_sample", "", "library.import", "library.import_directory", "library.watched",
            "library.export", "library.export_all", "", "library.types", "library.health", "library.backup", "library.rebuild", "", "library.models", "library.requests", "window.settings", "", "library.close", "window.quit",
        ),
    ),
    (
        "edit",
        (
            "edit.undo", "edit.redo", "", "edit.select_all", "memory.select_related", "", "edit.copy_table",
            "edit.copy_markdown", "edit.copy_json",
        ),
    ),
    (
        "memory",
        (
            "memory.new", "memory.edit", "memory.about", "memory.save", "memory.discard", "", "memory.move", "memory.copy", "",
            "memory.type", "memory.layer", "memory.importance", "memory.tags", "memory.visibility", "memory.lock",
            "memory.unlock", "", "memory.merge", "memory.unmerge", "memory.replace", "memory.looked_at", "memory.export", "", "memory.promote", "memory.unfold", "memory.archive", "memory.restore", "memory.trash",
            "memory.untrash", "memory.delete", "trash.empty",
        ),
    ),
    (
        "search",
        (
            "edit.search", "view.about", "view.related", "search.save", "", "saved.change", "saved.rename", "saved.up", "saved.down", "",
            "saved.delete",
        ),
    ),
    (
        "recall",
        (
            "memory.recall", "memory.why_not", "memory.in_chat", "", "recall.run", "recall.why_not", "", "recall.copy", "recall.pin",
            "recall.last", "recall.on_graph", "", "recall.save_case", "recall.run_cases",
        ),
    ),
    (
        "graph",
        (
            "memory.show_on_graph", "graph.open", "", "graph.fit", "graph.search", "graph.arrange", "graph.clear", "",
            "graph.relate", "graph.group", "graph.pin", "graph.unpin", "", "graph.focus", "graph.path",
            "graph.unfold", "graph.fold", "graph.hide", "", "graph.injection", "", "graph.table", "graph.png",
            "graph.svg", "graph.graphml",
        ),
    ),
    ("folder", ("folder.new", "folder.rename", "folder.merge", "folder.also_reads", "folder.delete")),
    (
        "documents",
        (
            "documents.add_files", "documents.add_folder", "documents.new_text", "", "documents.memories",
            "documents.cut", "documents.open_source", "documents.export", "", "documents.rename",
            "documents.delete",
        ),
    ),
    (
        "view",
        (
            "view.subfolders", "view.clear_filters", "", "view.system", "view.light", "view.dark", "",
            "view.larger", "view.smaller", "view.normal_size", "view.still", "", "view.english", "view.chinese",
        ),
    ),
    ("help", ("help.first_steps", "help.search", "help.keys")),
)  # fmt: skip


def fill_menu_bar(bar: QMenuBar, actions: Actions, tr: Language) -> None:
    """Make all menus anew from the actions that do something now."""
    bar.clear()
    for old in bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        old.deleteLater()
    for name, ids in MENUS:
        menu = QMenu(tr(f"menu.{name}"), bar)
        menu.setToolTipsVisible(True)
        menu.addActions(tidy(actions, ids))
        if not menu.isEmpty():
            bar.addMenu(menu)


def tidy(actions: Actions, ids: tuple[str, ...]) -> list[QAction]:
    """The working actions without lines at the ends or doubled."""
    kept: list[str] = []
    for action_id in ids:
        if action_id and not actions.works(action_id):
            continue
        if not action_id and (not kept or not kept[-1]):
            continue
        kept.append(action_id)
    while kept and not kept[-1]:
        kept.pop()
    return actions.working(kept)
