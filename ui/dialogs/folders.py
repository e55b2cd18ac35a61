"""What a folder reads besides itself, and putting one folder into another."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_folders import MergeFolders, SetAlsoReads
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.results import FolderNode
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane
from ui.theme import ROW_PX
from ui.widgets.folder_picker import FolderPicker

PK = Qt.ItemDataRole.UserRole
ROWS = 9


class AlsoReadsDialog(CommandDialog):
    """Ticks beside all other folders."""

    def __init__(self, ctx: Context, folder: FolderPk, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("also_reads.title"), ctx.tr("dialog.save"))
        self._folder = folder
        self._loaded = False
        note = QLabel(ctx.tr("also_reads.note"))
        note.setWordWrap(True)
        self.list = QListWidget()
        self.list.setMinimumHeight(ctx.theme.tall(ROW_PX * ROWS))
        self.list.setAccessibleName(ctx.tr("also_reads.title"))
        self.body.addWidget(note)
        self.body.addWidget(self.list, 1)
        self.check()
        engine = ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderNode, ...]:
            return engine.ask(Folders(), cancel=cancel)

        ctx.tasks.run(Lane.READ, ask, self._fill, owner=self, failed=self.fail)

    def ready(self) -> bool:
        return self._loaded

    def command(self) -> Command | None:
        items = [self.list.item(row) for row in range(self.list.count())]
        ticked = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        return SetAlsoReads(self._folder, tuple(FolderPk(item.data(PK)) for item in ticked))

    def _fill(self, nodes: tuple[FolderNode, ...]) -> None:
        mine = next((node.folder for node in nodes if node.folder.pk == self._folder), None)
        reads = mine.also_reads if mine else ()
        if mine is not None:
            self.setWindowTitle(self.ctx.tr("also_reads.title.of", name=mine.name))
        for node in nodes:
            if node.folder.pk == self._folder:
                continue
            item = QListWidgetItem(node.folder.name)
            item.setData(PK, node.folder.pk)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if node.folder.pk in reads else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        if not self.list.count():
            self.say(self.ctx.tr("also_reads.alone"))
        self._loaded = True
        self.check()


class MergeFolderDialog(CommandDialog):
    """All that one folder holds goes into another; the empty one is removed (can be undone)."""

    def __init__(self, ctx: Context, folder: FolderPk, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("merge_folder.title"), ctx.tr("merge_folder.apply"))
        self._folder = folder
        note = QLabel(ctx.tr("merge_folder.note"))
        note.setWordWrap(True)
        self.picker = FolderPicker(ctx, exclude=frozenset({folder}))
        self.picker.changed.connect(self.check)
        self.picker.activated.connect(self.apply)
        self.body.addWidget(note)
        self.body.addWidget(self.picker, 1)
        self.check()
        self.picker.setFocus()

    def ready(self) -> bool:
        return self.picker.picked is not None

    def command(self) -> Command | None:
        target = self.picker.picked
        return None if target is None else MergeFolders(self._folder, target)
