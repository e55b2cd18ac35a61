"""Queries of upkeep: plans to look at before anything changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from core.domain.api import Report
from core.domain.folder import Memo
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import Query
from core.domain.results import TrialRow
from core.domain.upkeep import (
    FORGET_BELOW,
    TRIAL_ACTIVATIONS,
    TRIAL_DAYS,
    CompressGroup,
    CompressPlan,
    Flashback,
    FlashbackLayer,
    Forgettable,
    Lost,
    MemoRow,
    Trials,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan(Query[Trials]):
    """Memories on trial in a folder (None = in all) or of a selection, with a verdict for each (DESIGN §5).

    Older than `days`: promoted from `activations` recalls on, else trashed; younger ones stay on trial.
    `memories`: only of these, and what can be promoted is suggested for it.
    """

    folder: FolderPk | None = None
    with_subfolders: bool = False
    memories: tuple[MemoryPk, ...] | None = None
    days: float = TRIAL_DAYS
    activations: int = TRIAL_ACTIVATIONS
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class TrialsWaiting(Query[int]):
    """How many memories have been on trial long enough for a verdict."""

    days: float = TRIAL_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan(Query[Forgettable]):
    """Every memory that forgetting looks at, with its retention value (spec/STBME §3.8), lowest first."""

    folder: FolderPk | None = None
    with_subfolders: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ForgetWaiting(Query[int]):
    """How many memories lie below the threshold."""

    threshold: float = FORGET_BELOW


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressPlanOf(Query[CompressPlan]):
    """Which memories would be summed up together, as the type schema says (spec/STBME §3.8, Compression).

    `forced`: below the threshold too, with the newest, from exactly fan-in memories on (DESIGN §5). Memories that
    are locked, in the trash or not in use are left out, and those `without` which it is to be planned.
    """

    folder: FolderPk | None = None
    with_subfolders: bool = False
    types: frozenset[TypeId] = frozenset()
    forced: bool = False
    without: frozenset[MemoryPk] = frozenset()


@dataclass(frozen=True, slots=True)
class CompressWaiting(Query[int]):
    """How many groups there would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestSummaries(Query[tuple[int, ...]]):
    """Sum up these groups; the result is one open proposal a folder, with one group of parts for each group.

    By the model for the task `compress` (a person, when that is the manual model), else by the built-in extractive
    summariser, labelled as such. A group whose reply has no fields is left out and said in the proposal's problems.
    Answers the pks of the proposals. `progress` is called with groups. `into`: a proposal that an earlier call made
    of groups before these, of the folder of the first. Errors: Unavailable (model), Cancelled, WaitsForReply; what is
    done by then is kept.
    """

    WRITES: ClassVar[bool] = True

    groups: tuple[CompressGroup, ...]
    hint: str = ""
    into: int | None = None
    progress: Report | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewSummaries(Query[tuple[int, ...]]):
    """New texts for summaries, from the memories below them as they are now: one open proposal a folder.

    Nothing is overwritten before it is applied, and a summary that was edited meanwhile is left alone then.
    Answers the pks of the proposals. Errors: NotFound, Unavailable (model), Cancelled, UserError when none came.
    """

    WRITES: ClassVar[bool] = True

    memories: tuple[MemoryPk, ...]
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummariseAgain(Query[None]):
    """Sum up the memories of one waiting part of a proposal again, with a hint; its text is replaced.

    Errors: NotFound, Invalid (the part sums up nothing, or is decided), Unavailable (model), Cancelled.
    """

    WRITES: ClassVar[bool] = True

    proposal: int
    part: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostDetails(Query[tuple[Lost, ...]]):
    """Names, numbers and negations in the bodies of memories that a summary does not have, in order."""

    memories: tuple[MemoryPk, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class SummariesOutOfDate(Query[tuple[MemoryPk, ...]]):
    """Summaries in use whose children were changed since they were written, oldest first."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoRows(Query[tuple[MemoRow, ...]]):
    """Memos of a folder (None = of all), the one that ends first at the top; with `expired` those that are over too."""

    folder: FolderPk | None = None
    expired: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawFlashback(Query[Flashback]):
    """Draw a memory that comes back by chance, seldom recalled ones the likelier (spec/BOOKU §6). Touches nothing.

    `layer` None = drawn with `archived_share`. `skip`: those that came back lately. The draws are numbers in [0, 1);
    None = random. Errors: Invalid for a number out of range.
    """

    folder: FolderPk | None = None
    with_subfolders: bool = False
    layer: FlashbackLayer | None = None
    archived_share: float = 0.6
    candidates: int = 50
    exponent: float = 1.0
    skip: tuple[MemoryPk, ...] = ()
    layer_draw: float | None = None
    memory_draw: float | None = None


@dataclass(frozen=True, slots=True)
class MemosOf(Query[tuple[Memo, ...]]):
    """Memos of a folder (None = of all) that live at a time (None = now), newest first.

    With `expired` the dead ones too.
    """

    folder: FolderPk | None = None
    expired: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionPlan(Query[tuple[TrialRow, ...]]):
    """Memories on trial in a folder (None = in all) with what the rule suggests for each (DESIGN §5, promote).

    Older than `days`: archived from `activations` recalls on, else trashed; younger ones stay on trial.
    """

    folder: FolderPk | None = None
    days: float = 7.0
    activations: int = 2
    at: datetime | None = None
