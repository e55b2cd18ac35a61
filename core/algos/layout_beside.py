"""Places for new nodes in a drawing that stays as it is: beside their neighbours, without overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency
from core.algos.layout_overlap import remove_overlaps

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

TURN = np.pi * (3.0 - np.sqrt(5.0))
NEAR = 0.8
"""How far from the middle of its neighbours a new node begins, in spacings."""
ROOM = 0.3
"""Radius that a new node keeps free of others, in spacings."""


def placed_beside(positions: Floats, adjacency: Adjacency, spacing: float) -> Floats:
    """Positions (n, 2) in which nodes without a place (NaN) stand beside their neighbours that have one.

    Wave by wave, so that neighbours of new nodes follow. Those that no way leads to keep NaN. Nothing
    else moves. Cost: O(n + m) and a pass against overlaps.
    """
    new = np.array(positions, dtype=np.float32)
    waiting = np.zeros(len(new), dtype=np.bool_)
    waiting[np.flatnonzero(~np.isfinite(new).all(axis=1))] = True
    first = waiting.copy()
    while True:
        nodes = np.flatnonzero(waiting)
        others, _, owner = adjacency.around(nodes)
        known = ~waiting[others]
        owner, others = owner[known], others[known]
        number = np.bincount(owner, minlength=len(nodes))
        found = number > 0
        if not found.any():
            break
        for axis in (0, 1):
            sums = np.bincount(owner, weights=new[others, axis], minlength=len(nodes))
            new[nodes[found], axis] = sums[found] / number[found]
        turn = nodes[found] * TURN
        new[nodes[found]] += (np.stack([np.cos(turn), np.sin(turn)], axis=1) * spacing * NEAR).astype(
            np.float32
        )
        waiting[nodes[found]] = False
    moved = first & ~waiting
    if not moved.any():
        return new
    radii = np.full(len(new), spacing * ROOM, dtype=np.float32)
    apart = remove_overlaps(new, radii, fixed=~moved)
    return np.where(moved[:, None], apart, new).astype(np.float32)
