"""`vectors` on the command line: cost first, missing and all anew, a decision, another model; real HTTP on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import container, writers
from core import model_settings as kept
from core.domain.endpoints import Endpoint, EndpointKind, Measured
from core.settings import Settings
from tests.app.conftest import SMALL, Run
from tests.fakes.llm_server import FakeServer, serving

MEMORIES = 15


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with serving() as fake:
        yield fake


@pytest.fixture
def settings(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Two embedding endpoints; the first one is in use."""
    found = Settings()
    for name in ("first", "second"):
        kept.save_endpoint(
            found,
            Endpoint(
                id=name,
                name=name,
                url=server.url,
                model=f"{name}-model",
                kind=EndpointKind.EMBEDDING,
                measured=Measured(32),
                price_in=1000.0,
            ),
        )
    kept.use_embedder(found, "first")
    monkeypatch.setattr("app.container.load_settings", lambda: found)
    return found


def test_missing_ones_are_priced_and_made(run: Run, settings: Settings) -> None:
    run("import", SMALL)
    assert run("vectors", "--json").data["missing"] == MEMORIES
    priced = run("vectors", "missing", "--dry-run", "--json").data
    assert (priced["dry_run"], priced["texts"], priced["model"]) == (True, MEMORIES, "openai:first-model")
    assert run("vectors", "--json").data["missing"] == MEMORIES
    assert run("vectors", "missing").code == 0
    assert run("vectors", "--json").data == {"missing": 0, "rebuild": None}
    assert run("search", "灯塔", "--meaning", "--limit", "2", "--json").data["shown"] == 2


def test_all_anew_waits_for_a_decision(run: Run, settings: Settings) -> None:
    run("import", SMALL)
    run("vectors", "missing")
    made = run("vectors", "anew", "--json").data["rebuild"]
    assert (made["scope"], made["state"], made["done"], made["total"]) == ("all", "ready", MEMORIES, MEMORIES)
    assert run("vectors", "accept", "--json").data == {"accepted": MEMORIES}
    assert run("vectors", "--json").data["rebuild"] is None
    run("vectors", "anew")
    assert run("vectors", "give-up", "--json").data == {"given_up": True}
    assert run("vectors", "accept").code == 1


def test_rebuild_that_was_interrupted_goes_on(run: Run, settings: Settings, server: FakeServer) -> None:
    run("import", SMALL)
    run("vectors", "missing")
    server.faults = [401] * 20
    assert run("vectors", "anew").code == 1
    server.faults = []
    assert run("vectors", "--json").data["rebuild"]["state"] == "paused"
    assert run("vectors", "go-on", "--json").data["rebuild"]["state"] == "ready"


def test_another_model_is_planned_and_taken(run: Run, settings: Settings, library: Path) -> None:
    run("import", SMALL)
    run("vectors", "missing")
    plan = run("vectors", "switch", "--to", "second", "--dry-run", "--json").data
    assert (plan["old"], plan["new"], plan["to_embed"]) == ("first-model", "second-model", MEMORIES)
    assert plan["cost"] == pytest.approx(plan["tokens"] / 1000)
    assert kept.chosen_embedder(settings) == kept.endpoint(settings, "first")
    done = run("vectors", "switch", "--to", "second", "--json").data
    assert done["complete"]
    assert kept.chosen_embedder(settings) == kept.endpoint(settings, "second")
    assert run("vectors", "--json").data["missing"] == 0
    window = container.open_library(library, writers.person(), settings, keep=True)
    try:
        assert run("vectors", "switch", "--to", "first").code == 1
    finally:
        window.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("missing", "--folder", "x"), "whole library"),
        (("anew", "--to", "first"), "vectors switch"),
        (("switch",), "Say which model"),
        (("switch", "--to", "nobody"), "nobody"),
    ],
)
def test_what_does_not_go_together_is_said(
    run: Run, settings: Settings, given: tuple[str, ...], said: str
) -> None:
    run("import", SMALL)
    ran = run("vectors", *given)
    assert ran.code != 0
    assert said in ran.err
