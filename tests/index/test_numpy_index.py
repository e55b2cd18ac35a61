"""Exact search over SQL's vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters import index_numpy
from core.adapters.index_numpy import NumpyIndex
from core.domain.embedding_text import text_hash
from core.ports.embedder import EmbedderIdentity
from tests.fakes.index_queue import MemoryQueue
from tests.index.samples import unit_vectors

MODEL = EmbedderIdentity("m", 16)


def _fill(queue: MemoryQueue, pks: range, seed: int = 1) -> dict[int, np.ndarray]:  # type: ignore[type-arg]
    vectors = unit_vectors(len(pks), MODEL.dims, seed)
    for pk, vector in zip(pks, vectors, strict=True):
        text = f"{seed}-{pk}"
        queue.put(pk, text)
        queue.save_vectors(MODEL.key, {text_hash(text): vector})
    return dict(zip(pks, vectors, strict=True))


def test_search_gives_the_exact_order_in_float64() -> None:
    queue = MemoryQueue()
    vectors = _fill(queue, range(1, 301))
    query = unit_vectors(1, MODEL.dims, 9)[0]
    hits = NumpyIndex(queue, MODEL).search(query, 10)
    exact = {
        pk: float(vector.astype(np.float64) @ query.astype(np.float64)) for pk, vector in vectors.items()
    }
    assert [hit.pk for hit in hits] == sorted(exact, key=lambda pk: -exact[pk])[:10]
    assert all(hit.score == pytest.approx(exact[hit.pk], rel=1e-12) for hit in hits)


def test_allowed_memories_alone_are_found() -> None:
    queue = MemoryQueue()
    vectors = _fill(queue, range(1, 301))
    index = NumpyIndex(queue, MODEL)
    for allowed in ({3, 5, 7}, set(range(1, 290)), {5, 9999}, (3, 5)):
        hits = index.search(vectors[5], 300, allowed)
        assert {hit.pk for hit in hits} == set(allowed) & set(vectors)
        assert hits[0].pk == 5
    assert index.search(vectors[5], 3, set()) == []
    assert index.search(vectors[5], 3, {-1}) == []


def test_equal_scores_come_by_pk() -> None:
    queue = MemoryQueue()
    for pk in (4, 2, 9, 7):
        queue.put(pk, "same")
    queue.save_vectors(MODEL.key, {text_hash("same"): unit_vectors(1, MODEL.dims)[0]})
    hits = NumpyIndex(queue, MODEL).search(unit_vectors(1, MODEL.dims)[0], 3)
    assert [hit.pk for hit in hits] == [2, 4, 7]


def test_nothing_to_search_gives_nothing() -> None:
    queue = MemoryQueue()
    index = NumpyIndex(queue, MODEL)
    assert index.search(unit_vectors(1, MODEL.dims)[0], 3) == []
    _fill(queue, range(1, 4))
    index.forget()
    assert index.search(np.zeros(MODEL.dims, dtype=np.float32), 3) == []
    assert index.search(unit_vectors(1, MODEL.dims)[0], 0) == []
    assert index.size() == 3
    assert index.vectors([]) == {}


def test_touched_memories_are_read_again_before_the_next_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_numpy, "BLOCK_ROWS", 4)
    queue = MemoryQueue()
    old = _fill(queue, range(1, 51))
    index = NumpyIndex(queue, MODEL)
    assert index.size() == 50
    new = _fill(queue, range(40, 71), seed=2)
    queue.remove(3)
    index.touch([3, *range(40, 71)])
    assert index.size() == 69
    assert index.search(new[60], 1)[0].pk == 60
    assert index.search(new[45], 1)[0].score == pytest.approx(1, abs=1e-6)
    assert index.search(old[3], 1)[0].pk != 3
    assert np.array_equal(index.vectors([45])[45], new[45])
    queue.put(5, "2-5", trashed=True)
    index.touch([5])
    assert 5 not in index.vectors([5, 6])


def test_untouched_matrix_is_not_read_again() -> None:
    queue = MemoryQueue()
    _fill(queue, range(1, 11))
    index = NumpyIndex(queue, MODEL)
    assert index.size() == 10
    queue.rows.clear()
    assert index.size() == 10
    index.forget()
    assert not index.loaded
    assert index.size() == 0


def test_damaged_vector_is_never_a_hit() -> None:
    queue = MemoryQueue()
    vectors = _fill(queue, range(1, 6))
    queue.save_vectors(MODEL.key, {text_hash("1-2"): np.full(MODEL.dims, np.nan, dtype=np.float32)})
    hits = NumpyIndex(queue, MODEL).search(vectors[4], 10)
    assert next(hit.pk for hit in hits) == 4
    assert 2 not in [hit.pk for hit in hits]


def test_scores_are_given_for_those_that_have_a_vector() -> None:
    queue = MemoryQueue()
    vectors = _fill(queue, range(1, 6))
    scores = NumpyIndex(queue, MODEL).scores(vectors[2], [2, 3, 77])
    assert set(scores) == {2, 3}
    assert scores[2] == pytest.approx(1, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 12), st.integers(0, 5)), max_size=40), st.data())
def test_after_any_changes_the_matrix_equals_sql(changes: list[tuple[int, int]], data: st.DataObject) -> None:
    queue = MemoryQueue()
    vectors = unit_vectors(6, MODEL.dims)
    queue.save_vectors(MODEL.key, {text_hash(str(number)): vectors[number] for number in range(1, 6)})
    index = NumpyIndex(queue, MODEL)
    for pk, number in changes:
        if number == 0:
            if pk in queue.rows:
                queue.remove(pk)
        else:
            queue.put(pk, str(number), trashed=data.draw(st.booleans()))
        index.touch([pk])
        if data.draw(st.booleans()):
            index.size()
    expected = {pk for pk, (row, _) in queue.rows.items() if not row.trashed}
    found = index.vectors(range(1, 13))
    assert set(found) == expected
    assert index.size() == len(expected)
    for pk, vector in found.items():
        assert np.array_equal(vector, vectors[int(queue.rows[pk][1])])
