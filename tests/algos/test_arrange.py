"""Walks, communities and the arrangements that are computed at once."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.algos.adjacency import UNREACHED, Adjacency, components, distances, hops, shortest
from core.algos.arrange import as_tree, in_rings, without_rings
from core.algos.arrange_groups import by_community
from core.algos.arrange_meaning import by_meaning
from core.algos.arrange_time import by_time
from core.algos.community import communities, modularity
from core.algos.layout_pieces import Lines
from core.domain.graph import SPACING
from tests.bench.planted import planted

Edges = list[tuple[int, int]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Edges]:
    count = draw(st.integers(1, 40))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node), max_size=80))


def ends(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    both = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def walked(count: int, edges: Edges, start: int) -> list[int]:
    """Distances by the plainest of ways."""
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    depth = [-1] * count
    depth[start] = 0
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in near[node]:
            if depth[other] < 0:
                depth[other] = depth[node] + 1
                queue.append(other)
    return depth


@settings(max_examples=80, deadline=None)
@given(graphs(), st.data())
def test_distances_are_those_of_a_plain_walk(graph: tuple[int, Edges], data: st.DataObject) -> None:
    count, edges = graph
    adjacency = Adjacency.of(count, *ends(edges))
    starts = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=5))
    found = distances(adjacency, np.array(starts))
    for column, start in enumerate(starts):
        expected = walked(count, edges, start)
        assert hops(adjacency, [start]).tolist() == expected
        assert [-1 if d == UNREACHED else d for d in found[:, column].tolist()] == expected


@settings(max_examples=80, deadline=None)
@given(graphs(), st.data())
def test_way_is_a_shortest_one(graph: tuple[int, Edges], data: st.DataObject) -> None:
    count, edges = graph
    one, two = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count - 1))
    way = shortest(Adjacency.of(count, *ends(edges)), one, two, np.ones(len(edges)))
    far = walked(count, edges, one)[two]
    if far < 0:
        assert way is None
        return
    assert way is not None
    nodes, through = way
    assert (nodes[0], nodes[-1], len(through)) == (one, two, far)
    for edge, a, b in zip(through, nodes, nodes[1:], strict=False):
        assert set(edges[edge]) == {a, b}


def test_of_equally_short_ways_the_strongest_is_taken() -> None:
    source, target = ends([(0, 1), (1, 3), (0, 2), (2, 3)])
    way = shortest(Adjacency.of(4, source, target), 0, 3, np.array([0.1, 0.9, 0.6, 0.6]))
    assert way == ([0, 2, 3], [2, 3])


@settings(max_examples=80, deadline=None)
@given(graphs())
def test_components_are_what_can_be_reached(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    label = components(count, *ends(edges))
    for node in range(count):
        reached = [depth >= 0 for depth in walked(count, edges, node)]
        assert (label == label[node]).tolist() == reached


# --- communities -----------------------------------------------------------------------------------


def test_planted_communities_are_found() -> None:
    sources, targets, planted_label = planted(2_000)
    label = communities(2_000, sources, targets)
    assert modularity(label, sources, targets) > modularity(planted_label, sources, targets) - 0.02
    assert np.array_equal(label, communities(2_000, sources, targets))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_communities_hang_together_and_are_numbered_by_size(graph: tuple[int, Edges]) -> None:
    count, edges = graph
    label = communities(count, *ends(edges))
    sizes = np.bincount(label)
    assert (np.diff(sizes) <= 0).all()
    assert sizes.min() > 0
    component = components(count, *ends(edges))
    assert all(len(set(component[label == number].tolist())) == 1 for number in range(len(sizes)))


def test_communities_follow_strong_relations() -> None:
    source, target = ends([(0, 1), (2, 3), (1, 2), (0, 3)])
    label = communities(4, source, target, np.array([1.0, 1.0, 0.1, 0.1], dtype=np.float32))
    assert label.tolist() == [0, 0, 1, 1]


# --- arrangements -----------------------------------------------------------------------------------


def apart(positions: np.ndarray) -> bool:
    """Whether no two nodes stand on one place."""
    return len(np.unique(positions, axis=0)) == len(positions)


def test_by_time_floors_go_from_left_to_right_in_lanes_and_what_has_none_stands_apart() -> None:
    seq = np.array([5, 1, 3, 1, -1])
    made = np.array([50, 10, 30, 11, 31])
    positions = by_time(seq, made, np.array([0, 0, 1, 1, 1]), np.zeros(5, dtype=np.int64), 1.5)
    x, y = positions.T
    assert x[4] < x[1] == x[3] < x[2] < x[0]
    assert y[0] == y[1] < y[2:].min()
    assert apart(positions)


def test_by_time_without_floors_dates_decide() -> None:
    none = np.array([-1, -1, -1])
    x = by_time(none, np.array([30, 10, 20]), np.array([0, 0, 0]), none, 1.5)[:, 0]
    assert x[1] < x[2] < x[0]


def test_by_time_each_chat_has_a_band_with_floors_of_its_own() -> None:
    seq = np.array([0, 900, 0, 1, 2, -1])
    made = np.array([5, 6, 1, 2, 3, 4])
    positions = by_time(seq, made, np.zeros(6, dtype=np.int64), np.array([0, 0, 1, 1, 1, -1]), 1.5)
    x, y = positions.T
    assert y[2] == y[3] == y[4] < y[0] == y[1] < y[5]  # the chat that began first above, dates below
    assert x[0] == x[2] < x[1] == x[3] < x[4]


def test_by_time_a_crowded_moment_folds_instead_of_a_tower() -> None:
    seq = np.repeat([1, 2], [100, 1])
    zeros = np.zeros(101, dtype=np.int64)
    width, height = np.ptp(by_time(seq, zeros, zeros, zeros, 1.5), axis=0)
    assert width > 4 * 40
    assert height < 40 * 40


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-1, 9), st.integers(0, 50), st.integers(0, 3), st.integers(-1, 2)), max_size=60
    ),
    st.floats(0.4, 3),
)
def test_by_time_no_two_memories_share_a_place(rows: list[tuple[int, int, int, int]], aspect: float) -> None:
    seq, made, types, bands = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    positions = by_time(seq, made, types, bands, aspect)
    assert positions.shape == (len(rows), 2)
    assert apart(positions)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n)))
def test_tree_stands_below_its_parents_whatever_they_are(parents: list[int]) -> None:
    cut = without_rings(np.array(parents))
    positions = as_tree(np.array(parents), 1.5)
    assert apart(positions)
    for node, parent in enumerate(cut.tolist()):
        if parent >= 0:
            assert parent == parents[node]
            assert positions[node, 1] > positions[parent, 1]
        elif parents[node] >= 0:  # cut: it lay on a ring
            at, seen = parents[node], set()
            while at != node:
                assert at not in seen
                seen.add(at)
                at = parents[at]


def test_parent_stands_above_the_middle_of_its_children() -> None:
    positions = as_tree(np.array([-1, 0, 0, 0, 1, 1]), 1.5)
    assert positions[0, 0] == pytest.approx(positions[[4, 5, 2, 3], 0].mean())


def test_rings_lie_by_distance_from_the_focus() -> None:
    sources, targets, _ = planted(500)
    adjacency = Adjacency.of(500, sources, targets)
    focus = int(adjacency.degrees.argmax())
    positions = in_rings(adjacency, focus, 1.5)
    depth = hops(adjacency, [focus])
    away = np.linalg.norm(positions - positions[focus], axis=1)
    for ring in range(1, int(depth.max())):
        assert away[depth == ring].max() < away[depth == ring + 1].min()
    assert apart(positions)


def test_ring_around_a_lone_memory() -> None:
    positions = in_rings(Adjacency.of(3, *ends([])), 1, 1.5)
    assert np.isfinite(positions).all()
    assert apart(positions)


def test_community_discs_do_not_overlap_and_related_ones_are_near() -> None:
    sources, targets, community = planted(1_500)
    lines = Lines(1_500, sources, targets, np.full(len(sources), 0.8, dtype=np.float32))
    *_, last = by_community(lines, community, 1.5, 0)
    number = int(community.max()) + 1
    linked = np.bincount(np.concatenate([sources, targets]), minlength=1_500) > 0
    centre = [np.median(last.positions[(community == each) & linked], axis=0) for each in range(number)]
    away = np.linalg.norm(np.array(centre)[:, None] - np.array(centre)[None], axis=2)
    between = community[sources] != community[targets]
    related = away[community[sources][between], community[targets][between]].mean()
    assert related < away.sum() / (number * (number - 1)) * 0.8
    inside = ~between
    part = components(1_500, sources[inside], targets[inside])
    discs = []
    for each in np.flatnonzero(np.bincount(part) > 1):
        members = last.positions[part == each].astype(float)
        middle = members.mean(axis=0)
        discs.append((middle, np.linalg.norm(members - middle, axis=1).max()))
    for at, (one, wide) in enumerate(discs):
        for other, broad in discs[:at]:
            assert np.linalg.norm(one - other) > (wide + broad) * 0.9


def test_meaning_puts_like_vectors_together() -> None:
    random = np.random.default_rng(0)
    topic = random.integers(0, 8, 400)
    vectors = random.standard_normal((8, 64))[topic] + random.standard_normal((400, 64)) * 0.5
    there = np.arange(400) * 2
    frames = list(by_meaning(vectors.astype(np.float32), there, 800, 1.5, 0))
    assert all(np.isfinite(frame.positions).all() for frame in frames)
    positions = frames[-1].positions[there]
    away = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    np.fill_diagonal(away, np.inf)
    near = np.argsort(away, axis=1)[:, :5]
    assert (topic[near] == topic[:, None]).mean() > 0.95


@pytest.mark.parametrize("count", [1, 2, 3])
def test_meaning_of_few_or_equal_vectors_is_drawn(count: int) -> None:
    vectors = np.ones((count, 4), dtype=np.float32)
    frames = list(by_meaning(vectors, np.arange(count), count + 1, 1.5, 0))
    assert all(np.isfinite(frame.positions).all() for frame in frames)
    assert np.ptp(frames[-1].positions, axis=0).max() < 50 * SPACING
