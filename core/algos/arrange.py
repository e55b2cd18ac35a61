"""Arrangements that follow from what the memories say: a tree, rings around one.

Both are computed at once. Units as in core.domain.graph: SPACING x SPACING a node, y downwards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency, hops
from core.algos.layout_apart import with_apart
from core.domain.graph import SPACING

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

TREE_GAP = 1.0
RING = 2.0
"""Least distance between two rings, in spacings."""


def as_tree(parents: NDArray[np.integer], aspect: float) -> Floats:
    """What was compressed below what it became; trees side by side, memories of no tree in a block apart.

    `parents` (n,): index of the parent or -1; rings of parents are cut at their lowest node. -> (n, 2).
    Cost: O(n log n).
    """
    parent = without_rings(np.asarray(parents, dtype=np.int64))
    count = len(parent)
    depth, root = _depths(parent)
    in_tree = np.bincount(root, minlength=count)[root] > 1 if count else np.zeros(0, dtype=np.bool_)
    nodes = np.flatnonzero(in_tree)
    across = _across(parent, depth, nodes)
    trees, tree = np.unique(root[nodes], return_inverse=True)
    wide, deep = np.zeros(len(trees)), np.zeros(len(trees))
    np.maximum.at(wide, tree, across[nodes] + 1)
    np.maximum.at(deep, tree, depth[nodes] + 1.0)
    corner = _shelves(wide + TREE_GAP, deep * 2 + TREE_GAP, aspect)
    positions = np.zeros((count, 2))
    positions[nodes, 0] = corner[tree, 0] + across[nodes]
    positions[nodes, 1] = corner[tree, 1] + depth[nodes] * 2
    return with_apart((positions * SPACING).astype(np.float32), ~in_tree, aspect)


def without_rings(parent: Ints) -> Ints:
    """Parents without cycles: the lowest node of each ring becomes a root. Cost: O(n log n)."""
    count = len(parent)
    up = np.where(parent >= 0, parent, np.arange(count))
    far, low = up.copy(), np.minimum(up, np.arange(count))
    for _ in range(max(1, int(count).bit_length())):
        low = np.minimum(low, low[far])
        far = far[far]
    # After so many steps every node has arrived: at a root, or on a ring, whose lowest node it has seen there.
    on_ring = np.zeros(count, dtype=np.bool_)
    on_ring[far] = True
    cut = on_ring & (low == np.arange(count))
    return np.where(cut, -1, parent)


def _depths(parent: Ints) -> tuple[Ints, Ints]:
    """Distance from the root, and the root, of each node of a forest."""
    count = len(parent)
    far = np.where(parent >= 0, parent, np.arange(count))
    depth = (parent >= 0).astype(np.int64)
    while not np.array_equal(far[far], far):
        depth = depth + depth[far]
        far = far[far]
    return depth, far


def _across(parent: Ints, depth: Ints, nodes: Ints) -> NDArray[np.float64]:
    """Place of each node across its tree: leaves one beside the other, parents above their middle."""
    across = np.zeros(len(parent))
    leaves = np.ones(len(parent))
    levels = [nodes[depth[nodes] == level] for level in range(int(depth[nodes].max(initial=0)) + 1)]
    for level in reversed(levels[1:]):
        has = np.unique(parent[level])
        leaves[has] = 0.0
        np.add.at(leaves, parent[level], leaves[level])
    left = np.zeros(len(parent))
    for level in levels[1:]:
        order = level[np.lexsort((level, parent[level]))]
        before = np.cumsum(leaves[order]) - leaves[order]
        first = np.flatnonzero(np.r_[True, parent[order][1:] != parent[order][:-1]])
        own = np.repeat(before[first], np.diff(np.r_[first, len(order)]))
        left[order] = left[parent[order]] + before - own
    across[nodes] = left[nodes] + (leaves[nodes] - 1) / 2
    return across


def _shelves(wide: NDArray[np.float64], tall: NDArray[np.float64], aspect: float) -> NDArray[np.float64]:
    """Upper left corner of each box when boxes fill shelves from left to right."""
    corner = np.zeros((len(wide), 2))
    room = max(float(np.sqrt((wide * tall).sum() * aspect)), float(wide.max(initial=0.0)))
    left, top, shelf = 0.0, 0.0, 0.0
    for at, (width, height) in enumerate(zip(wide, tall, strict=True)):
        if left + width > room * (1 + 1e-9):
            left, top, shelf = 0.0, top + shelf, 0.0
        corner[at] = left, top
        left, shelf = left + float(width), max(shelf, float(height))
    return corner


def in_rings(adjacency: Adjacency, focus: int, aspect: float) -> Floats:
    """Rings by distance from a focus in the middle; each node near the direction of the one it comes from.

    Nodes out of reach stand in a block apart. Shape: (n, 2). Cost: O(n log n + m).
    """
    depth = hops(adjacency, [focus])
    before = _comes_from(adjacency, depth)
    levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
    leaves = np.zeros(adjacency.count)
    for level in reversed(levels):
        leaves[level] = np.maximum(leaves[level], 1.0)
        if before[level[0]] >= 0:
            np.add.at(leaves, before[level], leaves[level])
    begin, share = np.zeros(adjacency.count), np.zeros(adjacency.count)
    share[focus] = 2 * np.pi
    positions = np.zeros((adjacency.count, 2))
    radius = 0.0
    for level in levels[1:]:
        order = level[np.lexsort((level, begin[before[level]]))]
        up = before[order]
        share[order] = share[up] * leaves[order] / leaves[up]
        sums = np.cumsum(share[order]) - share[order]
        first = np.flatnonzero(np.r_[True, up[1:] != up[:-1]])
        own = np.repeat(sums[first], np.diff(np.r_[first, len(order)]))
        begin[order] = begin[up] + sums - own
        radius += RING
        rows = int(np.ceil(np.sqrt(radius**2 + len(order) / np.pi) - radius)) or 1
        angle = begin[order] + share[order] / 2
        away = radius + np.arange(len(order)) % rows
        positions[order] = np.stack([np.cos(angle) * away, np.sin(angle) * away], axis=1)
        radius += rows - 1
    return with_apart((positions * SPACING).astype(np.float32), depth < 0, aspect)


def _comes_from(adjacency: Adjacency, depth: NDArray[np.int32]) -> Ints:
    """The lowest neighbour of each node that is one nearer, -1 for the focus and what is out of reach."""
    owner = np.repeat(np.arange(adjacency.count), adjacency.degrees)
    nearer = depth[adjacency.others] == depth[owner] - 1
    before = np.full(adjacency.count, adjacency.count, dtype=np.int64)
    np.minimum.at(before, owner[nearer & (depth[owner] > 0)], adjacency.others[nearer & (depth[owner] > 0)])
    return np.where(before == adjacency.count, -1, before)
