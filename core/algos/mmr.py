"""Choosing what says different things: relevance against likeness to what is chosen already.

Source: maximal marginal relevance (Carbonell and Goldstein 1998).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.algos.bm25 import Floats, Ints


@dataclass(frozen=True, slots=True)
class Picks:
    """Places that are chosen, in order of choosing; and for each place the chosen one that it is most like."""

    chosen: tuple[int, ...]
    nearest: Ints


def mmr(scores: Floats, likeness: Floats, wanted: int, weight: float) -> Picks:
    """At most `wanted` places: always the greatest (1 - weight) score / best - weight likeness to the chosen.

    Shapes: scores (m,), likeness (m, m) cosines. `weight` 0 = by score alone, 1 = by difference alone; equal ones
    in the order given. Cost: O(wanted m).
    """
    best = max(float(scores.max(initial=0.0)), np.finfo(np.float64).tiny)
    worth = (1.0 - weight) * scores / best
    closest = np.zeros(len(scores))
    nearest = np.zeros(len(scores), dtype=np.int64)
    left = np.ones(len(scores), dtype=np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(wanted, len(scores)):
        pick = int(np.argmax(np.where(left, worth - weight * closest, -np.inf)))
        chosen.append(pick)
        left[pick] = False
        nearer = likeness[pick] > closest
        nearest[nearer] = pick
        closest = np.maximum(closest, likeness[pick])
    return Picks(tuple(chosen), nearest)
