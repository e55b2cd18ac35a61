"""Compress: groups to look at and regroup, summed up into a proposal (spec/STBME §3.8, DESIGN §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QPushButton

from core.domain.api import Cancel, EngineApi, Report
from core.domain.commands import Command
from core.domain.endpoints import ModelTask
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import LibrarySchema, MemoryRows
from core.domain.queries_upkeep import CompressPlanOf, RenewSummaries, SuggestSummaries, SummariesOutOfDate
from core.domain.results import MemoryRow
from core.domain.schema import MemoryType
from core.domain.upkeep import CompressPlan
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.naming import type_name
from ui.views.upkeep.group_tree import MOST_APART, MOST_GROUPS, GroupTree
from ui.views.upkeep.model_tasks import served_by
from ui.views.upkeep.plan_frame import PlanTask
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.wheel import guard_wheel

HINT_PX = 120


@dataclass(frozen=True, slots=True)
class _Groups:
    """The plan with the rows that are shown, the types that are compressed, and summaries out of date."""

    plan: CompressPlan
    rows: dict[int, MemoryRow]
    kinds: tuple[MemoryType, ...]
    outdated: tuple[MemoryPk, ...]


class CompressTask(PlanTask[_Groups]):
    """Apply suggests summaries: nothing changes before the proposal is applied. `open_proposal(pk)`."""

    NAME = "compress"
    open_proposal = Signal(int)

    def __init__(self, context: Context, operations: Operations) -> None:
        self.tree = GroupTree(context)
        super().__init__(context, operations, self.tree)
        self.types = QComboBox()
        self.types.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        guard_wheel(self.types)
        self.forced = QCheckBox()
        self.forced.setMinimumHeight(context.theme.row_px)
        self.up, self.down, self.apart = QPushButton(), QPushButton(), QPushButton()
        self.outdated, self.renew_button = QPushButton(), QPushButton()
        for button in (self.outdated, self.renew_button):
            button.setProperty("flat", "true")
        self.hint = PlainLineEdit()
        self.hint.setMinimumWidth(context.theme.px(HINT_PX))
        self.by = QLabel()
        self.by.setProperty("role", "secondary")
        for widget in (
            self.types,
            self.forced,
            self.up,
            self.down,
            self.apart,
            self.outdated,
            self.renew_button,
        ):
            self.tools.addWidget(widget)
        self.tools.addWidget(self.by)
        self.by.setMinimumHeight(context.theme.row_px)
        self.bar.insertWidget(1, self.hint, 1)
        self.types.activated.connect(lambda _at: self.refresh())
        self.forced.toggled.connect(lambda _on: self.refresh())
        self.up.clicked.connect(lambda: self.tree.move_selected(-1))
        self.down.clicked.connect(lambda: self.tree.move_selected(1))
        self.apart.clicked.connect(self.tree.take_apart)
        self.outdated.clicked.connect(self._show_outdated)
        self.renew_button.clicked.connect(self._renew)
        needs_writing(self.context, self.renew_button)
        self.tree.changed.connect(self.show_summary)
        self.tree.open_memories.connect(self.open_memories)
        self.tree.itemSelectionChanged.connect(self._enable)
        self.say_texts()
        self._enable()

    # --- the plan ---

    def asked(self) -> Callable[[EngineApi, Cancel], _Groups]:
        kind = self.types.currentData()
        query = CompressPlanOf(
            folder=self.folder.folder,
            with_subfolders=True,
            types=frozenset() if kind is None else frozenset({TypeId(kind)}),
            forced=self.forced.isChecked(),
        )

        def ask(engine: EngineApi, cancel: Cancel) -> _Groups:
            plan = engine.ask(query, cancel=cancel)
            shown = [pk for group in plan.groups[:MOST_GROUPS] for pk in group.memories]
            shown += [pk for group in plan.apart for pk in group.memories[:MOST_APART]]
            rows = engine.ask(MemoryRows(tuple(shown)), cancel=cancel)
            schema = engine.ask(LibrarySchema(), cancel=cancel)
            kinds = tuple(each for each in schema.types if each.compression.hierarchical)
            outdated = engine.ask(SummariesOutOfDate(query.folder), cancel=cancel)
            return _Groups(plan, {row.pk: row for row in rows}, kinds, outdated)

        return ask

    def show_plan(self, plan: _Groups) -> None:
        tr = self.context.tr
        self._fill_types(plan.kinds)
        self.tree.show_plan(plan.plan, plan.rows)
        groups = plan.plan.groups
        count = sum(len(group.memories) for group in groups)
        said = [tr("compress.said", groups=tr.number(len(groups)), count=tr.number(count))]
        if len(groups) > MOST_GROUPS:
            said.append(tr("compress.first", count=tr.number(MOST_GROUPS)))
        if plan.plan.locked:
            said.append(tr("compress.locked", count=tr.number(plan.plan.locked)))
        self.said.setText(" ".join(said))
        self.outdated.setVisible(bool(plan.outdated))
        self.renew_button.setVisible(bool(plan.outdated))
        self.outdated.setText(tr("compress.outdated", count=len(plan.outdated)))
        self._say_who()
        if groups:
            return
        if self.forced.isChecked():
            self.show_empty(tr("compress.none_forced"))
        else:
            self.show_empty(tr("compress.none"), tr("compress.force"), lambda: self.forced.setChecked(True))

    def _fill_types(self, kinds: tuple[MemoryType, ...]) -> None:
        tr, theme, chosen = self.context.tr, self.context.theme, self.types.currentData()
        self.types.clear()
        self.types.addItem(tr("plan.any_type"), None)
        for kind in kinds:
            rule = kind.compression
            self.types.addItem(theme.type_icon(kind.id), type_name(kind, tr), kind.id)
            tip = tr(
                "compress.rule",
                threshold=rule.threshold,
                fan_in=rule.fan_in,
                keep=rule.keep_recent,
                depth=rule.max_depth,
            )
            self.types.setItemData(self.types.count() - 1, tip, 3)
        self.types.setCurrentIndex(max(self.types.findData(chosen), 0))
        self.types.setAccessibleName(tr("column.type"))

    def _say_who(self) -> None:
        """Who will sum up: the built-in summariser, a person, or a model."""
        how = served_by(self.context.settings, ModelTask.COMPRESS, self.context.tr)
        self.by.setText(self.context.tr("compress.by", how=how))

    def _show_outdated(self) -> None:
        if self.plan is not None and self.plan.outdated:
            self.open_memories.emit(self.plan.outdated)

    # --- suggesting ---

    def command(self) -> Command | None:
        return None

    def can_apply(self) -> bool:
        return self.plan is not None and bool(self.tree.chosen())

    def apply(self) -> None:
        """Ask for summaries of the ticked groups; the proposal is shown when it is there."""
        groups = self.tree.chosen()
        if not groups or self._applying:
            return
        self._ask_for(SuggestSummaries(groups=groups, hint=self.hint.text().strip()))

    def _renew(self) -> None:
        """Ask for new texts of the summaries that are out of date."""
        if self.plan is not None and self.plan.outdated and not self._applying:
            self._ask_for(RenewSummaries(memories=self.plan.outdated, hint=self.hint.text().strip()))

    def _ask_for(self, query: SuggestSummaries | RenewSummaries) -> None:
        engine = self.context.engine

        def ask(progress: Report, cancel: Cancel) -> tuple[int, ...]:
            told = replace(query, progress=progress) if isinstance(query, SuggestSummaries) else query
            return engine.ask(told, cancel=cancel)

        self.watch(
            self.context.tasks.run(
                Lane.NET,
                ask,
                self._on_suggested,
                owner=self,
                query="suggest",
                label="task.summarise",
                failed=self._on_refused,
            )
        )

    def _on_suggested(self, proposals: tuple[int, ...]) -> None:
        self._applying = False
        self.hint.clear()
        self.refresh()
        if proposals:
            self.open_proposal.emit(proposals[0])

    def summary(self) -> str:
        groups = self.tree.chosen()
        count = sum(len(group.memories) for group in groups)
        tr = self.context.tr
        return tr("compress.summary", groups=tr.number(len(groups)), count=tr.number(count))

    def _enable(self) -> None:
        picked = bool(self.tree.selectedItems())
        for button in (self.up, self.down, self.apart):
            button.setEnabled(picked)

    def say_texts(self) -> None:
        tr, theme = self.context.tr, self.context.theme
        super().say_texts()
        self.apply_button.setText(tr("compress.apply"))
        self.apply_button.setToolTip(tr("compress.apply.tip"))
        self.forced.setText(tr("compress.forced"))
        self.forced.setToolTip(tr("compress.forced.tip"))
        self.hint.setPlaceholderText(tr("compress.hint"))
        self.hint.setAccessibleName(tr("compress.hint"))
        self.outdated.setToolTip(tr("compress.outdated.tip"))
        self.renew_button.setText(tr("compress.renew"))
        self.renew_button.setToolTip(tr("compress.renew.tip"))
        for button, key, icon in (
            (self.up, "compress.up", "mdi6.arrow-up"),
            (self.down, "compress.down", "mdi6.arrow-down"),
            (self.apart, "compress.take_apart", "mdi6.close-circle-outline"),
        ):
            button.setText(tr(key))
            button.setToolTip(tr(f"{key}.tip"))
            button.setIcon(theme.icon(icon))
        self._say_who()
