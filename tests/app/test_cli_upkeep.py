"""Upkeep on the command line: plans change nothing, --apply is one change that can be undone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.conftest import SMALL, Run

DAY_MICROS = 86_400_000_000


@pytest.fixture
def old(run: Run, library: Path) -> list[str]:
    """The small graph, its memories a hundred days old; ids of its events."""
    run("import", SMALL)
    age(library, "created_at = created_at - ?")
    items = run("list", "--json", "--type", "event").data["items"]
    return [item["id"] for item in items]


def age(library: Path, assignment: str) -> None:
    with closing(sqlite3.connect(library / "library.db")) as connection, connection:
        connection.execute(f"UPDATE memory SET {assignment}", (100 * DAY_MICROS,))


def statuses(run: Run) -> dict[str, str]:
    return {item["id"]: item["status"] for item in run("list", "--json", "--limit", "0").data["items"]}


def test_forget_shows_numbers_and_applies_only_when_asked(run: Run, old: list[str]) -> None:
    before = statuses(run)
    plan = run("forget", "--json", "--threshold", "0.9").data
    assert plan["total"] > 0
    assert (plan["applied"], plan["op"]) == (False, None)
    assert run("forget", "--threshold", "0.9", "--apply", "--dry-run").code == 0
    assert statuses(run) == before
    done = run("forget", "--json", "--threshold", "0.9", "--apply").data
    assert done["changed"] == plan["total"]
    assert {item["id"] for item in plan["items"]} == {
        pk for pk, status in statuses(run).items() if status != before[pk]
    }
    run("undo")
    assert statuses(run) == before


def test_a_threshold_below_nothing_is_refused(run: Run, old: list[str]) -> None:
    ran = run("forget", "--threshold", "-1", "--json")
    assert (ran.code, ran.data["error"]["key"]) == (1, "error.cli.threshold")


def test_promote_gives_verdicts_for_what_is_on_trial(run: Run, old: list[str], library: Path) -> None:
    assert run("promote", "--json").data["total"] == 0
    run("edit", old[0], "--layer", "emergent")
    age(library, "activation_count = 3 WHERE layer = 'emergent' AND 0 <> ?")
    plan = run("promote", "--json").data
    assert [(item["id"], item["verdict"]) for item in plan["items"]] == [(old[0], "promote")]
    assert "Promote" in run("promote").out
    assert run("promote", "--apply", "--json").data["counts"] == {"promote": 1}
    assert run("show", old[0], "--json").data["items"][0]["layer"] == "memory"


def test_a_selection_is_promoted_whatever_its_numbers(run: Run, old: list[str]) -> None:
    run("edit", old[0], "--layer", "emergent")
    plan = run("promote", old[0], old[1], "--json").data
    assert [item["verdict"] for item in plan["items"]] == ["promote"]
    assert plan["left_out"] == 1


def test_compress_plans_suggests_and_applies(run: Run, old: list[str]) -> None:
    plan = run("compress", "--force", "--json").data
    assert plan["groups"]
    assert plan["proposals"] == []
    done = run("compress", "--force", "--apply", "--json").data
    assert done["created"] == len(plan["groups"])
    child = run("show", plan["groups"][0]["ids"][0], "--json").data["items"][0]
    assert (child["status"], child["status_reason"]) == ("archived", "compressed")
    assert child["parent"]


def test_memos_are_kept_listed_and_removed(run: Run, old: list[str]) -> None:
    assert run("memos", "--json").data["total"] == 0
    kept = run("memos", "--keep", "ask Mira", "--hours", "5", "--folder", "small_15_zh", "--json").data
    assert [(item["content"], item["unit"]) for item in kept["items"]] == [("ask Mira", "hours")]
    assert run("memos", "--remove", "memo-none", "--json").code == 1
    assert run("memos", "--remove", kept["items"][0]["id"], "--json").data["total"] == 0


def test_a_flashback_is_repeated_with_the_same_draws(run: Run, old: list[str]) -> None:
    run("edit", old[0], "--layer", "emergent")
    drawn = [
        run("flashback", "--layer", "emergent", "--memory-draw", "0.3", "--json").data["drawn"]["id"]
        for _ in range(2)
    ]
    assert drawn == [old[0], old[0]]
    assert run("flashback", "--layer", "archived", "--json").data["drawn"] is None
