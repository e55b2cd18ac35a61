"""Communities of a graph: modularity by moves of single nodes, then of whole groups; the same each time.

Source: Louvain (Blondel et al. 2008) with all nodes deciding at once and a random half of them moving, so
that numpy does the work; groups are then nodes of a smaller graph, until nothing is gained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

MOST_ROUNDS = 24
MOST_LEVELS = 12
MOVING_SHARE = 0.5
ENOUGH_MOVES = 0.002
"""A round in which a smaller share of the nodes would move is the last one of its level."""
RESOLUTION = 1.0


def _sums(place: Ints, weights: Reals, count: int) -> Reals:
    """Sum of the weights at each place."""
    return np.bincount(place, weights=weights, minlength=count).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True)
class _Weighted:
    """An undirected graph in which an edge stands in both directions; `inner` = weight of loops."""

    count: int
    ends: Ints
    others: Ints
    weights: Reals
    inner: Reals

    @property
    def degrees(self) -> Reals:
        """Weight of each node's edges; a loop counts twice."""
        ends: Reals = _sums(self.ends, self.weights, self.count)
        return ends + 2 * self.inner


def communities(
    count: int,
    sources: NDArray[np.integer],
    targets: NDArray[np.integer],
    weights: Floats | None = None,
    *,
    resolution: float = RESOLUTION,
    levels: int = MOST_LEVELS,
    seed: int = 0,
) -> Ints:
    """Community of each node, 0 .. k-1, the largest first (ties: that of the lowest node).

    Higher `resolution` gives smaller communities; `levels` = how often groups are grouped again. A node
    without edges is a community of its own. Loops and parallel edges are allowed; strengths of 0 count as
    no edge. Shapes: (m,), (m,), (m,) -> (count,). Cost: O(rounds (n + m) log m).
    """
    given = np.ones(len(sources)) if weights is None else weights.astype(np.float64)
    graph = _undirected(count, sources.astype(np.int64), targets.astype(np.int64), given)
    rng = np.random.default_rng(seed)
    label = np.arange(count, dtype=np.int64)
    total = float(graph.degrees.sum())
    for _ in range(levels):
        if not len(graph.ends):
            break
        moved = _move(graph, total, resolution, rng)
        names, group = np.unique(moved, return_inverse=True)
        if len(names) == graph.count:
            break
        label = group[label]
        graph = _grouped(graph, group.astype(np.int64), len(names))
    return by_size(label)


def by_size(label: Ints) -> Ints:
    """The labels renumbered, the largest group first."""
    _, first, group, sizes = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[group]


def _undirected(count: int, sources: Ints, targets: Ints, weights: Reals) -> _Weighted:
    there = weights > 0
    sources, targets, weights = sources[there], targets[there], weights[there]
    loop = sources == targets
    inner: Reals = _sums(sources[loop], weights[loop], count)
    low, high = np.minimum(sources, targets)[~loop], np.maximum(sources, targets)[~loop]
    keys, place = np.unique(low * count + high, return_inverse=True)
    sums: Reals = _sums(place, weights[~loop], len(keys))
    low, high = keys // count, keys % count
    return _Weighted(
        count, np.concatenate([low, high]), np.concatenate([high, low]), np.concatenate([sums, sums]), inner
    )


def _grouped(graph: _Weighted, group: Ints, count: int) -> _Weighted:
    """The graph whose nodes are the groups."""
    ends, others = group[graph.ends], group[graph.others]
    loop = ends == others
    inner: Reals = _sums(group, graph.inner, count)
    inner += _sums(ends[loop], graph.weights[loop], count) / 2
    keys, place = np.unique(ends[~loop] * count + others[~loop], return_inverse=True)
    weights: Reals = _sums(place, graph.weights[~loop], len(keys))
    return _Weighted(count, keys // count, keys % count, weights, inner)


def _move(graph: _Weighted, total: float, resolution: float, rng: np.random.Generator) -> Ints:
    """Community of each node after moves that raise the modularity."""
    count, degrees = graph.count, graph.degrees
    label = np.arange(count, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        sums = _sums(label, degrees, count)
        keys, place = np.unique(graph.ends * count + label[graph.others], return_inverse=True)
        node, where = keys // count, keys % count
        linked = _sums(place, graph.weights, len(keys))
        own = where == label[node]
        gain = linked - resolution * degrees[node] * (sums[where] - np.where(own, degrees[node], 0.0)) / total
        stay = -resolution * degrees * (sums[label] - degrees) / total
        stay[node[own]] = gain[own]
        best, target = _best(count, node, where, gain)
        wants = best > stay + 1e-9 * (1.0 + np.abs(stay))
        if wants.sum() <= ENOUGH_MOVES * count:
            label = np.where(wants & _lone_mover(wants), target, label)
            break
        moves = wants & (rng.random(count) < MOVING_SHARE)
        label = np.where(moves, target, label)
    return label


def _lone_mover(wants: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The first node that wants to move: one alone always gains."""
    first = np.zeros(len(wants), dtype=np.bool_)
    first[np.argmax(wants)] = True
    return first


def _best(count: int, node: Ints, where: Ints, gain: Reals) -> tuple[Reals, Ints]:
    """The greatest gain of each node (ties: the lowest community) and where; `node` is sorted."""
    best, target = np.full(count, -np.inf), np.arange(count, dtype=np.int64)
    first = np.flatnonzero(np.r_[True, node[1:] != node[:-1]])
    best[node[first]] = np.maximum.reduceat(gain, first)
    top = np.flatnonzero(gain == best[node])[::-1]
    target[node[top]] = where[top]
    return best, target


def modularity(label: Ints, sources: Ints, targets: Ints, weights: Floats | None = None) -> float:
    """How much more weight lies inside the communities than by chance, -0.5 .. 1."""
    given = np.ones(len(sources)) if weights is None else weights.astype(np.float64)
    total = float(given.sum())
    if not total:
        return 0.0
    inside = float(given[label[sources] == label[targets]].sum()) / total
    degrees = _sums(label[sources], given, int(label.max()) + 1)
    degrees += _sums(label[targets], given, int(label.max()) + 1)
    return inside - float(((degrees / (2 * total)) ** 2).sum())
