"""Extraction that runs by itself: folders that ask for it, and what is due after it. Everything is the same op and undo."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from core.domain.commands_proposals import ApplyProposal
from core.domain.commands_upkeep import ForgetMemories
from core.domain.endpoints import MANUAL
from core.domain.errors import BadReply, Invalid, Unavailable, UserError, WaitsForReply
from core.domain.folder import Folder
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk
from core.domain.proposal import ProposalKind
from core.domain.queries_extract import (
    DueTasks,
    ExtractionReport,
    PromptTask,
    Reach,
    RunAutomatic,
    RunExtraction,
    RunState,
    RunTask,
    TaskReport,
)
from core.domain.queries_upkeep import CompressPlanOf, ForgetPlan, SuggestSummaries
from core.domain.upkeep import CompressPlan, Forgettable
from core.ports.progress import CancelToken
from core.services.compress import decided_before
from core.services.extract.due import due_tasks, forget_below
from core.services.extract.run import Extraction, Tools
from core.services.lookup import folder_of

_log = logging.getLogger(__name__)

MOST_BATCHES = 1_000
"""Batches of one folder at a time: a backlog is read to its end, but no loop lasts for ever."""
MOST_ROUNDS = 20
"""Rounds of compression after one batch: more than any type has levels."""


class Automatic:
    """Runs what folders ask for."""

    def __init__(self, tools: Tools, extraction: Extraction) -> None:
        self._tools = tools
        self._extraction = extraction

    def run(self, query: RunAutomatic, cancel: CancelToken | None = None) -> tuple[ExtractionReport, ...]:
        """All folders that ask for it, or one. A folder whose model does not answer does not hold up the others.

        Errors: Invalid when a person serves the task: nobody is there; the first folder's when none could be read.
        """
        model = self._tools.model()
        if model is not None and model.name == MANUAL:
            raise Invalid("error.extract.auto_by_hand")
        with self._tools.store.read() as reader:
            folders = [
                folder.pk
                for folder in reader.all_records(Folder)
                if query.folder in (None, folder.pk) and FolderValues(folder.settings).flag("extract.enabled")
            ]
        reports: list[ExtractionReport] = []
        failed: UserError | Unavailable | None = None
        for folder in folders:
            try:
                reports += self._folder(folder, cancel)
            except (UserError, Unavailable) as error:
                _put_off("a folder", error)
                failed = failed or error
        if failed is not None and not reports:
            raise failed
        return tuple(reports)

    def _folder(self, folder: FolderPk, cancel: CancelToken | None) -> list[ExtractionReport]:
        """Batch after batch; floors that come a second time were taken back meanwhile, and wait for the next change."""
        reports: list[ExtractionReport] = []
        done = -1
        while len(reports) < MOST_BATCHES:
            batch = self._extraction.automatic(folder, cancel)
            if batch is None or batch.start <= done:
                break
            done = batch.end
            query = RunExtraction(folder=folder, reach=Reach.NEXT, apply=True)
            report = self._extraction.run_batches(query, [batch], cancel)
            reports.append(report)
            if report.state is not RunState.DONE:
                break
            self._follow(folder, report.created, cancel)
        return reports

    def _follow(self, folder: FolderPk, created: Sequence[MemoryPk], cancel: CancelToken | None) -> None:
        """What is due is made and applied; a task whose model does not answer is left for the next time.

        In the order of spec/STBME §3.8: evolution, synopsis, reflection, forgetting, compression.
        """
        with self._tools.store.read() as reader:
            due = due_tasks(reader, DueTasks(folder=folder, created=tuple(created)))
        for task in due:
            memories = tuple(created) if task is PromptTask.EVOLVE else ()
            try:
                report: TaskReport = self._tools.ask(
                    RunTask(folder=folder, task=task, memories=memories), cancel=cancel
                )
            except (Unavailable, BadReply, WaitsForReply) as error:
                _put_off(task.value, error)
                continue  # a request to a person waits on Review by now, and its proposal will too
            if report.proposal is not None:
                self._tools.run(ApplyProposal(proposal=report.proposal), cancel=cancel)
        self._forget(folder, cancel)
        self._compress(folder, cancel)

    def _forget(self, folder: FolderPk, cancel: CancelToken | None) -> None:
        with self._tools.store.read() as reader:
            below = forget_below(folder_of(reader, folder))
        if below is None:
            return
        plan: Forgettable = self._tools.ask(ForgetPlan(folder=folder))
        low = plan.rows.pks[plan.retention < below].tolist()
        if low:
            self._tools.run(ForgetMemories(memories=tuple(MemoryPk(pk) for pk in low)), cancel=cancel)

    # --- compression -----------------------------------------------------------------------

    def _compress(self, folder: FolderPk, cancel: CancelToken | None) -> None:
        """Whatever the types' thresholds ask for, one change for each round, as long as one leads to the next level."""
        with self._tools.store.read() as reader:
            if not FolderValues(folder_of(reader, folder).settings).flag("compress.enabled"):
                return
            decided = decided_before(reader, folder)
        tried: set[tuple[MemoryPk, ...]] = set()
        for _ in range(MOST_ROUNDS):
            plan: CompressPlan = self._tools.ask(CompressPlanOf(folder=folder, without=decided))
            groups = [group for group in plan.groups if group.memories not in tried]
            tried.update(group.memories for group in groups)
            if not groups:
                return
            before, going_on = self._newest(folder), True
            try:
                self._tools.ask(SuggestSummaries(groups=tuple(groups)), cancel=cancel)
            except (Unavailable, WaitsForReply) as error:
                _put_off("compress", error)
                going_on = False  # summaries that came before it are kept
            except UserError as error:
                _put_off("compress", error)
                return  # not one came that can be used
            if (made := self._newest(folder)) != before:
                self._tools.run(ApplyProposal(proposal=made), cancel=cancel)
            if not going_on:
                return

    def _newest(self, folder: FolderPk) -> int:
        """The newest proposal of summaries, 0 = there is none."""
        with self._tools.store.read() as reader:
            rows = reader.proposal_rows(ProposalKind.COMPRESSION, folder)
        return max((row.pk for row in rows), default=0)


def _put_off(what: str, error: Exception) -> None:
    """Whoever wonders why nothing came finds it in the log, which holds no text of a chat."""
    _log.info(
        "automatic extraction: %s waits for the next time: %s",
        what,
        getattr(error, "key", "") or type(error).__name__,
    )
