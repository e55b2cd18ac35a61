"""The built-in embedder with its real weights."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from core.adapters.embedder_builtin import DIMS, BuiltinEmbedder, prepare
from core.domain.errors import Cancelled
from core.ports.embedder import Vectors
from core.ports.progress import CancelToken


@pytest.fixture(scope="module")
def embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()


def test_identity_asked_leaves_weights_unloaded() -> None:
    fresh = BuiltinEmbedder()
    assert fresh.identity.dims == DIMS
    assert fresh.identity.variant
    assert not fresh.loaded


def test_texts_embedded_gives_unit_float32_rows(embedder: BuiltinEmbedder) -> None:
    vectors = embedder.embed_documents(["钟楼的灯灭了。", "The lamp went out.", "灯" * 2000])
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, DIMS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_gives_an_empty_matrix(embedder: BuiltinEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, DIMS)


def test_blank_texts_give_zero_vectors_among_others(embedder: BuiltinEmbedder) -> None:
    vectors = embedder.embed_documents(["", "她养了一只猫", " \n\t　", "\0", "\u200b"])
    assert [bool(row.any()) for row in vectors] == [False, True, False, False, False]
    assert np.isfinite(vectors).all()
    assert not embedder.embed_query("").any()


def test_odd_characters_give_finite_vectors(embedder: BuiltinEmbedder) -> None:
    vectors = embedder.embed_documents(["\ud800", "👩‍👩‍👧", "e\u0301", "。。。", "\x01\x02 x"])
    assert np.isfinite(vectors).all()


def test_traditional_and_simplified_give_the_same_vector(embedder: BuiltinEmbedder) -> None:
    vectors = embedder.embed_documents(["她喜歡藍色的裙子", "她喜欢蓝色的裙子"])
    assert float(vectors[0] @ vectors[1]) == pytest.approx(1, abs=1e-5)


def test_preparation_keeps_case_and_joins_blanks() -> None:
    assert prepare("  Alice\n 在　ＰＡＲＩＳ ") == "Alice 在 PARIS"


def test_thresholds_separate_other_words_from_other_texts(embedder: BuiltinEmbedder) -> None:
    same, other, foreign = "钟楼的灯灭了，守夜人在雾里消失了。", "今天的面包卖得很好。", "A recipe for bread."
    vectors = embedder.embed_documents([same, same.replace("，", "、"), other, foreign])
    assert float(vectors[0] @ vectors[1]) >= embedder.thresholds.duplicate
    assert float(vectors[0] @ vectors[2]) < embedder.thresholds.duplicate
    assert float(vectors[0] @ vectors[3]) < embedder.thresholds.related


def test_a_text_gives_the_same_vector_alone_and_in_a_batch(embedder: BuiltinEmbedder) -> None:
    texts = [f"第{number}条记忆：守夜人点灯 {'x' * (number % 7)}" for number in range(70)]
    batch = embedder.embed_documents(texts)
    assert np.allclose(batch[41], embedder.embed_query(texts[41]), atol=1e-5)


def test_cancel_before_a_batch_stops_embedding(embedder: BuiltinEmbedder) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        embedder.embed_documents(["一"], cancel)


def test_threads_at_once_get_right_vectors(embedder: BuiltinEmbedder) -> None:
    expected = embedder.embed_documents(["甲", "乙", "丙", "丁"])
    found: dict[int, Vectors] = {}

    def embed(row: int) -> None:
        found[row] = embedder.embed_query("甲乙丙丁"[row])

    threads = [threading.Thread(target=embed, args=(row,)) for row in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(found[row], expected[row], atol=1e-5) for row in range(4))
