"""Making a graph smaller level by level, for multilevel layout: neighbours are taken together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

LEAST_SHRINK = 0.95
"""A level that keeps more than this share of the nodes is not worth having."""
SLOW_SHRINK = 0.65
"""When communities joined by themselves would keep more than this, nodes are joined across them too."""


@dataclass(frozen=True, slots=True)
class Level:
    """A simple graph of `count` nodes. `mass` = how many original nodes each stands for; `community` keeps
    nodes together: those of one are joined first."""

    count: int
    sources: Ints
    targets: Ints
    weights: Floats
    mass: Floats
    community: Ints


def merge_parallel(count: int, sources: Ints, targets: Ints, weights: Floats) -> tuple[Ints, Ints, Floats]:
    """Undirected simple edges: loops dropped, parallel ones added up. Cost: O(m log m)."""
    keep = sources != targets
    low = np.minimum(sources[keep], targets[keep])
    high = np.maximum(sources[keep], targets[keep])
    keys, place = np.unique(low * count + high, return_inverse=True)
    total = np.bincount(place, weights=weights[keep], minlength=len(keys)).astype(np.float32)
    return keys // count, keys % count, total


def hierarchy(finest: Level, smallest: int, rng: np.random.Generator) -> tuple[list[Level], list[Ints]]:
    """Levels from the whole graph to the smallest, and between two of them the group of every node.

    Shapes: groups[i] (levels[i].count,), values below levels[i + 1].count. Cost: O((n + m) log n).
    """
    levels, groups = [finest], []
    while levels[-1].count > smallest:
        made = _smaller(levels[-1], rng)
        if made is None:
            break
        levels.append(made[0])
        groups.append(made[1])
    return levels, groups


def _smaller(level: Level, rng: np.random.Generator) -> tuple[Level, Ints] | None:
    """The next smaller graph and the group of each node; None when nothing shrinks any more."""
    inside = level.community[level.sources] == level.community[level.targets]
    group = _joined(level, inside, rng)
    if group.max() + 1 > SLOW_SHRINK * level.count:
        group = _joined(level, np.ones_like(inside), rng)
    count = int(group.max()) + 1
    if count > LEAST_SHRINK * level.count:
        return None
    merged = merge_parallel(count, group[level.sources], group[level.targets], level.weights)
    mass = np.bincount(group, weights=level.mass, minlength=count).astype(np.float32)
    community = np.empty(count, dtype=np.int64)
    community[group] = level.community
    return Level(count, *merged, mass, community), group


def _joined(level: Level, usable: NDArray[np.bool_], rng: np.random.Generator) -> Ints:
    """Group of each node: it follows its neighbour of the highest random priority, if that is above its own.

    Two steps are gone up, so that groups stay small: a level has about a third of the nodes of the one below.
    """
    priority = rng.random(level.count).astype(np.float32)
    ends = np.concatenate([level.sources[usable], level.targets[usable]])
    others = np.concatenate([level.targets[usable], level.sources[usable]])
    best = np.full(level.count, -1.0, dtype=np.float32)
    np.maximum.at(best, ends, priority[others])
    leader = np.arange(level.count, dtype=np.int64)
    wins = (priority[others] == best[ends]) & (best[ends] > priority[ends])
    leader[ends[wins]] = others[wins]
    return np.unique(leader[leader], return_inverse=True)[1].astype(np.int64)
