"""Embeddings over HTTP: batches, forms, and everything that must not reach the store."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.adapters.endpoints.probe import measure
from core.domain import texts as catalogue
from core.domain.endpoints import Measured
from core.domain.errors import Invalid, Unavailable
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm_server import Fault
from tests.models.desk import EndpointDesk

TEXTS = ["艾琳走进钟楼", "阿澈得到铜钥匙", "雨停之后出发", "银灯", "地下入口"]


def fault(desk: EndpointDesk) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        desk.embedder().embed_documents(TEXTS)
    assert catalogue.has(caught.value.key, "zh_CN")
    return caught.value


def test_vectors_come_in_order_in_batches_as_unit_vectors(desk: EndpointDesk) -> None:
    desk.server.change_rows = lambda rows: rows[::-1]
    vectors = desk.embedder(batch=2).embed_documents(TEXTS)
    assert [len(body["input"]) for body in desk.server.bodies("embeddings")] == [2, 2, 1]
    np.testing.assert_allclose(vectors, HashEmbedder(32).embed_documents(TEXTS), atol=1e-6)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_server_that_knows_floats_only_gives_the_same(desk: EndpointDesk) -> None:
    desk.server.base64 = False
    embedder = desk.embedder()
    vectors = embedder.embed_documents(TEXTS)
    embedder.embed_query(TEXTS[0])
    forms = [body["encoding_format"] for body in desk.server.bodies("embeddings")]
    assert forms == ["base64", "float", "float"]
    np.testing.assert_allclose(vectors, HashEmbedder(32).embed_documents(TEXTS), atol=1e-6)


def test_blank_text_is_asked_of_nobody_and_has_no_direction(desk: EndpointDesk) -> None:
    vectors = desk.embedder().embed_documents(["", "银灯", " \n"])
    assert not vectors[[0, 2]].any()
    assert desk.server.bodies("embeddings")[0]["input"] == ["银灯"]


def test_prefixes_are_sent_and_belong_to_the_identity(desk: EndpointDesk) -> None:
    plain = desk.embedder()
    with_prefix = desk.embedder(document_prefix="passage: ", query_prefix="query: ")
    with_prefix.embed_documents(["x"])
    with_prefix.embed_query("y")
    assert [body["input"] for body in desk.server.bodies("embeddings")] == [["passage: x"], ["query: y"]]
    assert plain.identity.key != with_prefix.identity.key
    assert plain.identity.key == "openai:fake-vectors|32|"


def test_vectors_per_token_are_refused_in_words(desk: EndpointDesk) -> None:
    desk.server.nested = True
    desk.server.base64 = False
    assert fault(desk).key == "error.embedder.per_token"


def test_vectors_of_another_length_are_never_mixed(desk: EndpointDesk) -> None:
    desk.server.vectors = HashEmbedder(24)
    error = fault(desk)
    assert (error.key, error.text_args["given"], error.text_args["expected"]) == (
        "error.embedder.dims",
        "24",
        32,
    )


def _with(value: Any) -> Any:
    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row | {"embedding": [value, *[0.5] * 31]} for row in rows]

    return change


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (_with(float("nan")), "error.embedder.no_numbers"),
        (_with(float("inf")), "error.embedder.no_numbers"),
        (_with(None), "error.embedder.no_numbers"),
        (_with(1e39), "error.embedder.no_numbers"),
        (_with(10**400), "error.embedder.no_numbers"),
        (_with("x"), "error.embedder.no_vectors"),
        (lambda rows: [row | {"embedding": [0.0] * 32} for row in rows], "error.embedder.no_numbers"),
        (lambda rows: [row | {"embedding": "no base64!"} for row in rows], "error.embedder.no_vectors"),
        (lambda rows: [row | {"index": 0} for row in rows], "error.embedder.no_vectors"),
        (lambda rows: rows[:-1], "error.embedder.count"),
        (lambda rows: [row | {"embedding": None} for row in rows], "error.embedder.no_vectors"),
    ],
)  # fmt: skip
def test_vectors_that_are_none_are_refused(desk: EndpointDesk, change: Any, key: str) -> None:
    desk.server.change_rows = change
    assert fault(desk).key == key


def test_refused_text_is_told_from_a_server_that_refuses_everything(desk: EndpointDesk) -> None:
    desk.server.refused_texts = {"银灯"}
    with pytest.raises(Invalid) as caught:
        desk.embedder().embed_documents(TEXTS)
    assert caught.value.key == "error.embedder.refused"
    desk.server.faults = [Fault(400, b'{"error": "no such mode"}')] * 9
    with pytest.raises(Unavailable):
        desk.embedder().embed_documents(TEXTS)


def test_no_data_and_pages_are_said(desk: EndpointDesk) -> None:
    desk.server.faults = [Fault(200, b'{"object": "list"}')]
    assert fault(desk).key == "error.embedder.no_vectors"
    desk.server.faults = [Fault(200, b"<html><title>Login</title></html>", "text/html")]
    assert fault(desk).key == "error.model.page"


def test_thresholds_are_measured_between_equal_related_and_unrelated() -> None:
    rows = []
    for at, cosine in enumerate([0.98, 0.96, 0.99, 0.97, 0.6, 0.5, 0.7, 0.55]):
        first, second = np.zeros(16), np.zeros(16)
        first[2 * at % 16] = 1
        second[2 * at % 16], second[2 * at % 16 + 1] = cosine, np.sqrt(1 - cosine**2)
        rows += [first, second]
    seen = measure(np.array(rows, dtype=np.float32))
    assert seen.dims == 16
    assert 0.25 < seen.related < 0.6 < seen.duplicate < seen.same_text < 0.98


def test_model_without_a_measurable_order_gets_cautious_thresholds(desk: EndpointDesk) -> None:
    same = np.ones((16, 8), dtype=np.float32) / np.sqrt(8)
    assert measure(same) == Measured(8)
    assert desk.embedder().thresholds.same_text == 0.95
