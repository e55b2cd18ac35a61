"""Choosing memories that say different things (core.algos.mmr). The result stays in order of score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.algos.mmr import mmr
from core.domain.recall import Stage
from core.services.recall.corpus import Floats
from core.services.recall.frame import Frame
from core.services.recall.stages import only

POOL_FACTOR = 3
"""The best so many times top-k are looked at."""


def diverse(frame: Frame, order: Sequence[int]) -> list[int]:
    """The order in which the limit cuts: chosen ones by score, then the rest by score.

    A memory that would have been within the limit but is too like a chosen one is dropped, with its likeness
    (the cosine) and its twin. Without vectors nothing changes. Cost: O(top_k pool d).
    """
    weight, wanted = frame.values.number("diversity"), frame.top_k
    index = frame.message.index
    if weight <= 0 or len(order) <= wanted or index is None:
        return list(order)
    pool = list(order[: POOL_FACTOR * wanted])
    likeness = _likeness(frame, pool)
    found = mmr(np.asarray(frame.trace.scores[pool]), likeness, wanted, weight)
    picks, nearest = set(found.chosen), found.nearest.tolist()
    chosen = [row for at, row in enumerate(pool) if at in picks]
    passed_over = [at for at in range(wanted) if at not in picks]
    numbers = np.full(frame.corpus.size, np.nan)
    for at in passed_over:
        numbers[pool[at]] = likeness[at, nearest[at]]
        frame.trace.twins[pool[at]] = pool[nearest[at]]
    dropped = [pool[at] for at in passed_over]
    frame.trace.drop(Stage.DIVERSITY, only(frame.corpus.size, dropped), numbers, weight)
    frame.trace.rank(Stage.DIVERSITY, chosen)
    frame.trace.count(Stage.DIVERSITY, len(order), len(order) - len(dropped))
    gone = set(dropped) | set(chosen)
    return [*chosen, *(row for row in order if row not in gone)]


def _likeness(frame: Frame, rows: Sequence[int]) -> Floats:
    """Cosines between the rows, 0 where one has no sound vector. Shape (m, m)."""
    index = frame.message.index
    pks = [int(frame.corpus.pks[row]) for row in rows]
    found = {} if index is None else index.vectors(pks)
    sound = {pk: vector for pk, vector in found.items() if np.isfinite(vector).all() and vector.any()}
    if not sound:
        return np.zeros((len(rows), len(rows)))
    empty = np.zeros(len(next(iter(sound.values()))))
    matrix = np.stack([np.asarray(sound.get(pk, empty), dtype=np.float64) for pk in pks])
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    return np.asarray(matrix @ matrix.T)
