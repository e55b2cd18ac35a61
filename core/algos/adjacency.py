"""Neighbours of every node in two arrays, and walks over them: distances, shortest paths, hops.

All walks take edges in both directions. Several start nodes are walked at once as bits of a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
UNREACHED = 255
"""Distance of a node that a walk does not reach within 254 edges."""
BITS = 64


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Neighbours of node i: `others[start[i]:start[i + 1]]`, by the edges `edges` of the same places."""

    start: Ints
    others: Ints
    edges: Ints

    @property
    def count(self) -> int:
        """Number of nodes."""
        return len(self.start) - 1

    @property
    def degrees(self) -> Ints:
        """Number of edge ends at each node."""
        return np.diff(self.start)

    @classmethod
    def of(cls, count: int, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> Adjacency:
        """From edges; loops are left out, parallel ones stay. Cost: O(n + m log m)."""
        kept = np.flatnonzero(sources != targets)
        ends = np.concatenate([sources[kept], targets[kept]])
        others = np.concatenate([targets[kept], sources[kept]])
        order = np.argsort(ends, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))])
        edges = np.concatenate([kept, kept])
        return cls(start.astype(np.int64), others[order].astype(np.int64), edges[order])

    def around(self, nodes: Ints) -> tuple[Ints, Ints, Ints]:
        """Neighbours of some nodes: (other, edge, index into `nodes`) of each edge end there."""
        sizes = self.start[nodes + 1] - self.start[nodes]
        owner = np.repeat(np.arange(len(nodes)), sizes)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + self.start[nodes][owner]
        return self.others[place], self.edges[place], owner


def hops(adjacency: Adjacency, nodes: Sequence[int] | Ints, most: int | None = None) -> NDArray[np.int32]:
    """Distance of each node from the nearest of some, -1 where none is within `most`. Cost: O(n + m)."""
    depth = np.full(adjacency.count, -1, dtype=np.int32)
    front = np.unique(np.asarray(nodes, dtype=np.int64))
    depth[front] = 0
    step = 0
    while len(front) and (most is None or step < most):
        step += 1
        reached = adjacency.around(front)[0]
        front = np.unique(reached[depth[reached] < 0])
        depth[front] = step
    return depth


def shortest(
    adjacency: Adjacency, source: int, target: int, weights: NDArray[np.floating]
) -> tuple[list[int], list[int]] | None:
    """A way with the fewest edges, of equally short ones that with the greatest sum of weights.

    Nodes from source to target, and the edges between them; None when there is no way. Cost: O(n + m).
    """
    depth = hops(adjacency, [source])
    if depth[target] < 0:
        return None
    best = np.full(adjacency.count, -np.inf)
    best[source] = 0.0
    before = np.full(adjacency.count, -1, dtype=np.int64)
    through = np.full(adjacency.count, -1, dtype=np.int64)
    ordered = np.argsort(depth, kind="stable")
    turns = np.searchsorted(depth[ordered], np.arange(int(depth[target]) + 1))
    for step in range(int(depth[target])):
        front = ordered[turns[step] : turns[step + 1]]
        others, edges, owner = adjacency.around(front)
        on = depth[others] == step + 1
        others, edges, owner = others[on], edges[on], front[owner[on]]
        value = best[owner] + weights[edges]
        order = np.lexsort((-edges, value))
        best[others[order]], before[others[order]], through[others[order]] = (
            value[order],
            owner[order],
            edges[order],
        )
    nodes, edges_on_way = [target], []
    while nodes[-1] != source:
        edges_on_way.append(int(through[nodes[-1]]))
        nodes.append(int(before[nodes[-1]]))
    return nodes[::-1], edges_on_way[::-1]


def distances(adjacency: Adjacency, starts: Ints) -> NDArray[np.uint8]:
    """Distance of every node from start nodes, up to BITS columns walked at once.

    Shapes: starts (k,), or (k, c): column j starts at starts[j, 0 .. c-1] together, which is how
    components are walked side by side (-1 = no start). -> (count, k), UNREACHED where there is no way.
    Cost: O((n + m) * longest way), not times k.
    """
    count, columns = adjacency.count, len(starts)
    bits = np.uint64(1) << np.arange(columns, dtype=np.uint64)
    found = np.full((count, columns), UNREACHED, dtype=np.uint8)
    seen = np.zeros(count, dtype=np.uint64)
    for column, nodes in enumerate(starts.reshape(columns, -1)):
        begin = nodes[nodes >= 0]
        seen[begin] |= bits[column]
        found[begin, column] = 0
    linked = np.flatnonzero(adjacency.degrees > 0)
    first = adjacency.start[linked]
    front, step = seen.copy(), 0
    while len(linked) and step < UNREACHED - 1:
        step += 1
        new = np.zeros(count, dtype=np.uint64)
        new[linked] = np.bitwise_or.reduceat(front[adjacency.others], first)
        new &= ~seen
        rows = np.flatnonzero(new)
        if not len(rows):
            break
        part = found[rows]
        part[(new[rows, None] & bits) != 0] = step
        found[rows] = part
        seen |= new
        front = new
    return found


def components(count: int, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> Ints:
    """Number of each node's connected component, 0 .. k-1 by lowest node. Shapes: (m,), (m,) -> (count,).

    Cost: O((n + m) log n): the smallest label among neighbours, with pointer jumping.
    """
    label = np.arange(count, dtype=np.int64)
    while True:
        new = label.copy()
        low = np.minimum(label[sources], label[targets])
        # The label of a label is pulled down too, so that whole trees are hooked onto each other at once.
        np.minimum.at(new, label[sources], low)
        np.minimum.at(new, label[targets], low)
        while not np.array_equal(new[new], new):
            new = new[new]
        if np.array_equal(new, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int64)
        label = new
