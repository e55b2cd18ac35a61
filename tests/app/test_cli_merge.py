"""The commands duplicates, merge and unmerge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import model_settings as kept
from core.domain.endpoints import Endpoint, ModelTask
from core.domain.ids import MemoryPk
from core.settings import Settings
from tests.app.conftest import Run
from tests.fakes.llm_server import serving
from tests.services.desk import Desk


def made(library: Path) -> list[str]:
    """Two doubles, one of another name, and two that contradict each other."""
    desk = Desk(library)
    try:
        folder = desk.folder("a")
        pks: list[MemoryPk] = [
            desk.memory(
                folder, "location", title="钟楼", body="荒废多年", fields={"state": "破旧"}, importance=9
            ),
            desk.memory(folder, "location", title="鐘樓", body="荒廢多年。", fields={"state": "上锁"}),
            desk.memory(folder, "event", body="用户家里养了猫"),
            desk.memory(folder, "event", body="用户家里没有养猫"),
        ]
        desk.edge(pks[1], pks[2])
        return [desk.get(pk).id for pk in pks]
    finally:
        desk.engine.close()


def test_duplicates_are_found_merged_and_taken_apart(run: Run, library: Path) -> None:
    one, other, *_ = made(library)
    found = run("duplicates", "--json", "--verdict", "likely").data
    assert found["total"] == 1
    assert [row["id"] for row in found["groups"][0]["memories"]] == [one, other]
    assert found["groups"][0]["pairs"][0]["reasons"]
    plan = run("merge", one, other, "--dry-run", "--json").data
    assert (plan["conflicts"], plan["aliases"]) == (["title", "body", "state", "importance"], [])
    assert plan["relations"] == {"moves": 1, "joins": 0, "drops": 0}
    merged = run("merge", one, other, "--json").data
    assert merged["op"]
    assert merged["counts"] == {"relations": 1}
    assert run("show", other, "--json").data["items"][0]["id"] == one
    assert run("unmerge", one, "--dry-run", "--json").data["memories"][0]["id"] == other
    assert run("unmerge", other).code == 0
    assert run("unmerge", other).code == 1
    assert run("show", other, "--json").data["items"][0]["id"] == other


def test_contradictions_are_listed_and_lines_are_for_people(run: Run, library: Path) -> None:
    ids = made(library)
    found = run("duplicates", "--contradictions", "--json").data
    kinds = {each["kind"]: each for each in found["contradictions"]}
    assert {kinds["negation"][side]["id"] for side in "ab"} == set(ids[2:])
    assert "One denies what the other says" in run("duplicates", "--contradictions").out
    assert "[Likely]" in run("duplicates").out


def test_model_is_asked_about_contradictions_when_wanted(
    run: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = made(library)
    assert "evolve and compare" in run("duplicates", "--contradictions", "--ask").err.lower()
    assert "--contradictions" in run("duplicates", "--ask").err
    with serving() as server:
        settings = Settings()
        settings.set("embedder", "none")
        kept.save_endpoint(settings, Endpoint(id="chat", name="Chat", url=server.url, model="m"))
        kept.choose(settings, ModelTask.CONSOLIDATE, "chat")
        monkeypatch.setattr("app.container.load_settings", lambda: settings)
        rows = [{"pair": number, "verdict": "contradict", "reason": "one denies it"} for number in (1, 2, 3)]
        server.replies = lambda _body: json.dumps({"pairs": rows})
        found = run("duplicates", "--contradictions", "--ask", "--json").data["contradictions"]
        assert {each["opinion"]["verdict"] for each in found} == {"contradict"}
        assert "one denies it" in run("duplicates", "--contradictions", "--ask").out
    assert {each["id"] for each in run("list", "--json").data["items"]} >= set(ids)


def test_merge_of_one_memory_or_an_unknown_one_is_refused_in_words(run: Run, library: Path) -> None:
    one, *_ = made(library)
    refused = run("merge", one, one)
    assert refused.code == 1
    assert "Only one memory is left" in refused.err
    assert run("merge", one, "mem-unknown").code == 1
