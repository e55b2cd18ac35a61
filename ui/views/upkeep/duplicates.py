"""Duplicates: groups of memories that may say the same, to be merged on the desk or told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QPushButton,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
)

from core.domain.api import Cancel, EngineApi, Report
from core.domain.commands_merge import MarkNotDuplicate
from core.domain.ids import MemoryPk
from core.domain.queries import LibrarySchema
from core.domain.queries_merge import DuplicateGroup, FindDuplicates, Verdict
from core.domain.results import OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.models.merge_choice import DeskItem
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.views.merge.words import reasons_text
from ui.views.naming import name_of, type_name
from ui.views.upkeep.search_frame import SearchTask
from ui.widgets.wheel import guard_wheel

Found = tuple[tuple[DuplicateGroup, ...], Schema]
MOST_SHOWN = 300
GROUP = Qt.ItemDataRole.UserRole
SHOWN_FIRST = (Verdict.SURE, Verdict.LIKELY)


class DuplicatesTask(SearchTask[Found]):
    """`take(pks)` looks only among a selection."""

    NAME = "duplicates"

    def __init__(self, context: Context, operations: Operations) -> None:
        self.tree = _GroupTree()
        super().__init__(context, operations, self.tree)
        self.verdicts = {verdict: QToolButton() for verdict in Verdict}
        for verdict, button in self.verdicts.items():
            button.setProperty("button", True)
            button.setCheckable(True)
            button.setChecked(verdict in SHOWN_FIRST)
            button.toggled.connect(lambda _on: self._refill())
            self.tools.addWidget(button)
        self.types = QComboBox()
        guard_wheel(self.types)
        self.types.currentIndexChanged.connect(lambda _at: self._refill())
        self.tools.addWidget(self.types)
        self.apart_button, self.desk_button = QPushButton(), QPushButton()
        self.desk_button.setProperty("primary", "true")
        self.apart_button.clicked.connect(self.not_same)
        self.desk_button.clicked.connect(self.open_desk)
        needs_writing(self.context, self.apart_button, self.desk_button)
        self.bar.addWidget(self.apart_button)
        self.bar.addWidget(self.desk_button)
        self.tree.itemActivated.connect(lambda _item, _column: self.open_desk())
        self.tree.itemSelectionChanged.connect(self._enable)
        self._shown: list[DuplicateGroup] = []
        self._only: frozenset[MemoryPk] = frozenset()
        operations.merge_handled.connect(self._on_handled)
        self.say_texts()
        self._enable()

    def take(self, memories: tuple[MemoryPk, ...]) -> None:
        """Look among a selection of another page."""
        self._only = frozenset(memories)
        self.look()
        self._only = frozenset()

    def asked(self) -> Callable[[EngineApi, Report, Cancel], Found]:
        folder, across, only = self.folder.folder, self.across.isChecked(), self._only

        def ask(engine: EngineApi, progress: Report, cancel: Cancel) -> Found:
            query = FindDuplicates(
                folder=folder, across=across or bool(only), memories=only, progress=progress
            )
            return engine.ask(query, cancel=cancel), engine.ask(LibrarySchema(), cancel=cancel)

        return ask

    # --- the list ---

    def show_found(self, found: Found) -> None:
        groups, schema = found
        tr = self.context.tr
        counts = {verdict: sum(group.verdict is verdict for group in groups) for verdict in Verdict}
        for verdict, button in self.verdicts.items():
            button.setText(f"{tr(f'duplicates.verdict.{verdict.value}')}  {tr.number(counts[verdict])}")
            button.setEnabled(bool(counts[verdict]))
        if groups and not any(counts[v] for v, b in self.verdicts.items() if b.isChecked()):
            first = next(verdict for verdict in Verdict if counts[verdict])
            self.verdicts[first].setChecked(True)
        self._fill_types(groups, schema)
        self._refill()

    def _fill_types(self, groups: Sequence[DuplicateGroup], schema: Schema) -> None:
        tr, chosen = self.context.tr, self.types.currentData()
        self.types.blockSignals(True)
        self.types.clear()
        self.types.addItem(tr("duplicates.all_types"), None)
        present = {row.type for group in groups for row in group.rows}
        for kind in schema.types:
            if kind.id in present:
                self.types.addItem(self.context.theme.type_icon(kind.id), type_name(kind, tr), kind.id)
        self.types.setCurrentIndex(max(0, self.types.findData(chosen)))
        self.types.blockSignals(False)

    def _refill(self) -> None:
        if self.found is None:
            return
        groups, schema = self.found
        tr, kind = self.context.tr, self.types.currentData()
        wanted = [
            group
            for group in groups
            if self.verdicts[group.verdict].isChecked()
            and (kind is None or any(row.type == kind for row in group.rows))
        ]
        self._shown = wanted[:MOST_SHOWN]
        names = {str(item.id): type_name(item, tr) for item in schema.types}
        self.tree.clear()
        self.tree.addTopLevelItems([self._item(at, names) for at in range(len(self._shown))])
        if not groups:
            self.stack.show_notice(tr("duplicates.none"), tr("duplicates.again"), self.look)
        elif not wanted:
            self.stack.show_notice(tr("duplicates.none_shown"))
        else:
            self.stack.show_content()
            self.tree.setCurrentIndex(self.tree.model().index(0, 0))
        memories = sum(len(group.rows) for group in wanted)
        text = tr("duplicates.shown", count=tr.number(len(wanted)), memories=tr.number(memories))
        if len(wanted) > MOST_SHOWN:
            text = tr("duplicates.shown.cut", count=MOST_SHOWN, all=tr.number(len(wanted)))
        self.summary.setText(text if groups else "")
        self._enable()

    def _item(self, at: int, names: dict[str, str]) -> QTreeWidgetItem:
        tr, group = self.context.tr, self._shown[at]
        first = group.rows[0]
        titles = " · ".join(name_of(row.title or row.snippet, tr) for row in group.rows)
        why = reasons_text(tr, [(each.key, each.args) for each in group.pairs[0].reasons])
        folders = ", ".join(dict.fromkeys(row.folder_name for row in group.rows))
        verdict = tr(f"duplicates.verdict.{group.verdict.value}")
        item = QTreeWidgetItem([titles, verdict, names.get(first.type, first.type), folders, why])
        item.setIcon(0, self.context.theme.type_icon(first.type))
        item.setData(0, GROUP, at)
        for column in (0, 4):
            item.setToolTip(column, item.text(column))
        return item

    def _chosen(self) -> list[DuplicateGroup]:
        return [self._shown[item.data(0, GROUP)] for item in self.tree.selectedItems()]

    def _enable(self) -> None:
        some = bool(self.tree.selectedItems()) and self.stack.shows == "content"
        self.desk_button.setEnabled(some)
        self.apart_button.setEnabled(some)

    # --- what is done ---

    def open_desk(self) -> None:
        """The desk, beginning with the chosen group and going on with all that are shown below it."""
        chosen = self._chosen()
        if not chosen:
            return
        if len(chosen) == 1:
            at = self._shown.index(chosen[0])
            chosen = [*self._shown[at:], *self._shown[:at]]
        self.operations.open_merge_desk([desk_item(group) for group in chosen])

    def not_same(self) -> None:
        """Tell the members of the chosen groups apart."""
        chosen = self._chosen()
        pairs = [pair for group in chosen for pair in combinations([row.pk for row in group.rows], 2)]
        if pairs:

            def done(_result: OpResult) -> None:
                self._take_out({row.pk for group in chosen for row in group.rows})

            self.operations.run(MarkNotDuplicate(pairs=tuple(pairs)), done)

    def _on_handled(self, pks: object) -> None:
        if isinstance(pks, tuple):
            self._take_out(set(pks))

    def _take_out(self, pks: set[MemoryPk]) -> None:
        """Groups that were worked on are no longer shown."""
        if self.found is None:
            return
        groups, schema = self.found
        left = tuple(group for group in groups if len({row.pk for row in group.rows} & pks) < 2)
        self.found = (left, schema)
        self.show_found(self.found)

    def restate(self) -> None:
        tr = self.context.tr
        self.tree.setHeaderLabels(
            [
                tr("duplicates.column.what"),
                tr("duplicates.column.sure"),
                tr("duplicates.column.kind"),
                tr("duplicates.column.folder"),
                tr("duplicates.column.why"),
            ]
        )
        self.tree.setAccessibleName(tr("upkeep.duplicates"))
        for verdict, button in self.verdicts.items():
            button.setText(tr(f"duplicates.verdict.{verdict.value}"))
        if not self.types.count():
            self.types.addItem(tr("duplicates.all_types"), None)
        self.types.setAccessibleName(tr("duplicates.column.kind"))
        self.apart_button.setText(tr("duplicates.not_same"))
        self.desk_button.setText(tr("duplicates.open"))


def desk_item(group: DuplicateGroup) -> DeskItem:
    """A group as an entry of the desk."""
    why = [(each.key, each.args) for pair in group.pairs for each in pair.reasons]
    return DeskItem(tuple(row.pk for row in group.rows), group.verdict.value, tuple(why))


class _GroupTree(QTreeWidget):
    """The groups, one a row. Enter opens the desk."""

    def __init__(self) -> None:
        super().__init__()
        self.setColumnCount(5)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setProperty("rows", "list")
        self.setAlternatingRowColors(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.header()
        header.setStretchLastSection(True)
        for column, width in ((0, 340), (1, 72), (2, 80), (3, 120)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.setColumnWidth(column, width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.itemActivated.emit(self.currentItem(), 0)
            return
        super().keyPressEvent(event)
