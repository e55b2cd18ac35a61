"""What is drawn, as arrays: one frozen value that a worker can draw while the window goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFont

from core.domain.graph import GraphData, node_radius
from ui.graph.shapes import shape_of

Reals = NDArray[np.float32]
Indexes = NDArray[np.int32]
Flags = NDArray[np.bool_]
Titles = Callable[[Sequence[int]], dict[int, str]]
"""Titles by pk; may ask the store, so only a worker calls it."""


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours 0xRRGGBB and fonts of the window's scheme."""

    ground: int
    text: int
    secondary: int
    edge: int
    inhibits: int
    accent: int
    font: QFont
    small: QFont
    bold: QFont
    icons: QFont
    dark: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Nodes 0..n-1. `fill` indexes Scene.palette. `dim`: not part of what is highlighted."""

    positions: Reals
    shown: Flags
    radius: Reals
    shape: NDArray[np.int16]
    type: NDArray[np.int16]
    fill: Indexes
    hollow: Flags
    locked: Flags
    dim: Flags
    priority: Reals
    pks: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Edges 0..m-1. `lane`: place among parallel ones (0 = on the straight line). `bold`: highlighted."""

    source: Indexes
    target: Indexes
    shown: Flags
    weight: Reals
    relation: NDArray[np.int16]
    inhibits: Flags
    past: Flags
    bold: Flags
    lane: Reals


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Communities as discs. `of_node` (n,); `centre` (k, 2) and `radius` hold the members where they are;
    `spot` (k, 2) and `snug` are the disc from far, which overlaps no other; `opened`: a click opened it."""

    of_node: Indexes
    centre: Reals
    radius: Reals
    spot: Reals
    snug: Reals
    sizes: Indexes
    color: Indexes
    names: tuple[str, ...]
    opened: Flags
    source: Indexes
    target: Indexes
    weight: Reals


@dataclass(frozen=True, slots=True)
class Guide:
    """The name of a lane at the left rim: where it runs (y in world units). `head`: that of a whole band."""

    y: float
    name: str
    head: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Words in the picture, their middle at a place of the world."""

    x: float
    y: float
    text: str
    small: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All of it. `glyphs` by type, `relation_names` and `relation_colors` by relation.

    `quiet` (m,): edges that are not the point of the arrangement; `branches` (k, 2): nodes above and below
    in the tree of what was compressed.
    """

    nodes: Nodes
    lines: Lines
    paint: Paint
    palette: tuple[int, ...]
    glyphs: tuple[str, ...]
    relation_names: tuple[str, ...]
    relation_colors: tuple[int, ...]
    groups: Groups | None = None
    titles: Titles = field(default=lambda _pks: {})
    quiet: Flags | None = None
    branches: Indexes | None = None
    guides: tuple[Guide, ...] = ()
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.nodes.pks)

    def moved(self, positions: Reals) -> Scene:
        """The same at other positions."""
        return replace(self, nodes=replace(self.nodes, positions=positions))


def nodes_of(data: GraphData, positions: Reals, degree: NDArray[np.int64]) -> Nodes:
    """The nodes of a graph, all shown, none highlighted, in the first colour."""
    count = len(data)
    shapes = np.array([int(shape_of(name)) for name in data.types] or [0], dtype=np.int16)
    return Nodes(
        positions=positions,
        shown=np.ones(count, dtype=np.bool_),
        radius=node_radius(data.nodes.importance),
        shape=shapes[data.nodes.type] if count else np.empty(0, dtype=np.int16),
        type=data.nodes.type,
        fill=np.zeros(count, dtype=np.int32),
        hollow=data.nodes.status > 0,
        locked=data.nodes.locked,
        dim=np.zeros(count, dtype=np.bool_),
        priority=(data.nodes.importance + 1.5 * np.log2(1.0 + degree)).astype(np.float32),
        pks=data.nodes.pks,
    )


def lines_of(data: GraphData) -> Lines:
    """The edges of a graph, all shown."""
    edges, count = data.edges, len(data.edges)
    return Lines(
        source=edges.source,
        target=edges.target,
        shown=np.ones(count, dtype=np.bool_),
        weight=edges.strength,
        relation=edges.relation,
        inhibits=edges.inhibits,
        past=~edges.live,
        bold=np.zeros(count, dtype=np.bool_),
        lane=lanes(edges.source, edges.target),
    )


def lanes(source: Indexes, target: Indexes) -> Reals:
    """Places of parallel edges beside each other: 0 alone, else -0.5, 0.5 or -1, 0, 1 ... Cost: O(m log m)."""
    count = len(source)
    if not count:
        return np.empty(0, dtype=np.float32)
    low, high = np.minimum(source, target).astype(np.int64), np.maximum(source, target).astype(np.int64)
    pair = low * (int(high.max()) + 1) + high
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.concatenate((first, [count])))
    place = np.arange(count) - np.repeat(first, sizes) - np.repeat((sizes - 1) / 2, sizes)
    lane = np.empty(count, dtype=np.float32)
    # Seen from the lower end, so that two edges in opposite directions do not fall together.
    lane[order] = place
    return np.where(source > target, -lane, lane).astype(np.float32)


def degrees(data: GraphData) -> NDArray[np.int64]:
    """How many live relations each node has. Shape: (n,)."""
    live = data.edges.live
    ends = np.concatenate((data.edges.source[live], data.edges.target[live]))
    return np.bincount(ends, minlength=len(data)).astype(np.int64)
