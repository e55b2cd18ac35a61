"""The command evaluate: imports, runs, compares and writes recall tests."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.conftest import SMALL, Run


def written(path: Path, *cases: dict[str, object]) -> Path:
    path.write_text("\n".join(json.dumps(case, ensure_ascii=False) for case in cases), encoding="utf-8")
    return path


def some_memory(run: Run) -> tuple[str, str]:
    """A memory with the beginning of its own text as the message that should recall it."""
    item = run("list", "--json", "--type", "character").data["items"][0]
    return item["id"], item["title"]


def test_imported_tests_run_and_are_compared_with_the_run_before(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    memory, name = some_memory(run)
    file = written(tmp_path / "cases.jsonl", {"message": name, "folder": "small_15_zh", "expected": [memory]})
    first = run("evaluate", "--import", file, "--json")
    assert first.code == 0
    assert first.data["imported"] == {"created": 1, "same": 0, "missing": 0}
    assert (first.data["cases"], first.data["passed"], first.data["previous"]) == (1, 1, {})
    assert first.data["figures"]["mrr"] == 1.0
    again = run("evaluate", "--json").data
    assert again["previous"] == first.data["figures"]
    assert again["outcomes"][0]["before"] is True
    run("trash", memory)
    red = run("evaluate")
    assert red.code == 1
    assert "(was green)" in red.out


def test_exported_tests_are_not_written_over_unless_asked(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    memory, name = some_memory(run)
    file = written(tmp_path / "cases.jsonl", {"message": name, "expected": [memory]})
    target = tmp_path / "out.jsonl"
    ran = run("evaluate", "--import", file, "--export", target, "--json")
    assert ran.data["exported"] == {"path": str(target), "cases": 1}
    assert json.loads(target.read_text("utf-8"))["message"] == name
    assert run("evaluate", "--export", target).code == 1
    assert run("evaluate", "--export", target, "--overwrite").code == 0
    assert run("evaluate", "--export", tmp_path / ("钟" * 200)).code == 1


def test_broken_file_is_named_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    file = tmp_path / "cases.jsonl"
    file.write_bytes(b"\xff\xfe nonsense")
    assert run("evaluate", "--import", file).code == 1
    assert run("evaluate", "--import", tmp_path / "missing.jsonl").code == 1
    file.write_text('{"message": "x"}', encoding="utf-8")
    broken = run("evaluate", "--import", file)
    assert broken.code == 1
    assert "Line 1" in broken.err
    assert run("evaluate", "--json").data["cases"] == 0


def test_no_tests_is_said(run: Run) -> None:
    run("import", SMALL)
    ran = run("evaluate")
    assert ran.code == 0
    assert "No recall tests" in ran.out
