"""Select related: over how many relations, of which types and which way, and who names them; with the count before."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk, MemoryPk, RelationId
from core.domain.queries import LibrarySchema, MemoryRows
from core.domain.queries_related import MOST_HOPS, Direction, RelatedMemories
from core.domain.schema import Schema
from ui.context import Context
from ui.tasks import Lane, single_shot
from ui.views.naming import label
from ui.widgets.wheel import guard_wheel

COUNT_MS = 150
ID = Qt.ItemDataRole.UserRole
LIST_PX = 168


class Where(StrEnum):
    """Where memories may lie to be selected."""

    LIST = "list"
    FOLDERS = "folders"
    LIBRARY = "library"


class SelectRelatedDialog(QDialog):
    """`chosen(pks)`: add these to the selection. `in_list`: whether a memory is in the list that is shown."""

    chosen = Signal(object)

    def __init__(
        self,
        ctx: Context,
        pks: tuple[MemoryPk, ...],
        in_list: Callable[[MemoryPk], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ctx, self._pks, self._in_list = ctx, pks, in_list
        self._folders: frozenset[FolderPk] = frozenset()
        self.found: tuple[MemoryPk, ...] = ()
        tr, theme = ctx.tr, ctx.theme
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(tr("select_related.title", count=len(pks)))
        self.setMinimumWidth(theme.wide(440))
        self.hops, self.direction, self.where = QComboBox(), QComboBox(), QComboBox()
        for hops in range(1, MOST_HOPS + 1):
            self.hops.addItem(tr("graph.hops.value", count=hops), hops)
        self.hops.addItem(tr("select_related.no_hops"), 0)
        for way in Direction:
            self.direction.addItem(tr(f"select_related.way.{way.value}"), way)
        for where in Where:
            self.where.addItem(tr(f"select_related.where.{where.value}"), where)
        self.types = QListWidget()
        self.types.setAccessibleName(tr("select_related.types"))
        self.types.setMinimumHeight(theme.px(LIST_PX))
        self.past = QCheckBox(tr("select_related.past"))
        self.mentions = QCheckBox(tr("select_related.mentions"))
        self.mentions.setToolTip(tr("select_related.mentions.tip"))
        self.count = QLabel(tr("select_related.counting"))
        self.count.setWordWrap(True)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = QDialogButtonBox()
        self.main_button: QPushButton = self.buttons.addButton(
            tr("select_related.select"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.main_button.setDefault(True)
        self.buttons.addButton(tr("dialog.cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        self._soon = single_shot(self, COUNT_MS, self._count)
        for box in (self.hops, self.direction, self.where):
            guard_wheel(box)
            box.currentIndexChanged.connect(self._changed)
        for check in (self.past, self.mentions):
            check.toggled.connect(self._changed)
        self.types.itemChanged.connect(self._changed)
        self.main_button.setEnabled(False)
        self._read()

    def _lay_out(self) -> None:
        tr = self._ctx.tr
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.addRow(tr("select_related.hops"), self.hops)
        form.addRow(tr("select_related.way"), self.direction)
        form.addRow(tr("select_related.where"), self.where)
        form.addRow(tr("select_related.types"), self.types)
        ticks = QHBoxLayout()
        all_types, no_types = QPushButton(tr("select_related.all")), QPushButton(tr("select_related.none"))
        for button, on in ((all_types, True), (no_types, False)):
            button.setProperty("flat", True)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, on=on: self._tick(on=on))
            ticks.addWidget(button)
        ticks.addStretch(1)
        form.addRow("", ticks)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        column.addLayout(form)
        column.addWidget(self.past)
        column.addWidget(self.mentions)
        column.addSpacing(4)
        column.addWidget(self.count)
        column.addWidget(self.buttons)

    # --- what can be chosen ---

    def _read(self) -> None:
        engine, pks = self._ctx.engine, self._pks

        def ask(_progress: Report, cancel: Cancel) -> tuple[Schema, frozenset[FolderPk]]:
            rows = engine.ask(MemoryRows(pks), cancel=cancel)
            return engine.ask(LibrarySchema(), cancel=cancel), frozenset(row.folder for row in rows)

        self._ctx.tasks.run(Lane.READ, ask, self._take, owner=self, query="schema", failed=self._fail)

    def _take(self, found: tuple[Schema, frozenset[FolderPk]]) -> None:
        schema, self._folders = found
        self.types.blockSignals(True)
        for relation in schema.relations:
            item = QListWidgetItem(label(relation.labels, self._ctx.tr.code, relation.id))
            item.setData(ID, relation.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked)
            self.types.addItem(item)
        self.types.blockSignals(False)
        self._count()

    def _tick(self, *, on: bool) -> None:
        self.types.blockSignals(True)
        for row in range(self.types.count()):
            self.types.item(row).setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self.types.blockSignals(False)
        self._changed()

    def _ticked(self) -> frozenset[RelationId]:
        items = [self.types.item(row) for row in range(self.types.count())]
        return frozenset(
            RelationId(str(item.data(ID))) for item in items if item.checkState() is Qt.CheckState.Checked
        )

    def query(self) -> RelatedMemories:
        """What is asked for as the fields stand."""
        ticked = self._ticked()
        every = len(ticked) == self.types.count()
        where = Where(self.where.currentData())
        return RelatedMemories(
            memories=self._pks,
            hops=int(self.hops.currentData()) if ticked else 0,
            relations=frozenset() if every else ticked,
            direction=Direction(self.direction.currentData()),
            past=self.past.isChecked(),
            mentions=self.mentions.isChecked(),
            folders=self._folders if where is Where.FOLDERS else frozenset(),
        )

    # --- the count ---

    def _changed(self) -> None:
        self.main_button.setEnabled(False)
        self.count.setText(self._ctx.tr("select_related.counting"))
        self._soon.start()

    def _count(self) -> None:
        engine, query = self._ctx.engine, self.query()

        def ask(_progress: Report, cancel: Cancel) -> tuple[MemoryPk, ...]:
            return engine.ask(query, cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._counted, owner=self, query="count", failed=self._fail)

    def _counted(self, found: tuple[MemoryPk, ...]) -> None:
        tr = self._ctx.tr
        listed = tuple(pk for pk in found if self._in_list(pk))
        only_list = Where(self.where.currentData()) is Where.LIST
        self.found = listed if only_list else found
        outside = len(found) - len(listed)
        said = [tr("select_related.count", count=len(self.found))]
        if outside:
            key = "select_related.outside" if only_list else "select_related.widens"
            said.append(tr(key, count=outside))
        self.count.setText(" ".join(said))
        self.main_button.setText(tr("select_related.select"))
        self.main_button.setEnabled(bool(self.found))

    def _fail(self, error: Exception) -> None:
        self.count.setText(self._ctx.tr.error(error))
        self.main_button.setEnabled(False)

    def _choose(self) -> None:
        if self.found:
            self.chosen.emit(self.found)
            self.accept()
