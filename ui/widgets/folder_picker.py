"""Pick a folder by typing a part of its name; a new name can be made on the spot."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.errors import Invalid
from core.domain.folder import clean_folder_name
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.results import FolderNode
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.plain_text import PlainLineEdit

PK = Qt.ItemDataRole.UserRole
VISIBLE_ROWS = 7


class FolderPicker(QWidget):
    """A line over a list of folders, narrowed by what is typed (parts in any order).

    With `may_create`, a name that no folder has is offered as a new folder (`new_name`).
    """

    changed = Signal()
    activated = Signal()

    def __init__(
        self,
        ctx: Context,
        *,
        exclude: frozenset[FolderPk] = frozenset(),
        may_create: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ctx, self._exclude, self._may_create = ctx, exclude, may_create
        self._nodes: tuple[FolderNode, ...] = ()
        tr = ctx.tr
        self.search = PlainLineEdit()
        self.search.setPlaceholderText(tr("folders.type"))
        self.search.setAccessibleName(tr("folders.type"))
        self.search.installEventFilter(self)
        self.search.textChanged.connect(lambda _text: self._fill())
        self.list = QListWidget()
        self.list.setAccessibleName(tr("folders.list"))
        self.list.setMinimumHeight(ctx.theme.row_px * VISIBLE_ROWS)
        self.list.currentRowChanged.connect(lambda _row: self.changed.emit())
        self.list.itemActivated.connect(lambda _item: self.activated.emit())
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setProperty("role", "small")
        self.said.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.search)
        box.addWidget(self.list, 1)
        box.addWidget(self.said)
        self.setFocusProxy(self.search)
        self._load()

    @property
    def picked(self) -> FolderPk | None:
        """The folder of the current row; None for none or a new one."""
        row = self.list.currentRow()
        pk = self.list.item(row).data(PK) if row >= 0 else None
        return None if pk is None else FolderPk(pk)

    @property
    def new_name(self) -> str:
        """The name of the folder to be made; "" when an existing one is picked."""
        row = self.list.currentRow()
        return self._typed_name() if row >= 0 and self.list.item(row).data(PK) is None else ""

    def folders(self) -> Sequence[FolderNode]:
        """All folders that were read."""
        return self._nodes

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                self.list.setCurrentRow(min(max(self.list.currentRow() + step, 0), self.list.count() - 1))
                return True
        return super().eventFilter(watched, event)

    def _load(self) -> None:
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderNode, ...]:
            return engine.ask(Folders(), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="folders", failed=self._fail)

    def _show(self, nodes: tuple[FolderNode, ...]) -> None:
        self._nodes = nodes
        self._fill()

    def _fill(self) -> None:
        words = self.search.text().casefold().split()
        self.list.clear()
        theme, tr = self._ctx.theme, self._ctx.tr
        for node in self._nodes:
            name = node.folder.name
            if node.folder.pk not in self._exclude and all(word in name.casefold() for word in words):
                item = QListWidgetItem(theme.icon("mdi6.folder-outline", "secondary"), name)
                item.setToolTip(tr("folders.memories", count=node.memories))
                item.setData(PK, node.folder.pk)
                self.list.addItem(item)
        new = self._typed_name() if self._may_create else ""
        if new and all(node.folder.name != new for node in self._nodes):
            self.list.addItem(
                QListWidgetItem(
                    theme.icon("mdi6.folder-plus-outline", "accent"), tr("folders.create", name=new)
                )
            )
        if self.list.count() and (words or self.list.count() == 1):
            self.list.setCurrentRow(0)
        self.said.setVisible(not self.list.count())
        self.said.setText(tr("folders.none"))
        self.changed.emit()

    def _typed_name(self) -> str:
        try:
            return clean_folder_name(self.search.text())
        except Invalid:
            return ""

    def _fail(self, error: Exception) -> None:
        self.said.setText(self._ctx.tr.error(error))
        self.said.show()
