"""Recall's queries as one table for the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from core.domain import queries as q
from core.domain import queries_recall as qr
from core.domain.api import Cancel
from core.domain.recipes import recipes
from core.ports.progress import CancelToken

if TYPE_CHECKING:
    from core.services.recall.recall import RecallService

Answer = Callable[[Any, "Cancel | None"], Any]


def recall_answers(service: Callable[[], RecallService]) -> Mapping[type[q.Query[Any]], Answer]:
    """Answers to all queries of recall. The service is made at the first question that needs it."""

    def why(query: qr.WhyNot, cancel: CancelToken | None) -> Any:
        from core.services.recall.why import WhyNot

        return WhyNot(service(), query.request, query.memory, cancel).answer()

    def evaluate(query: qr.Evaluate, cancel: CancelToken | None) -> Any:
        from core.services.evaluate import evaluate

        return evaluate(service(), query.folder, cancel)

    return {
        qr.Evaluate: evaluate,
        qr.Recall: lambda query, cancel: service().recall(query.request, cancel),
        qr.PrepareRecall: lambda query, cancel: service().prepare(query.folder, cancel),
        qr.WhyNot: why,
        qr.Recipes: lambda _query, _cancel: recipes(),
        qr.RecallRuns: lambda query, _cancel: tuple(service().reads.runs(query.folder, query.limit)),
        qr.LastInjection: lambda query, _cancel: service().last_injection(query.folder),
        qr.InjectedLineOf: lambda query, _cancel: service().line_of(query.memory, quick=query.quick),
        qr.RecallHistoryOf: lambda query, _cancel: tuple(
            service().reads.runs_with(query.memory, query.limit)
        ),
    }
