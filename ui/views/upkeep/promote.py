"""Promote: memories on trial with a verdict for each, carried out as one change (DESIGN §5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from functools import partial

import numpy as np
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import QDateEdit, QHBoxLayout, QLabel, QPushButton, QSpinBox, QWidget

from core.domain.api import Cancel, EngineApi
from core.domain.commands_upkeep import JudgeTrials
from core.domain.ids import MemoryPk
from core.domain.queries_upkeep import TrialPlan
from core.domain.results import OpResult
from core.domain.upkeep import NEVER_USED_SHARE, TRIAL_ACTIVATIONS, TRIAL_DAYS, Trials
from ui.context import Context
from ui.models.plan_rows import Choice, PlanColumn
from ui.operations import Operations
from ui.views.upkeep.plan_columns import (
    created_column,
    folder_column,
    importance_column,
    last_used_column,
    moment,
    recalled_column,
)
from ui.views.upkeep.plan_filter import PlanFilter
from ui.views.upkeep.plan_frame import PlanTask
from ui.views.upkeep.plan_table import PlanTable
from ui.widgets.wheel import guard_wheel

PROMOTE, ARCHIVE, KEEP, TRASH, KEEP_UNTIL = range(5)
CHOICES = (
    Choice("verdict.promote", "mdi6.arrow-up-bold-circle-outline", "ok"),
    Choice("verdict.archive", "mdi6.archive-outline", "accent"),
    Choice("verdict.keep", "mdi6.timer-sand", "secondary"),
    Choice("verdict.trash", "mdi6.trash-can-outline", "danger"),
    Choice("verdict.keep_until", "mdi6.calendar-clock", "secondary"),
)
"""The first four in the order of VERDICTS."""
KEYS = {
    Qt.Key.Key_P: PROMOTE,
    Qt.Key.Key_A: ARCHIVE,
    Qt.Key.Key_K: KEEP,
    Qt.Key.Key_T: TRASH,
    Qt.Key.Key_U: KEEP_UNTIL,
}
KEEP_DAYS = 30
MOST_DAYS, MOST_RECALLS = 3650, 1000


class PromoteTask(PlanTask[Trials]):
    """`take(pks)` plans for a selection."""

    NAME = "promote"

    def __init__(self, context: Context, operations: Operations) -> None:
        self.table = PlanTable(context, CHOICES, KEYS)
        super().__init__(context, operations, self.table)
        self._only: tuple[MemoryPk, ...] | None = None
        self.filter = PlanFilter(context, CHOICES, self)
        self.days, self.activations = _number(1, MOST_DAYS), _number(0, MOST_RECALLS)
        self.days.setValue(int(TRIAL_DAYS))
        self.activations.setValue(TRIAL_ACTIVATIONS)
        self.until = QDateEdit(QDate.currentDate().addDays(KEEP_DAYS))
        self.until.setCalendarPopup(True)
        self.until.setDisplayFormat("yyyy-MM-dd")
        self.until.setMinimumDate(QDate.currentDate().addDays(1))
        guard_wheel(self.until)
        self.everything = QPushButton()
        self.suggested = QPushButton()
        self.verdicts = [QPushButton() for _ in CHOICES]
        self._rule = [QLabel(), QLabel()]
        self._fill_tools()
        self.table.open_memories.connect(self.open_memories)
        self.table.rows.chosen.connect(self._on_chosen)
        self.table.picked.connect(self._on_picked)
        self.filter.changed.connect(self.table.rows.narrow)
        self.days.valueChanged.connect(lambda _value: self._again.start())
        self.activations.valueChanged.connect(lambda _value: self._again.start())
        self.everything.clicked.connect(self.show_all)
        self.suggested.clicked.connect(self._back_to_suggested)
        self.until.dateChanged.connect(lambda _date: self.show_summary())
        self.say_texts()
        self._on_picked(0)

    def _fill_tools(self) -> None:
        rule = QWidget()
        row = QHBoxLayout(rule)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for label, field in zip(self._rule, (self.days, self.activations), strict=True):
            label.setProperty("role", "secondary")
            label.setBuddy(field)
            row.addWidget(label)
            row.addWidget(field)
        for widget in (
            self.filter.words,
            self.filter.types,
            self.filter.choices,
            rule,
            self.everything,
        ):
            self.tools.addWidget(widget)
        for value, button in enumerate(self.verdicts):
            button.clicked.connect(partial(self._choose, value))
            self.tools.addWidget(button)
        self.tools.addWidget(self.until)
        self.bar.insertWidget(1, self.suggested)

    def _choose(self, value: int) -> None:
        self.table.choose(value)

    # --- the plan ---

    def take(self, memories: tuple[MemoryPk, ...]) -> None:
        """Plan for a selection of another page."""
        self._only = memories
        self.table.rows.by_hand.clear()
        self.refresh()

    def show_all(self) -> None:
        """Away from the selection, to all memories on trial."""
        self._only = None
        self.table.rows.by_hand.clear()
        self.refresh()

    def asked(self) -> Callable[[EngineApi, Cancel], Trials]:
        query = TrialPlan(
            folder=None if self._only is not None else self.folder.folder,
            with_subfolders=True,
            memories=self._only,
            days=float(self.days.value()),
            activations=self.activations.value(),
        )
        return lambda engine, cancel: engine.ask(query, cancel=cancel)

    def show_plan(self, plan: Trials) -> None:
        tr, selection = self.context.tr, self._only
        rows = plan.rows
        self.table.fill(rows.pks, plan.suggested, self._columns(plan))
        self.filter.show_rows(rows, self.table.rows.choice)
        self.everything.setVisible(selection is not None)
        self.folder.setEnabled(selection is None)
        if selection is not None:
            said = tr("promote.said.selection", count=tr.number(len(rows)), left_out=tr.number(plan.left_out))
        else:
            said = tr("promote.said", count=tr.number(len(rows)), unused=tr.number(plan.never_used))
        self.said.setText(said)
        share = round(100 * NEVER_USED_SHARE)
        self.warn(tr("promote.careful", share=share) if plan.careful and len(rows) else "")
        if not len(rows):
            if selection is not None:
                self.show_empty(tr("promote.none_selected"), tr("promote.all"), self.show_all)
            else:
                self.show_empty(tr("promote.none"))

    def _columns(self, plan: Trials) -> list[PlanColumn]:
        tr, rows = self.context.tr, plan.rows
        until = PlanColumn(
            "until",
            np.nan_to_num(plan.until, nan=-1.0),
            lambda at: "" if (when := moment(plan.until[at])) is None else f"{when.astimezone():%Y-%m-%d}",
            right=False,
            width=96,
        )
        columns = [
            recalled_column(rows),
            last_used_column(rows, tr),
            created_column(rows, tr),
            importance_column(rows),
            folder_column(rows, self.folder),
        ]
        return [*columns, until] if np.any(~np.isnan(plan.until)) else columns

    def _back_to_suggested(self) -> None:
        self.table.rows.by_hand.clear()
        if self.plan is not None:
            self.show_plan(self.plan)
            self.show_summary()

    # --- applying ---

    def can_apply(self) -> bool:
        return bool(np.any(self.table.rows.choice != KEEP))

    def command(self) -> JudgeTrials | None:
        picked = [
            tuple(map(MemoryPk, self.table.rows.picked(value).tolist())) for value in range(len(CHOICES))
        ]
        if not any(picked[value] for value in (PROMOTE, ARCHIVE, TRASH, KEEP_UNTIL)):
            return None
        until = self._until()
        return JudgeTrials(
            promote=picked[PROMOTE],
            archive=picked[ARCHIVE],
            trash=picked[TRASH],
            keep=tuple((pk, until) for pk in picked[KEEP_UNTIL]),
        )

    def _until(self) -> datetime:
        """The end of the chosen day where the person is."""
        day = self.until.date()
        return datetime.combine(date(day.year(), day.month(), day.day()), time.max).astimezone(UTC)

    def summary(self) -> str:
        tr, choice = self.context.tr, self.table.rows.choice
        counts = np.bincount(choice, minlength=len(CHOICES)) if len(choice) else np.zeros(len(CHOICES), int)
        parts = [
            tr("plan.part", name=tr(each.key), count=tr.number(int(count)))
            for each, count in zip(CHOICES, counts, strict=True)
            if count
        ]
        return " · ".join(parts)

    def applied(self, result: OpResult) -> None:
        self.table.rows.by_hand.clear()
        self._only = None

    def _on_chosen(self) -> None:
        self.show_summary()
        self.suggested.setEnabled(bool(self.table.rows.by_hand))

    def _on_picked(self, count: int) -> None:
        for button in self.verdicts:
            button.setEnabled(bool(count))

    def say_texts(self) -> None:
        tr, theme = self.context.tr, self.context.theme
        super().say_texts()
        self.filter.say()
        for name, label in zip(("promote.older", "promote.recalled"), self._rule, strict=True):
            label.setText(tr(name))
            label.setToolTip(tr(f"{name}.tip"))
        self.days.setSuffix(tr("promote.days"))
        self.activations.setSuffix(tr("promote.times"))
        self.days.setToolTip(tr("promote.older.tip"))
        self.activations.setToolTip(tr("promote.recalled.tip"))
        self.until.setToolTip(tr("verdict.keep_until.tip"))
        self.until.setAccessibleName(tr("verdict.keep_until"))
        self.everything.setText(tr("promote.all"))
        self.suggested.setText(tr("plan.suggested"))
        self.suggested.setToolTip(tr("plan.suggested.tip"))
        for value, (button, choice) in enumerate(zip(self.verdicts, CHOICES, strict=True)):
            key = next(chr(name.value) for name, at in KEYS.items() if at == value)
            button.setText(tr(choice.key))
            button.setIcon(theme.icon(choice.icon, choice.color))
            button.setToolTip(tr("plan.verdict.tip", tip=tr(f"{choice.key}.tip"), key=key))


def _number(least: int, most: int) -> QSpinBox:
    field = QSpinBox()
    field.setRange(least, most)
    guard_wheel(field)
    return field
