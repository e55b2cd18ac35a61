"""Forget: the retention value of every memory, a line to drag, ticks, and one change (spec/STBME §3.8)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, EngineApi
from core.domain.commands_upkeep import ForgetMemories
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.queries_upkeep import ForgetPlan
from core.domain.results import OpResult
from core.domain.upkeep import FORGET_BELOW, Forgettable
from ui.context import Context
from ui.models.plan_rows import PlanColumn
from ui.operations import Operations
from ui.plots.retention import RetentionPlot
from ui.views.upkeep.plan_columns import (
    created_column,
    folder_column,
    importance_column,
    last_used_column,
    recalled_column,
)
from ui.views.upkeep.plan_filter import PlanFilter
from ui.views.upkeep.plan_frame import PlanTask
from ui.views.upkeep.plan_table import PlanTable
from ui.widgets.state_stack import StateStack
from ui.widgets.wheel import guard_wheel

MOST = 1000.0
SPARED = ("type", "importance", "young", "locked")


class ForgetTask(PlanTask[Forgettable]):
    """Rows below the line are ticked; a tick taken away by hand stays away."""

    NAME = "forget"

    def __init__(self, context: Context, operations: Operations) -> None:
        self.table = PlanTable(context)
        self.plot = RetentionPlot(context)
        self.rows_stack = StateStack(self.table)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.plot)
        column.addWidget(self.rows_stack, 1)
        super().__init__(context, operations, content)
        self._passing: NDArray[np.bool_] | None = None
        self.filter = PlanFilter(context, parent=self)
        self.threshold = QDoubleSpinBox()
        self.threshold.setRange(0.0, MOST)
        self.threshold.setDecimals(3)
        self.threshold.setSingleStep(0.01)
        self.threshold.setValue(FORGET_BELOW)
        guard_wheel(self.threshold)
        self.plot.show_threshold(FORGET_BELOW)
        self.label = QLabel()
        self.label.setProperty("role", "secondary")
        self.default = QPushButton()
        self.default.setProperty("flat", "true")
        self.status = QComboBox()
        guard_wheel(self.status)
        below = QWidget()
        row = QHBoxLayout(below)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for part in (self.label, self.threshold, self.default):
            row.addWidget(part)
        for widget in (below, self.filter.words, self.filter.types):
            self.tools.addWidget(widget)
        self.filter.choices.hide()
        self.bar.insertWidget(1, self.status)
        self.threshold.valueChanged.connect(self._on_value)
        self.plot.moved.connect(self.threshold.setValue)
        self.default.clicked.connect(lambda: self.threshold.setValue(FORGET_BELOW))
        self.filter.changed.connect(self._on_filter)
        self.table.open_memories.connect(self.open_memories)
        self.table.rows.chosen.connect(self.show_summary)
        self.say_texts()

    def asked(self) -> Callable[[EngineApi, Cancel], Forgettable]:
        query = ForgetPlan(folder=self.folder.folder, with_subfolders=True)
        return lambda engine, cancel: engine.ask(query, cancel=cancel)

    def show_plan(self, plan: Forgettable) -> None:
        tr, rows = self.context.tr, plan.rows
        self.plot.show_values(plan.retention)
        self._passing = None
        self.table.fill(rows.pks, self._below(plan).astype(np.int8), self._columns(plan))
        self.filter.show_rows(rows, self.table.rows.choice)
        spared = " · ".join(
            tr(f"forget.spared.{name}", count=tr.number(plan.spared[name]))
            for name in SPARED
            if plan.spared[name]
        )
        said = tr("forget.said", count=tr.number(len(rows)))
        self.said.setText(" ".join((said, tr("forget.spared", parts=spared))) if spared else said)
        if not len(rows):
            self.show_empty(tr("forget.none"))

    def _below(self, plan: Forgettable) -> NDArray[np.bool_]:
        return plan.retention < self.threshold.value()

    def _columns(self, plan: Forgettable) -> list[PlanColumn]:
        tr, rows, values = self.context.tr, plan.rows, plan.retention
        retention = PlanColumn("retention", values, lambda at: f"{values[at]:.3f}", width=88)
        return [
            retention,
            importance_column(rows),
            recalled_column(rows),
            created_column(rows, tr),
            last_used_column(rows, tr),
            folder_column(rows, self.folder),
        ]

    def _on_value(self, value: float) -> None:
        """Another threshold: what was unticked by hand stays so while it lies below the line."""
        self.plot.show_threshold(value)
        plan, rows = self.plan, self.table.rows
        if plan is not None:
            rows.by_hand = {pk: choice for pk, choice in rows.by_hand.items() if not choice}
            rows.set_choices(self._below(plan).astype(np.int8))
            self._narrow()

    def _on_filter(self, mask: NDArray[np.bool_]) -> None:
        self._passing = mask
        self._narrow()

    def _narrow(self) -> None:
        plan, tr = self.plan, self.context.tr
        if plan is None or not len(plan.rows):
            return
        below = self._below(plan)
        self.table.rows.narrow(below if self._passing is None else below & self._passing)
        if below.any():
            self.rows_stack.show_content()
        else:
            lowest = f"{plan.retention[0]:.3f}"
            self.rows_stack.show_notice(
                tr("forget.none_below", threshold=f"{self.threshold.value():g}", lowest=lowest)
            )

    # --- applying ---

    def can_apply(self) -> bool:
        return bool(np.any(self.table.rows.choice == 1))

    def command(self) -> ForgetMemories | None:
        ticked = self.table.rows.picked(1).tolist()
        if not ticked:
            return None
        status = Status(self.status.currentData() or Status.ARCHIVED)
        return ForgetMemories(memories=tuple(map(MemoryPk, ticked)), status=status)

    def summary(self) -> str:
        tr, plan = self.context.tr, self.plan
        if plan is None:
            return ""
        ticked = int(np.count_nonzero(self.table.rows.choice))
        active = len(plan.rows) + sum(plan.spared[name] for name in SPARED)
        return tr(
            "forget.summary",
            ticked=tr.number(ticked),
            before=tr.number(active),
            after=tr.number(active - ticked),
        )

    def applied(self, result: OpResult) -> None:
        self.table.rows.by_hand.clear()
        skipped = result.counts.get("skipped", 0)
        if skipped:
            self.operations.said.emit(self.context.tr("forget.skipped", count=skipped), False)

    def say_texts(self) -> None:
        tr = self.context.tr
        super().say_texts()
        self.filter.say()
        self.label.setText(tr("forget.below"))
        self.threshold.setAccessibleName(tr("forget.below"))
        self.default.setText(tr("forget.default", value=f"{FORGET_BELOW:g}"))
        chosen = max(self.status.currentIndex(), 0)
        self.status.clear()
        for status in (Status.ARCHIVED, Status.EXPIRED):
            self.status.addItem(tr(f"forget.as.{status.value}"), status)
            tip = tr(f"forget.as.{status.value}.tip")
            self.status.setItemData(self.status.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.status.setCurrentIndex(chosen)
        self.status.setAccessibleName(tr("forget.as"))
