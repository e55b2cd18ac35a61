"""Choosing memories that say different things: each pick is the one least explained by the picks before it.

Source: spec/BOOKU §2.10 (`residual` order; the recipes of our own rank by score, DESIGN §5).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from core.algos.vectors import EPS, Vector, cosine


def residual_energy(vector: Vector, chosen: Sequence[Vector]) -> float:
    """Share 0..1 of the vector's energy outside the span of the chosen ones (modified Gram-Schmidt, no 90 % cut).

    1 when nothing is chosen, 0 for an empty vector or one without energy.
    """
    energy = float(vector @ vector)
    if energy <= EPS:
        return 0.0
    rest = vector
    for direction in _directions(chosen):
        rest = _without(rest, direction)
    return float(rest @ rest) / energy


def _directions(vectors: Sequence[Vector]) -> list[Vector]:
    """Orthonormal directions of the vectors in their order; what adds none is skipped."""
    directions: list[Vector] = []
    for vector in vectors:
        rest = vector
        for direction in directions:
            rest = _without(rest, direction)
        if (energy := float(rest @ rest)) > EPS:
            directions.append(rest / np.sqrt(energy))
    return directions


def _without(vector: Vector, direction: Vector) -> Vector:
    if len(vector) != len(direction):
        return vector
    return vector - float(vector @ direction) * direction


def select_diverse(
    vectors: Sequence[Vector],
    scores: Sequence[float],
    limit: int,
    threshold: float,
    *,
    keys: Sequence[Hashable] | None = None,
) -> list[int]:
    """Indexes of at most `limit` candidates in the order of picking (not of score).

    First the best score; then always the greatest (residual energy, score) that is nearer than `threshold`
    (cosine) to no pick. A candidate without a vector is never picked. `keys`: candidates with the same key as
    the first pick are the same one and are left out. Cost: O(limit n d).
    """
    order = sorted(range(len(vectors)), key=lambda at: -scores[at])
    first = next((at for at in order if vectors[at].size), None)
    if limit <= 0 or first is None:
        return []
    same = keys[first] if keys is not None else None
    pool = [at for at in order if at != first and not (keys is not None and keys[at] == same)]
    rests = {at: vectors[at] for at in pool}
    picks = [first]
    directions: list[Vector] = []
    _add_direction(vectors[first], directions, rests)
    while pool and len(picks) < limit:
        best = max(pool, key=lambda at: (_share(rests[at], vectors[at]), scores[at]))
        pool.remove(best)
        if not vectors[best].size or any(cosine(vectors[best], vectors[pick]) >= threshold for pick in picks):
            continue
        picks.append(best)
        _add_direction(vectors[best], directions, rests)
    return picks


def _add_direction(vector: Vector, directions: list[Vector], rests: dict[int, Vector]) -> None:
    rest = vector
    for direction in directions:
        rest = _without(rest, direction)
    if (energy := float(rest @ rest)) <= EPS:
        return
    directions.append(rest / np.sqrt(energy))
    for at, left in rests.items():
        rests[at] = _without(left, directions[-1])


def _share(rest: Vector, whole: Vector) -> float:
    energy = float(whole @ whole)
    return float(rest @ rest) / energy if energy > EPS else 0.0
