"""Extractions as they run: batch by batch into one proposal, resumable after a stop, an error or a crash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from core.domain.commands_proposals import ApplyProposal
from core.domain.endpoints import Usage
from core.domain.errors import BadReply, Cancelled, Invalid, NotFound, Unavailable, WaitsForReply
from core.domain.folder import Folder
from core.domain.folder_settings import FolderValues
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import Json, JsonObject
from core.domain.proposal import BUILT_IN, NewProposal, Part, PartGroup, ProposalKind
from core.domain.queries_extract import (
    BatchPlan,
    ExtractionPlan,
    ExtractionReport,
    ExtractionRun,
    PlanExtraction,
    Reach,
    ResumeExtraction,
    RunExtraction,
    RunState,
)
from core.domain.results import OpResult, Problem
from core.ports.jobs import Job, Jobs
from core.ports.language_model import LanguageModel
from core.ports.progress import CancelToken
from core.ports.proposals import Proposals
from core.ports.store import Reader, Store
from core.services.extract import floors as fl
from core.services.extract.batches import Reading
from core.services.extract.built_in import built_in_parts
from core.services.extract.meaning import Meaning
from core.services.extract.old_graph import retiring_parts
from core.services.extract.segments import Segments
from core.services.extract.shelf import open_shelf
from core.services.lookup import folder_of
from core.services.prompts import PromptBook

KIND = "extract"
OLD_GROUP = "old"
SOURCE = "extraction"
_OPEN = (RunState.RUNNING, RunState.PAUSED, RunState.FAILED)

Run = Callable[..., OpResult]
"""The engine's `run`."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What extraction works with. `run` and `ask` are the engine's, so that what waits for a person can go on.

    `model`: the chosen one (None = none); `meaning`: None without an embedder.
    """

    store: Store
    proposals: Proposals
    jobs: Jobs
    book: PromptBook
    run: Run
    ask: Callable[..., Any]
    model: Callable[[], LanguageModel | None]
    meaning: Callable[[], Meaning | None]


class Extraction:
    """Plans and runs extractions. Calls may come from any thread; each folder has one run at a time."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._segments = Segments(tools.meaning)

    # --- planning ------------------------------------------------------------------------

    def plan(self, query: PlanExtraction, cancel: CancelToken | None = None) -> ExtractionPlan:
        """Which batches would be read. Errors: NotFound, Invalid (range), Cancelled."""
        with self._tools.store.read() as reader:
            folder = folder_of(reader, query.folder)
            values = FolderValues(folder.settings)
            chat = fl.read_floors(reader, folder, values)
        starts = self._starts(chat, values, cancel)
        found = fl.batches(
            chat, folder.last_processed_seq, values, query.reach, (query.start, query.end), starts
        )
        decision = fl.trigger(chat, folder.last_processed_seq, values)
        model = self._tools.model()
        return ExtractionPlan(
            batches=tuple(found),
            pending=len(chat.pending(folder.last_processed_seq)),
            boundaries=starts,
            trigger=tuple(f"extract.trigger.{reason.trigger.value}" for reason in decision.reasons)
            if decision is not None and decision.triggered
            else (),
            model=BUILT_IN if model is None else model.name,
        )

    def boundaries(self, folder: FolderPk, cancel: CancelToken | None = None) -> tuple[int, ...]:
        """Floors that begin a segment. Errors: NotFound, Unavailable("embedder"), Cancelled."""
        with self._tools.store.read() as reader:
            found = folder_of(reader, folder)
            values = FolderValues(found.settings)
            chat = fl.read_floors(reader, found, values)
        return self._segments.starts(chat, values.number("extract.boundary_gamma"), cancel)

    def _starts(
        self, chat: fl.ChatFloors, values: FolderValues, cancel: CancelToken | None
    ) -> tuple[int, ...]:
        """Boundaries where the folder asks for them; none without an embedder."""
        if not values.flag("extract.boundaries"):
            return ()
        try:
            return self._segments.starts(chat, values.number("extract.boundary_gamma"), cancel)
        except Unavailable:
            return ()

    def automatic(self, folder: FolderPk, cancel: CancelToken | None = None) -> BatchPlan | None:
        """The batch that the folder's settings ask for now. Errors: NotFound, Cancelled."""
        with self._tools.store.read() as reader:
            found = folder_of(reader, folder)
            values = FolderValues(found.settings)
            chat = fl.read_floors(reader, found, values)
        if not chat.pending(found.last_processed_seq):
            return None
        starts = self._starts(chat, values, cancel)
        return fl.automatic_batch(chat, found.last_processed_seq, values, starts)[0]

    # --- running -------------------------------------------------------------------------

    def start(self, query: RunExtraction, cancel: CancelToken | None = None) -> ExtractionReport:
        """Read floors into a new proposal; see RunExtraction."""
        plan = self.plan(
            PlanExtraction(folder=query.folder, reach=query.reach, start=query.start, end=query.end), cancel
        )
        return self.run_batches(query, plan.batches, cancel)

    def run_batches(
        self, query: RunExtraction, batches: Sequence[BatchPlan], cancel: CancelToken | None = None
    ) -> ExtractionReport:
        """The same for batches that are known already."""
        model = None if query.built_in else self._tools.model()
        if not batches:
            name = BUILT_IN if model is None else model.name
            return ExtractionReport(run=None, proposal=None, state=RunState.DONE, model=name)
        data: dict[str, Json] = {
            "folder": query.folder,
            "reach": query.reach.value,
            "built_in": model is None,
            "apply": query.apply,
            "proposal": None,
            "batches": [{"turns": list(each.turns), "window": list(each.window)} for each in batches],
        }
        run = self._tools.jobs.add(KIND, RunState.RUNNING, [data])[0]
        return self._work(run, model, cancel, fresh=True)

    def resume(self, run: int, cancel: CancelToken | None = None) -> ExtractionReport:
        """Go on with what is left. Errors: NotFound, Invalid (it is running, or its model is gone), Cancelled."""
        job = self._job(run)
        model = None if job.data.get("built_in") else self._tools.model()
        if model is None and not job.data.get("built_in"):
            raise Invalid("error.extract.no_model")
        return self._work(run, model, cancel, fresh=False)

    def runs(self) -> tuple[ExtractionRun, ...]:
        """Runs that go on or can go on, the newest first."""
        return tuple(_shown(job) for job in reversed(self._tools.jobs.all(KIND)) if job.state in _OPEN)

    def forget(self, run: int) -> bool:
        """Give up what is left of a run."""
        return self._tools.jobs.remove([run]) > 0

    def _job(self, run: int) -> Job:
        job = self._tools.jobs.one(run)
        if job is None or job.kind != KIND or job.state not in _OPEN:
            raise NotFound("error.extract.run")
        return job

    def _work(
        self, run: int, model: LanguageModel | None, cancel: CancelToken | None, *, fresh: bool
    ) -> ExtractionReport:
        data = self._job(run).data
        with self._tools.jobs.working(f"{KIND}-{data['folder']}") as mine:
            if not mine:
                if fresh:
                    self._tools.jobs.remove([run])
                raise Invalid("error.extract.busy")
            job = self._job(run)
            self._tools.jobs.save(
                run, RunState.RUNNING, _without_error(job.data), done=job.done, total=job.total
            )
            work = _Work(self._tools, self._segments, job, model, cancel)
            try:
                work.run()
            except Cancelled:
                work.stop(RunState.PAUSED)
                raise
            except WaitsForReply as waits:
                work.stop(RunState.PAUSED, Problem(waits.key, {"number": waits.number}, "info"))
                waits.rest = ResumeExtraction(run)
                raise
            except (Unavailable, BadReply) as error:
                key, args = _said(error)
                work.stop(RunState.FAILED, Problem(key, args, "error"))
            return work.report()


def _said(error: Unavailable | BadReply) -> tuple[str, dict[str, Json]]:
    if isinstance(error, BadReply):
        return error.key, {"details": error.details[:500]}
    return error.key or "error.unavailable", {
        "port": error.port,
        **{name: str(value) for name, value in error.text_args.items()},
    }


class _Work:
    """One run over the batches of a job."""

    def __init__(
        self,
        tools: Tools,
        segments: Segments,
        job: Job,
        model: LanguageModel | None,
        cancel: CancelToken | None,
    ) -> None:
        self._tools = tools
        self._segments = segments
        self._model = model
        self._cancel = cancel
        self._run = job.pk
        self._data: dict[str, Any] = dict(job.data)
        self._done = job.done
        self._batches = [
            BatchPlan(turns=tuple(each["turns"]), window=tuple(each["window"]))
            for each in self._data["batches"]
        ]
        self._folder = FolderPk(self._data["folder"])
        self._reach = Reach(self._data["reach"])
        self._state = RunState.RUNNING
        self._parts = 0
        self._problems: list[Problem] = []
        self._applied: Mapping[str, int] = {}
        self._created: tuple[MemoryPk, ...] = ()

    @property
    def _proposal(self) -> int | None:
        found = self._data.get("proposal")
        return found if isinstance(found, int) else None

    def run(self) -> None:
        """All batches that are left. Errors: Unavailable, BadReply, Cancelled; what is done stays."""
        if self._proposal is None:
            self._begin()
        if self._model is None:
            self._without_model()
        else:
            while self._done < len(self._batches):
                if self._tools.jobs.one(self._run) is None:
                    raise Cancelled  # somebody gave it up; what is done stays
                self._one(self._model, self._batches[self._done])
        if self._reach is Reach.REBUILD:
            self._retire_old()
        self._finish()

    def _begin(self) -> None:
        name = BUILT_IN if self._model is None else self._model.name
        new = NewProposal(
            kind=ProposalKind.EXTRACTION,
            folder=self._folder,
            source=name,
            args={
                "start": self._batches[0].start,
                "end": self._batches[-1].end,
                "rebuild": self._reach is Reach.REBUILD,
            },
        )
        self._data["proposal"] = self._tools.proposals.add(new)
        self._save()

    def _save(self, state: RunState = RunState.RUNNING, error: Problem | None = None) -> None:
        data: JsonObject = self._data if error is None else {**self._data, "error_args": dict(error.args)}
        self._tools.jobs.save(
            self._run,
            state,
            data,
            done=self._done,
            total=len(self._batches),
            error="" if error is None else error.key,
        )

    def stop(self, state: RunState, error: Problem | None = None) -> None:
        """What is done stays; the rest can go on later."""
        self._state = state
        if error is not None:
            self._problems.append(error)
        self._save(state, error)

    # --- one batch -----------------------------------------------------------------------

    def _one(self, model: LanguageModel, batch: BatchPlan) -> None:
        group = f"b{self._done + 1}"
        with self._tools.store.read() as reader:
            folder = folder_of(reader, self._folder)
            known = reader.proposal(self._proposal or 0)
            if known is not None and any(each.key == group for each in known.groups):
                self._done += 1  # a crash came between keeping the group and counting it
                self._save()
                return
            values = FolderValues(folder.settings)
            chat = fl.read_floors(reader, folder, values)
            waiting = () if known is None else known.waiting
            shelf = open_shelf(reader, self._folder, waiting, without_old=self._reach is Reach.REBUILD)
        meaning = self._tools.meaning()
        reading = Reading(self._tools.book, model, values, meaning, SOURCE, self._cancel)
        result = reading.batch(shelf, chat.of(batch.window), batch, group)
        self._keep(folder, chat, batch, group, result.parts, result.problems, result.used)

    def _keep(
        self,
        folder: Folder,
        chat: fl.ChatFloors,
        batch: BatchPlan,
        group: str,
        parts: Sequence[Part],
        problems: Sequence[Problem],
        used: Usage,
    ) -> None:
        known = PartGroup(
            key=group,
            start=batch.start,
            end=batch.end,
            through=batch.end if self._moves_pointer(folder, chat) else None,
            runs=1,
            problems=tuple(problems),
        )
        if not self._tools.proposals.append(self._proposal or 0, [known], parts, used):
            raise NotFound("error.proposal.missing")
        self._done += 1
        self._save()

    def _moves_pointer(self, folder: Folder, chat: fl.ChatFloors) -> bool:
        """A range counts as read only when nothing before it waits."""
        if self._reach is not Reach.RANGE:
            return True
        pending = chat.pending(folder.last_processed_seq)
        first = chat.messages[pending[0]].seq if pending else fl.LAST_FLOOR
        return self._batches[0].start <= first

    def _without_model(self) -> None:
        """The built-in extractor looks at all floors at once: names by count, scenes, who appears in which."""
        with self._tools.store.read() as reader:
            folder = folder_of(reader, self._folder)
            values = FolderValues(folder.settings)
            chat = fl.read_floors(reader, folder, values)
            shelf = open_shelf(reader, self._folder, without_old=self._reach is Reach.REBUILD)
        found = built_in_parts(
            chat.of({floor for batch in self._batches for floor in _stretch(batch)}),
            shelf,
            self._tools.meaning(),
            self._cancel,
            gamma=values.number("extract.boundary_gamma") if values.flag("extract.boundaries") else None,
        )
        moves = self._moves_pointer(folder, chat)
        groups = [
            replace(group, through=group.end if moves and group.runs else None) for group in found.groups
        ]
        if not self._tools.proposals.append(self._proposal or 0, groups, found.parts):
            raise NotFound("error.proposal.missing")
        self._done = len(self._batches)
        self._save()

    def _retire_old(self) -> None:
        """A graph made anew: the memories of floors that are there now go when it is accepted."""
        with self._tools.store.read() as reader:
            known = reader.proposal(self._proposal or 0)
            if known is None or any(group.key == OLD_GROUP for group in known.groups):
                return
            parts = retiring_parts(reader, self._folder, OLD_GROUP)
        if parts:
            self._tools.proposals.append(self._proposal or 0, [PartGroup(key=OLD_GROUP)], parts)

    # --- the end -------------------------------------------------------------------------

    def _finish(self) -> None:
        with self._tools.store.read() as reader:
            self._look(reader)
        self._state = RunState.DONE
        if self._data.get("apply") or not self._parts:  # nothing to decide: the floors count as read
            done = self._tools.run(ApplyProposal(proposal=self._proposal or 0), cancel=self._cancel)
            self._applied, self._created = done.counts, done.created
        self._tools.jobs.remove([self._run])

    def _look(self, reader: Reader) -> None:
        known = reader.proposal(self._proposal or 0)
        if known is not None:
            self._parts = len(known.parts)
            self._problems += [problem for group in known.groups for problem in group.problems]

    def report(self) -> ExtractionReport:
        """What the run did."""
        if self._state is not RunState.DONE:
            with self._tools.store.read() as reader:
                self._look(reader)
        return ExtractionReport(
            run=None if self._state is RunState.DONE else self._run,
            proposal=self._proposal,
            state=self._state,
            done=self._done,
            total=len(self._batches),
            parts=self._parts,
            model=BUILT_IN if self._model is None else self._model.name,
            problems=tuple(self._problems),
            applied=self._applied,
            created=self._created,
        )


def _stretch(batch: BatchPlan) -> tuple[int, ...]:
    """The floors that are new in a batch: its turns and what was said before them, without the context."""
    first = batch.window.index(batch.start) if batch.start in batch.window else 0
    before = batch.window[first - 1 : first] if first else ()
    return (*before, *(floor for floor in batch.window if floor >= batch.start))


def _shown(job: Job) -> ExtractionRun:
    data: Mapping[str, Any] = job.data
    return ExtractionRun(
        run=job.pk,
        folder=FolderPk(data["folder"]),
        proposal=data.get("proposal"),
        state=RunState(job.state),
        done=job.done,
        total=job.total or len(data["batches"]),
        error=Problem(job.error, data.get("error_args", {}), "error") if job.error else None,
    )


def _without_error(data: JsonObject) -> JsonObject:
    return cast("JsonObject", {key: value for key, value in data.items() if key != "error_args"})
