"""Discs that do not overlap: a small last pass for the nodes that are in sight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROUNDS = 80
MARGIN = 1.02
"""Discs are pushed a little further than needed, so that the last overlaps go too."""
MOST_NEAR = 200
"""In a heap each node looks at so many others of a cell; the next rounds come to the rest."""


def remove_overlaps(positions: Floats, radii: Floats, fixed: NDArray[np.bool_] | None = None) -> Floats:
    """Positions (n, 2) moved until discs of these radii (n,) no longer overlap, or ROUNDS are over.

    Neighbouring pairs are found by cells of the largest disc's size. `fixed` (n,) ones stay. Nodes without
    a place (NaN) are left alone. The same for the same input. Cost: O(ROUNDS n) when discs are alike.
    """
    moved = np.array(positions, dtype=np.float64)
    there = np.flatnonzero(np.isfinite(moved).all(axis=1))
    if len(there) < 2:
        return moved.astype(np.float32)
    size = np.asarray(radii, dtype=np.float64)[there] * MARGIN
    place = moved[there]
    free = np.ones(len(there)) if fixed is None else np.where(fixed[there], 0.0, 1.0)
    place = np.where(free[:, None] > 0, _apart(place, size), place)
    for _ in range(ROUNDS):
        one, two = near_pairs(place, 2 * float(size.max()))
        away = place[two] - place[one]
        apart = np.sqrt((away**2).sum(axis=1))
        missing = size[one] + size[two] - apart
        hit = (missing > 1e-6) & (free[one] + free[two] > 0)
        if not (missing[hit] > (1 - 1 / MARGIN) * (size[one] + size[two])[hit]).any():
            break
        one, two, missing = one[hit], two[hit], missing[hit]
        way = away[hit] / np.maximum(apart[hit], 1e-9)[:, None] * missing[:, None]
        share = free[two] / (free[one] + free[two])
        for axis in (0, 1):
            place[:, axis] += np.bincount(two, weights=way[:, axis] * share, minlength=len(place))
            place[:, axis] -= np.bincount(one, weights=way[:, axis] * (1 - share), minlength=len(place))
    moved[there] = place
    return moved.astype(np.float32)


def _apart(place: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nodes on exactly the same place are laid in a spiral around it, others stay."""
    _, first, group, number = np.unique(
        place, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == len(place):
        return place
    order = np.argsort(group.ravel(), kind="stable")
    rank = np.empty(len(place), dtype=np.int64)
    rank[order] = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number)
    radius = np.sqrt(rank) * size * 1.8
    turn = rank * (np.pi * (3.0 - np.sqrt(5.0)))
    moved: NDArray[np.float64] = place + np.stack([np.cos(turn) * radius, np.sin(turn) * radius], axis=1)
    return moved


def near_pairs(place: NDArray[np.float64], reach: float) -> tuple[Ints, Ints]:
    """Pairs (each once) that may be nearer than `reach`: those of the same and of neighbouring cells."""
    cell = np.floor((place - place.min(axis=0)) / max(reach, 1e-9)).astype(np.int64)
    wide = int(cell[:, 0].max()) + 3
    key = (cell[:, 1] + 1) * wide + cell[:, 0] + 1
    order = np.argsort(key, kind="stable")
    keys = key[order]
    ones, twos = [], []
    for offset in (0, 1, wide - 1, wide, wide + 1):
        first = np.searchsorted(keys, keys + offset, side="left")
        last = np.searchsorted(keys, keys + offset, side="right")
        if not offset:
            first = np.arange(len(keys)) + 1
        number = np.clip(last - first, 0, MOST_NEAR)
        one = np.repeat(np.arange(len(keys)), number)
        two = np.arange(len(one)) - np.repeat(np.cumsum(number) - number, number) + np.repeat(first, number)
        ones.append(order[one])
        twos.append(order[two])
    return np.concatenate(ones), np.concatenate(twos)
