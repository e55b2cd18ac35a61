"""Extraction that runs by itself: folders that ask for it, and what is due after it. Everything is the same op and undo."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_upkeep import ForgetMemories
from core.domain.endpoints import MANUAL
from core.domain.errors import BadReply, Invalid, Unavailable, WaitsForReply
from core.domain.folder import Folder
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_extract import (
    DueTasks,
    ExtractionReport,
    PromptTask,
    Reach,
    RunAutomatic,
    RunExtraction,
    RunState,
    RunTask,
)
from core.domain.queries_upkeep import ForgetPlan
from core.domain.upkeep import Forgettable
from core.ports.progress import CancelToken
from core.services.extract.due import due_tasks, forget_below
from core.services.extract.run import Extraction, Tools
from core.services.extract.tasks import Tasks
from core.services.lookup import folder_of

MOST_BATCHES = 1_000
"""Batches of one folder at a time: a backlog is read to its end, but no loop lasts for ever."""


class Automatic:
    """Runs what folders ask for."""

    def __init__(self, tools: Tools, extraction: Extraction, tasks: Tasks) -> None:
        self._tools = tools
        self._extraction = extraction
        self._tasks = tasks

    def run(self, query: RunAutomatic, cancel: CancelToken | None = None) -> tuple[ExtractionReport, ...]:
        """All folders that ask for it, or one. A folder whose model does not answer does not hold up the others.

        Errors: Invalid when a person serves the task: nobody is there.
        """
        model = self._tools.model()
        if model is not None and model.name == MANUAL:
            raise Invalid("error.extract.auto_by_hand")
        with self._tools.store.read() as reader:
            folders = [
                folder
                for folder in reader.all_records(Folder)
                if query.folder in (None, folder.pk) and FolderValues(folder.settings).flag("extract.enabled")
            ]
        return tuple(report for folder in folders for report in self._folder(folder.pk, cancel))

    def _folder(self, folder: FolderPk, cancel: CancelToken | None) -> list[ExtractionReport]:
        reports: list[ExtractionReport] = []
        while len(reports) < MOST_BATCHES:
            batch = self._extraction.automatic(folder, cancel)
            if batch is None:
                break
            query = RunExtraction(folder=folder, reach=Reach.NEXT, apply=True)
            report = self._extraction.run_batches(query, [batch], cancel)
            reports.append(report)
            if report.state is not RunState.DONE:
                break
            self._follow(folder, report.created, cancel)
        return reports

    def _follow(self, folder: FolderPk, created: Sequence[MemoryPk], cancel: CancelToken | None) -> None:
        """What is due is made and applied; a task whose model does not answer is left for the next time."""
        with self._tools.store.read() as reader:
            due = due_tasks(reader, DueTasks(folder=folder, created=tuple(created)))
        for task in due:
            memories = tuple(created) if task is PromptTask.EVOLVE else ()
            try:
                report = self._tasks.run(RunTask(folder=folder, task=task, memories=memories), cancel)
            except (Unavailable, BadReply, WaitsForReply):
                continue  # a request to a person is a row by now: what it gives is looked at by them
            if report.proposal is not None:
                self._tools.run(ApplyProposal(proposal=report.proposal), cancel=cancel)
        self._forget(folder, cancel)

    def _forget(self, folder: FolderPk, cancel: CancelToken | None) -> None:
        with self._tools.store.read() as reader:
            below = forget_below(folder_of(reader, folder))
        if below is None:
            return
        plan: Forgettable = self._tools.ask(ForgetPlan(folder=folder))
        low = plan.rows.pks[plan.retention < below].tolist()
        if low:
            self._tools.run(ForgetMemories(memories=tuple(MemoryPk(pk) for pk in low)), cancel=cancel)
