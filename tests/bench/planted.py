"""The graph on which layouts are measured, and how good a drawing of it is.

The graph looks like the memories of a long story: communities of about COMMUNITY memories (a scene, a
person's circle), heavy-tailed degrees, about 2.9 n relations. Several strands of the story run side by
side. Most relations stay in their community; of those that leave it most lead on or back along the
strand, some to what happens in a neighbouring strand at about the same time, a few anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COMMUNITY = 60
EDGES_PER_NODE = 2.9
INSIDE = 0.9
ANYWHERE = 0.05
"""Of the relations that leave a community: the share that leads anywhere."""
ACROSS = 0.4
"""Of the others: the share that leads to a neighbouring strand."""
NO_FURTHER = 0.5
"""Chance that a relation along a strand ends at the community that it has reached."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


def planted(
    count: int,
    seed: int = 0,
    *,
    inside: float = INSIDE,
    anywhere: float = ANYWHERE,
    each: float = EDGES_PER_NODE,
) -> tuple[Ints, Ints, Ints]:
    """Sources, targets and the community of each node.

    The degree of a node follows a Pareto law, so that hubs exist. Shapes: (m,), (m,), (count,).
    """
    rng = np.random.default_rng(seed)
    groups = max(1, round(count / COMMUNITY))
    shares = rng.lognormal(0.0, 0.35, groups)
    community = np.sort(rng.choice(groups, count, p=shares / shares.sum()))
    weight = rng.pareto(2.0, count) + 1.0
    wanted = int(count * each)
    sums = np.concatenate([[0.0], np.cumsum(weight)])
    sources = np.searchsorted(sums, rng.random(wanted) * sums[-1], side="right") - 1
    home = community[sources]
    aim = np.where(rng.random(wanted) < inside, home, _elsewhere(rng, home, groups))
    low = sums[np.searchsorted(community, aim, side="left")]
    high = sums[np.searchsorted(community, aim, side="right")]
    free = (aim != home) & (rng.random(wanted) < anywhere)
    low[free], high[free] = 0.0, sums[-1]
    targets = np.searchsorted(sums, low + rng.random(wanted) * (high - low), side="right") - 1
    targets = np.clip(targets, 0, count - 1)
    keep = sources != targets
    return sources[keep].astype(np.int64), targets[keep].astype(np.int64), community.astype(np.int64)


def _elsewhere(rng: np.random.Generator, home: Ints, groups: int) -> Ints:
    """The community to which each relation leads that leaves its own."""
    strands = max(1, round(groups**0.5 / 1.5))
    across = rng.random(len(home)) < ACROSS
    along = rng.geometric(NO_FURTHER, len(home)) - across
    aim = home + strands * along * rng.choice((-1, 1), len(home)) + across * rng.choice((-1, 1), len(home))
    aim = np.abs(aim)
    folded: Ints = np.clip(np.where(aim >= groups, 2 * (groups - 1) - aim, aim), 0, groups - 1)
    return folded


def stress(positions: Floats, sources: Ints, targets: Ints, seed: int = 0) -> float:
    """Scale-fitted stress on sampled pairs: mean relative squared error of distances; lower is better."""
    distances, pairs = _sampled_paths(len(positions), sources, targets, seed)
    drawn = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1).astype(np.float64)
    weights = distances**-2.0
    scale = (weights * distances * drawn).sum() / (weights * drawn**2).sum()
    return float((weights * (scale * drawn - distances) ** 2).mean())


def _sampled_paths(
    count: int, sources: Ints, targets: Ints, seed: int, pivots: int = 40
) -> tuple[NDArray[np.float64], Ints]:
    rng = np.random.default_rng(seed)
    ends = np.concatenate([sources, targets])
    others = np.concatenate([targets, sources])
    order = np.argsort(ends, kind="stable")
    others = others[order]
    start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))])
    distances, pairs = [], []
    for pivot in rng.choice(count, min(pivots, count), replace=False):
        depth = np.full(count, -1)
        depth[pivot] = 0
        front = np.array([pivot])
        step = 0
        while len(front):
            step += 1
            reached = np.concatenate([others[start[node] : start[node + 1]] for node in front])
            front = np.unique(reached[depth[reached] < 0])
            depth[front] = step
        found = np.flatnonzero(depth > 0)
        picked = rng.choice(found, min(250, len(found)), replace=False)
        distances.append(depth[picked])
        pairs.append(np.stack([np.full(len(picked), pivot), picked], axis=1))
    return np.concatenate(distances).astype(np.float64), np.concatenate(pairs)


def neighbourhood(positions: Floats, sources: Ints, targets: Ints, seed: int = 0, sample: int = 400) -> float:
    """Mean Jaccard index of graph neighbours with as many nearest nodes of the drawing; higher is better."""
    rng = np.random.default_rng(seed)
    count = len(positions)
    linked: list[set[int]] = [set() for _ in range(count)]
    for a, b in zip(sources.tolist(), targets.tolist(), strict=True):
        linked[a].add(b)
        linked[b].add(a)
    nodes = [int(node) for node in rng.choice(count, min(sample, count), replace=False) if linked[node]]
    scores = []
    for node in nodes:
        away = ((positions - positions[node]) ** 2).sum(axis=1)
        away[node] = np.inf
        near = set(np.argpartition(away, len(linked[node]))[: len(linked[node])].tolist())
        scores.append(len(near & linked[node]) / len(near | linked[node]))
    return float(np.mean(scores))


def crossings(positions: Floats, sources: Ints, targets: Ints, seed: int = 0, pairs: int = 200_000) -> float:
    """Share of random pairs of edges that cross in the drawing; lower is better."""
    rng = np.random.default_rng(seed)
    one, two = rng.integers(0, len(sources), (2, pairs))
    a, b, c, d = (positions[nodes] for nodes in (sources[one], targets[one], sources[two], targets[two]))

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        turn: Floats = (q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0])
        return np.sign(turn)

    return float(((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).mean())
