"""Documents on the command line."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
from filelock import FileLock

from tests.app.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "drop"
    (made / ".git").mkdir(parents=True)
    (made / "手册.md").write_text("# 手册\n\n七点点灯。\n", encoding="utf-8")
    (made / "旧.txt").write_bytes(("守灯人每天晚上点亮灯塔，记录风向和潮水。" * 3).encode("gbk"))
    (made / "图.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return made


def test_a_folder_is_taken_in_file_by_file(run: Run, folder: Path) -> None:
    ran = run("ingest", str(folder), "--folder", "资料", "--json")
    assert ran.code == 1
    assert ran.data["counts"] == {"done": 2, "same": 0, "failed": 1, "questions": 0}
    assert ran.data["hidden"] == 1
    by_name = {Path(file["file"]).name: file for file in ran.data["files"]}
    assert (by_name["手册.md"]["title"], by_name["手册.md"]["pieces"]) == ("手册", 1)
    assert by_name["旧.txt"]["encoding"] == "gb18030"
    assert by_name["图.png"]["error"]["key"] == "error.document.picture"
    again = run("ingest", str(folder / "手册.md"), "--folder", "资料", "--json")
    assert (again.code, again.data["files"][0]["result"]) == (0, "same")
    listed = run("documents", "--json").data
    assert [(item["title"], item["folder"], item["version"]) for item in listed["items"]] == [
        ("手册", "资料", 1),
        ("旧", "资料", 1),
    ]


def test_a_dry_run_reads_all_and_leaves_no_library(run: Run, folder: Path, library: Path) -> None:
    ran = run("ingest", str(folder), "--dry-run", "--json")
    assert [file["ok"] for file in ran.data["files"]].count(True) == 2
    assert not library.exists()


def test_a_text_is_taken_in_with_its_title_and_can_be_undone(run: Run) -> None:
    ran = run("ingest", "--content", "七点点灯。", "--title", "规程", "--json")
    assert (ran.code, ran.data["files"][0]["result"]) == (0, "created")
    assert (
        run("ingest", "--content", "八点点灯。", "--title", "规程", "--json").data["files"][0]["result"]
        == "replaced"
    )
    run("undo")
    run("undo")
    assert run("documents", "--json").data["total"] == 0


def test_documents_are_written_out_and_deleted(run: Run, folder: Path, tmp_path: Path) -> None:
    run("ingest", str(folder / "手册.md"))
    out = tmp_path / "out"
    assert run("documents", "--to", str(out)).code == 0
    assert (out / "手册.md").read_text(encoding="utf-8") == "# 手册\n\n七点点灯。\n"
    item = run("documents", "--json").data["items"][0]
    deleted = run("documents", "--delete", item["id"], "--json").data
    assert (deleted["total"], deleted["deleted"]["pieces"]) == (0, 1)
    assert run("documents", "--delete", "doc-x").code == 1


def test_a_question_shows_the_choices_and_an_answer_is_an_option(run: Run, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes("你好".encode("gbk"))
    ran = run("ingest", str(note), "--json")
    assert (ran.code, ran.data["files"][0]["state"]) == (1, "question")
    assert {"encoding": "gb18030", "preview": "你好"} in ran.data["files"][0]["choices"]
    assert run("ingest", str(note), "--encoding", "gbk").code == 0


def test_nothing_to_take_in_is_said(run: Run, tmp_path: Path) -> None:
    assert run("ingest").code == 1
    assert run("ingest", str(tmp_path / "missing.txt")).code == 1
    assert run("ingest", "--content", "  ").code == 1


def test_files_that_another_program_works_on_are_waited_for(
    run: Run, folder: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", "--content", "七点点灯。", "--title", "规程")
    lock = FileLock(library / "ingest.lock")
    lock.acquire()
    looks = count()

    def other_program(_seconds: float) -> None:
        if next(looks) == 1:
            lock.release()

    monkeypatch.setattr("app.commands_documents.time.sleep", other_program)
    ran = run("ingest", str(folder / "手册.md"), "--json")
    assert (ran.code, ran.data["counts"]["done"], next(looks)) == (0, 1, 2)


def test_files_of_a_queue_that_stands_still_stay_in_it(
    run: Run, folder: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("ingest", "--content", "七点点灯。", "--title", "规程")
    monkeypatch.setattr("app.commands_documents.PATIENCE_S", 0.0)
    monkeypatch.setattr("app.commands_documents.LOOK_AGAIN_S", 0.01)
    with FileLock(library / "ingest.lock"):
        ran = run("ingest", str(folder / "手册.md"), "--json")
    assert (ran.code, ran.data["files"][0]["state"]) == (1, "waiting")
