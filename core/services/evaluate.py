"""Recall tests: what the saved expectations give now, compared with the run before.

Measures: recall@k = share of a case's expected memories among the first k, mean over the cases; MRR = mean of one
divided by the rank of the first expected memory (0 when none is recalled). Green = all expected ones are recalled.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.domain import queries_recall as qr
from core.domain.errors import UserError
from core.domain.ids import FolderPk, MemoryPk
from core.domain.recall import CaseOutcome, Evaluation, KeptEvaluation, RecallCase, RecallRequest
from core.ports.progress import CancelToken
from core.ports.store import Reader
from core.services.lookup import follow_merged
from core.services.recall.recall import RecallService
from core.services.recall_cases import cases

LIMITS = (1, 5, 10)


def evaluate(
    service: RecallService, folder: FolderPk | None = None, cancel: CancelToken | None = None
) -> Evaluation:
    """Run the cases as previews, keep the figures, and set those of the run before beside them.

    Errors: Cancelled (nothing is kept then).
    """
    with service.store.read() as reader:
        saved = cases(reader, qr.RecallCases(folder))
        meant = [_meant(reader, case) for case in saved]
    kept = service.reads.evaluations
    before = kept.last(folder)
    outcomes = []
    for case, expected in zip(saved, meant, strict=True):
        if cancel is not None:
            cancel.check()
        ranks = _ranks(service, case, expected, cancel)
        passed = bool(ranks) and all(rank is not None for rank in ranks)
        was = None if before is None else before.passed.get(case.pk)
        outcomes.append(CaseOutcome(case=case, ranks=ranks, passed=passed, before=was))
    evaluation = Evaluation(
        outcomes=tuple(outcomes),
        recall_at={limit: _mean([_share(each.ranks, limit) for each in outcomes]) for limit in LIMITS},
        mrr=_mean([_reciprocal(each.ranks) for each in outcomes]),
        previous={} if before is None else before.figures,
        previous_at=None if before is None else before.at,
    )
    if outcomes:
        passed_by = {each.case.pk: each.passed for each in outcomes}
        kept.keep(
            KeptEvaluation(at=service.clock(), folder=folder, figures=evaluation.figures, passed=passed_by)
        )
    return evaluation


def _meant(reader: Reader, case: RecallCase) -> tuple[MemoryPk | None, ...]:
    """The expected memories, those that were merged into others followed; None = gone for ever."""
    there = [state.pk for state in reader.states(case.expected)]
    ends = follow_merged(reader, there)
    return tuple(ends.get(pk) for pk in case.expected)


def _ranks(
    service: RecallService,
    case: RecallCase,
    expected: Sequence[MemoryPk | None],
    cancel: CancelToken | None,
) -> tuple[int | None, ...]:
    """Rank of each expected memory; a case whose recipe refuses its settings recalls nothing."""
    request = RecallRequest(
        message=case.message,
        folder=case.folder,
        viewer=case.viewer,
        recipe=case.recipe,
        settings=case.settings,
        caller="evaluate",
    )
    try:
        selected = service.recall(request, cancel).selected
    except UserError:
        return tuple(None for _ in expected)
    places = {memory.pk: place for place, memory in enumerate(selected, 1)}
    return tuple(None if pk is None else places.get(pk) for pk in expected)


def _share(ranks: Sequence[int | None], limit: int) -> float:
    return sum(rank is not None and rank <= limit for rank in ranks) / len(ranks) if ranks else 0.0


def _reciprocal(ranks: Sequence[int | None]) -> float:
    found = [rank for rank in ranks if rank is not None]
    return 1.0 / min(found) if found else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
