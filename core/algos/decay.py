"""What time does to memories: recency in the score, retention before forgetting, reinforcement by recall.

Sources: spec/STBME §3.8 (Forgetting), §4.6, §4.9. Ages are real time, not story time.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from core.algos.vectors import Vector

DAY_HOURS = 24.0
OLDEST_SHARE = 0.8
"""What recency leaves of a score at infinite age."""
MOST_IMPORTANT = 10.0
DEFAULT_IMPORTANCE = 5.0
REINFORCEMENT = 0.1
FORGET_THRESHOLD = 0.5
"""The original's; ours is 0.2 (DESIGN §5), because this one archives a normal memory after an hour."""
YOUNGEST_HOURS = 1.0
"""Younger memories are never forgotten."""
SAFE_IMPORTANCE = 8.0
"""From this importance on a memory is never forgotten."""
LASTING_TYPES = frozenset({"synopsis", "rule", "thread"})
"""Types that are never forgotten."""
WEAKEST_EDGE = 0.1


def time_decay(age_days: ArrayLike) -> Vector:
    """Factor in (0.8, 1] by age in days since creation; negative ages count as 0. Shapes: any -> the same."""
    days = np.maximum(0.0, np.asarray(age_days, dtype=np.float64))
    return np.asarray(OLDEST_SHARE + (1.0 - OLDEST_SHARE) / (1.0 + np.log1p(days)))


def retention(importance: ArrayLike, age_hours: ArrayLike, activations: ArrayLike) -> Vector:
    """How much a memory is worth keeping: importance x recency x frequency of use. Shapes: n -> (n,).

    recency = 1 / (1 + log10(1 + hours)), frequency = 1 + activations / max(1, days).
    """
    hours = np.asarray(age_hours, dtype=np.float64)
    recency = 1.0 / (1.0 + np.log10(1.0 + np.maximum(0.0, hours)))
    frequency = np.asarray(activations, dtype=np.float64) / np.maximum(1.0, hours / DAY_HOURS)
    return np.asarray(np.asarray(importance, dtype=np.float64) / MOST_IMPORTANT * recency * (1.0 + frequency))


def is_forgettable(memory_type: str, importance: float, age_hours: float) -> bool:
    """Whether forgetting looks at the memory at all (locked ones are the caller's business)."""
    return memory_type not in LASTING_TYPES and importance < SAFE_IMPORTANCE and age_hours >= YOUNGEST_HOURS


def reinforced(importance: float | None) -> float:
    """Importance after a recall; a missing one starts from 5.

    The original also took 0 for missing (spec/STBME §8.26); here 0 stays a value.
    """
    return min(MOST_IMPORTANT, (DEFAULT_IMPORTANCE if importance is None else importance) + REINFORCEMENT)


def worn_strengths(strengths: Iterable[float], activated: Iterable[bool], rate: float) -> list[float]:
    """Edge strengths after a turn: used edges grow by `rate` up to 1, the others shrink to 0.1 at least."""
    return [
        min(1.0, strength + rate) if used else max(WEAKEST_EDGE, strength - rate)
        for strength, used in zip(strengths, activated, strict=True)
    ]
