"""`check` and `backup` on the command line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.conftest import SMALL, Run


def test_check_says_what_it_would_repair_repairs_it_and_can_be_undone(run: Run, library: Path) -> None:
    run("import", SMALL)
    with closing(sqlite3.connect(library / "library.db")) as db:
        db.execute("UPDATE memory SET seq_start = 9, seq_end = 2 WHERE pk = 1")
        db.execute("UPDATE memory SET parent = 777 WHERE pk = 2")
        db.commit()
    dry = run("check", "--repair", "all", "--dry-run", "--json")
    assert dry.code == 1
    faults = {each["fault"]: each for each in dry.data["findings"]}
    assert {"parent_gone", "floors"} <= faults.keys()
    assert faults["parent_gone"]["safe"]
    assert not faults["floors"]["safe"]
    assert dry.data["op"] is None
    safe = run("check", "--repair", "safe", "--json")
    assert "floors" in {each["fault"] for each in safe.data["findings"]}
    assert "parent_gone" not in {each["fault"] for each in safe.data["findings"]}
    done = run("check", "--repair", "floors")
    assert done.code == 0
    assert "can be undone" in done.out
    assert run("undo").code == 0
    assert "floors" in {each["fault"] for each in run("check", "--json").data["findings"]}


def test_check_of_a_healthy_library_ends_well(run: Run) -> None:
    run("import", SMALL)
    ran = run("check", "--repair", "safe")
    assert ran.code == 0


def test_unknown_fault_is_refused_with_those_there_are(run: Run) -> None:
    run("import", SMALL)
    ran = run("check", "--repair", "everything")
    assert ran.code == 1
    assert "parent_loop" in ran.err


def test_backup_is_made_listed_verified_restored_and_deleted(run: Run, library: Path) -> None:
    run("import", SMALL)
    made = run("backup", "make", "--json").data["name"]
    before = run("list", "--json", "--limit", 0).data["total"]
    run("trash", run("list", "--json", "--limit", 1).data["items"][0]["id"])
    assert run("backup", "verify", "--json").data == {"name": made, "whole": True, "problems": []}
    assert run("backup", "restore").code == 1, "which one must be said"
    restored = run("backup", "restore", made, "--json").data
    assert run("list", "--json", "--limit", 0).data["total"] == before
    assert [each["name"] for each in run("backup", "list", "--json").data["backups"]] == [
        restored["kept"],
        made,
    ]
    assert run("backup", "delete", restored["kept"]).code == 0
    assert len(run("backup", "list", "--json").data["backups"]) == 1


def test_damaged_library_is_listed_and_restored_from_the_command_line(run: Run, library: Path) -> None:
    run("import", SMALL)
    made = run("backup", "make", "--json").data["name"]
    (library / "library.db").write_bytes(b"x" * 9000)
    assert run("list").code == 1
    assert made in run("backup", "list").out
    assert run("backup", "restore", made).code == 0
    assert run("list", "--json").data["total"] == 15


@pytest.mark.parametrize("action", ["verify", "restore", "delete"])
def test_backup_of_a_library_without_any_is_refused_in_words(run: Run, action: str) -> None:
    run("import", SMALL)
    ran = run("backup", action)
    assert ran.code == 1
    assert "backup" in ran.err
