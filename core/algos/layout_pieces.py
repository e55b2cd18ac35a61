"""A graph as its components: large ones grown by forces, small ones by exact stress, then put side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency, components
from core.algos.layout_apart import Block, block_of, with_apart
from core.algos.layout_force import Field, Springs, anew, charges_of, radius_of, springs
from core.algos.layout_mesh import Floats, Ints
from core.algos.layout_pack import ROUND, packed
from core.algos.layout_pivots import Pivots
from core.algos.layout_small import MOST_NODES, small_components
from core.domain.graph import SPACING

BLEND_STEPS = 12
"""Steps in which components move from where they grew to where they are packed."""
SETTLING_STEPS = 80
FORCES_SHARE = 0.95
ROOM = 1.1
LEAST_WEIGHT = 0.25
"""Spring weight of a relation of strength 0; its strength is added."""

Reals = NDArray[np.float64]
Places = Callable[[Reals, Ints], Reals]
"""Centres (k, 2) for circles of these radii (k,); the second are the components' numbers."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The relations among `count` nodes: ends (m,), (m,) and strengths (m,) in 0..1. Loops and parallel
    ones are allowed."""

    count: int
    sources: NDArray[np.integer]
    targets: NDArray[np.integer]
    strengths: NDArray[np.floating]

    def among(self, shown: NDArray[np.bool_]) -> Lines:
        """Those of the nodes of a mask (n,), numbered anew."""
        place = np.cumsum(shown) - 1
        kept = shown[self.sources] & shown[self.targets]
        return Lines(
            int(shown.sum()), place[self.sources[kept]], place[self.targets[kept]], self.strengths[kept]
        )

    def where(self, kept: NDArray[np.bool_]) -> Lines:
        """The lines of a mask (m,) among the same nodes."""
        return Lines(self.count, self.sources[kept], self.targets[kept], self.strengths[kept])


class Pieces:
    """A graph as its components: large, small and single ones. `places` puts the finished components
    somewhere; None = packed around the largest."""

    def __init__(self, lines: Lines, aspect: float, seed: int, places: Places | None = None) -> None:
        count = self._count = lines.count
        sources, targets = lines.sources.astype(np.int64), lines.targets.astype(np.int64)
        weights = (LEAST_WEIGHT + np.nan_to_num(lines.strengths)).astype(np.float32)
        self._places = places or (lambda radii, _: packed(radii, aspect))
        self._aspect = aspect
        self._seed = seed
        self.component = components(count, sources, targets)
        self._sizes = np.bincount(self.component)
        size = self._sizes[self.component]
        self._large = np.flatnonzero(size > MOST_NODES)
        self._small = np.flatnonzero((size > 1) & (size <= MOST_NODES))
        self._apart = size == 1
        self._parts = np.flatnonzero(self._sizes > 1)
        """Components that are packed; single nodes stand in a block apart."""
        self._graph = self._springs(sources, targets, weights)
        self._around = self._small_drawn(sources, targets)
        self._block: Block | None = None

    def _inner(self, nodes: Ints, sources: Ints, targets: Ints) -> tuple[Ints, Ints, NDArray[np.bool_], Ints]:
        """Edges among some whole components, by index in `nodes`, and the component of each node anew."""
        place = np.full(self._count, -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        inside = place[sources] >= 0
        component = np.unique(self.component[nodes], return_inverse=True)[1].astype(np.int64)
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
        radii = self._expected()
        centres = self._packed(radii)
        self._block = self._block_beside(centres, radii)
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
        centres = packed(radii * ROOM, near=ROUND).astype(np.float32)
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
        np.maximum.at(radii, self.component, away)
        return radii + SPACING / 2

    def _packed(self, radii: NDArray[np.float64]) -> NDArray[np.float64]:
        centres = np.zeros((len(self._sizes), 2))
        if len(self._parts):
            centres[self._parts] = self._places(radii[self._parts], self._parts)
        return centres

    def _block_beside(self, centres: NDArray[np.float64], radii: NDArray[np.float64]) -> Block | None:
        """Where the single nodes will stand: chosen once, so that they do not change sides while others grow."""
        parts, number = self._parts, int(self._apart.sum())
        if not len(parts) or not number:
            return None
        low = (centres[parts] - radii[parts, None]).min(axis=0)
        wide, tall = ((centres[parts] + radii[parts, None]).max(axis=0) - low) / SPACING
        return block_of(number, float(wide), float(tall), self._aspect)

    def _world(self, around: Floats, centres: NDArray[np.float64]) -> Floats:
        positions = (around + centres[self.component]).astype(np.float32)
        return with_apart(positions, self._apart, self._aspect, self._block)

    # --- pins ------------------------------------------------------------------------------

    def around_pins(
        self, positions: Floats, start: Floats, pinned: NDArray[np.bool_]
    ) -> Iterator[tuple[Floats, float]]:
        """The drawing settled around pinned nodes: their components go to them, then neighbours give way."""
        shift = np.zeros((len(self._sizes), 2), dtype=np.float32)
        number = np.bincount(self.component[pinned], minlength=len(self._sizes))
        apart = start[pinned] - positions[pinned]
        for axis in (0, 1):
            sums = np.bincount(self.component[pinned], weights=apart[:, axis], minlength=len(self._sizes))
            shift[:, axis] = sums / np.maximum(number, 1)
        moved = positions + shift[self.component]
        moved[pinned] = start[pinned]
        if pinned[self._large].any():
            yield from self.go_on(moved, pinned)
        else:
            yield moved, 1.0

    def go_on(self, positions: Floats, held: NDArray[np.bool_]) -> Iterator[tuple[Floats, float]]:
        """A drawing in which forces work on in the large components; held nodes stay, and all others."""
        if self._graph is None:
            yield positions, 1.0
            return
        steps = _settled(self._graph, positions[self._large], held[self._large], self._seed)
        for number, own in enumerate(steps, start=1):
            positions = positions.copy()
            positions[self._large] = own
            yield positions, number / SETTLING_STEPS


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
    for _ in range(SETTLING_STEPS):
        inner = field.step(inner)
        yield inner * unit


def _unit(around: Floats, component: Ints) -> float:
    """Factor after which nodes of large components have SPACING x SPACING each.

    A disc in which the mean square distance from the middle is r^2 has the area 2 pi r^2.
    """
    square = np.bincount(component, weights=np.einsum("ij,ij->i", around, around))
    area = 2 * np.pi * float((square / np.bincount(component)).sum())
    return float(SPACING * np.sqrt(len(around) / max(area, 1e-12)))
