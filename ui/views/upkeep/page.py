"""The page Upkeep: the tasks at the left, the plan of the current one beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.upkeep.task_list import TaskList
from ui.views.upkeep.tasks import TASKS

COUNT_AFTER_MS = 800
"""Counts follow a change a little later: the plan in sight comes first."""


class UpkeepPage(QWidget):
    """`open_memories(pks)`: show these in the list. `open_proposal(pk)`: show a proposal."""

    open_memories = Signal(object)
    open_proposal = Signal(int)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._made: dict[str, QWidget] = {}
        self.setProperty("surface", "base")
        self.tasks = TaskList(TASKS, context.tr, context.theme)
        self.plans = QStackedWidget()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.tasks)
        row.addWidget(self.plans, 1)
        self._counting = single_shot(self, COUNT_AFTER_MS, self._count)
        self._stale = True
        self.tasks.chosen.connect(self.show_task)
        context.bridge.changes.connect(lambda _changes: self._on_changes())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.plans.currentWidget() is None:
            self._load_tasks()
        if self._stale:
            self._counting.start()

    def _load_tasks(self) -> None:
        """Import what the tasks are made of beside the window's work, then show the first."""

        def load(_progress: Report, cancel: Cancel) -> None:
            for task in TASKS:
                cancel.check()
                task.load()

        self._context.tasks.run(Lane.READ, load, lambda _none: self._show_first(), owner=self, query="tasks")

    def _show_first(self) -> None:
        if self.plans.currentWidget() is None:
            self.tasks.setCurrentRow(0)

    def task(self, task_id: str) -> QWidget:
        """The widget of a task; made when it is asked for the first time."""
        widget = self._made.get(task_id)
        if widget is None:
            entry = next(entry for entry in TASKS if entry.id == task_id)
            widget = self._made[task_id] = entry.make(self._context, self._operations)
            self.plans.addWidget(widget)
            for name in ("open_memories", "open_proposal"):
                signal = getattr(widget, name, None)
                if signal is not None:
                    signal.connect(getattr(self, name))
        return widget

    def show_task(self, task_id: str) -> None:
        """Go to a task."""
        self.plans.setCurrentWidget(self.task(task_id))
        self.tasks.choose(task_id)

    def take(self, task_id: str, memories: Sequence[MemoryPk]) -> None:
        """Go to a task and let it work on a selection."""
        self.show_task(task_id)
        take = getattr(self.task(task_id), "take", None)
        if take is not None:
            take(tuple(memories))

    def _on_changes(self) -> None:
        self._stale = True
        if self.isVisible():
            self._counting.start()

    def _count(self) -> None:
        """Ask how much waits, one after the other."""
        self._stale = False
        engine, counted = self._context.engine, [task for task in TASKS if task.count is not None]

        def ask(_progress: Report, cancel: Cancel) -> dict[str, int]:
            return {
                task.id: engine.ask(task.count, cancel=cancel) for task in counted if task.count is not None
            }

        def show(counts: dict[str, int]) -> None:
            for task_id, count in counts.items():
                self.tasks.show_count(task_id, count)

        self._context.tasks.run(Lane.READ, ask, show, owner=self, query="counts")
