"""Answers to the queries of upkeep; the container joins them to the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.domain import queries_upkeep as u
from core.domain.api import Cancel
from core.domain.queries import Query
from core.services import flashback, forget, memos, trials

if TYPE_CHECKING:
    from core.ports.store import Reader, Store
    from core.ports.upkeep_store import UpkeepStore
    from core.services.compress import Compression

Answer = Callable[[Any, "Cancel | None"], Any]


def upkeep_answers(
    store: Store, columns: Callable[[], UpkeepStore], compression: Callable[[], Compression]
) -> Mapping[type[Query[Any]], Answer]:
    """One function for each plan. Bulk reads and models are made when the first of them is asked."""

    def groups(query: u.CompressPlanOf) -> Any:
        from core.services import (
            compress,
        )  # reads replies of models: commands that only look start without it

        with store.read() as reader:
            return compress.plan(columns(), reader, query)

    def out_of_date(query: u.SummariesOutOfDate, _cancel: Cancel | None) -> Any:
        from core.services import compress

        return compress.out_of_date(columns(), query)

    def lost(reader: Reader, query: u.LostDetails) -> Any:
        from core.services import compress

        return compress.lost(reader, query)

    def read(answer: Callable[[Reader, Any], Any]) -> Answer:
        def asked(query: Any, _cancel: Cancel | None) -> Any:
            with store.read() as reader:
                return answer(reader, query)

        return asked

    return {
        u.TrialPlan: lambda query, _: trials.plan(columns(), query),
        u.TrialsWaiting: lambda query, _: trials.waiting(columns(), query),
        u.ForgetPlan: lambda query, _: forget.plan(columns(), query),
        u.ForgetWaiting: lambda query, _: forget.waiting(columns(), query),
        u.CompressPlanOf: lambda query, _: groups(query),
        u.CompressWaiting: lambda _query, _: len(groups(u.CompressPlanOf()).groups),
        u.SuggestSummaries: lambda query, cancel: compression().suggest(query, cancel),
        u.RenewSummaries: lambda query, cancel: compression().renew(query, cancel),
        u.SummariseAgain: lambda query, cancel: compression().again(query, cancel),
        u.LostDetails: read(lost),
        u.MemoRows: read(memos.rows),
        u.DrawFlashback: read(flashback.draw),
        u.SummariesOutOfDate: out_of_date,
    }
