"""Choose one folder, or all: a closed list that stays up to date."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QWidget

from core.domain.api import Cancel, Report
from core.domain.enums import FolderKind, Kind
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.results import Changes, FolderNode
from ui.context import Context
from ui.tasks import Lane
from ui.widgets.wheel import guard_wheel

LEAST_CHARS = 18
ICON_GAP_PX = 8


class FolderCombo(QComboBox):
    """`picked` when a person chose another folder. With `all_folders` the first entry stands for all of them."""

    picked = Signal()

    def __init__(
        self,
        context: Context,
        *,
        all_folders: bool = True,
        prefer: FolderKind | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`prefer`: the first folder of this kind is the chosen one until a person chooses."""
        super().__init__(parent)
        self._context, self._all, self._prefer = context, all_folders, prefer
        self._nodes: tuple[FolderNode, ...] = ()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(LEAST_CHARS)
        guard_wheel(self)
        self.activated.connect(lambda _at: self.picked.emit())
        self.currentTextChanged.connect(self.setToolTip)
        context.bridge.changes.connect(self._on_changes)
        context.tr.changed.connect(self._fill)
        context.theme.changed.connect(self._fill)
        self._fill()
        self._load()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A name that is too long loses its middle: paths differ at their ends."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        field = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        room = field.width() - option.iconSize.width() - ICON_GAP_PX
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, room)
        option.currentText = text
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    @property
    def folder(self) -> FolderPk | None:
        """The chosen folder; None = all."""
        pk = self.currentData()
        return None if pk is None else FolderPk(pk)

    @property
    def nodes(self) -> tuple[FolderNode, ...]:
        """The folders of the library."""
        return self._nodes

    def name_of(self, folder: int) -> str:
        """The name of a folder; "" while it is not known."""
        return next((node.folder.name for node in self._nodes if node.folder.pk == folder), "")

    def choose(self, folder: FolderPk | None) -> None:
        """Show a folder as the chosen one."""
        at = self.findData(folder)
        if at >= 0:
            self.setCurrentIndex(at)

    def _on_changes(self, changes: Changes) -> None:
        if Kind.FOLDER in changes.touched:
            self._load()

    def _load(self) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderNode, ...]:
            return engine.ask(Folders(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="folders")

    def _take(self, nodes: tuple[FolderNode, ...]) -> None:
        self._nodes = nodes
        self._fill()

    def _fill(self) -> None:
        chosen, tr, theme = self.currentData(), self._context.tr, self._context.theme
        self.clear()
        if self._all:
            self.addItem(theme.icon("mdi6.folder-multiple-outline", "secondary"), tr("folders.all"), None)
        for node in self._nodes:
            icon = theme.icon("mdi6.folder-outline", "secondary")
            self.addItem(icon, node.folder.name, node.folder.pk)
        at = -1 if chosen is None else self.findData(chosen)
        self.setCurrentIndex(self._first() if at < 0 else at)
        self.setAccessibleName(tr("folders.list"))
        self.setToolTip(self.currentText())

    def _first(self) -> int:
        """The entry to begin with."""
        kinds = [node.folder.kind for node in self._nodes]
        if self._prefer in kinds:
            return kinds.index(self._prefer) + int(self._all)
        return 0
