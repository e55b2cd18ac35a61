"""Spreading activation over the memory graph, on arrays.

Source: spec/STBME §4.5 (PeroCore's PEDSA). Nodes are numbers 0..n-1; whoever calls keeps the ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.algos.vectors import Vector

Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Links:
    """Weighted links in compressed rows: those of node i are `targets[starts[i]:starts[i + 1]]`.

    Shapes: starts (n + 1,), targets, strengths and inhibits (m,).
    """

    starts: Indexes
    targets: Indexes
    strengths: Vector
    inhibits: NDArray[np.bool_]

    @classmethod
    def build(
        cls,
        nodes: int,
        sources: Sequence[int] | Indexes,
        targets: Sequence[int] | Indexes,
        strengths: Sequence[float] | Vector,
        inhibits: Sequence[bool] | NDArray[np.bool_],
        *,
        both_ways: bool = False,
    ) -> Self:
        """Links from parallel lists, in their order. `both_ways` adds the mirror of each right after it.

        Errors: ValueError for a node outside 0..nodes-1. Cost: O(m log m).
        """
        start, end = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
        weight, sign = np.asarray(strengths, dtype=np.float64), np.asarray(inhibits, dtype=np.bool_)
        if both_ways:
            start, end = np.stack([start, end], axis=1).ravel(), np.stack([end, start], axis=1).ravel()
            weight, sign = np.repeat(weight, 2), np.repeat(sign, 2)
        if len(start) and not (min(start.min(), end.min()) >= 0 and max(start.max(), end.max()) < nodes):
            raise ValueError("link to a node that is not there")
        order = np.argsort(start, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(start, minlength=nodes))]).astype(np.int64)
        return cls(starts, end[order], weight[order], sign[order])

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class Spread:
    """How far and how strongly energy spreads; the defaults are those of spec/STBME §4.5."""

    steps: int = 2
    decay: float = 0.6
    keep: int = 100
    """At most so many nodes hand energy on after each step."""
    smallest: float = 0.01
    largest: float = 2.0
    teleport: float = 0.0
    """Share of the energy that returns to the seeds at each step (ST-BME 6.3.0 has 0.15; 0 = none)."""


def spread(links: Links, seeds: Iterable[tuple[int, float]], how: Spread | None = None) -> Vector:
    """Energy of every node after spreading: shape (n,), in [-largest, largest], 0 = not reached.

    A node keeps the energy of largest absolute value that it had at any step, so a seed keeps its own unless
    more comes back. Over an inhibiting link arrives minus the absolute amount. Seeds of the same node add up.
    Cost: O(steps (m + n log n)) at most, in practice the links of the `keep` strongest nodes.
    """
    return spread_steps(links, seeds, how).energies


@dataclass(frozen=True, slots=True)
class Spreading:
    """Energies after spreading, and what each step had: the nodes with energy and all energies then.

    `steps[0]` are the seeds; a node that is not among the nodes of a step had none at that step.
    """

    energies: Vector
    steps: tuple[tuple[Indexes, Vector], ...]


def spread_steps(links: Links, seeds: Iterable[tuple[int, float]], how: Spread | None = None) -> Spreading:
    """The same as `spread`, with every step kept, so that the way of the energy can be told."""
    how = how or Spread()
    current, energies = _seeded(links.nodes, seeds, how)
    steps = [(current, energies)]
    reached = energies.copy()
    for _ in range(how.steps):
        current, energies = _step(links, current, energies[current], how)
        if how.teleport > 0:
            current, energies = _returned(current, energies, steps[0], how)
        if not len(current):
            break
        steps.append((current, energies))
        stronger = np.abs(energies[current]) > np.abs(reached[current])
        reached[current[stronger]] = energies[current[stronger]]
    return Spreading(reached, tuple(steps))


def _seeded(nodes: int, seeds: Iterable[tuple[int, float]], how: Spread) -> tuple[Indexes, Vector]:
    """Nodes with energy in the order of the seeds, and all energies."""
    summed: dict[int, float] = {}
    for node, energy in seeds:
        clamped = min(how.largest, max(-how.largest, energy))
        if abs(clamped) >= how.smallest:
            summed[node] = min(how.largest, max(-how.largest, summed.get(node, 0.0) + clamped))
    energies = np.zeros(nodes)
    current = np.fromiter(summed, dtype=np.int64, count=len(summed))
    energies[current] = np.fromiter(summed.values(), dtype=np.float64, count=len(summed))
    return current, energies


def _step(links: Links, current: Indexes, energies: Vector, how: Spread) -> tuple[Indexes, Vector]:
    """Nodes that got energy from the current ones, in the order first reached, and all energies."""
    counts = links.starts[current + 1] - links.starts[current]
    total = int(counts.sum())
    first = np.repeat(links.starts[current] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    edges = first.astype(np.int64) + np.arange(total)
    targets = links.targets[edges]
    amounts = np.repeat(energies, counts) * links.strengths[edges] * how.decay
    amounts = np.where(links.inhibits[edges], -np.abs(amounts), amounts)
    sums = np.bincount(targets, weights=amounts, minlength=links.nodes)
    arrived: Vector = np.clip(sums.astype(np.float64), -how.largest, how.largest)
    nodes, at = np.unique(targets, return_index=True)
    following: Indexes = nodes[np.argsort(at)].astype(np.int64)
    following = following[np.abs(arrived[following]) >= how.smallest]
    if len(following) > how.keep:
        strongest = np.argsort(-np.abs(arrived[following]), kind="stable")
        following = following[strongest[: how.keep]]
    return following, arrived


def _returned(
    current: Indexes, energies: Vector, seeds: tuple[Indexes, Vector], how: Spread
) -> tuple[Indexes, Vector]:
    """A step of which a share goes back to the seeds."""
    kept = np.zeros_like(energies)
    kept[current] = (1.0 - how.teleport) * energies[current]
    kept[seeds[0]] += how.teleport * seeds[1][seeds[0]]
    nodes = np.unique(np.concatenate([current, seeds[0]]))
    return nodes[np.abs(kept[nodes]) >= how.smallest], np.clip(kept, -how.largest, how.largest)


def ranked(energies: Vector, ties: Sequence[int] | Indexes | None = None) -> Indexes:
    """Nodes with positive energy, strongest first; equal ones by `ties` (rank of their id), else by number."""
    nodes = np.flatnonzero(energies > 0)
    order = nodes if ties is None else np.asarray(ties)[nodes]
    return nodes[np.lexsort((order, -energies[nodes]))]
