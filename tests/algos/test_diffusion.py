"""Spreading on arrays gives what the plain definition on dictionaries gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.algos.diffusion import Links, Spread, ranked, spread

NODES = 8
EDGES = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0, 1), st.booleans()),
    max_size=30,
)
SEEDS = st.lists(st.tuples(st.integers(0, NODES - 1), st.floats(-3, 3)), max_size=5)


def reference(
    edges: list[tuple[int, int, float, bool]], seeds: list[tuple[int, float]], how: Spread
) -> np.ndarray:
    neighbours: dict[int, list[tuple[int, float, bool]]] = {}
    for start, end, strength, inhibits in edges:
        neighbours.setdefault(start, []).append((end, strength, inhibits))
        neighbours.setdefault(end, []).append((start, strength, inhibits))
    current: dict[int, float] = {}
    for node, energy in seeds:
        clamped = max(-how.largest, min(how.largest, energy))
        if abs(clamped) >= how.smallest:
            current[node] = max(-how.largest, min(how.largest, current.get(node, 0.0) + clamped))
    result = dict(current)
    for _ in range(how.steps):
        following: dict[int, float] = {}
        for node, energy in current.items():
            for end, strength, inhibits in neighbours.get(node, []):
                amount = energy * strength * how.decay
                following[end] = following.get(end, 0.0) + (-abs(amount) if inhibits else amount)
        clamped_all = {
            node: max(-how.largest, min(how.largest, energy)) for node, energy in following.items()
        }
        kept = [(node, energy) for node, energy in clamped_all.items() if abs(energy) >= how.smallest]
        if len(kept) > how.keep:
            kept = sorted(kept, key=lambda item: -abs(item[1]))[: how.keep]
        current = dict(kept)
        for node, energy in kept:
            if abs(energy) > abs(result.get(node, 0.0)):
                result[node] = energy
    return np.array([result.get(node, 0.0) for node in range(NODES)])


def build(edges: list[tuple[int, int, float, bool]]) -> Links:
    starts, ends, strengths, inhibits = (
        (list(column) for column in zip(*edges, strict=True)) if edges else ([],) * 4
    )
    return Links.build(NODES, starts, ends, strengths, inhibits, both_ways=True)


def near_a_threshold(energies: np.ndarray, how: Spread) -> bool:
    return bool(np.any(np.abs(np.abs(energies) - how.smallest) < 1e-9))


@given(EDGES, SEEDS, st.integers(0, 4), st.sampled_from([2, 3, 100]))
def test_arrays_give_the_same_energies_as_dictionaries(
    edges: list[tuple[int, int, float, bool]], seeds: list[tuple[int, float]], steps: int, keep: int
) -> None:
    how = Spread(steps=steps, keep=keep)
    expected = reference(edges, seeds, how)
    actual = spread(build(edges), seeds, how)
    if keep == 100 and not near_a_threshold(expected, how):
        np.testing.assert_allclose(actual, expected, atol=1e-9)
    assert np.all(np.abs(actual) <= how.largest)
    seeded = np.isin(np.arange(NODES), [node for node, _ in seeds])  # seeds of one node may nearly cancel out
    assert np.all(seeded | (actual == 0) | (np.abs(actual) >= how.smallest))


def test_strongest_are_kept_and_equal_ones_in_the_order_reached() -> None:
    links = Links.build(5, [0, 0, 0, 0], [4, 2, 3, 1], [0.5, 0.5, 0.9, 0.5], [False] * 4)
    energies = spread(links, [(0, 1.0)], Spread(steps=1, keep=2))
    assert np.flatnonzero(energies).tolist() == [0, 3, 4]


def test_ranking_is_by_energy_then_by_rank_of_the_id() -> None:
    energies = np.array([0.5, -1.0, 0.5, 0.7, 0.0])
    assert ranked(energies).tolist() == [3, 0, 2]
    assert ranked(energies, ties=[4, 3, 2, 1, 0]).tolist() == [3, 2, 0]


def test_link_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="not there"):
        Links.build(2, [0], [2], [1.0], [False])
