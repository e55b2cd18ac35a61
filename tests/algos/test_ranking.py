"""Ranking: BM25 and its gate, fusion, neighbours in time, sessions, diversity, function words and stems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.algos import bm25
from core.algos.function_words import content_words, function_words
from core.algos.fusion import FEW_MEMORIES, above_usual, gated_words, normalised
from core.algos.lexical import search_tokens
from core.algos.mmr import mmr
from core.algos.neighbours import Timeline
from core.algos.stems import irregular_forms, stem

MINUTE = 60_000_000


def places(*held: tuple[int, int, int]) -> bm25.Places:
    """Places from (term, row, times)."""
    columns = np.array(held, dtype=np.int64).reshape(-1, 3)
    return bm25.Places(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.float64))


# --- BM25 -----------------------------------------------------------------------------------


def test_bm25_is_the_formula_of_the_paper() -> None:
    found = places((0, 0, 2), (0, 1, 1), (1, 1, 3))
    lengths = np.array([10.0, 20.0, 30.0])
    weights = bm25.term_weights(found, 2, 3, common_share=1.0)
    assert weights == pytest.approx([math.log1p(48.5 / 2.5), math.log1p(49.5 / 1.5)])

    def part(weight: float, times: float, length: float) -> float:
        return weight * times * 2.2 / (times + 1.2 * (0.6 + 0.4 * length / 20.0))

    scores = bm25.scores(found, weights, lengths, 20.0)
    assert scores == pytest.approx(
        [part(weights[0], 2, 10), part(weights[0], 1, 20) + part(weights[1], 3, 20), 0.0]
    )


def test_common_terms_are_dropped_in_large_scopes_only_and_never_all() -> None:
    size = 20_000
    many = [(0, row, 1) for row in range(size // 5)]
    assert bm25.term_weights(places(*many, (1, 7, 1)), 2, size, 0.1)[0] == 0.0
    assert bm25.term_weights(places(*many), 1, size, 0.1)[0] > 0.0
    assert bm25.term_weights(places((0, 0, 1), (0, 1, 1), (1, 0, 1)), 2, 2, 0.1)[0] > 0.0


def test_unknown_terms_make_what_is_shared_count_less() -> None:
    found = places((0, 0, 1), (1, 0, 1), (0, 1, 1))
    weights = np.array([1.0, 3.0])
    assert bm25.covered(found, weights, 3) == pytest.approx([1.0, 0.25, 0.0])
    assert bm25.covered(found, weights, 3, missing=4.0) == pytest.approx([0.5, 0.125, 0.0])


def test_hidden_rows_weigh_nothing() -> None:
    found = places((0, 0, 1), (0, 1, 1), (1, 1, 1))
    usable = np.array([True, False])
    kept = found.among(usable)
    assert (kept.terms.tolist(), kept.rows.tolist()) == ([0], [0])
    assert bm25.term_weights(kept, 2, 1, 1.0)[1] == 0.0


def test_no_terms_and_no_rows_give_nothing() -> None:
    nothing = places()
    assert bm25.term_weights(nothing, 0, 0, 0.1).shape == (0,)
    assert bm25.scores(nothing, np.zeros(0), np.zeros(0), 0.0).shape == (0,)
    assert bm25.covered(nothing, np.zeros(0), 2).tolist() == [0.0, 0.0]


# --- fusion ---------------------------------------------------------------------------------


def test_words_pass_the_gate_by_coverage() -> None:
    gated = gated_words(np.array([4.0, 8.0, 2.0]), np.array([0.5, 0.1, 0.2]), gate=0.15)
    assert gated == pytest.approx([0.5, 0.0, 0.1])
    assert gated_words(np.zeros(0), np.zeros(0), 0.15).shape == (0,)


@pytest.mark.parametrize(("low", "related"), [(0.0, 0.25), (0.78, 0.86)])
def test_meaning_counts_above_what_is_usual_for_the_model(low: float, related: float) -> None:
    cosines = np.full(FEW_MEMORIES + 10, low)
    cosines[3], cosines[4] = related + 0.1, (related + 0.1 + low) / 2
    shown = above_usual(cosines, np.ones(len(cosines), dtype=bool), related, pool=200)
    assert shown[3] == 1.0
    assert shown[4] == pytest.approx(0.5)
    assert np.count_nonzero(shown) == 2


def test_weak_best_meaning_does_not_count_as_full() -> None:
    shown = above_usual(np.array([0.1, 0.05]), np.ones(2, dtype=bool), related=0.25, pool=200)
    assert shown == pytest.approx([0.4, 0.2])


def test_damaged_vectors_and_hidden_memories_have_no_meaning() -> None:
    cosines = np.array([np.nan, 0.9, 0.5, np.inf])
    usable = np.array([True, False, True, True])
    assert above_usual(cosines, usable, 0.25, 200) == pytest.approx([0.0, 0.0, 1.0, 0.0])
    assert above_usual(np.full(3, np.nan), np.ones(3, dtype=bool), 0.25, 200).tolist() == [0.0] * 3


@given(arrays(np.float64, st.integers(0, 300), elements=st.floats(-1, 1)), st.integers(1, 20))
def test_fused_parts_are_bounded_and_keep_the_order(cosines: np.ndarray, pool: int) -> None:
    shown = above_usual(cosines, np.ones(len(cosines), dtype=bool), 0.25, pool)
    assert ((shown >= 0.0) & (shown <= 1.0)).all()
    order = np.argsort(cosines, kind="stable")
    assert (np.diff(shown[order]) >= 0.0).all()
    assert ((normalised(shown) >= 0.0) & (normalised(shown) <= 1.0)).all()


# --- time -----------------------------------------------------------------------------------


def timeline(
    created: list[int], *, places: list[int] | None = None, seqs: list[float] | None = None
) -> Timeline:
    count = len(created)
    return Timeline.build(
        np.array(places or [1] * count, dtype=np.int64),
        np.array(seqs if seqs is not None else range(count), dtype=np.float64),
        np.array(created, dtype=np.int64) * MINUTE,
        gap_minutes=60,
    )


def test_neighbours_add_up_and_nearer_ones_count_full() -> None:
    line = timeline([0, 1, 2, 3, 4])
    passed = line.near(np.array([1.0, 0.0, 0.0, 0.5, 0.0]))
    assert passed.given == pytest.approx([0.0, 1.0 + 0.25, 0.5 + 0.5, 0.0, 0.5])
    assert passed.senders.tolist() == [-1, 0, 3, -1, 3]


def test_sessions_and_places_keep_to_themselves() -> None:
    scores = np.array([1.0, 0.0, 0.0])
    assert timeline([0, 61, 62]).near(scores).given.tolist() == [0.0, 0.0, 0.0]
    assert timeline([0, 1, 2], places=[1, 2, 2]).near(scores).given.tolist() == [0.0, 0.0, 0.0]


def test_order_is_by_floor_whatever_the_storage_order() -> None:
    line = timeline([0, 0, 0], seqs=[2.0, 0.0, 1.0])
    assert line.near(np.array([0.0, 1.0, 0.0])).given == pytest.approx([0.5, 0.0, 1.0])


def test_answer_gets_what_its_question_is_worth_and_nothing_comes_back() -> None:
    line = timeline([0, 1, 2])
    passed = line.answers(np.array([0.8, 0.3, 0.1]), np.array([True, False, False]))
    assert passed.given == pytest.approx([0.0, 0.8, 0.0])
    assert passed.senders.tolist() == [-1, 0, -1]


def test_session_passes_on_its_best_without_a_rows_own_share() -> None:
    line = timeline([0, 1, 2, 300])
    passed = line.hubs(np.array([0.9, 0.6, 0.0, 1.0]), best=3)
    assert passed.given == pytest.approx([0.2, 0.3, 0.5, 0.0])
    assert passed.senders.tolist() == [0, 0, 0, -1]


def test_hidden_memories_stand_between_none() -> None:
    line = timeline([0, 1, 2]).among(np.array([True, False, True]))
    assert line.near(np.array([1.0, 9.0, 0.0])).given == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.parametrize("count", [0, 1])
def test_timeline_of_none_or_one_passes_nothing_on(count: int) -> None:
    line = timeline([0] * count)
    scores = np.ones(count)
    for passed in (line.near(scores), line.answers(scores, np.ones(count, dtype=bool)), line.hubs(scores, 3)):
        assert passed.given.tolist() == [0.0] * count
        assert passed.senders.tolist() == [-1] * count


# --- diversity ------------------------------------------------------------------------------


def test_twin_of_a_pick_is_passed_over() -> None:
    likeness = np.array([[1.0, 0.99, 0.1], [0.99, 1.0, 0.1], [0.1, 0.1, 1.0]])
    scores = np.array([1.0, 0.95, 0.8])
    found = mmr(scores, likeness, wanted=2, weight=0.5)
    assert found.chosen == (0, 2)
    assert found.nearest[1] == 0
    assert mmr(scores, likeness, wanted=2, weight=0.0).chosen == (0, 1)


@given(arrays(np.float64, st.integers(0, 12), elements=st.floats(0, 1)), st.integers(0, 15), st.floats(0, 1))
def test_mmr_picks_each_place_once(scores: np.ndarray, wanted: int, weight: float) -> None:
    found = mmr(scores, np.eye(len(scores)), wanted, weight)
    assert len(set(found.chosen)) == len(found.chosen) == min(wanted, len(scores))


# --- words ----------------------------------------------------------------------------------


def test_function_words_go_unless_nothing_else_is_left() -> None:
    assert content_words(search_tokens("What did Caroline buy?")) == ["caroline", "buy"]
    assert content_words(search_tokens("what is it")) == ["what", "is", "it"]
    assert content_words(search_tokens("她喜欢什么")) == ["她喜", "喜欢", "欢什"]
    assert content_words([]) == []


def test_function_words_are_tokens_of_the_search() -> None:
    for word in function_words():
        assert search_tokens(word) == [word]


@pytest.mark.parametrize(
    ("one", "other"),
    [("bought", "buy"), ("bought", "buying"), ("went", "goes"), ("children", "child"), ("written", "writes")],
)
def test_irregular_words_belong_together(one: str, other: str) -> None:
    assert stem(one) == stem(other)
    assert set(irregular_forms(one)) >= {one}


def test_regular_word_has_no_irregular_forms() -> None:
    assert irregular_forms("planet") == ()
    assert irregular_forms("海洋") == ()
