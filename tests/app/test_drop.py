"""Files of all kinds on the command line, each taken in as what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.formats.chats import floors, header, write_chat

GRAPH = {
    "version": 3,
    "lastProcessedSeq": -1,
    "nodes": [{"id": "n1", "type": "event", "fields": {"summary": "灯灭了"}, "seq": 0, "importance": 5}],
    "edges": [],
    "lastRecallResult": None,
}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    made = tmp_path / "drop"
    made.mkdir()
    (made / "手册.md").write_text("# 手册\n\n七点点灯。\n", encoding="utf-8")
    (made / "graph.json").write_text(json.dumps(GRAPH, ensure_ascii=False), encoding="utf-8")
    (made / "图.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    write_chat(made / "雾港.jsonl", [header(), *floors(6)])
    return made


def test_a_mixed_directory_is_sorted_and_nothing_written_by_a_dry_run(run: Run, mixed: Path) -> None:
    ran = run("drop", str(mixed), "--dry-run", "--json")
    assert ran.code == 0
    assert ran.data["counts"] == {"documents": 1, "chats": 1, "graphs": 1, "skipped": 1}
    assert all(file["state"] is None for file in ran.data["files"])
    assert run("documents", "--json").code == 1, "a dry run makes no library"


def test_each_file_comes_in_as_what_it_is_and_again_it_is_there_already(run: Run, mixed: Path) -> None:
    ran = run("drop", str(mixed), "--folder", "资料", "--json")
    assert ran.code == 0, ran.data
    states = {Path(file["file"]).name: file["state"] for file in ran.data["files"]}
    assert states == {"手册.md": "done", "graph.json": "done", "雾港.jsonl": "done", "图.png": None}
    assert [item["folder"] for item in run("documents", "--json").data["items"]] == ["资料"]
    titles = [row["title"] for row in run("list", "--json").data["items"]]
    assert any("灯灭了" in title for title in titles)
    again = run("drop", str(mixed / "手册.md"), "--folder", "资料", "--json")
    assert again.data["files"][0]["state"] == "same"


def test_what_is_not_there_is_named(run: Run, tmp_path: Path) -> None:
    ran = run("drop", str(tmp_path / "nowhere"), "--json")
    assert ran.code == 1
    assert ran.data["left_out"][0]["key"] == "document.left_out.missing"
