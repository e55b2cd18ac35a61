"""The layout: finite, the same each time, pins and a finished drawing stay, pieces do not overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.algos.adjacency import components
from core.algos.layout import RunningLayout, by_force
from core.algos.layout_overlap import remove_overlaps
from core.algos.layout_pack import packed
from core.algos.layout_pieces import Lines
from core.domain.graph import SPACING
from tests.bench.planted import neighbourhood, planted, stress

Floats = NDArray[np.float32]
Edges = Sequence[tuple[int, int]]


def lines(count: int, edges: Edges) -> Lines:
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Lines(count, ends[:, 0], ends[:, 1], np.full(len(ends), 0.8, dtype=np.float32))


def nowhere(count: int) -> Floats:
    return np.full((count, 2), np.nan, dtype=np.float32)


def laid(
    graph: Lines,
    start: Floats | None = None,
    pinned: Sequence[int] = (),
    *,
    afresh: bool = False,
    seed: int = 0,
) -> Floats:
    places = nowhere(graph.count) if start is None else start
    fixed = np.zeros(graph.count, dtype=np.bool_)
    fixed[list(pinned)] = True
    frames = by_force(graph, places, fixed, afresh=afresh, aspect=1.5, seed=seed)
    layout = RunningLayout(frames, places, fixed)
    positions = np.empty((0, 2), dtype=np.float32)
    done = 0.0
    while (frame := layout.step()) is not None:
        assert frame.done >= done or frame.done == 1.0
        assert np.isfinite(frame.positions).all()
        positions, done = frame.positions, frame.done
    return positions


@st.composite
def graphs(draw: st.DrawFn) -> Lines:
    count = draw(st.integers(1, 90))
    node = st.integers(0, count - 1)
    return lines(count, draw(st.lists(st.tuples(node, node), max_size=200)))


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 3))
def test_any_graph_has_finite_places_that_are_the_same_each_time(graph: Lines, seed: int) -> None:
    first = laid(graph, seed=seed)
    assert first.shape == (graph.count, 2)
    assert np.array_equal(first, laid(graph, seed=seed))


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_components_do_not_overlap(graph: Lines) -> None:
    positions = laid(graph).astype(np.float64)
    component = components(graph.count, graph.sources, graph.targets)
    centres, radii = [], []
    for number in range(int(component.max()) + 1):
        part = positions[component == number]
        if len(part) > 1:
            centres.append(part.mean(axis=0))
            radii.append(np.linalg.norm(part - part.mean(axis=0), axis=1).max())
    for one in range(len(centres)):
        for two in range(one):
            away = np.linalg.norm(centres[one] - centres[two])
            assert away > (radii[one] + radii[two]) * 0.99


@settings(max_examples=30, deadline=None)
@given(graphs(), st.data())
def test_pinned_nodes_stay_where_they_are(graph: Lines, data: st.DataObject) -> None:
    some = data.draw(st.lists(st.integers(0, graph.count - 1), max_size=4, unique=True))
    start = nowhere(graph.count)
    for node in some:
        start[node] = (node * 37.0, -node * 11.0)
    positions = laid(graph, start, some, afresh=True)
    assert np.array_equal(positions[some], start[some])


def test_no_node_has_no_frame() -> None:
    assert len(laid(lines(0, []))) == 0


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_nodes_stand_apart(count: int) -> None:
    positions = laid(lines(count, []))
    away = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    assert (away[~np.eye(count, dtype=bool)] >= SPACING * 0.99).all()


def test_loops_and_parallel_edges_draw_like_the_simple_graph() -> None:
    positions = laid(lines(3, [(0, 1), (0, 1), (1, 0), (1, 1), (2, 2), (1, 2)]))
    assert np.linalg.norm(positions[0] - positions[1]) == pytest.approx(SPACING, rel=0.2)


def test_hub_with_five_thousand_neighbours_stands_in_their_middle() -> None:
    positions = laid(lines(5_001, [(0, other) for other in range(1, 5_001)]))
    away = np.linalg.norm(positions - positions[1:].mean(axis=0), axis=1)
    assert away[0] < np.median(away) / 4


def test_three_thousand_components_are_packed_closely() -> None:
    graph = lines(9_000, [(node // 3 * 3, node) for node in range(9_000)])
    positions = laid(graph)
    assert np.ptp(positions, axis=0).max() < SPACING * 300


def test_many_chats_of_middle_size_are_drawn_side_by_side() -> None:
    chats = [planted(200, number)[:2] for number in range(6)]
    sources = np.concatenate([chat[0] + 200 * number for number, chat in enumerate(chats)])
    targets = np.concatenate([chat[1] + 200 * number for number, chat in enumerate(chats)])
    positions = laid(Lines(1_200, sources, targets, np.ones(len(sources), dtype=np.float32)))
    assert stress(positions[:200], *chats[0]) < 0.17
    assert neighbourhood(positions[:200], *chats[0]) > 0.15


def test_story_is_drawn_well() -> None:
    sources, targets, _ = planted(1_000)
    positions = laid(Lines(1_000, sources, targets, np.full(len(sources), 0.8, dtype=np.float32)))
    assert stress(positions, sources, targets) <= 0.16
    assert neighbourhood(positions, sources, targets) >= 0.08


def test_node_has_about_the_promised_room() -> None:
    sources, targets, _ = planted(1_000)
    positions = laid(Lines(1_000, sources, targets, np.ones(len(sources), dtype=np.float32)))
    area = np.prod(np.ptp(positions, axis=0))
    assert 0.5 < area / (1_000 * SPACING**2) < 3


def test_new_nodes_come_beside_their_neighbours_and_the_rest_stays() -> None:
    sources, targets, _ = planted(300)
    graph = Lines(300, sources, targets, np.ones(len(sources), dtype=np.float32))
    start = laid(graph)
    linked = np.bincount(np.concatenate([sources, targets]), minlength=300) > 0
    new = np.flatnonzero(linked)[::17]
    known = start.copy()
    known[new] = np.nan
    positions = laid(graph, known)
    rest = np.setdiff1d(np.arange(300), new)
    assert np.array_equal(positions[rest], start[rest])
    for node in new:
        others = np.concatenate([targets[sources == node], sources[targets == node]])
        others = others[~np.isin(others, new)]
        if len(others):
            assert np.linalg.norm(positions[node] - positions[others].mean(axis=0)) < 6 * SPACING


def test_new_component_is_put_below_what_is_there() -> None:
    start = nowhere(6)
    start[:4] = [[0, 0], [40, 0], [0, 40], [40, 40]]
    positions = laid(lines(6, [(0, 1), (2, 3), (4, 5)]), start)
    assert np.array_equal(positions[:4], start[:4])
    assert positions[4:, 1].min() > 40


def test_drawing_that_is_complete_is_given_back() -> None:
    start = np.arange(8, dtype=np.float32).reshape(4, 2) * 50
    assert np.array_equal(laid(lines(4, [(0, 1), (1, 2)]), start), start)


def test_saved_places_that_are_no_numbers_are_found_anew() -> None:
    start = np.array([[0, 0], [np.inf, 3], [40, 0], [np.nan, np.nan]], dtype=np.float32)
    positions = laid(lines(4, [(0, 1), (2, 3)]), start)
    assert np.isfinite(positions).all()
    assert np.array_equal(positions[[0, 2]], start[[0, 2]])


def test_neighbours_of_a_pinned_node_follow_it() -> None:
    sources, targets, _ = planted(400)
    graph = Lines(400, sources, targets, np.ones(len(sources), dtype=np.float32))
    before = laid(graph)
    hub = int(np.bincount(np.concatenate([sources, targets])).argmax())
    start = nowhere(400)
    start[hub] = before[hub] + np.float32(300)
    positions = laid(graph, start, [hub], afresh=True)
    others = np.concatenate([targets[sources == hub], sources[targets == hub]])
    to_hub = np.linalg.norm(positions[others] - positions[hub], axis=1)
    assert np.median(to_hub) < np.ptp(positions, axis=0).max() / 4


def test_layout_that_was_interrupted_goes_on_without_a_jump() -> None:
    sources, targets, _ = planted(400)
    graph = Lines(400, sources, targets, np.ones(len(sources), dtype=np.float32))
    fixed = np.zeros(400, dtype=np.bool_)
    frames = list(by_force(graph, nowhere(400), fixed, afresh=True, aspect=1.5, seed=0))
    half = frames[len(frames) // 2].positions
    start = half.copy()
    start[7] = np.nan  # new in the meantime
    on = list(by_force(graph, start, fixed, afresh=False, aspect=1.5, seed=0, unfinished=True))
    assert len(on) > 10
    extent = float(np.ptp(half, axis=0).max())
    before = np.delete(half, 7, axis=0)
    for frame in on:
        after = np.delete(frame.positions, 7, axis=0)
        assert np.median(np.linalg.norm(after - before, axis=1)) < extent / 20
        before = after
    assert stress(on[-1].positions, sources, targets) < 0.17
    assert on[-1].done == 1.0


def test_held_node_stays_under_the_hand() -> None:
    graph = lines(4, [(0, 1), (1, 2), (2, 3)])
    places, fixed = nowhere(4), np.zeros(4, dtype=np.bool_)
    layout = RunningLayout(by_force(graph, places, fixed, afresh=True, aspect=1.5, seed=0), places, fixed)
    layout.hold(2, 5.0, 6.0)
    frame = layout.step()
    assert frame is not None
    assert tuple(frame.positions[2]) == (5.0, 6.0)


# --- discs and circles ----------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(0, 5), st.booleans())
def test_discs_are_parted_and_fixed_ones_stay(count: int, seed: int, same_place: bool) -> None:
    random = np.random.default_rng(seed)
    positions = (random.standard_normal((count, 2)) * 60).astype(np.float32)
    if same_place:
        positions[:] = 0.0
    radii = random.uniform(4, 16, count).astype(np.float32)
    fixed = np.zeros(count, dtype=np.bool_)
    fixed[0] = True
    parted = remove_overlaps(positions, radii, fixed)
    assert np.array_equal(parted[0], positions[0])
    away = np.linalg.norm(parted[:, None].astype(float) - parted[None], axis=2)
    missing = (radii[:, None] + radii[None]) - away
    assert missing[~np.eye(count, dtype=bool)].max() < 0.5


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.5, 300), min_size=1, max_size=60), st.floats(0.3, 3))
def test_packed_circles_do_not_overlap(radii: list[float], aspect: float) -> None:
    centres = packed(np.array(radii), aspect)
    for one in range(len(radii)):
        for two in range(one):
            assert np.linalg.norm(centres[one] - centres[two]) > (radii[one] + radii[two]) * 0.999


def test_thousands_of_circles_do_not_overlap_either() -> None:
    radii = np.random.default_rng(0).uniform(1, 5, 1_500)
    centres = packed(radii)
    away = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    np.fill_diagonal(away, np.inf)
    assert (away > (radii[:, None] + radii[None]) * 0.999).all()
