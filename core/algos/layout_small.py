"""Drawings of many small components at once: exact stress over all pairs within each.

Source: stress majorisation (Gansner, Koren & North 2004), here a Jacobi step over a list of pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import BITS, UNREACHED, Adjacency, distances

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

MOST_NODES = BITS
"""Components up to this size are drawn here: one bit a node."""
ROUNDS = 60


def small_components(adjacency: Adjacency, component: Ints, length: float, seed: int = 0) -> Floats:
    """Positions (n, 2), each component around 0, 0, neighbours `length` apart.

    `component` (n,) 0 .. k-1, each of at most MOST_NODES nodes. Cost: O(ROUNDS * pairs).
    """
    count = adjacency.count
    sizes = np.bincount(component)
    order = np.argsort(component, kind="stable")
    first = np.cumsum(sizes) - sizes
    place = np.arange(count) - first[component[order]]
    rank = np.empty(count, dtype=np.int64)
    rank[order] = place
    nodes = np.full((len(sizes), MOST_NODES), -1, dtype=np.int64)
    nodes[component, rank] = np.arange(count)
    steps = distances(adjacency, np.ascontiguousarray(nodes.T))
    one, column = np.nonzero((steps > 0) & (steps < UNREACHED))
    two = nodes[component[one], column]
    away = steps[one, column].astype(np.float64)
    positions = _circles(rank, sizes[component], seed)
    positions = _majorised(positions, one, two, away, count)
    return (_centred(positions, component, sizes) * length).astype(np.float32)


def _circles(rank: Ints, size: Ints, seed: int) -> NDArray[np.float64]:
    """A first drawing: each component on a circle, a little shaken so that nothing stays in line."""
    angle = 2 * np.pi * rank / size
    radius = np.maximum(size / 6.0, 0.5)
    shaken = np.random.default_rng(seed).standard_normal((len(rank), 2)) * 0.1
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None] + shaken


def _majorised(
    positions: NDArray[np.float64], one: Ints, two: Ints, away: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    weights = away**-2.0
    sums = np.maximum(np.bincount(one, weights=weights, minlength=count), 1e-12)
    for _ in range(ROUNDS if len(one) else 0):
        apart = positions[one] - positions[two]
        drawn = np.sqrt((apart**2).sum(axis=1)) + 1e-9
        pull = weights * (away / drawn - 1.0)
        for axis in (0, 1):
            positions[:, axis] += np.bincount(one, weights=pull * apart[:, axis], minlength=count) / sums
    return positions


def _centred(positions: NDArray[np.float64], component: Ints, sizes: Ints) -> NDArray[np.float64]:
    """Each component around the middle of its own."""
    for axis in (0, 1):
        mean = np.bincount(component, weights=positions[:, axis]) / sizes
        positions[:, axis] -= mean[component]
    return positions
