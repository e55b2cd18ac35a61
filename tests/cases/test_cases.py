"""Every recorded case, and the runner itself."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cases.runner import Outcome, report, run_case
from tests.cases.sidecar import Case, find_cases

DATA = Path(__file__).parents[1] / "data" / "cases"
CASES = [
    case
    for case in find_cases(DATA)
    if case.kind in ("stbme_booku", "st_chat", "lorebook_card", "documents", "json_repair", "memory_engine")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_real_file_gives_the_right_result(case: Case) -> None:
    verdict = run_case(case)
    assert verdict.outcome is Outcome.PASSED, verdict.faults


def sidecar(directory: Path, case_id: str, **values: object) -> None:
    data = {"id": case_id, "kind": "stbme_booku", "input_file": "graph.json", "checks": {}} | values
    (directory / f"{case_id}.case.json").write_text(json.dumps(data), encoding="utf-8")


def test_wrong_value_fails_and_unknown_checks_and_kinds_are_counted(tmp_path: Path) -> None:
    node = {"id": "a", "type": "event", "fields": {"summary": "x"}, "seq": 1}
    graph = {"version": 3, "nodes": [node], "edges": []}
    (tmp_path / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    sidecar(tmp_path, "c1", checks={"nodes": 1})
    sidecar(tmp_path, "c2", checks={"nodes": 2})
    sidecar(tmp_path, "c3", checks={"nodes": 1, "moons": 3})
    sidecar(tmp_path, "c4", kind="weather")
    out = io.StringIO()
    code = report((run_case(case) for case in find_cases(tmp_path)), out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "c1: passed"
    assert "c2: failed" in lines
    assert lines[-2:] == ["1 passed, 1 failed", "2 without a checker"]
    assert code == 1
