"""Queries about extraction and the tasks that follow it. Those that ask a model give a proposal; nothing is applied
unless they say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from core.domain.endpoints import Usage
from core.domain.folder_settings import FolderSetting, Profile, Value
from core.domain.ids import FolderPk, MemoryPk
from core.domain.proposal import Part
from core.domain.queries import Query
from core.domain.results import Problem

# --- settings and prompts ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FolderValue:
    """A setting of a folder with its value; `own`: it differs from the default because it was set."""

    setting: FolderSetting
    value: Value
    own: bool


@dataclass(frozen=True, slots=True)
class FolderValuesOf(Query[tuple[FolderValue, ...]]):
    """All settings of a folder. Errors: NotFound."""

    folder: FolderPk


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """What a profile would change in a folder."""

    setting: FolderSetting
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class ProfileDiff:
    """A profile against a folder: only what would be another value."""

    profile: Profile
    changes: tuple[ProfileChange, ...]


@dataclass(frozen=True, slots=True)
class ProfileDiffs(Query[tuple[ProfileDiff, ...]]):
    """All profiles against a folder. Errors: NotFound."""

    folder: FolderPk


class PromptTask(StrEnum):
    """Tasks that have a prompt."""

    EXTRACT = "extract"
    CONFLICT = "conflict"
    EVOLVE = "evolve"
    SYNOPSIS = "synopsis"
    REFLECT = "reflect"
    CONSOLIDATE = "consolidate"
    COMPRESS = "compress"
    CONTRADICT = "contradict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The prompt of a task in a language: the text in use, and the program's own with its version."""

    task: PromptTask
    language: str
    text: str
    built_in: str
    version: int

    @property
    def own(self) -> bool:
        """Whether the person wrote another one."""
        return self.text != self.built_in


@dataclass(frozen=True, slots=True)
class Prompts(Query[tuple[Prompt, ...]]):
    """The prompts of all tasks in both languages."""


@dataclass(frozen=True, slots=True)
class SavePrompt(Query[Prompt]):
    """Use another text for a task; None = back to the program's own. Errors: Invalid for a blank or endless one."""

    task: PromptTask
    language: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTrial:
    """What a prompt gave for one input: the request, the reply as it came, and what was made of it.

    `parts` only for extraction; `readable` False = no value could be taken from the reply (`problems` say why).
    """

    request: str
    reply: str
    readable: bool
    parts: tuple[Part, ...] = ()
    problems: tuple[Problem, ...] = ()
    used: Usage = field(default_factory=Usage)
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryPrompt(Query[PromptTrial]):
    """Ask the task's model once with this prompt and one input; nothing is kept.

    For extraction the input is a message of a chat (of `folder`, whose memories are shown to the model), else it
    stands in the request as it is. Errors: Invalid without an input or a model, Unavailable("model"), Cancelled.
    """

    task: PromptTask
    language: str
    text: str
    sample: str
    folder: FolderPk | None = None


# --- extraction --------------------------------------------------------------------------------------------


class Reach(StrEnum):
    """Which floors are read."""

    NEXT = "next"
    """The next turns, as many as the folder says."""
    ALL = "all"
    """All turns that wait, in batches."""
    RANGE = "range"
    """The turns from one floor to another, read before or not."""
    REBUILD = "rebuild"
    """All turns from the start; the memories that are there now go when the new ones are accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """One batch: floors of its turns, and of all messages that are read (context before them too)."""

    turns: tuple[int, ...]
    window: tuple[int, ...]
    tokens: int = 0

    @property
    def start(self) -> int:
        """First floor that is new."""
        return self.turns[0]

    @property
    def end(self) -> int:
        """Last floor."""
        return self.turns[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionPlan:
    """What an extraction would read. `trigger`: text keys of what made it worth while (smart trigger)."""

    batches: tuple[BatchPlan, ...]
    pending: int
    boundaries: tuple[int, ...] = ()
    trigger: tuple[str, ...] = ()
    model: str = ""

    @property
    def tokens(self) -> int:
        """Estimated tokens of all requests."""
        return sum(batch.tokens for batch in self.batches)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanExtraction(Query[ExtractionPlan]):
    """Which batches would be read. `start`, `end`: floors of a RANGE. Errors: NotFound, Invalid (range)."""

    folder: FolderPk
    reach: Reach = Reach.NEXT
    start: int | None = None
    end: int | None = None


class RunState(StrEnum):
    """How a run ended, or where it is."""

    RUNNING = "running"
    DONE = "done"
    PAUSED = "paused"
    """Cancelled, or the program ended: what is done stays, the rest can go on."""
    FAILED = "failed"
    """The model did not answer: what is done stays, the rest can go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionReport:
    """What a run did. `proposal` None = nothing to do. `applied`, `created`: what became of it when it was applied."""

    run: int | None
    proposal: int | None
    state: RunState
    done: int = 0
    total: int = 0
    parts: int = 0
    model: str = ""
    problems: tuple[Problem, ...] = ()
    applied: Mapping[str, int] = field(default_factory=dict)
    created: tuple[MemoryPk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExtraction(Query[ExtractionReport]):
    """Read floors and make a proposal, batch by batch; finished batches can be applied while others still run.

    A cancelled or failed run leaves its proposal and can go on (ResumeExtraction). `built_in`: without a model, also
    where one is chosen. `apply`: apply it when it is done (one op). Errors: NotFound, Invalid, Cancelled.
    """

    WRITES: ClassVar[bool] = True

    folder: FolderPk
    reach: Reach = Reach.NEXT
    start: int | None = None
    end: int | None = None
    built_in: bool = False
    apply: bool = False


@dataclass(frozen=True, slots=True)
class ResumeExtraction(Query[ExtractionReport]):
    """Go on with a run that was cancelled or failed. Errors: NotFound, Cancelled."""

    WRITES: ClassVar[bool] = True

    run: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionRun:
    """A run as lists show it."""

    run: int
    folder: FolderPk
    proposal: int | None
    state: RunState
    done: int
    total: int
    error: Problem | None = None


@dataclass(frozen=True, slots=True)
class ExtractionRuns(Query[tuple[ExtractionRun, ...]]):
    """Runs that are going on, or can go on; the newest first."""


@dataclass(frozen=True, slots=True)
class ForgetRun(Query[bool]):
    """Give up what is left of a run; its proposal stays."""

    WRITES: ClassVar[bool] = True

    run: int


@dataclass(frozen=True, slots=True)
class RunAutomatic(Query[tuple[ExtractionReport, ...]]):
    """Extract and apply in the folders that are set to do it by themselves and have enough new floors.

    `folder` None = all of them. What follows an extraction is done and applied too. Errors: Cancelled.
    """

    WRITES: ClassVar[bool] = True

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class SegmentBoundaries(Query[tuple[int, ...]]):
    """Floors at which a new segment of a chat begins, by meaning. Errors: NotFound, Unavailable("embedder"), Cancelled."""

    folder: FolderPk


# --- tasks after it ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReport:
    """What a task gave: a proposal, or the text key of why there is none."""

    task: PromptTask
    proposal: int | None = None
    why: str = ""
    args: Mapping[str, int | str] = field(default_factory=dict)
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask(Query[TaskReport]):
    """Make a proposal: evolution (of `memories`, or the newest ones), synopsis, reflection or consolidation.

    Errors: NotFound, Invalid for a task that is none of these, Unavailable("model"), Cancelled.
    """

    WRITES: ClassVar[bool] = True

    folder: FolderPk
    task: PromptTask
    memories: tuple[MemoryPk, ...] = ()
    built_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DueTasks(Query[tuple[PromptTask, ...]]):
    """Which tasks the folder's settings ask for now, after an extraction that made `created`. Errors: NotFound."""

    folder: FolderPk
    created: tuple[MemoryPk, ...] = ()
