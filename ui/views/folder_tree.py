"""The sidebar: folders as a tree with counts, layers, types, tags, recent memories,
saved searches, the trash.

A place in it is chosen with mouse or arrows; memories are dropped on folders, layers and the trash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPalette,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from core.domain.enums import FolderKind, Layer
from core.domain.folder import SEPARATOR
from core.domain.ids import FolderPk
from core.domain.results import FolderNode, LibraryCounts, MemoryRow
from core.domain.saved_search import SavedSearch
from ui.context import Context
from ui.models.folder_names import Branch, as_tree
from ui.models.memory_table import MIME_MEMORIES, decode_memories
from ui.models.scope import Part, Scope
from ui.models.table_columns import title_of
from ui.views.title_delegate import draw_line, icon_spot, mark_selected

Index = QModelIndex | QPersistentModelIndex
SCOPE_ROLE = int(Qt.ItemDataRole.UserRole)
COUNT_ROLE = SCOPE_ROLE + 1
ICON_ROLE = SCOPE_ROLE + 2
COLOR_ROLE = SCOPE_ROLE + 3
NAME_ROLE = SCOPE_ROLE + 4
GAP_PX = 8
SETTING_CLOSED = "ui.sidebar_closed"
LAYER_ICONS = {
    Layer.INHERENT: "mdi6.pin-outline",
    Layer.EMERGENT: "mdi6.timer-sand",
    Layer.MEMORY: "mdi6.brain",
    Layer.KNOWLEDGE: "mdi6.file-document-outline",
}


class FolderTree(QTreeView):
    """`chosen(Scope)`; `dropped(pks, Scope, copy)`; `renamed(folder, name)`; `menu_wanted(Scope, point)`."""

    chosen = Signal(object)
    dropped = Signal(object, object, bool)
    renamed = Signal(int, str)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._items = QStandardItemModel(self)
        self._sections: dict[str, QStandardItem] = {}
        self._by_key: dict[str, QStandardItem] = {}
        self._filling = False
        self.takes: Callable[[Scope], bool] = lambda _scope: True
        self._folders: tuple[FolderNode, ...] = ()
        self._tags: tuple[tuple[str, int], ...] = ()
        self._recent: tuple[MemoryRow, ...] = ()
        self.saved: tuple[SavedSearch, ...] = ()
        self._saved_counts: Mapping[int, int] = {}
        self._counts: LibraryCounts | None = None
        self._by_layer: dict[str, int] = {}
        self._by_type: dict[str, int] = {}
        closed = context.settings.get(SETTING_CLOSED)
        self._closed = set(closed.split("\n")) if isinstance(closed, str) and closed else set()
        self._set_up()
        context.theme.bind(self, self._fill)
        context.tr.changed.connect(self._fill)

    def _set_up(self) -> None:
        self.setModel(self._items)
        self.setHeaderHidden(True)
        self.setItemDelegate(_SidebarDelegate(self._context, self))
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(True)
        self.setIndentation(self._context.theme.px(12))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(True)
        self.setAutoExpandDelay(600)
        self.customContextMenuRequested.connect(self._on_menu)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.collapsed.connect(lambda index: self._on_folded(index, folded=True))
        self.expanded.connect(lambda index: self._on_folded(index, folded=False))
        self.viewport().setProperty("surface", "window")

    # --- what it shows ---

    def show_folders(self, nodes: Sequence[FolderNode]) -> None:
        """Folders with their counts."""
        if tuple(nodes) != self._folders:
            self._folders = tuple(nodes)
            self._fill()

    def show_facets(self, layers: dict[str, int], types: dict[str, int], counts: LibraryCounts) -> None:
        """Counts of the whole library."""
        if (layers, types, counts) != (self._by_layer, self._by_type, self._counts):
            self._by_layer, self._by_type, self._counts = layers, types, counts
            self._fill()

    def show_tags(self, tags: Sequence[tuple[str, int]]) -> None:
        """The tags in use, most used first."""
        if tuple(tags) != self._tags:
            self._tags = tuple(tags)
            self._fill()

    def show_recent(self, rows: Sequence[MemoryRow]) -> None:
        """Memories that were looked at last."""
        if tuple(rows) != self._recent:
            self._recent = tuple(rows)
            self._fill()

    def show_saved(self, searches: Sequence[SavedSearch]) -> None:
        """Searches kept under a name, in their order."""
        if tuple(searches) != self.saved:
            self.saved = tuple(searches)
            self._fill()

    def show_saved_counts(self, counts: Mapping[int, int]) -> None:
        """How many memories saved searches find, as far as known."""
        if counts != self._saved_counts:
            self._saved_counts = counts
            self._fill()

    @property
    def saved_search(self) -> SavedSearch | None:
        """The saved search that is chosen."""
        pk = self.scope.search
        return next((each for each in self.saved if each.pk == pk), None)

    @property
    def scope(self) -> Scope:
        """The place that is chosen."""
        scope = self.currentIndex().data(SCOPE_ROLE)
        return scope if isinstance(scope, Scope) else Scope()

    def choose(self, scope: Scope) -> None:
        """Go to a place; the whole library when it is gone."""
        item = self._by_key.get(scope.key) or self._by_key[Scope().key]
        self.setCurrentIndex(item.index())

    def rename(self, folder: FolderPk) -> None:
        """Edit the name of a folder in place."""
        item = self._by_key.get(Scope(Part.FOLDER, folder).key)
        if item is not None:
            self.setCurrentIndex(item.index())
            self.edit(item.index())

    def folder_name(self, folder: FolderPk | None) -> str:
        """The name of a folder."""
        return next((node.folder.name for node in self._folders if node.folder.pk == folder), "")

    def _fill(self) -> None:
        keep = self.scope
        tr, theme = self._context.tr, self._context.theme
        self._filling = True
        self._items.clear()
        self._by_key.clear()
        root = self._items.invisibleRootItem()
        total = self._counts.memories if self._counts is not None else -1
        self._entry(root, tr("sidebar.all"), Scope(), total, "mdi6.inbox-multiple-outline")
        folders = self._section("folders")
        for branch in as_tree(self._folders):
            self._branch(folders, branch)
        layers = self._section("layers")
        for layer in Layer:
            name, count = tr(f"layer.{layer.value}"), self._by_layer.get(layer.value, 0)
            self._entry(layers, name, Scope(Part.LAYER, name=layer.value), count, LAYER_ICONS[layer])
        types = self._section("types")
        for type_id, count in sorted(self._by_type.items(), key=lambda pair: -pair[1]):
            item = self._entry(
                types, theme.type_label(type_id, tr.code), Scope(Part.TYPE, name=type_id), count, ""
            )
            item.setData(type_id, COLOR_ROLE)
        if self._tags:
            tags = self._section("tags")
            for value, count in self._tags:
                self._entry(tags, value, Scope(Part.TAG, name=value), count, "mdi6.tag-outline")
        if self._recent:
            recent = self._section("recent")
            for row in self._recent:
                item = self._entry(recent, title_of(row), Scope(Part.RECENT, memory=row.pk), -1, "")
                item.setData(row.type, COLOR_ROLE)
        if self.saved:
            saved = self._section("saved")
            for search in self.saved:
                count = self._saved_counts.get(search.pk, -1)
                scope = Scope(Part.SAVED, search=search.pk)
                item = self._entry(saved, search.name, scope, count, "mdi6.star-outline")
                item.setToolTip(f"{search.name}\n{search.text}")
        trashed = self._counts.trashed if self._counts is not None else -1
        self._entry(root, tr("sidebar.trash"), Scope(Part.TRASH), trashed, "mdi6.trash-can-outline")
        self._unfold(root)
        kept = self._by_key.get(keep.key)
        shown = self._by_key[Scope().key] if kept is None else kept
        self.setCurrentIndex(shown.index())
        self._filling = False
        if kept is None:
            self.chosen.emit(self.scope)

    def _section(self, name: str) -> QStandardItem:
        item = QStandardItem(self._context.tr(f"sidebar.{name}"))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setData(f"section:{name}", NAME_ROLE)
        self._items.invisibleRootItem().appendRow(item)
        return item

    def _entry(self, parent: QStandardItem, name: str, scope: Scope, count: int, icon: str) -> QStandardItem:
        item = QStandardItem(name)
        item.setEditable(False)
        item.setData(scope, SCOPE_ROLE)
        item.setData(count, COUNT_ROLE)
        item.setData(icon, ICON_ROLE)
        item.setData(scope.key, NAME_ROLE)
        item.setToolTip(name)
        count_text = self._context.tr("sidebar.count", name=name, count=count) if count >= 0 else name
        item.setData(count_text, Qt.ItemDataRole.AccessibleTextRole)
        parent.appendRow(item)
        self._by_key[scope.key] = item
        return item

    def _branch(self, parent: QStandardItem, branch: Branch) -> None:
        if branch.node is None:
            item = QStandardItem(branch.label)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setData("mdi6.folder-outline", ICON_ROLE)
            item.setData(-1, COUNT_ROLE)
            item.setData(f"group:{branch.path}", NAME_ROLE)
            parent.appendRow(item)
        else:
            folder = branch.node.folder
            icon = "mdi6.message-text-outline" if folder.kind is FolderKind.CHAT else "mdi6.folder-outline"
            item = self._entry(
                parent, branch.label, Scope(Part.FOLDER, folder.pk), branch.node.memories, icon
            )
            item.setEditable(True)
            item.setToolTip(folder.name)
        for child in branch.children.values():
            self._branch(item, child)

    def _unfold(self, parent: QStandardItem) -> None:
        for place in range(parent.rowCount()):
            item = parent.child(place)
            self.setExpanded(item.index(), item.data(NAME_ROLE) not in self._closed)
            self._unfold(item)

    # --- what a person does ---

    def _on_current(self, now: QModelIndex, _before: QModelIndex) -> None:
        scope = now.data(SCOPE_ROLE)
        if not self._filling and isinstance(scope, Scope):
            self.chosen.emit(scope)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A saved search runs again at each click; its menu alone does not run it."""
        index = self.indexAt(event.position().toPoint())
        scope = index.data(SCOPE_ROLE)
        saved = isinstance(scope, Scope) and scope.part is Part.SAVED
        if saved and event.button() is Qt.MouseButton.RightButton:
            return
        again = saved and index == self.currentIndex() and event.button() is Qt.MouseButton.LeftButton
        super().mousePressEvent(event)
        if again:
            self.chosen.emit(scope)

    def _on_folded(self, index: QModelIndex, *, folded: bool) -> None:
        if self._filling:
            return
        (self._closed.add if folded else self._closed.discard)(str(index.data(NAME_ROLE)))
        self._context.settings.set(SETTING_CLOSED, "\n".join(sorted(self._closed)))

    def _on_menu(self, position: QPoint) -> None:
        scope = self.indexAt(position).data(SCOPE_ROLE)
        self.menu_wanted.emit(
            scope if isinstance(scope, Scope) else Scope(), self.viewport().mapToGlobal(position)
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME_MEMORIES):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        scope = self._target(event.position().toPoint())
        if scope is None or not event.mimeData().hasFormat(MIME_MEMORIES):
            event.ignore()
            return
        copies = scope.part is Part.FOLDER and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction if copies else Qt.DropAction.MoveAction)
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        scope = self._target(event.position().toPoint())
        pks = decode_memories(event.mimeData())
        if scope is None or not pks:
            event.ignore()
            return
        copies = scope.part is Part.FOLDER and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction)  # the table must not remove its rows itself
        event.accept()
        self.setState(QAbstractItemView.State.NoState)
        self.viewport().update()
        self.dropped.emit(pks, scope, copies)

    def _target(self, position: QPoint) -> Scope | None:
        scope = self.indexAt(position).data(SCOPE_ROLE)
        places = {Part.FOLDER, Part.LAYER, Part.TRASH}
        if not isinstance(scope, Scope) or scope.part not in places or not self.takes(scope):
            return None
        return scope

    def commit_name(self, index: Index, name: str) -> None:
        """A name was typed in place: the last part of the folder's name is to be this."""
        scope = index.data(SCOPE_ROLE)
        if not isinstance(scope, Scope) or scope.folder is None or not name.strip():
            return
        old = self.folder_name(scope.folder)
        parent, separator, last = old.rpartition(SEPARATOR)
        if name.strip() != last:
            self.renamed.emit(int(scope.folder), f"{parent}{separator}{name.strip()}")


class _SidebarDelegate(QStyledItemDelegate):
    """Icon, name in its own direction, count at the right; sections as small headings."""

    def __init__(self, context: Context, tree: FolderTree) -> None:
        super().__init__(tree)
        self._context = context
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._context.theme.px(120), self._context.theme.row_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        self.initStyleOption(option, index)
        text, area = option.text, QRect(option.rect)
        option.text = ""
        option.widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        painter.save()
        mark_selected(painter, option, self._context.theme)
        area.adjust(GAP_PX // 2, 0, -GAP_PX, 0)
        if index.data(COUNT_ROLE) is None:
            self._paint_heading(painter, area, text)
        else:
            self._paint_entry(painter, option, area, index)
        painter.restore()

    def _paint_heading(self, painter: QPainter, area: QRect, text: str) -> None:
        theme = self._context.theme
        font = theme.font("small", bold=True)
        painter.setFont(font)
        painter.setPen(theme.color("secondary"))
        draw_line(painter, area, text, QFontMetrics(font))

    def _paint_entry(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, index: Index
    ) -> None:
        theme = self._context.theme
        size = theme.icon_size
        spot = icon_spot(area, theme).translated(0, 1)
        type_id = index.data(COLOR_ROLE)
        icon = theme.type_icon(type_id) if type_id else theme.icon(index.data(ICON_ROLE), "secondary")
        icon.paint(painter, spot)
        area = area.adjusted(size.width() + GAP_PX, 0, 0, 0)
        count = index.data(COUNT_ROLE)
        if count is not None and count >= 0:
            shown = self._context.tr.number(int(count))
            metrics = QFontMetrics(theme.font("small"))
            painter.setFont(theme.font("small"))
            painter.setPen(theme.color("secondary"))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
            area.adjust(0, 0, -metrics.horizontalAdvance(shown) - GAP_PX, 0)
        painter.setFont(option.font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        draw_line(painter, area, str(index.data()), QFontMetrics(option.font))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        return QLineEdit(parent)

    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            self._tree.commit_name(index, editor.text())
