"""Where a chat turns to something else: boundaries by surprise.

Source: EM-LLM's event boundaries, carried over from tokens to turns (DESIGN §9): a turn begins a segment when it is
farther from the mean of the running segment than mean + gamma * std of the distances seen in it.
"""

from __future__ import annotations

import numpy as np

from core.algos.vectors import Matrix

LEAST_TURNS = 3
"""No segment is shorter: two turns have no spread."""
LEAST_DISTANCE = 0.05
"""Nearer than this is the same thing said again, however even the segment was."""


def segment_starts(vectors: Matrix, gamma: float, least: int = LEAST_TURNS) -> list[int]:
    """Rows at which a segment begins, the first row always. Shapes: (n, d) unit rows. Cost: O(n d)."""
    rows = np.asarray(vectors, dtype=np.float64)
    if not len(rows):
        return []
    starts, total, distances = [0], rows[0].copy(), list[float]()
    for at in range(1, len(rows)):
        mean = total / np.linalg.norm(total) if np.linalg.norm(total) > 0 else total
        distance = 1.0 - float(rows[at] @ mean)
        length = at - starts[-1]
        if (
            length >= least
            and len(distances) >= 2
            and distance > max(_limit(distances, gamma), LEAST_DISTANCE)
        ):
            starts.append(at)
            total, distances = rows[at].copy(), []
        else:
            total += rows[at]
            distances.append(distance)
    return starts


def _limit(distances: list[float], gamma: float) -> float:
    return float(np.mean(distances) + gamma * np.std(distances))
