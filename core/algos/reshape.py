"""Booku's query reshaping: how deep the evidence agrees, how far tags may bend the query, and the bent query.

Source of all formulas: spec/BOOKU §2.4-2.9. Everything is computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from core.algos.novelty import local_basis, project
from core.algos.vectors import EPS, Vector, normalise

RESONANCE_BONUS = 0.1
"""Added to beta when a query resonates (spec/BOOKU §2.6)."""
RESONANCE_MARKERS = ("cross", "across", "并且", "同时", "以及", "对比")
"""Words in a query that ask for more than one thing (spec/BOOKU §2.5)."""
RESONANCE_GROUPS = 2
"""From so many tag groups on a query resonates."""

Weighted = tuple[Vector, float]


@dataclass(frozen=True, slots=True)
class TagWeights:
    """How strongly tag hits move a score; the defaults are those of spec/BOOKU §1.9."""

    core_boost_min: float = 1.2
    core_boost_max: float = 1.4
    diffusion_boost: float = 0.3
    opposing_penalty: float = 0.5

    @property
    def core_boost(self) -> float:
        """Middle of the core range, the factor that is used."""
        return (self.core_boost_min + self.core_boost_max) / 2


@dataclass(frozen=True, slots=True)
class TagGroups:
    """The three groups of a tag triple as sets."""

    core: AbstractSet[str] = frozenset()
    diffusion: AbstractSet[str] = frozenset()
    opposing: AbstractSet[str] = frozenset()


def logic_depth(query: Vector, evidence: Sequence[Vector]) -> float:
    """How one-sided the query lies in the evidence: 1 = along one direction, 0 = spread evenly or none.

    1 - entropy of the energy shares over the basis / its maximum. Errors: ValueError when the query has
    other dimensions than the evidence.
    """
    basis = local_basis(evidence)
    if not len(basis):
        return 0.0
    energies = (basis @ query) ** 2
    total = float(np.sum(energies))
    if total <= EPS:
        return 0.0
    shares = energies / total
    shares = shares[shares > EPS]
    if len(shares) <= 1:
        return 1.0
    entropy = -float(np.sum(shares * np.log2(shares)))
    return min(1.0, max(0.0, 1.0 - entropy / math.log2(len(shares))))


def resonates(query: str, tags: TagGroups) -> bool:
    """Whether the query asks across topics: two tag groups or more are given, or it holds a marker word."""
    if sum(map(bool, (tags.core, tags.diffusion, tags.opposing))) >= RESONANCE_GROUPS:
        return True
    lowered = query.lower()
    return any(marker in lowered for marker in RESONANCE_MARKERS)


def beta(depth: float, resonant: bool, *, base: float = 0.3, depth_scale: float = 0.5) -> float:
    """How far tags may bend the query, 0..1."""
    return min(1.0, max(0.0, base + depth * depth_scale + (RESONANCE_BONUS if resonant else 0.0)))


def weighted_centroid(dims: int, items: Sequence[Weighted]) -> Vector:
    """Weighted mean of the vectors with `dims` dimensions and a weight > EPS; zeros when there is none."""
    total = 0.0
    centre = np.zeros(dims)
    for vector, weight in items:
        if len(vector) == dims and weight > EPS:
            centre += weight * vector
            total += weight
    return centre / total if total > EPS else np.zeros(dims)


def reshape_query(
    query: Vector,
    bend: float,
    *,
    core: Sequence[Weighted] = (),
    diffusion: Sequence[Weighted] = (),
    opposing: Sequence[Weighted] = (),
    energy_cutoff: float = 0.1,
) -> Vector:
    """The query drawn to the core, spread along new directions of the diffusion items, pushed from the rest.

    Shapes: (d,) -> unit (d,), zeros when nothing is left (the caller then keeps the query), (0,) for an empty
    query. Note on scale: query and centroids keep their lengths while spread directions are unit vectors, so
    the result depends on the length of the embeddings; ours are unit vectors.
    """
    spread = _spread(len(query), diffusion, energy_cutoff)
    pull = weighted_centroid(len(query), core) + spread - weighted_centroid(len(query), opposing)
    return normalise((1.0 - bend) * query + bend * pull)


def _spread(dims: int, items: Sequence[Weighted], energy_cutoff: float) -> Vector:
    """Sum of the directions that each item adds to those before it, times its weight."""
    basis: list[Vector] = []
    spread = np.zeros(dims)
    for vector, weight in items:
        energy = float(vector @ vector)
        if len(vector) != dims or weight <= EPS or not energy > EPS:
            continue
        rest = vector - project(vector, basis)
        length = float(np.linalg.norm(rest))
        if length**2 / energy < energy_cutoff or length <= EPS:
            continue
        basis.append(rest / length)
        spread += weight * basis[-1]
    return spread


def tag_score(
    similarity: float,
    bend: float,
    asked: TagGroups,
    stored: TagGroups,
    weights: TagWeights,
    *,
    words: AbstractSet[str],
) -> float:
    """The similarity moved by how many tags of each group the query and the memory share.

    A group that the query does not give is asked for with `words` (the original's are the lower-cased,
    blank-separated words of the query for all groups; ours never stand in for the opposing one, DESIGN §5).
    Not clamped.
    """
    core = len((asked.core or words) & stored.core)
    diffusion = len((asked.diffusion or words) & stored.diffusion)
    opposing = len((asked.opposing or words) & stored.opposing)
    moved = (
        weights.core_boost * core + weights.diffusion_boost * diffusion - weights.opposing_penalty * opposing
    )
    return similarity + bend * moved
