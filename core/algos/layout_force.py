"""The forces of a drawing level by level: multilevel particle mesh with a pull towards true distances.

Springs draw related nodes together, more strongly within a community than between two; all nodes repel
each other on a grid; gravity holds each component; pivots pull towards graph distances (sparse stress).
Components are moved side by side in one system and never push each other away as a whole.
Source: TECH §4 for mesh and levels; weights, gravity and pull by measurement (tests/bench/graph_bench.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency
from core.algos.community import communities
from core.algos.layout_coarsen import Level, hierarchy, merge_parallel
from core.algos.layout_mesh import Floats, Ints, Motion, attraction, repulsion
from core.algos.layout_pivots import Pivots, scaled

SMALLEST = 300
GRAVITY = 0.3
PULL_SMALLEST, PULL_MIDDLE, PULL_LAST = 0.5, 0.3, 0.12
"""How much of the way to the place that pivots want is gone in a step: the picture as a whole is settled
on the small levels, neighbourhoods on the last."""
STRESS_GOAL, PULL_CHANGE, PULL_RANGE = 0.155, 1.02, (0.08, 0.2)
"""On the last level the pull follows the stress: a picture that is true enough has strength to spare for
neighbourhoods."""
BETWEEN = 0.3
"""Weight of a spring between two communities; one within has 1."""
COMMUNITY_NODES = 400
"""Communities are looked for at resolution n / this, so that they stay small in large graphs."""
LEAST_SCALED = 8
PULLS_BEFORE = 30
BEGIN_SIZE = 0.8
"""The smallest level begins with so many steps of stress alone, at this share of its final size."""
COLUMNS = 16
"""Pivots looked at in one step."""
STEPS_SMALLEST, STEPS_MIDDLE, STEPS_LAST = 200, 80, 120
LARGE = 30_000
STEPS_LARGE = 70
"""Last and middle steps from LARGE nodes on; the pull on the last level then stays as it is."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Positions (n, 2) of all nodes after a step, and how far it is (0..1)."""

    positions: Floats
    done: float


@dataclass(frozen=True, slots=True)
class Springs:
    """A graph ready to be drawn: simple edges with spring weights, component and community of each node."""

    finest: Level
    component: Ints
    adjacency: Adjacency


def springs(count: int, sources: Ints, targets: Ints, weights: Floats, component: Ints, seed: int) -> Springs:
    """Spring weights by community. Shapes: (m,) each, component (n,). Cost: that of the communities."""
    low, high, strength = merge_parallel(count, sources, targets, weights)
    resolution = max(1.0, count / COMMUNITY_NODES)
    community = communities(count, low, high, strength, resolution=resolution, seed=seed)
    between = community[low] != community[high]
    strength = np.where(between, strength * np.float32(BETWEEN), strength)
    mass = np.ones(count, dtype=np.float32)
    return Springs(
        Level(count, low, high, strength, mass, community), component, Adjacency.of(count, low, high)
    )


def radius_of(charge: float) -> float:
    """Radius that a component of so much charge takes at most: where gravity balances repulsion."""
    return float(np.sqrt(charge / GRAVITY))


def charges_of(level: Level) -> Floats:
    """Charge of each node: its mass and the weight of its springs."""
    ends = np.bincount(level.sources, weights=level.weights, minlength=level.count)
    ends += np.bincount(level.targets, weights=level.weights, minlength=level.count)
    return (level.mass + ends).astype(np.float32)


def anew(graph: Springs, centres: Floats, seed: int) -> Iterator[Moment]:
    """The drawing from nothing, each component around its centre (c, 2). Steps get slower level by level."""
    rng = np.random.default_rng(seed)
    levels, groups = hierarchy(graph.finest, SMALLEST, rng)
    pivots = [Pivots.choose(graph.adjacency, graph.component, rng)]
    for level, group in zip(levels[1:], groups, strict=True):
        pivots.append(pivots[-1].grouped(group, level.count))
    whole = [np.arange(graph.finest.count)]
    for group in groups:
        whole.append(group[whole[-1]])
    positions = _begin(levels[-1], pivots[-1], centres, rng)
    steps = _steps([level.count for level in levels])
    costs = [level.count * number for level, number in zip(levels, steps, strict=True)]
    spent, total = 0.0, float(sum(costs))
    for at in range(len(levels) - 1, -1, -1):
        pull = PULL_LAST if not at else PULL_SMALLEST if at == len(levels) - 1 else PULL_MIDDLE
        field = Field(levels[at], pivots[at], centres, rng, pull)
        for _ in range(steps[at]):
            positions = field.step(positions)
            spent += levels[at].count
            yield Moment(positions[whole[at]], spent / total)
        if at:
            group = groups[at - 1]
            jitter = rng.standard_normal((len(group), 2)).astype(np.float32)
            positions = positions[group] + jitter


def _begin(level: Level, pivots: Pivots, centres: Floats, rng: np.random.Generator) -> Floats:
    """Where the smallest level begins: by pivot distances, each component as large as it will become."""
    positions = rng.standard_normal((level.count, 2)).astype(np.float32)
    charge = np.bincount(pivots.component, weights=charges_of(level))
    order = np.argsort(pivots.component, kind="stable")
    ends = np.cumsum(np.bincount(pivots.component))
    for nodes in np.split(order, ends[:-1]):
        if len(nodes) >= LEAST_SCALED:
            positions[nodes] = scaled(pivots.away[nodes])
    for _ in range(PULLS_BEFORE):
        positions += pivots.pull(positions, np.arange(pivots.nodes.shape[1]))[0]
    for number, nodes in enumerate(np.split(order, ends[:-1])):
        part = positions[nodes] - positions[nodes].mean(axis=0)
        size = float(np.sqrt(2 * (part**2).sum(axis=1).mean())) or 1.0
        fit = BEGIN_SIZE * radius_of(float(charge[number])) / size
        positions[nodes] = centres[number] + part * np.float32(fit)
    return positions


def _steps(counts: list[int]) -> list[int]:
    """Steps of each level, the finest first."""
    steps = [STEPS_MIDDLE if count < LARGE else STEPS_LARGE for count in counts]
    steps[-1] = STEPS_SMALLEST
    steps[0] = max(STEPS_LAST, steps[-1] if len(counts) == 1 else 0) if counts[0] < LARGE else STEPS_LARGE
    return steps


class Field:
    """All forces on one level. `held` (n,) nodes do not move."""

    def __init__(
        self, level: Level, pivots: Pivots, centres: Floats, rng: np.random.Generator, pull: float = PULL_LAST
    ) -> None:
        self._level = level
        self._pull = pull
        self._follows = pull == PULL_LAST and level.count < LARGE
        self._pivots = pivots
        self._centres = centres
        self._rng = rng
        self._charges = charges_of(level)
        stiffness = (self._charges - level.mass) + GRAVITY * self._charges
        self._most = (1.0 / np.maximum(stiffness, 1e-6)).astype(np.float32)
        self._charge = np.bincount(pivots.component, weights=self._charges)
        self._cells = int(np.clip(2 ** np.ceil(np.log2(max(level.count, 2) ** 0.5)), 32, 512))
        self._motion = Motion.at_rest(level.count)
        self.held: NDArray[np.bool_] | None = None

    def step(self, positions: Floats) -> Floats:
        """Positions after one step. Cost: O(n + m + G^2 log G)."""
        level, charges = self._level, self._charges
        forces = repulsion(positions, charges, self._cells)
        forces = self._without_drift(forces)
        forces += attraction(positions, level.sources, level.targets, level.weights)
        forces -= np.float32(GRAVITY) * charges[:, None] * (positions - self._own_centre())
        way = self._motion.way(forces, charges, self._most)
        columns = self._rng.permutation(self._pivots.nodes.shape[1])[:COLUMNS]
        moved = positions + way
        pulled, stress = self._pivots.pull(moved, columns)
        moved += np.float32(self._pull) * pulled
        if self._follows:
            self._pull *= PULL_CHANGE if stress > STRESS_GOAL else 1.0 / PULL_CHANGE
            self._pull = min(max(self._pull, PULL_RANGE[0]), PULL_RANGE[1])
        if self.held is not None:
            moved[self.held] = positions[self.held]
        return moved

    def _own_centre(self) -> Floats:
        return self._centres[0] if len(self._centres) == 1 else self._centres[self._pivots.component]

    def _without_drift(self, forces: Floats) -> Floats:
        """Repulsion as it would be if other components pushed nothing away as a whole."""
        if len(self._centres) == 1:
            return forces
        component = self._pivots.component
        mean = np.stack(
            [np.bincount(component, weights=forces[:, axis]) / self._charge for axis in (0, 1)], axis=1
        ).astype(np.float32)
        return forces - mean[component] * self._charges[:, None]
