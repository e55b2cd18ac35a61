"""One score from energy, similarity, importance and age.

Source: spec/STBME §4.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.algos.decay import MOST_IMPORTANT, time_decay
from core.algos.vectors import Vector

FULL_ENERGY = 2.0
"""Energy that counts as 1 (the clamp of diffusion)."""


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """Shares of the parts; used as they are, not normalised to a sum of 1."""

    graph: float = 0.6
    vector: float = 0.3
    importance: float = 0.1


def hybrid_score(
    energy: ArrayLike,
    similarity: ArrayLike,
    importance: ArrayLike,
    age_days: ArrayLike,
    weights: ScoreWeights | None = None,
) -> Vector:
    """Weighted sum of energy / 2, cosine and importance / 10, each cut to 0..1, times the decay by age.

    Shapes: n values each (or one) -> (n,). Range 0 .. sum of the weights.
    """
    shares = weights or ScoreWeights()
    parts = (
        shares.graph * _unit(energy, FULL_ENERGY)
        + shares.vector * _unit(similarity, 1.0)
        + shares.importance * _unit(importance, MOST_IMPORTANT)
    )
    return np.asarray(parts * time_decay(age_days))


def _unit(values: ArrayLike, full: float) -> Vector:
    return np.clip(np.asarray(values, dtype=np.float64) / full, 0.0, 1.0)
