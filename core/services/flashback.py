"""A memory that comes back by chance, drawn on demand, with all numbers of the draw (spec/BOOKU §6)."""

from __future__ import annotations

import random

from core.algos import flashback as algos
from core.domain.enums import Layer, Status
from core.domain.errors import Invalid
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.queries_upkeep import DrawFlashback
from core.domain.upkeep import Flashback, FlashbackCandidate, FlashbackLayer
from core.ports.store import Reader

MOST_CANDIDATES = 200


def draw(reader: Reader, query: DrawFlashback) -> Flashback:
    """One draw. Errors: Invalid for a number out of range."""
    layer_draw = _number(query.layer_draw)
    memory_draw = _number(query.memory_draw)
    if not 1 <= query.candidates <= MOST_CANDIDATES:
        raise Invalid("error.flashback.candidates", most=MOST_CANDIDATES)
    chosen = algos.flashback_layer(query.archived_share, layer_draw)
    layer = query.layer or FlashbackLayer(chosen.value)
    newest = reader.memory_ids(_where(query, layer), Sort(SortKey.UPDATED))
    skip = set(query.skip)
    limited = list(newest[: query.candidates])
    kept = [pk for pk in limited if pk not in skip]
    rows = reader.memory_rows(kept)
    weights = [algos.activation_weight(row.activation_count, query.exponent) for row in rows]
    total = sum(weights)
    candidates = tuple(
        FlashbackCandidate(row, weight, weight / total if total else 0.0)
        for row, weight in zip(rows, weights, strict=True)
    )
    return Flashback(
        layer=layer,
        archived_share=algos.probability(query.archived_share),
        layer_draw=layer_draw,
        memory_draw=memory_draw,
        candidates=candidates,
        drawn=algos.weighted_choice(candidates, weights, memory_draw),
        skipped=len(limited) - len(kept),
    )


def _number(given: float | None) -> float:
    if given is None:
        return random.random()
    if not 0.0 <= given < 1.0:
        raise Invalid("error.flashback.draw")
    return given


def _where(query: DrawFlashback, layer: FlashbackLayer) -> MemoryFilter:
    folders = frozenset() if query.folder is None else frozenset({query.folder})
    if layer is FlashbackLayer.ARCHIVED:
        return MemoryFilter(
            folders=folders, with_subfolders=query.with_subfolders, statuses=frozenset({Status.ARCHIVED})
        )
    return MemoryFilter(
        folders=folders,
        with_subfolders=query.with_subfolders,
        layers=frozenset({Layer.EMERGENT}),
        statuses=frozenset({Status.ACTIVE}),
    )
