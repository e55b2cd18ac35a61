"""Where the nodes of a graph are drawn: the same for the same input, step by step for a view that follows.

Large components are drawn together by forces (core.algos.layout_force), small ones at once by exact
stress, single nodes stand in a grid; then all are packed side by side. A drawing that is there already is
kept: new nodes go beside their neighbours. Source of the method: TECH §4.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency, components
from core.algos.layout_beside import placed_beside
from core.algos.layout_force import Field, Springs, anew, charges_of, radius_of, springs
from core.algos.layout_mesh import Floats, Ints
from core.algos.layout_pack import grid, packed
from core.algos.layout_pivots import Pivots
from core.algos.layout_small import MOST_NODES, small_components
from core.domain.graph import SPACING, Frame

KEPT_SHARE = 0.5
"""A drawing in which so many nodes have a place is kept; only the others are placed."""
LEAST_WEIGHT = 0.25
"""Spring weight of a relation of strength 0; its strength is added."""
BLEND_STEPS = 12
"""Frames in which components move from where they grew to where they are packed."""
PINNED_STEPS = 60
FORCES_SHARE = 0.95
ROOM = 1.1


@dataclass(frozen=True, slots=True)
class Lines:
    """The relations among `count` nodes: ends (m,), (m,) and strengths (m,) in 0..1. Loops and parallel
    ones are allowed."""

    count: int
    sources: NDArray[np.integer]
    targets: NDArray[np.integer]
    strengths: NDArray[np.floating]


class ForceLayout:
    """A running force layout (core.domain.graph.Layout).

    `start` (n, 2) places to begin with, NaN where there is none; `pinned` (n,) nodes stay at theirs.
    """

    def __init__(
        self,
        lines: Lines,
        start: Floats,
        pinned: NDArray[np.bool_],
        *,
        afresh: bool = False,
        aspect: float = 1.5,
        seed: int = 0,
    ) -> None:
        count = lines.count
        self._count = count
        self._sources, self._targets = lines.sources.astype(np.int64), lines.targets.astype(np.int64)
        self._weights = (LEAST_WEIGHT + np.nan_to_num(lines.strengths)).astype(np.float32)
        self._start = np.array(start, dtype=np.float32).reshape(count, 2)
        self._known = np.isfinite(self._start).all(axis=1)
        self._pinned = pinned & self._known
        self._afresh = afresh
        self._aspect = float(np.clip(aspect, 0.2, 5.0))
        self._seed = seed
        self._held: dict[int, tuple[float, float]] = {}
        self._lock = threading.Lock()
        self._frames = self._run()

    def step(self) -> Frame | None:
        """One step further; None when the picture is stable."""
        frame = next(self._frames, None)
        if frame is None:
            return None
        positions = np.array(frame.positions, dtype=np.float32)
        positions[self._pinned] = self._start[self._pinned]
        for node, place in self._holding():
            positions[node] = place
        return Frame(positions, frame.done)

    def hold(self, node: int, x: float, y: float) -> None:
        """Keep a node at a place until released."""
        with self._lock:
            self._held[node] = (x, y)

    def release(self, node: int) -> None:
        """Let a held node go."""
        with self._lock:
            self._held.pop(node, None)

    def _holding(self) -> list[tuple[int, tuple[float, float]]]:
        with self._lock:
            return list(self._held.items())

    # --- the whole run ---------------------------------------------------------------------

    def _run(self) -> Iterator[Frame]:
        if not self._count:
            return
        if not self._afresh and self._known.mean() >= KEPT_SHARE:
            yield Frame(self._completed(), 1.0)
            return
        pieces = _Pieces(self._count, self._sources, self._targets, self._weights, self._aspect, self._seed)
        positions = self._start
        for positions, done in pieces.grow():
            yield Frame(positions, done)
        if self._pinned.any():
            for settled in pieces.around_pins(positions, self._start, self._pinned):
                yield Frame(settled, 1.0)

    def _completed(self) -> Floats:
        """The drawing with places for those that have none; the rest stays."""
        if self._known.all():
            return self._start
        adjacency = Adjacency.of(self._count, self._sources, self._targets)
        positions = placed_beside(self._start, adjacency, SPACING)
        left = np.flatnonzero(~np.isfinite(positions).all(axis=1))
        if not len(left):
            return positions
        place = np.full(self._count, -1, dtype=np.int64)
        place[left] = np.arange(len(left))
        among = (place[self._sources] >= 0) & (place[self._targets] >= 0)
        pieces = _Pieces(
            len(left),
            place[self._sources[among]],
            place[self._targets[among]],
            self._weights[among],
            self._aspect,
            self._seed,
        )
        *_, (own, _) = pieces.grow()
        there = positions[np.isfinite(positions).all(axis=1)]
        corner = np.array([there[:, 0].min(), there[:, 1].max() + 2 * SPACING], dtype=np.float32)
        positions[left] = own - own.min(axis=0) + corner
        return positions


class _Pieces:
    """A graph as its components: large, small and single ones."""

    def __init__(
        self, count: int, sources: Ints, targets: Ints, weights: Floats, aspect: float, seed: int
    ) -> None:
        self._count = count
        self._aspect = aspect
        self._seed = seed
        self._component = components(count, sources, targets)
        self._sizes = np.bincount(self._component)
        size = self._sizes[self._component]
        self._large = np.flatnonzero(size > MOST_NODES)
        self._small = np.flatnonzero((size > 1) & (size <= MOST_NODES))
        self._single = np.flatnonzero(size == 1)
        self._parts = np.flatnonzero(self._sizes > 1)
        """Components that are packed; single nodes stand in a grid below."""
        self._graph = self._springs(sources, targets, weights)
        self._around = self._small_drawn(sources, targets)

    def _inner(self, nodes: Ints, sources: Ints, targets: Ints) -> tuple[Ints, Ints, NDArray[np.bool_], Ints]:
        """Edges among some whole components, by index in `nodes`, and the component of each node anew."""
        place = np.full(self._count, -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        inside = place[sources] >= 0
        component = np.unique(self._component[nodes], return_inverse=True)[1].astype(np.int64)
        return place[sources[inside]], place[targets[inside]], inside, component

    def _springs(self, sources: Ints, targets: Ints, weights: Floats) -> Springs | None:
        if not len(self._large):
            return None
        own_sources, own_targets, inside, component = self._inner(self._large, sources, targets)
        return springs(len(self._large), own_sources, own_targets, weights[inside], component, self._seed)

    def _small_drawn(self, sources: Ints, targets: Ints) -> Floats:
        """Places of all nodes around the middle of their component: those of small ones, else 0."""
        around = np.zeros((self._count, 2), dtype=np.float32)
        if len(self._small):
            own_sources, own_targets, _, component = self._inner(self._small, sources, targets)
            adjacency = Adjacency.of(len(self._small), own_sources, own_targets)
            around[self._small] = small_components(adjacency, component, SPACING, self._seed)
        return around

    # --- growing and packing ---------------------------------------------------------------

    def grow(self) -> Iterator[tuple[Floats, float]]:
        """The drawing from nothing: places of all nodes after each step, and how far it is."""
        around = self._around.copy()
        centres = self._packed(self._expected())
        if self._graph is not None:
            for inner, done in self._grown(self._graph):
                around[self._large] = inner
                yield self._world(around, centres), done * FORCES_SHARE
        goal = self._packed(self._radii(around))
        steps = BLEND_STEPS if self._graph is not None and len(self._parts) > 1 else 1
        for number in range(1, steps + 1):
            share = number / steps
            share = share * share * (3 - 2 * share)
            now = centres + (goal - centres) * share
            yield self._world(around, now), FORCES_SHARE + (1 - FORCES_SHARE) * share

    def _grown(self, graph: Springs) -> Iterator[tuple[Floats, float]]:
        """Places of the large components, each around its own middle, in units of the drawing."""
        charge = np.bincount(graph.component, weights=charges_of(graph.finest))
        radii = np.array([radius_of(float(each)) for each in charge])
        centres = packed(radii * ROOM).astype(np.float32)
        for moment in anew(graph, centres, self._seed):
            inner = moment.positions - centres[graph.component]
            yield inner * np.float32(_unit(inner, graph.component)), moment.done

    def _expected(self) -> NDArray[np.float64]:
        """Radius of each part before it has grown."""
        radii = np.sqrt(self._sizes / np.pi) * SPACING * ROOM
        known = self._radii(self._around)
        return np.where(self._sizes > MOST_NODES, radii, known)

    def _radii(self, around: Floats) -> NDArray[np.float64]:
        away = np.sqrt((around.astype(np.float64) ** 2).sum(axis=1))
        radii = np.zeros(len(self._sizes))
        np.maximum.at(radii, self._component, away)
        return radii + SPACING / 2

    def _packed(self, radii: NDArray[np.float64]) -> NDArray[np.float64]:
        centres = np.zeros((len(self._sizes), 2))
        if len(self._parts):
            centres[self._parts] = packed(radii[self._parts], self._aspect)
        return centres

    def _world(self, around: Floats, centres: NDArray[np.float64]) -> Floats:
        positions = (around + centres[self._component]).astype(np.float32)
        if not len(self._single):
            return positions
        columns = int(np.ceil(np.sqrt(len(self._single) * self._aspect)))
        others = positions[self._sizes[self._component] > 1]
        if not len(others):
            positions[self._single] = grid(len(self._single), columns, SPACING)
            return positions
        low, high = others.min(axis=0), others.max(axis=0)
        columns = min(max(columns, int((high[0] - low[0]) // SPACING) + 1), len(self._single))
        left = (low[0] + high[0] - (columns - 1) * SPACING) / 2
        corner = np.array([left, high[1] + 2 * SPACING], dtype=np.float32)
        positions[self._single] = grid(len(self._single), columns, SPACING) + corner
        return positions

    # --- pins ------------------------------------------------------------------------------

    def around_pins(self, positions: Floats, start: Floats, pinned: NDArray[np.bool_]) -> Iterator[Floats]:
        """The drawing settled around pinned nodes: their components go to them, then neighbours give way."""
        shift = np.zeros((len(self._sizes), 2), dtype=np.float32)
        number = np.bincount(self._component[pinned], minlength=len(self._sizes))
        apart = start[pinned] - positions[pinned]
        for axis in (0, 1):
            sums = np.bincount(self._component[pinned], weights=apart[:, axis], minlength=len(self._sizes))
            shift[:, axis] = sums / np.maximum(number, 1)
        moved = positions + shift[self._component]
        moved[pinned] = start[pinned]
        held = pinned[self._large]
        if self._graph is None or not held.any():
            yield moved
            return
        for own in _settled(self._graph, moved[self._large], held, self._seed):
            moved = moved.copy()
            moved[self._large] = own
            yield moved


def _settled(graph: Springs, positions: Floats, held: NDArray[np.bool_], seed: int) -> Iterator[Floats]:
    """Some steps in which held nodes stay where they are."""
    rng = np.random.default_rng(seed)
    pivots = Pivots.choose(graph.adjacency, graph.component, rng)
    charge = np.bincount(graph.component, weights=charges_of(graph.finest))
    number = np.bincount(graph.component)
    centres = np.stack(
        [np.bincount(graph.component, weights=positions[:, axis]) / number for axis in (0, 1)], axis=1
    ).astype(np.float32)
    around = positions - centres[graph.component]
    size = np.sqrt(2 * (around**2).sum(axis=1).mean())
    unit = np.float32(size / (0.8 * np.sqrt(np.mean([radius_of(float(each)) ** 2 for each in charge]))))
    field = Field(graph.finest, pivots, centres / unit, rng)
    field.held = held
    inner = positions / unit
    for _ in range(PINNED_STEPS):
        inner = field.step(inner)
        yield inner * unit


def _unit(around: Floats, component: Ints) -> float:
    """Factor after which nodes of large components have SPACING x SPACING each.

    A disc in which the mean square distance from the middle is r^2 has the area 2 pi r^2.
    """
    square = np.bincount(component, weights=(around.astype(np.float64) ** 2).sum(axis=1))
    area = 2 * np.pi * float((square / np.bincount(component)).sum())
    return float(SPACING * np.sqrt(len(around) / max(area, 1e-12)))
