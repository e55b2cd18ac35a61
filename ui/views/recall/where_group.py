"""Where recall looks and for whom: scope, chosen folders, viewer, as of a floor."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.domain.folder import Folder
from core.domain.ids import FolderPk
from core.domain.recall import Scope
from core.domain.results import FolderNode
from ui.context import Context
from ui.widgets.wheel import guard_wheel

PK = Qt.ItemDataRole.UserRole
LIST_ROWS = 5
MOST_FLOORS = 10_000_000


class ScopeField(QWidget):
    """Folder alone, with what it also reads, chosen folders (ticked in a list), or the whole library."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        self.combo = QComboBox()
        self.combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for scope in Scope:
            self.combo.addItem(tr(f"recall_page.scope.{scope.value}"), scope)
        self.combo.setCurrentIndex(self.combo.findData(Scope.ALSO_READS))
        self.combo.setAccessibleName(tr("recall_page.scope"))
        guard_wheel(self.combo)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("recall_page.scope.chosen"))
        self.list.setFixedHeight(ctx.theme.row_px * LIST_ROWS)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.combo)
        column.addWidget(self.list)
        self.combo.currentIndexChanged.connect(lambda _at: self._on_scope())
        self.list.itemChanged.connect(lambda _item: self.changed.emit())
        self.list.hide()

    @property
    def scope(self) -> Scope:
        """What is chosen."""
        return Scope(self.combo.currentData())

    @property
    def chosen(self) -> frozenset[FolderPk]:
        """Ticked folders, when folders are chosen one by one."""
        if self.scope is not Scope.CHOSEN:
            return frozenset()
        items = [self.list.item(row) for row in range(self.list.count())]
        return frozenset(
            FolderPk(item.data(PK)) for item in items if item.checkState() == Qt.CheckState.Checked
        )

    def show_folders(self, nodes: Sequence[FolderNode]) -> None:
        """The folders of the library; ticks stay."""
        self.set_value(self.scope, self.chosen, nodes)

    def set_value(
        self, scope: Scope, chosen: frozenset[FolderPk], nodes: Sequence[FolderNode] | None = None
    ) -> None:
        """Show a scope without `changed`."""
        self.combo.blockSignals(True)
        self.list.blockSignals(True)
        if nodes is not None:
            self.list.clear()
            for node in nodes:
                item = QListWidgetItem(node.folder.name)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
                item.setData(PK, node.folder.pk)
                item.setToolTip(self._ctx.tr("folders.memories", count=node.memories))
                item.setCheckState(Qt.CheckState.Unchecked)
                self.list.addItem(item)
        self.combo.setCurrentIndex(self.combo.findData(scope))
        for row in range(self.list.count()):
            item = self.list.item(row)
            ticked = item.data(PK) in chosen
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        self.list.setVisible(scope is Scope.CHOSEN)
        self.combo.blockSignals(False)
        self.list.blockSignals(False)

    def _on_scope(self) -> None:
        self.list.setVisible(self.scope is Scope.CHOSEN)
        self.changed.emit()


class ViewerField(QComboBox):
    """Who looks: as the folder says (None), nobody in particular (""), or a name."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._character = ""
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(ctx.tr("recall_page.viewer"))
        guard_wheel(self)
        self.show_names("", ())
        self.currentIndexChanged.connect(lambda _at: self.changed.emit())
        line = self.lineEdit()
        if line is not None:
            line.editingFinished.connect(self.changed)

    @property
    def viewer(self) -> str | None:
        """As RecallRequest.viewer."""
        at = self.findText(self.currentText())
        if at < 0:
            return self.currentText().strip() or None
        data = self.itemData(at)
        return None if data is None else str(data)

    def show_names(self, character: str, names: Sequence[str]) -> None:
        """Offer these names; `character` is the folder's own."""
        viewer = self.viewer if self.count() else None
        self._character = character
        tr = self._ctx.tr
        self.blockSignals(True)
        self.clear()
        key = "recall_page.viewer.folder" if character else "recall_page.viewer.folder_none"
        self.addItem(tr(key, name=character), None)
        self.addItem(tr("recall_page.viewer.nobody"), "")
        for name in dict.fromkeys([character, *names]):
            if name:
                self.addItem(name, name)
        self.blockSignals(False)
        self.set_viewer(viewer)

    def set_viewer(self, viewer: str | None) -> None:
        """Show a viewer without `changed`."""
        self.blockSignals(True)
        place = 0 if viewer is None else 1 if not viewer else self.findData(viewer)
        if place >= 0:
            self.setCurrentIndex(place)
        else:
            self.setCurrentIndex(-1)
            self.setEditText(viewer or "")
        self.blockSignals(False)


class FloorField(QWidget):
    """Only what was known at a floor of the folder; off = now."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tr = ctx.tr
        self.check = QCheckBox(tr("recall_page.floor"))
        self.check.setToolTip(tr("recall_page.floor.tip"))
        self.spin = QSpinBox()
        self.spin.setRange(0, MOST_FLOORS)
        self.spin.setKeyboardTracking(False)
        self.spin.setFixedWidth(ctx.theme.px(84))
        self.spin.setAccessibleName(tr("recall_page.floor"))
        self.spin.setEnabled(False)
        guard_wheel(self.spin)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.check)
        row.addStretch(1)
        row.addWidget(self.spin)
        self.check.toggled.connect(self._on_toggled)
        self.spin.valueChanged.connect(lambda _value: self.changed.emit())

    @property
    def floor(self) -> int | None:
        """The floor; None = now."""
        return self.spin.value() if self.check.isChecked() else None

    def set_floor(self, floor: int | None) -> None:
        """Show a floor without `changed`."""
        for field in (self.check, self.spin):
            field.blockSignals(True)
        self.check.setChecked(floor is not None)
        self.spin.setEnabled(floor is not None)
        if floor is not None:
            self.spin.setValue(floor)
        for field in (self.check, self.spin):
            field.blockSignals(False)

    def offer(self, last: int) -> None:
        """The last floor of the folder: where the field begins."""
        if not self.check.isChecked():
            self.spin.blockSignals(True)
            self.spin.setValue(max(0, last))
            self.spin.blockSignals(False)

    def _on_toggled(self, on: bool) -> None:
        self.spin.setEnabled(on)
        self.changed.emit()


class WhereGroup(QWidget):
    """Scope, viewer and floor with their labels."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.scope, self.viewer, self.floor = ScopeField(ctx), ViewerField(ctx), FloorField(ctx)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for name, field in (("scope", self.scope), ("viewer", self.viewer)):
            label = QLabel(ctx.tr(f"recall_page.{name}"))
            label.setProperty("role", "small")
            column.addWidget(label)
            column.addWidget(field)
        column.addWidget(self.floor)
        for part in (self.scope, self.viewer, self.floor):
            part.changed.connect(self.changed)

    def show_folder(self, folder: Folder | None, names: Sequence[str], last_floor: int) -> None:
        """What the folder makes possible: its character and others as viewers, its last floor."""
        self.viewer.show_names(folder.character if folder is not None else "", names)
        self.floor.offer(last_floor)
        self.floor.setEnabled(folder is not None)

    def summary(self) -> str:
        """What differs from the plain case, for the folded heading."""
        tr = self._ctx.tr
        parts = [self.scope.combo.currentText()] if self.scope.scope is not Scope.ALSO_READS else []
        if self.viewer.viewer is not None:
            parts.append(self.viewer.currentText())
        if self.floor.floor is not None:
            parts.append(tr("detail.floor", floor=self.floor.floor))
        return tr("list.comma").join(parts)
