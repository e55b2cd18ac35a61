"""Distances to pivots, and the pull towards a drawing in which they are true: sparse stress.

Each component has pivots of its own, so that all components are walked and pulled together. A pull is one
step of localised stress majorisation with weights 1/d^2. Source: Gansner, Koren & North 2004 (stress
majorisation); Ortmann, Klimenta & Brandes 2016 (sparse stress from pivots).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import BITS, UNREACHED, Adjacency, distances

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pivots:
    """`away` (n, k): graph distance of each node to the k pivots of its component; `weights` (n, k) =
    1 / away^2, 0 where there is none; `nodes` (c, k): the pivots of each component."""

    away: Floats
    weights: Floats
    nodes: Ints
    component: Ints

    @classmethod
    def choose(cls, adjacency: Adjacency, component: Ints, rng: np.random.Generator) -> Pivots:
        """Random pivots, as many as BITS or the component has nodes. Cost: see adjacency.distances."""
        count = adjacency.count
        order = rng.permutation(count)
        order = order[np.argsort(component[order], kind="stable")]
        sizes = np.bincount(component)
        first = np.cumsum(sizes) - sizes
        place = first[:, None] + np.arange(BITS)[None, :]
        there = np.arange(BITS)[None, :] < sizes[:, None]
        nodes = np.where(there, order[np.minimum(place, count - 1)], -1)
        steps = distances(adjacency, np.ascontiguousarray(nodes.T))
        known = (steps > 0) & there[component]
        away = np.where(steps == UNREACHED, np.float32(UNREACHED), steps).astype(np.float32)
        weights = np.where(known, 1.0 / np.maximum(away, 1.0) ** 2, 0.0).astype(np.float32)
        return cls(away, weights, nodes, component)

    def grouped(self, group: Ints, count: int) -> Pivots:
        """The same for groups of nodes: mean distances of their members. Cost: O(n k)."""
        order = np.argsort(group, kind="stable")
        first = np.searchsorted(group[order], np.arange(count))
        sizes = np.bincount(group, minlength=count).astype(np.float32)[:, None]
        away = np.add.reduceat(self.away[order], first, axis=0) / sizes
        weights = np.where(self.weights > 0, 1.0, 0.0).astype(np.float32)
        there = np.add.reduceat(weights[order], first, axis=0) > 0
        near = np.where(there, 1.0 / np.maximum(away, 1.0) ** 2, 0.0).astype(np.float32)
        nodes = np.where(self.nodes >= 0, group[self.nodes], -1)
        component = np.empty(count, dtype=np.int64)
        component[group] = self.component
        return Pivots(away.astype(np.float32), near, nodes, component)

    def pull(self, positions: Floats, columns: Ints) -> tuple[Floats, float]:
        """How far each node is from where some of the pivots (columns) want it, at the best scale.

        And the stress over these pairs: the mean of (1 - drawn / wanted)^2. Shapes: (n, 2), (b,) -> (n, 2).
        Cost: O(n b).
        """
        nodes = self.nodes[:, columns]
        one = len(nodes) == 1
        partner = nodes if one else nodes[self.component]
        weights = self.weights[:, columns]
        away = self.away[:, columns]
        dx = positions[:, 0, None] - positions[partner, 0]
        dy = positions[:, 1, None] - positions[partner, 1]
        drawn = np.sqrt(dx * dx + dy * dy)
        drawn += np.float32(1e-9)
        weighted = weights * drawn
        scale = np.vdot(weighted, drawn) / max(float(np.vdot(weighted, away)), 1e-12)
        strength = weights * (away * np.float32(scale) / drawn - np.float32(1.0))
        sums = weights.sum(axis=1) + np.float32(1e-9)
        way = np.empty_like(positions)
        way[:, 0] = np.einsum("ij,ij->i", strength, dx) / sums
        way[:, 1] = np.einsum("ij,ij->i", strength, dy) / sums
        stress = float(np.vdot(weighted, drawn)) / scale**2 - 2 * float(np.vdot(weighted, away)) / scale
        pairs = max(int(np.count_nonzero(weights)), 1)
        return way, 1.0 + stress / pairs


def scaled(away: Floats) -> Floats:
    """Two dimensions in which distances to the pivots are kept as well as they can be at once.

    Source: Brandes & Pich 2007 (PivotMDS). Shapes: (n, k) -> (n, 2). Cost: O(n k^2).
    """
    square = away.astype(np.float64) ** 2
    centred = -0.5 * (square - square.mean(axis=0) - square.mean(axis=1, keepdims=True) + square.mean())
    _, vectors = np.linalg.eigh(centred.T @ centred)
    plane = vectors[:, ::-1][:, :2]
    plane = plane * np.where(
        plane[np.abs(plane).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0
    )  # one sign on all machines
    places: Floats = (centred @ plane).astype(np.float32)
    return places
