"""Queries of upkeep: plans to look at before anything changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Query
from core.domain.upkeep import FORGET_BELOW, TRIAL_ACTIVATIONS, TRIAL_DAYS, Forgettable, Trials


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
