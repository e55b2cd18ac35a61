"""Answers to the queries of upkeep; the container joins them to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.domain import queries_upkeep as u
from core.domain.api import Cancel
from core.domain.queries import Query
from core.services import forget, trials

if TYPE_CHECKING:
    from core.ports.upkeep_store import UpkeepStore

Answer = Callable[[Any, "Cancel | None"], Any]


def upkeep_answers(store: Callable[[], UpkeepStore]) -> Mapping[type[Query[Any]], Answer]:
    """One function for each plan. The store's bulk reads are made when the first of them is asked."""
    return {
        u.TrialPlan: lambda query, _: trials.plan(store(), query),
        u.TrialsWaiting: lambda query, _: trials.waiting(store(), query),
        u.ForgetPlan: lambda query, _: forget.plan(store(), query),
        u.ForgetWaiting: lambda query, _: forget.waiting(store(), query),
    }
