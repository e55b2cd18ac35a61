"""Folders beside the canvas: which one is shown, and where memories can be dropped."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QTreeWidget, QTreeWidgetItem, QWidget

from core.domain.folder import SEPARATOR
from core.domain.ids import FolderPk
from core.domain.results import FolderNode
from ui.context import Context
from ui.models.memory_table import MIME_MEMORIES, decode_memories

FOLDER = int(Qt.ItemDataRole.UserRole)
ROWS_SHOWN = 9


class GraphFolders(QTreeWidget):
    """`chosen(folder or None)`: its graph is to be shown; `dropped(pks, folder, copy)`."""

    chosen = Signal(object)
    dropped = Signal(object, object, bool)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._filling = False
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(ctx.theme.px(10))
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._on_current)
        self.setProperty("surface", "window")

    @property
    def folder(self) -> FolderPk | None:
        """The folder that is chosen; None = all."""
        item = self.currentItem()
        return item.data(0, FOLDER) if item is not None else None

    def show_folders(self, nodes: Sequence[FolderNode], chosen: FolderPk | None) -> None:
        """List the folders; that one is chosen."""
        self._filling = True
        self.clear()
        tr, theme = self._ctx.tr, self._ctx.theme
        everything = QTreeWidgetItem([tr("sidebar.all")])
        everything.setIcon(0, theme.icon("mdi6.inbox-multiple-outline", "secondary"))
        everything.setData(0, FOLDER, None)
        self.addTopLevelItem(everything)
        self.setCurrentItem(everything)
        for node in sorted(nodes, key=lambda node: node.folder.name):
            name = node.folder.name
            item = QTreeWidgetItem([f"{name.replace(SEPARATOR, ' / ')}  {tr.number(node.memories)}"])
            item.setIcon(0, theme.icon("mdi6.folder-outline", "secondary"))
            item.setToolTip(0, name)
            item.setData(0, FOLDER, node.folder.pk)
            self.addTopLevelItem(item)
            if node.folder.pk == chosen:
                self.setCurrentItem(item)
        rows = min(self.topLevelItemCount(), ROWS_SHOWN)
        self.setFixedHeight(self.sizeHintForRow(0) * rows + 4)
        self._filling = False

    def place_of(self, folder: FolderPk) -> QPoint:
        """The middle of a folder's line, for tests and guides."""
        for at in range(self.topLevelItemCount()):
            item = self.topLevelItem(at)
            if item is not None and item.data(0, FOLDER) == folder:
                return self.visualItemRect(item).center()
        return QPoint()

    def _on_current(self, item: QTreeWidgetItem | None, _before: QTreeWidgetItem | None) -> None:
        if not self._filling and item is not None:
            self.chosen.emit(item.data(0, FOLDER))

    def _target(self, position: QPoint) -> FolderPk | None:
        index: QModelIndex = self.indexAt(position)
        folder = index.data(FOLDER) if index.isValid() else None
        return FolderPk(folder) if folder is not None else None

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME_MEMORIES):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        if self._target(event.position().toPoint()) is None:
            event.ignore()
            return
        copies = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction if copies else Qt.DropAction.MoveAction)
        event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        folder, pks = self._target(event.position().toPoint()), decode_memories(event.mimeData())
        if folder is None or not pks:
            event.ignore()
            return
        copies = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.setState(QTreeWidget.State.NoState)
        self.dropped.emit(pks, folder, copies)
