"""What connects the strip "still says the old thing" with the rest of the window: proposals, replacing, other names."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import EditMemory
from core.domain.commands_sayings import KeepOldTexts
from core.domain.ids import MemoryPk
from core.domain.queries import MemoryDetailOf
from core.domain.queries_extract import PromptTask, RunTask, TaskReport
from core.domain.queries_upkeep import RenewSummaries
from core.domain.results import MemoryDetail, OpResult
from core.domain.sayings import OldTexts
from ui.context import Context
from ui.dialogs.replace import ReplaceDialog
from ui.language import isolate
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.old_texts_strip import SYNOPSIS, OldTextsStrip


class OldTextsLink(QObject):
    """`show_memories(pks)` lists memories; `show_proposal(pk)` shows one on the page Review."""

    def __init__(
        self,
        context: Context,
        operations: Operations,
        show_memories: Callable[[tuple[MemoryPk, ...]], None],
        show_proposal: Callable[[int], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._context, self._operations, self._window = context, operations, window
        self._show_memories, self._show_proposal = show_memories, show_proposal

    def connect_strip(self, strip: OldTextsStrip) -> None:
        """Do what the strip asks for."""
        strip.show_wanted.connect(self._show_memories)
        strip.renew_wanted.connect(self._renew)
        strip.replace_wanted.connect(self._replace)
        strip.alias_wanted.connect(self._keep_alias)
        strip.keep_wanted.connect(lambda pk: self._operations.run(KeepOldTexts(memories=(MemoryPk(pk),))))

    def _renew(self, found: OldTexts) -> None:
        """New texts for the nearest summary and the synopsis, as proposals; the first of them is shown."""
        summaries = tuple(each.row.pk for each in found.above if each.renewable and each.row.type != SYNOPSIS)
        folders = {each.row.folder for each in found.above if each.renewable and each.row.type == SYNOPSIS}
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[list[int], list[TaskReport]]:
            made: list[int] = []
            if summaries:
                made += engine.ask(RenewSummaries(memories=summaries), cancel=cancel)
            tasks = [RunTask(folder=folder, task=PromptTask.SYNOPSIS) for folder in sorted(folders)]
            return made, [engine.ask(task, cancel=cancel) for task in tasks]

        def show(done: tuple[list[int], list[TaskReport]]) -> None:
            proposals, reports = done
            proposals += [report.proposal for report in reports if report.proposal is not None]
            if proposals:
                self._show_proposal(proposals[0])
            elif why := next((report for report in reports if report.why), None):
                self._operations.said.emit(self._context.tr(why.why, **why.args), False)

        self._context.tasks.run(
            Lane.NET,
            ask,
            show,
            owner=self,
            query="renew",
            label="task.summarise",
            failed=self._operations.show_error,
        )

    def _replace(self, found: OldTexts) -> None:
        if found.named and found.old_titles:
            pks = tuple(each.row.pk for each in found.named)
            dialog = ReplaceDialog(self._context, pks, self._window.window())
            dialog.prefill(found.old_titles[0], found.title)
            dialog.open()

    def _keep_alias(self, pk: int, title: str) -> None:
        """The old title becomes one more name of the memory."""
        engine, tr = self._context.engine, self._context.tr

        def ask(_progress: Report, cancel: Cancel) -> MemoryDetail:
            return engine.ask(MemoryDetailOf(MemoryPk(pk)), cancel=cancel)

        def done(_result: OpResult) -> None:
            self._operations.said.emit(tr("old.aliased", title=isolate(title)), False)

        def keep(detail: MemoryDetail) -> None:
            names = (*detail.aliases, title)
            command = EditMemory(
                memory=detail.memory.pk, aliases=names, expected_revision=detail.memory.revision
            )
            self._operations.run(command, done)

        self._context.tasks.run(
            Lane.READ, ask, keep, owner=self, query="alias", failed=self._operations.show_error
        )
