"""Every recorded vector whose function we have, and the runner itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden.by_design import RULES
from tests.golden.runner import Outcome, main, report, run_case
from tests.golden.table import TABLE, Case, Golden, find_cases

DATA = Path(__file__).parents[1] / "data" / "golden"
CASES = [case for case in find_cases(DATA) if case.function in TABLE]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_vector_gives_the_recorded_value_or_the_one_of_our_design(case: Case) -> None:
    verdict = run_case(case)
    assert verdict.outcome is not Outcome.FAILED, verdict.reason


def test_every_rule_of_our_own_has_a_function_and_a_reason() -> None:
    assert all(rule.function in TABLE and rule.reason for rule in RULES)


def run_vectors(tmp_path: Path, data: dict[str, Any], table: dict[str, Golden]) -> tuple[list[str], int]:
    file = tmp_path / "deep" / "vectors.json"
    file.parent.mkdir()
    file.write_text(json.dumps(data), encoding="utf-8")
    out = io.StringIO()
    code = report([run_case(case, table) for case in find_cases(tmp_path)], out)
    return out.getvalue().splitlines(), code


def test_both_shapes_are_counted_and_the_last_line_has_its_form(tmp_path: Path) -> None:
    table = {"double": Golden(lambda given: given["x"] * 2), "walk": Golden(lambda run: [len(run["steps"])])}
    cases = [
        {"id": "1", "function": "double", "inputs": {"x": 2}, "expected": 4},
        {"id": "2", "function": "double", "inputs": {"x": 2}, "expected": 5},
    ]
    data = {"suite": "s", "cases": cases, "scenarios": [{"name": "walk", "steps": [{"expected": 1}]}]}
    lines, code = run_vectors(tmp_path, data, table)
    assert lines[-2:] == ["0 differ by design", "2 passed, 1 failed"]
    assert "vectors:2" in lines[0]
    assert code == 1


def test_unknown_function_fails(tmp_path: Path) -> None:
    lines, code = run_vectors(tmp_path, {"source": "x", "cases": [{"id": "1", "function": "ghost"}]}, {})
    assert "unknown function ghost" in lines[0]
    assert lines[-1] == "0 passed, 1 failed"
    assert code == 1


@pytest.mark.parametrize(
    ("tolerance", "actual", "outcome"),
    [
        (None, 1.0 + 1e-10, Outcome.PASSED),
        (None, 1.0 + 1e-8, Outcome.FAILED),
        (1e-4, 1.00005, Outcome.PASSED),
        (1e-4, True, Outcome.FAILED),
    ],
)
def test_numbers_are_equal_to_the_tolerance_of_the_file(
    tmp_path: Path, tolerance: float | None, actual: object, outcome: Outcome
) -> None:
    data: dict[str, Any] = {"cases": [{"id": "1", "function": "one", "expected": {"deep": [1]}}]}
    if tolerance is not None:
        data["tolerance"] = tolerance
    file = tmp_path / "v.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    (case,) = find_cases(file)
    assert run_case(case, {"one": Golden(lambda _: {"deep": [actual]})}).outcome is outcome


def made(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


@pytest.mark.parametrize(
    ("expected", "actual", "outcome"),
    [
        ([made(1), made(2), made(1)], ["a", "b", "a"], Outcome.PASSED),
        ([made(1), made(2)], ["a", "a"], Outcome.FAILED),
        ([made(1), made(1)], ["a", "b"], Outcome.FAILED),
        ({"ids": [made(1)], "by_id": {made(1): 1}}, {"ids": ["a"], "by_id": {"a": 1}}, Outcome.PASSED),
        ([made(9)], ["a"], Outcome.FAILED),
    ],
)
def test_made_up_ids_are_compared_up_to_renaming(expected: Any, actual: Any, outcome: Outcome) -> None:
    case = Case(Path("f.json"), "1", "ids", {"given": made(9)}, expected)
    assert run_case(case, {"ids": Golden(lambda _: actual)}).outcome is outcome


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(ValueError(), Outcome.PASSED), (UnicodeError(), Outcome.PASSED), (KeyError(), Outcome.FAILED)],
)
def test_escaping_errors_are_compared_by_kind(error: Exception, outcome: Outcome) -> None:
    def raising(_: object) -> None:
        raise error

    case = Case(Path("f.json"), "1", "raising", {}, {"raises": "ValueError"})
    assert run_case(case, {"raising": Golden(raising)}).outcome is outcome


def test_differing_by_design_demands_our_own_value() -> None:
    case = next(case for case in CASES if case.id == "text_helpers-41")
    original = Golden(lambda _: ["A", "pple pie\nbody"])
    assert run_case(case).outcome is Outcome.BY_DESIGN
    assert run_case(case, {case.function: original}).outcome is Outcome.FAILED


def test_missing_directory_is_said_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "usage" in capsys.readouterr().err


def test_other_json_files_hold_no_vectors(tmp_path: Path) -> None:
    (tmp_path / "index.json").write_text("[1]", encoding="utf-8")
    (tmp_path / "meta.json").write_text('{"files": 3}', encoding="utf-8")
    assert find_cases(tmp_path) == []
