"""`models` on the command line, against a real server on loopback."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.fakes.llm_server import FakeServer, serving

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


def test_endpoint_is_added_tested_used_and_removed_without_a_library(
    run: Run, server: FakeServer, library: Path
) -> None:
    assert run("models").out.startswith("No endpoint")
    added = run(
        "models",
        "add",
        "home",
        "--preset",
        "ollama",
        "--url",
        server.url,
        "--model-name",
        "fake-chat",
        "--json",
    )
    assert added.data["endpoint"]["key"] == "nowhere"
    tested = run("models", "test", "home", "--json")
    assert tested.code == 0
    assert [line["what"] for line in tested.data["lines"]][-1] == "models.test.schema"
    used = run("models", "use", "home", "--task", "extract", "--json")
    assert used.data["tasks"] | {"extract": ""} == dict.fromkeys(used.data["tasks"], "builtin") | {
        "extract": ""
    }
    listed = run("models", "list", "--json").data
    assert listed["endpoints"][0]["tasks"] == ["extract"]
    assert listed["usage"][0]["calls"] == 2
    assert run("models", "use", "manual", "--json").data["tasks"]["recall"] == "manual"
    assert run("models", "remove", "home").code == 0
    assert run("models", "--json").data["endpoints"] == []
    assert not library.exists()


def test_key_comes_from_the_environment_and_is_shown_nowhere(
    run: Run, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.key = KEY
    run("models", "add", "my host", "--url", server.url)
    refused = run("models", "test", "my host")
    assert refused.code == 1
    assert "does not accept the key" in refused.out
    monkeypatch.setenv("MEMORY_CURATOR_KEY_MY_HOST", KEY)
    assert run("models", "test", "my host").code == 0
    listed = run("models")
    assert "key from the environment" in listed.out
    assert "0123456789" not in listed.out + listed.err + refused.out


def test_key_of_the_prompt_is_refused_where_there_is_no_keyring(
    run: Run, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(KEY + "\n"))
    ran = run("models", "add", "home", "--url", server.url, "--key")
    assert ran.code == 1
    assert "MEMORY_CURATOR_KEY_HOME" in ran.err
    assert KEY not in ran.err + ran.out


def test_embedding_endpoint_is_measured_before_it_is_used(run: Run, server: FakeServer) -> None:
    run("models", "add", "vec", "--url", server.url, "--embedding", "--model-name", "fake-vectors")
    assert "never tested" in run("models", "use", "vec").err
    run("models", "test", "vec")
    assert run("models", "use", "vec", "--json").data == {"embedder": "vec"}
    assert run("models", "--json").data["endpoints"][0]["dims"] == 32
    assert run("models", "use", "builtin", "--json").data["embedder"] == "builtin"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("test", "nobody"), "no endpoint"),
        (("add",), "needs a name"),
        (("add", "x", "--url", "https://sk-a:b@host"), "key or a password"),
        (("add", "x", "--url", "gopher://h"), "no web address"),
        (("add", "x", "--url", "http://h", "--timeout", "0"), "timeout_s"),
    ],
)
def test_wrong_use_is_said_in_words(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ran = run("models", *arguments)
    assert ran.code == 1
    assert words in ran.err
