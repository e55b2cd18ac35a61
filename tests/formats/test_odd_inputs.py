"""Inputs that are no files, and numbers that no file means."""

import json
import os
import sys
from pathlib import Path

import pytest

from core.adapters.formats.detect import found_in, read_any
from core.domain.schema_data import default_schema
from tests.formats.desk import FilesDesk

EXPORTS = Path(__file__).parents[1] / "data" / "exports"


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes in directories are POSIX")
@pytest.mark.timeout(30)
def test_directory_with_a_pipe_is_searched_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / "graph.json").write_bytes((EXPORTS / "small_15_zh.json").read_bytes())
    assert [each.path.name for each in found_in(tmp_path, default_schema())] == ["graph.json"]


def test_number_of_five_thousand_digits_is_read_as_none(tmp_path: Path) -> None:
    graph = json.loads((EXPORTS / "small_15_zh.json").read_text("utf-8"))
    graph["nodes"][0]["importance"] = "DIGITS"
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(graph).replace('"DIGITS"', "9" * 5000), "utf-8")
    plan = read_any(path, default_schema())
    assert len(plan.memories) == 15
    assert plan.memories[0].importance == 5


def test_graph_that_is_already_here_is_said_in_the_dry_run(desk: FilesDesk) -> None:
    small, medium = EXPORTS / "small_15_zh.json", EXPORTS / "medium_300_zh.json"
    desk.take(small)
    again = desk.plan(small)
    notes = [problem for problem in again.problems if problem.key == "import.problem.familiar"]
    assert [note.args for note in notes] == [{"folder": "small_15_zh", "count": 15, "total": 15}]
    other = desk.plan(medium)  # carries the same ids, but other memories
    assert not [problem for problem in other.problems if problem.key == "import.problem.familiar"]
