"""The tasks of the page Upkeep: which there are, in which order, and how each is made."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from core.domain.queries import Query
from core.domain.queries_upkeep import CompressWaiting, ForgetWaiting, TrialsWaiting
from ui.context import Context
from ui.operations import Operations


@dataclass(frozen=True, slots=True)
class UpkeepTask:
    """One entry of the page's list. Its texts are `upkeep.<id>` (name) and `upkeep.<id>.about` (one line).

    `module` names the widget ("ui.views.upkeep.promote:PromoteTask"), called with (context, operations) when the
    task is first shown. `count`: a query for how much waits there; None = no number is shown. What a widget may
    have for the page: the signal `open_memories(pks)`, and `take(pks)` to work on a selection.
    """

    id: str
    icon: str
    module: str
    count: Query[int] | None = None

    @property
    def text_key(self) -> str:
        """Text key of the name."""
        return f"upkeep.{self.id}"

    def load(self) -> Callable[[Context, Operations], object]:
        """The class of the widget, imported."""
        module, _, name = self.module.partition(":")
        found: Callable[[Context, Operations], object] = getattr(importlib.import_module(module), name)
        return found

    def make(self, context: Context, operations: Operations) -> QWidget:
        """The task's widget."""
        widget = self.load()(context, operations)
        assert isinstance(widget, QWidget)
        return widget


TASKS: list[UpkeepTask] = []


def add_task(task: UpkeepTask) -> None:
    """Put a task at the end of the list; a task that is there already stays as it is."""
    if task.id not in {known.id for known in TASKS}:
        TASKS.append(task)


add_task(
    UpkeepTask(
        "compress",
        "mdi6.arrow-collapse-vertical",
        "ui.views.upkeep.compress:CompressTask",
        CompressWaiting(),
    )
)
add_task(
    UpkeepTask(
        "promote",
        "mdi6.arrow-up-bold-circle-outline",
        "ui.views.upkeep.promote:PromoteTask",
        TrialsWaiting(),
    )
)
add_task(UpkeepTask("duplicates", "mdi6.content-duplicate", "ui.views.upkeep.duplicates:DuplicatesTask"))
add_task(
    UpkeepTask(
        "contradictions", "mdi6.lightning-bolt-outline", "ui.views.upkeep.contradictions:ContradictionsTask"
    )
)
add_task(UpkeepTask("forget", "mdi6.weather-fog", "ui.views.upkeep.forget:ForgetTask", ForgetWaiting()))
_MODEL_TASKS = "ui.views.upkeep.model_tasks"
add_task(UpkeepTask("synopsis", "mdi6.text-long", f"{_MODEL_TASKS}:SynopsisTask"))
add_task(UpkeepTask("reflection", "mdi6.head-lightbulb-outline", f"{_MODEL_TASKS}:ReflectionTask"))
add_task(UpkeepTask("evolution", "mdi6.dna", f"{_MODEL_TASKS}:EvolutionTask"))
add_task(UpkeepTask("rebuild_graph", "mdi6.graph-outline", f"{_MODEL_TASKS}:RebuildGraphTask"))
add_task(UpkeepTask("memos", "mdi6.note-text-outline", "ui.views.upkeep.memos:MemosTask"))
add_task(UpkeepTask("flashback", "mdi6.dice-5-outline", "ui.views.upkeep.flashback:FlashbackTask"))
