"""llama-cpp-python's server with a model of random weights: the protocol, not the wisdom."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from core.adapters.endpoints.caller import Caller, Patience
from core.adapters.endpoints.chat import Abilities, EndpointModel
from core.adapters.endpoints.net import Net
from core.adapters.endpoints.probe import list_models
from core.adapters.endpoints.probe import test_endpoint as probe
from core.adapters.endpoints.vectors import EndpointEmbedder
from core.algos.model_reply import read_reply
from core.domain.endpoints import Endpoint, EndpointKind, Measured, Secret
from core.domain.errors import Cancelled, Unavailable
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken
from tests.llm.serving import Server, llama_server

pytestmark = pytest.mark.llm

KEY = "sk-test-0123456789abcdef"
WIDTH = 64
HELLO = [ChatMessage("user", "Hello, 艾琳")]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"done": {"type": "boolean"}},
    "required": ["done"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with llama_server(512, "--embedding", "true", "--api_key", KEY) as started:
        yield started


OPENED: list[Caller] = []


@pytest.fixture
def net() -> Iterator[Net]:
    made = Net()
    yield made
    while OPENED:
        OPENED.pop().close()
    made.close()


def caller(server: Server, net: Net, key: str = KEY, **values: Any) -> Caller:
    endpoint = Endpoint(
        **{"id": "e", "name": "real", "url": server.url, "model": "random", "timeout_s": 60} | values
    )
    OPENED.append(Caller(endpoint, Secret(key), net, Patience(tries=2)))
    return OPENED[-1]


def model(server: Server, net: Net, key: str = KEY, **values: Any) -> EndpointModel:
    return EndpointModel(caller(server, net, key, **values), Abilities(), len)


def key_of(call: Callable[[], object]) -> str:
    """ "" when the call works, else the text that says why not."""
    try:
        call()
    except Unavailable as error:
        return error.key
    return ""


def test_models_are_listed_and_chat_answers_in_a_stream(server: Server, net: Net) -> None:
    assert list_models(caller(server, net))
    asked = model(server, net)
    said = key_of(lambda: asked.complete(HELLO, max_tokens=20))
    assert said in ("", "error.model.empty", "error.model.only_thinking")  # random: perhaps only spaces
    assert asked.used.calls == 1


def test_json_by_schema_is_json_even_of_a_random_model(server: Server, net: Net) -> None:
    reply = model(server, net).complete(HELLO, SCHEMA, 200)
    assert set(read_reply(reply, SCHEMA).value) == {"done"}  # type: ignore[arg-type]


def test_wrong_key_is_said(server: Server, net: Net) -> None:
    with pytest.raises(Unavailable) as caught:
        model(server, net, "sk-wrong-0123456789").complete(HELLO)
    assert caught.value.key == "error.model.key"
    assert "sk-wrong" not in str(caught.value)


def test_too_long_a_request_is_said(server: Server, net: Net) -> None:
    with pytest.raises(Unavailable) as caught:
        model(server, net).complete([ChatMessage("user", "x" * 2000)])
    assert caught.value.key == "error.model.too_long"


def test_unknown_model_name_is_accepted_as_the_server_does(server: Server, net: Net) -> None:
    assert model(server, net, model="nobody").complete(HELLO, SCHEMA, 60)


def test_wrong_path_is_said(server: Server, net: Net) -> None:
    with pytest.raises(Unavailable) as caught:
        model(server, net, url=f"{server.url}/elsewhere/v1").complete(HELLO)
    assert caught.value.key == "error.model.not_found"


def test_cancel_ends_the_call_at_once(server: Server, net: Net) -> None:
    token = CancelToken()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(model(server, net).complete, HELLO, None, 400, token)
        time.sleep(0.1)
        start = time.monotonic()
        token.cancel()
        try:
            waiting.result(10)
        except (Cancelled, Unavailable):
            assert time.monotonic() - start < 2


def test_embeddings_are_vectors_or_refused_in_words(server: Server, net: Net) -> None:
    one = caller(server, net, kind=EndpointKind.EMBEDDING, measured=Measured(WIDTH))
    made: list[Any] = []
    said = key_of(lambda: made.append(EndpointEmbedder(one, len).embed_documents(["银灯", "a key"])))
    assert said in ("", "error.embedder.per_token")
    for vectors in made:
        assert vectors.shape == (2, WIDTH)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_connection_is_tested_line_by_line(server: Server, net: Net) -> None:
    one, abilities = caller(server, net), Abilities()
    report = probe(one, EndpointModel(one, abilities, len), EndpointEmbedder(one, len), abilities, None)
    assert report.lines[0].text == "models.test.reach"
    assert json.dumps([line.text for line in report.lines])
