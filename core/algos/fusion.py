"""Evidence of different kinds on one scale: words through a gate, meaning above what is usual.

Sources: MODELS.md (plain rank fusion of words and meaning lowers recall@1 from .70 to .46; words need a gate),
Fox and Shaw (sum of normalised scores); the weighting by coverage and the floor under cosines are measured
(docs/RECALL.md).
"""

from __future__ import annotations

import numpy as np

from core.algos.bm25 import Flags, Floats

FEW_MEMORIES = 50
"""In so small a scope no cosine is usual: every memory may be about the same."""


def normalised(values: Floats, least_best: float = 0.0) -> Floats:
    """Values against the best of them, at least `least_best`: in [0, 1] for values that are not negative."""
    best = max(float(values.max(initial=0.0)), least_best)
    return np.asarray(values / best) if best > 0 else values


def gated_words(scores: Floats, shares: Floats, gate: float) -> Floats:
    """BM25 against the best, times the covered share of the message; 0 below the gate. In [0, 1].

    So a memory that shares one common word with a long message stays faint even when nothing else shares more,
    and words of a language that the library hardly knows drown nothing. Shapes: (n,), (n,) -> (n,). Cost: O(n).
    """
    return normalised(np.where(shares >= gate, scores, 0.0)) * shares


def above_usual(cosines: Floats, usable: Flags, related: float, pool: int) -> Floats:
    """How far cosines stand above the usual one, against the best; 0 outside the `pool` nearest. In [0, 1].

    Usual is the median over the usable memories, at most `related`: models of the E5 kind give unrelated texts
    0.8, others 0.1, and only what lies above means anything. Among FEW_MEMORIES nothing is usual. A best one below
    `related` does not count as 1. NaN counts as no likeness. Shapes: (n,), (n,) -> (n,). Cost: O(n).
    """
    sound = usable & np.isfinite(cosines)
    known = cosines[sound]
    floor = max(0.0, min(float(np.median(known)), related)) if len(known) > FEW_MEMORIES else 0.0
    near = np.where(sound, np.maximum(np.nan_to_num(cosines) - floor, 0.0), 0.0)
    if np.count_nonzero(near) > pool:
        near[near < np.partition(near, -pool)[-pool]] = 0.0
    return normalised(near, related - floor)
