"""Endpoints in the settings file, and who serves which task."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core import model_settings as kept
from core.domain.endpoints import MANUAL, Endpoint, EndpointKind, Measured, ModelTask, Secret, read_endpoints
from core.domain.errors import Invalid, NotFound
from core.settings import Settings

CHAT = Endpoint(id="ep-1", name="Home", url="http://127.0.0.1:11434/v1", model="qwen3", price_in=0.5)
VECTORS = Endpoint(
    id="ep-2",
    name="Vectors",
    url="https://example.org/v1",
    kind=EndpointKind.EMBEDDING,
    measured=Measured(384, 0.9, 0.8, 0.3),
)


def test_endpoints_come_back_from_the_file_as_they_were(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    kept.save_endpoint(settings, CHAT)
    kept.save_endpoint(settings, VECTORS)
    kept.save_endpoint(settings, replace(CHAT, model="llama"))
    again = Settings(tmp_path / "settings.json")
    assert kept.endpoints(again) == (replace(CHAT, model="llama"), VECTORS)
    assert kept.endpoints(again, EndpointKind.EMBEDDING) == (VECTORS,)


def test_removed_endpoint_gives_its_tasks_back(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    kept.save_endpoint(settings, CHAT)
    kept.choose(settings, ModelTask.EXTRACT, CHAT.id)
    kept.choose(settings, ModelTask.RECALL, MANUAL)
    kept.remove_endpoint(settings, CHAT.id)
    assert kept.served_by(settings, ModelTask.EXTRACT) == ""
    assert kept.served_by(settings, ModelTask.RECALL) == MANUAL
    with pytest.raises(NotFound):
        kept.remove_endpoint(settings, CHAT.id)


@pytest.mark.parametrize(
    "bad",
    [
        replace(CHAT, name="  "),
        replace(CHAT, concurrency=0),
        replace(CHAT, timeout_s=100_000),
        replace(CHAT, id="ep-9"),
        replace(CHAT, url="https://host/v1?api_key=abc"),
        replace(CHAT, url="me:pass@host/v1"),
        replace(CHAT, proxy="http://me:pass@proxy:8080"),
        replace(CHAT, proxy="me:pass@proxy:8080"),
        replace(CHAT, proxy="http://me:p[ss@proxy"),
    ],
    ids=[
        *("no name", "no concurrency", "endless time-out", "same name", "key in the address"),
        *("password in the address", "password in the proxy", "without a scheme", "unreadable"),
    ],
)
def test_endpoint_that_breaks_a_rule_is_refused(bad: Endpoint) -> None:
    settings = Settings()
    kept.save_endpoint(settings, CHAT)
    with pytest.raises(Invalid):
        kept.save_endpoint(settings, bad)
    assert kept.endpoints(settings) == (CHAT,)


def test_vectors_cannot_serve_a_task_in_words() -> None:
    settings = Settings()
    kept.save_endpoint(settings, VECTORS)
    with pytest.raises(Invalid):
        kept.choose(settings, ModelTask.EXTRACT, VECTORS.id)
    with pytest.raises(NotFound):
        kept.choose(settings, ModelTask.EXTRACT, "ep-none")


def test_damaged_rows_of_the_file_are_left_out_and_numbers_fall_back() -> None:
    rows = [
        None,
        {"id": "x"},
        {"id": "a", "url": "http://h", "timeout_s": -5, "concurrency": "many", "kind": "tea"},
        {"id": "a", "url": "http://second", "price_in": float("nan"), "measured": {"dims": "x"}},
    ]
    (found,) = read_endpoints(rows)  # type: ignore[arg-type]
    assert (found.url, found.timeout_s, found.concurrency) == ("http://second", 120, 2)
    assert (found.kind, found.price_in, found.measured.dims) == (EndpointKind.CHAT, 0.0, 0)


def test_secret_shows_itself_to_nobody() -> None:
    key = Secret("sk-test-0123456789abcdef")
    shown = f"{key} {key!r} {[key]} {key.hint}"
    assert "0123456789" not in shown
    assert key.hint == "…cdef"
    assert Secret("short").hint == "…"
    with pytest.raises(TypeError):
        json.dumps(key)
