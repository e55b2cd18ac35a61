"""Bounds and invariants of the formulas (their values are golden)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.algos.decay import reinforced, retention, time_decay
from core.algos.dedupe import residual_energy, select_diverse
from core.algos.novelty import local_basis, novelty_energy, project
from core.algos.reshape import TagGroups, TagWeights, beta, logic_depth, reshape_query, tag_score
from core.algos.scoring import ScoreWeights, hybrid_score
from core.algos.vectors import (
    WrongDimension,
    as_vector,
    cosine,
    cosines,
    most_similar,
    normalise,
    stored_vector,
)

VECTOR = arrays(np.float64, 4, elements=st.floats(-10, 10))
BANK = st.lists(VECTOR, max_size=6)


@given(VECTOR, BANK)
def test_novelty_and_residual_energy_are_shares(vector: np.ndarray, bank: list[np.ndarray]) -> None:
    assert -1e-9 <= novelty_energy(vector, bank) <= 1 + 1e-9
    assert -1e-9 <= residual_energy(vector, bank) <= 1 + 1e-9


@given(BANK)
def test_basis_is_orthonormal_and_projecting_twice_changes_nothing(bank: list[np.ndarray]) -> None:
    basis = local_basis(bank)
    np.testing.assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-9)
    vector = np.array([1.0, -2.0, 3.0, 0.5])
    once = project(vector, basis)
    np.testing.assert_allclose(project(once, basis), once, atol=1e-9)


def test_rows_that_are_not_finite_are_left_out_of_the_basis() -> None:
    rows = [np.array([np.nan, 1.0]), np.array([np.inf, 1.0]), np.array([0.0, 2.0])]
    np.testing.assert_allclose(np.abs(local_basis(rows)), [[0.0, 1.0]])


@given(VECTOR, BANK, st.booleans())
def test_depth_and_beta_are_between_0_and_1(
    query: np.ndarray, evidence: list[np.ndarray], resonant: bool
) -> None:
    depth = logic_depth(query, evidence)
    assert 0 <= depth <= 1
    assert 0 <= beta(depth, resonant) <= 1


@given(VECTOR, st.lists(st.tuples(VECTOR, st.floats(0, 2)), max_size=4), st.floats(0, 1))
def test_reshaped_query_has_length_1_or_0(
    query: np.ndarray, items: list[tuple[np.ndarray, float]], bend: float
) -> None:
    length = float(
        np.linalg.norm(reshape_query(query, bend, core=items, diffusion=items, opposing=items[:1]))
    )
    assert length == 0 or length == pytest.approx(1)


def test_opposing_words_are_asked_for_only_when_given() -> None:
    stored = TagGroups(core=frozenset({"cat"}), opposing=frozenset({"dog"}))
    asked = TagGroups(core=frozenset({"cat"}))
    assert tag_score(0.5, 0.3, asked, stored, TagWeights(), words=frozenset()) == pytest.approx(
        0.5 + 0.3 * 1.3
    )


@given(st.lists(VECTOR, max_size=8), st.integers(-1, 5))
def test_diverse_picks_are_distinct_bounded_and_not_alike(bank: list[np.ndarray], limit: int) -> None:
    picks = select_diverse(bank, [float(row.sum()) for row in bank], limit, 0.88)
    assert len(set(picks)) == len(picks) <= max(0, limit)
    for at, left in enumerate(picks):
        assert all(cosine(bank[left], bank[right]) < 0.88 for right in picks[:at])


@given(
    st.lists(
        st.tuples(st.floats(-5, 5), st.floats(-2, 2), st.floats(-5, 20), st.floats(-10, 10_000)), max_size=5
    )
)
def test_hybrid_scores_stay_within_the_sum_of_the_weights(
    parts: list[tuple[float, float, float, float]],
) -> None:
    columns = [list(column) for column in zip(*parts, strict=True)] or [[], [], [], []]
    scores = hybrid_score(*columns, ScoreWeights())
    assert np.all((scores >= 0) & (scores <= 1 + 1e-12))


def test_decay_falls_with_age_and_never_below_its_floor() -> None:
    factors = time_decay([-1, 0, 1, 7, 30, 365, 1e9])
    assert factors[0] == factors[1] == 1
    assert np.all(np.diff(factors[1:]) < 0)
    assert factors[-1] > 0.8


def test_retention_counts_use_a_day_and_importance() -> None:
    values = retention([5, 5, 10], [24, 24, 24], [0, 1, 0])
    assert values[1] == pytest.approx(2 * values[0])
    assert values[2] == pytest.approx(2 * values[0])


@pytest.mark.parametrize(
    ("before", "after"), [(None, 5.1), (0.0, 0.1), (5.0, 5.1), (9.95, 10.0), (10.0, 10.0)]
)
def test_recall_raises_importance_a_little_up_to_10(before: float | None, after: float) -> None:
    assert reinforced(before) == pytest.approx(after)


@given(VECTOR, st.lists(VECTOR, min_size=1, max_size=6))
def test_cosines_of_a_bank_are_those_of_its_rows(query: np.ndarray, bank: list[np.ndarray]) -> None:
    many = cosines(query, np.stack(bank))
    assert np.all(np.abs(many) <= 1 + 1e-9)
    if np.linalg.norm(query) > 1e-3 and all(np.linalg.norm(row) > 1e-3 for row in bank):
        np.testing.assert_allclose(many, [cosine(query, row) for row in bank], atol=1e-9)


def test_most_similar_skips_other_dimensions_and_keeps_the_order_of_equal_ones() -> None:
    rows = [
        np.array([2.0, 0.0]),
        np.zeros(0),
        np.array([1.0, 0.0, 0.0]),
        np.array([1.0, 0.0]),
        np.array([0.0, 1.0]),
    ]
    assert [at for at, _ in most_similar(np.array([1.0, 0.0]), rows, 5)] == [0, 3]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (None, []),
        ([], []),
        ([[]], []),
        ([1, None], []),
        (["x"], []),
        ([[1, 2], [3, 4]], [1, 2]),
        (np.float32([3]), [3]),
    ],
)
def test_anything_becomes_a_vector_or_none(values: object, expected: list[float]) -> None:
    assert as_vector(values).tolist() == expected  # type: ignore[arg-type]


def test_stored_vector_of_another_size_says_both_sizes() -> None:
    with pytest.raises(WrongDimension) as caught:
        stored_vector([1.0, 2.0], 3)
    assert (caught.value.expected, caught.value.found) == (3, 2)


def test_a_vector_without_length_normalises_to_zeros() -> None:
    assert normalise(np.zeros(3)).tolist() == [0, 0, 0]
