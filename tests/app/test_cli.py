"""The command line on real files: what a person or a script gets, and with which code it ends."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app import cli, container, crash, writers
from core.domain import commands_folders as cf
from core.domain.queries import FolderByName, ListMemories
from core.settings import Settings
from tests.app.conftest import DATA, MEDIUM, SMALL, Run
from tests.formats.chats import floors, header, said, write_chat


def ids(run: Run, *filters: str) -> list[str]:
    return [item["id"] for item in run("list", "--json", "--limit", "0", *filters).data["items"]]


def test_dry_run_says_what_would_come_in_and_leaves_nothing(run: Run, library: Path) -> None:
    ran = run("import", SMALL, "--dry-run", "--json")
    assert ran.code == 0
    report = ran.data["files"][0]
    assert (report["counts"]["memories"], report["counts"]["edges"]) == (15, 13)
    assert (report["ok"], report["imported"]) == (True, False)
    assert not library.exists()


def test_dry_run_on_a_library_changes_nothing(run: Run) -> None:
    run("import", SMALL)
    before = ids(run)
    assert run("import", MEDIUM, "--dry-run").code == 0
    assert ids(run) == before


def test_both_exports_come_in_although_their_ids_collide(run: Run) -> None:
    ran = run("import", SMALL, MEDIUM, "--json")
    assert ran.code == 0
    assert [report["written"]["memories"] for report in ran.data["files"]] == [15, 300]
    listed = run("list", "--json").data
    assert (listed["total"], listed["shown"], len(listed["items"])) == (315, 50, 50)
    assert {item["name"]: item["memories"] for item in run("folders", "--json").data["items"]} == {
        "small_15_zh": 15,
        "medium_300_zh": 300,
    }


def test_round_trip_gives_the_same_graph(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    ran = run("export", "small_15_zh", "--format", "stbme", "--to", tmp_path / "out.json", "--json")
    assert ran.code == 0
    original, written = (json.loads(path.read_text("utf-8")) for path in (SMALL, tmp_path / "out.json"))
    for node in original["nodes"]:
        node["embedding"] = None
    assert written == original
    again = run("export", "small_15_zh", "--to", tmp_path / "out.json")
    assert again.code == 1
    assert run("export", "small_15_zh", "--to", tmp_path / "out.json", "--overwrite").code == 0


def test_file_with_doubts_waits_for_yes(run: Run) -> None:
    file = DATA / "cases" / "c305_no_version.json"
    ran = run("import", file)
    assert ran.code == 1
    assert "--yes" in ran.out
    assert run("list", "--json").data["total"] == 0
    assert run("import", file, "--yes").code == 0
    assert run("list", "--json").data["total"] == 10


def test_bad_file_is_said_and_does_not_keep_the_good_one_out(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"nodes": [', "utf-8")
    ran = run("import", bad, tmp_path / "missing.json", SMALL, "--json")
    assert ran.code == 1
    first, second, third = ran.data["files"]
    assert first["error"]["key"].startswith("error.file.")
    assert "bad.json" in first["error"]["text"]
    assert second["error"]["key"] == "error.file.missing"
    assert third["imported"]


def test_directory_with_several_files_gives_all_of_them(run: Run, tmp_path: Path) -> None:
    several = tmp_path / "several"
    several.mkdir()
    for file in (SMALL, MEDIUM):
        shutil.copy(file, several)
    ran = run("import", several, "--json")
    assert ran.code == 0
    assert sorted(Path(report["file"]).name for report in ran.data["files"]) == [MEDIUM.name, SMALL.name]
    assert run("list", "--json").data["total"] == 315


def test_booku_directory_comes_in_and_goes_out(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "booku"
    shutil.copytree(DATA / "cases" / "c312_booku_v1", source)
    ran = run("import", source, "--json")
    assert (ran.code, ran.data["files"][0]["format"]) == (0, "booku")
    name = run("folders", "--json").data["items"][0]["name"]
    out = tmp_path / "out.db"
    assert run("export", name, "--format", "booku", "--to", out).code == 0
    assert out.exists()


@pytest.mark.parametrize("inside", ["library.db", ".", "backups/x.json", "new/x.json"])
def test_export_never_goes_into_a_library(run: Run, library: Path, tmp_path: Path, inside: str) -> None:
    run("import", SMALL)
    other = tmp_path / "other"
    shutil.copytree(library, other)
    for place in (library, other):
        before = {each: each.read_bytes() for each in place.rglob("*.db")}
        for kind in ("stbme", "booku"):
            ran = run(
                "export", "small_15_zh", "--format", kind, "--to", place / inside, "--overwrite", "--json"
            )
            assert (ran.code, ran.data["error"]["key"]) == (1, "error.export.in_library")
        assert {each: each.read_bytes() for each in place.rglob("*.db")} == before
    assert run("list").code == 0


def test_list_filters_sorts_and_says_how_many_are_left_out(run: Run) -> None:
    run("import", MEDIUM)
    ran = run("list", "--type", "character", "--limit", "3")
    assert ran.out.count("mem-") == 3
    assert "Showing 3 of" in ran.out
    listed = run("list", "--type", "rule", "--sort", "importance", "--limit", "0", "--json").data
    values = [item["importance"] for item in listed["items"]]
    assert values == sorted(values, reverse=True)
    assert {item["type"] for item in listed["items"]} == {"rule"}
    archived = run("list", "--status", "archived", "--json", "--limit", "1").data
    assert archived["total"] == 182
    assert run("list", "--min-importance", "9", "--json").data["total"] < 300


@pytest.mark.parametrize(
    ("arguments", "code", "key"),
    [
        (("list", "--type", "nothing"), 1, "error.schema.type_unknown"),
        (("list", "--folder", "nothing"), 1, "error.folder.unknown"),
        (("list", "--limit", "-1"), 1, "error.cli.limit"),
        (("history", "--limit", "-1"), 1, "error.cli.limit"),
        (("search", "x", "--meaning", "--limit", "-1"), 1, "error.cli.limit"),
        (("show", "nothing"), 1, "error.memory.unknown_ids"),
        (("undo", "--op", "99"), 1, "error.undo.unknown"),
        (("redo",), 1, "error.redo.nothing"),
        (("export", "nothing", "--to", "x.json"), 1, "error.folder.unknown"),
    ],
)
def test_errors_come_in_words_with_a_key(run: Run, arguments: tuple[str, ...], code: int, key: str) -> None:
    run("import", SMALL)
    ran = run(*arguments, "--json")
    assert ran.code == code
    assert ran.data["error"]["key"] == key
    spoken = run(*arguments)
    assert spoken.err.strip() == ran.data["error"]["text"]
    assert "{" not in spoken.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("list", "--nothing"),
        ("list", "--sort", "x"),
        ("list", "--limit", "1.5"),
        ("undo", "--op", "9" * 30),
        ("move", "x"),
        ("import",),
    ],
)
def test_wrong_usage_ends_with_two(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 2


@pytest.mark.parametrize("name", ["钟" * 200, "a\x00b", "\ud83d"])
@pytest.mark.parametrize("before", [("import",), ("verify",), ("export", "x", "--format", "mcz", "--to")])
def test_name_that_no_file_can_have_is_said(run: Run, name: str, before: tuple[str, ...]) -> None:
    ran = run(*before, name, "--json")
    assert (ran.code, ran.data["error"]["key"]) == (1, "error.cli.path")


def test_missing_library_is_said_and_not_made(run: Run, library: Path) -> None:
    ran = run("list")
    assert ran.code == 1
    assert str(library) in ran.err
    assert not library.exists()


def test_library_path_that_is_a_file_is_said(run: Run, library: Path) -> None:
    library.write_text("x")
    assert run("import", SMALL).code == 1
    assert library.read_text() == "x"


def test_foreign_database_in_its_place_is_left_alone(run: Run, library: Path) -> None:
    library.mkdir()
    (library / "library.db").write_bytes(b"not a database, far from it" * 100)
    assert run("list").code == 1
    assert (library / "library.db").read_bytes().startswith(b"not a database")


def test_edit_move_trash_and_their_undo(run: Run) -> None:
    run("import", SMALL)
    pk = ids(run, "--type", "character")[0]
    assert run("edit", pk, "--set", "state=tired", "--importance", "9", "--tag", "x").code == 0
    shown = run("show", pk, "--json").data["items"][0]
    assert (shown["fields"]["state"], shown["importance"], shown["tags"]["general"]) == ("tired", 9.0, ["x"])
    assert run("edit", pk, "--importance", "9").out.startswith("Nothing was changed")
    assert run("move", pk, "--to", "new/place").code == 1
    assert run("move", pk, "--to", "new/place", "--create").code == 0
    assert run("trash", pk, "--json").data["changed"] == 1
    assert ids(run, "--trash", "inside") == [pk]
    assert run("restore", pk).code == 0
    for _ in range(5):
        assert run("undo").code == 0
    shown = run("show", pk, "--json").data["items"][0]
    assert (shown["folder"], shown["tags"]["general"]) == ("small_15_zh", [])
    assert shown["importance"] != 9.0
    assert [item["name"] for item in run("folders", "--json").data["items"]] == ["small_15_zh"]
    assert run("redo", "--json").data["restored"] > 0


def test_show_tells_people_where_a_memory_stands(run: Run) -> None:
    run("import", SMALL)
    rule = ids(run, "--type", "rule")[0]
    run("edit", rule, "--importance", "7")
    shown = run("show", rule).out
    assert "Importance: 7\n" in shown
    assert "Floor: " in shown
    assert "Id in the file: " in shown
    run("trash", rule)
    assert "In the trash: " in run("show", rule).out


def test_column_that_a_type_does_not_have_is_refused(run: Run) -> None:
    run("import", SMALL)
    place = ids(run, "--type", "location")[0]
    before = run("show", place, "--json").data
    ran = run("edit", place, "--set", "stat=open")
    assert ran.code == 1
    assert "“stat”" in ran.err
    assert "state" in ran.err
    assert run("show", place, "--json").data == before


def test_errors_say_what_to_type_next(run: Run, tmp_path: Path) -> None:
    run("import", SMALL)
    memory = ids(run)[0]
    assert "--create" in run("move", memory, "--to", "nowhere yet").err
    assert "--create" not in run("list", "--folder", "nowhere yet").err
    run("export", "small_15_zh", "--to", tmp_path / "out.json")
    assert "--overwrite" in run("export", "small_15_zh", "--to", tmp_path / "out.json").err
    broken = tmp_path / "broken.json"
    broken.write_text(SMALL.read_text("utf-8")[:4000], encoding="utf-8")
    assert "--partly" in run("import", broken).out
    (tmp_path / "note.md").write_text("# A note\n\nOf paper.", encoding="utf-8")
    assert "`ingest`" in run("import", tmp_path / "note.md").out


def test_history_marks_what_was_undone(run: Run) -> None:
    run("import", SMALL)
    run("edit", ids(run)[0], "--tag", "x")
    run("undo")
    undo, edit, _ = run("history").out.splitlines()
    assert edit.endswith("(undone)")
    assert not undo.endswith("(undone)")


def test_undo_of_an_older_change_that_was_built_on_is_a_conflict(run: Run) -> None:
    run("import", SMALL)
    pk = ids(run, "--type", "character")[0]
    first = run("edit", pk, "--title", "one", "--json").data["op"]
    run("edit", pk, "--title", "two")
    ran = run("undo", "--op", str(first))
    assert ran.code == 3
    assert "--partly" in ran.err
    assert run("undo", "--op", str(first), "--json").data["error"]["key"] == "conflict.undo"


def test_import_is_one_change_that_undo_takes_back(run: Run) -> None:
    run("import", MEDIUM)
    assert run("undo", "--op", "1").code == 0
    assert run("list", "--json", "--trash", "both").data["total"] == 0
    entries = run("history", "--json").data["items"]
    assert [entry["role"] for entry in entries] == ["undo", "change"]
    assert entries[1]["text"] == "Imported medium_300_zh.json (300 memories)"


def test_foreign_ids_are_accepted_where_they_are_clear(run: Run) -> None:
    run("import", SMALL, MEDIUM)
    foreign = json.loads(SMALL.read_text("utf-8"))["nodes"][0]["id"]
    assert run("show", foreign, "--folder", "small_15_zh").code == 0
    ran = run("show", foreign)
    assert ran.code == 1
    assert "several" in ran.err


def test_chinese_words_are_found_and_messages_follow_the_language(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("import", SMALL)
    assert run("search", "灯塔", "--json").data["total"] > 0
    assert run("search", "不存在的词").out.strip() == "Nothing found."
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert run("search", "不存在的词").out.strip() == "没有找到。"


def test_verify_names_what_breaks_a_rule(run: Run) -> None:
    run("import", SMALL)
    assert run("verify").code == 0
    run("import", DATA / "cases" / "c315_booku_dirty")
    ran = run("verify", "--json")
    assert ran.code == 1
    assert {"check.types", "check.person_id"} <= {problem["key"] for problem in ran.data["problems"]}


def test_rebuild_then_search_by_meaning(run: Run) -> None:
    run("import", SMALL)
    ran = run("rebuild", "--json")
    assert (ran.code, ran.data["indexed"], ran.data["waiting_for_index"]) == (0, 15, 0)
    assert run("verify", "--json").data["index"] == "chroma"
    found = run("search", "港口小镇的灯", "--meaning", "--limit", "3", "--json").data
    assert found["shown"] == 3
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)


# --- beside a window -------------------------------------------------------------------------


def test_commands_work_beside_the_window_that_keeps_the_library(run: Run, library: Path) -> None:
    run("import", SMALL)
    window = container.open_library(library, writers.person(), Settings(), keep=True)
    try:
        window.keep_indexed()
        assert window.drainer is not None
        assert window.drainer.wait_until_idle(60)
        heard: list[int] = []
        window.engine.subscribe(lambda changes: heard.append(changes.op.id))
        pk = ids(run)[0]
        assert run("edit", pk, "--importance", "1").code == 0
        assert window.engine.poll()
        assert heard
        assert run("rebuild").code == 1
        assert run("verify", "--json").data["index"] == "elsewhere"
        with pytest.raises(Exception, match="in_use"):
            container.open_library(library, writers.person(), Settings(), keep=True)
    finally:
        window.close()
    assert run("undo").code == 0


def test_undo_of_the_command_line_leaves_the_window_s_changes_alone(run: Run, library: Path) -> None:
    run("import", SMALL)
    window = container.open_library(library, writers.person(), Settings(), keep=True)
    try:
        folder = window.engine.ask(FolderByName("small_15_zh"))
        assert folder is not None
        run("trash", ids(run)[0])
        window.engine.run(cf.RenameFolder(folder.pk, "mine"))
        assert run("undo").code == 0
        assert len(window.engine.ask(ListMemories())) == 15
        assert window.engine.ask(FolderByName("mine")) is not None
    finally:
        window.close()


def test_window_drains_what_commands_left(run: Run, library: Path) -> None:
    run("import", SMALL)
    window = container.open_library(library, writers.person(), Settings(), keep=True)
    try:
        window.keep_indexed()
        assert window.drainer is not None
        assert window.drainer.wait_until_idle(60)
    finally:
        window.close()
    report = run("verify", "--json").data
    assert (report["healthy"], report["waiting_for_index"]) == (True, 0)


# --- crashes ---------------------------------------------------------------------------------


def test_bug_is_reported_without_text_of_memories(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> int:
        raise RuntimeError("secret words of a memory")

    monkeypatch.setattr(cli, "run", broken)
    monkeypatch.setattr(crash.paths, "log_dir", lambda: tmp_path / "logs")
    ran = run("folders")
    assert ran.code == 1
    report = next((tmp_path / "logs").iterdir())
    assert str(report) in ran.err
    text = report.read_text("utf-8")
    assert "RuntimeError" in text
    assert "broken" in text
    assert "secret" not in text + ran.err


def test_chat_and_lorebooks_of_a_directory_come_in_and_go_out(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "drop"
    shutil.copytree(DATA / "cases" / "c213_shared", place)
    write_chat(place / "夜谈.jsonl", [header(), *floors(3)])
    ran = run("import", place, "--json")
    assert (ran.code, [report["ok"] for report in ran.data["files"]]) == (0, [True] * 4)
    assert {report["format"] for report in ran.data["files"]} == {"card", "chat", "worldinfo"}
    folders = {item["name"]: item for item in run("folders", "--json").data["items"]}
    assert {name: item["memories"] for name, item in folders.items()} == {
        "博": 1,
        "艾琳": 1,
        "镇志": 1,
        "夜谈": 0,
    }
    again = run("import", place, "--json").data["files"]
    assert [report["op"] for report in again] == [None] * 4
    entry = ids(run, "--folder", "镇志")
    out = tmp_path / "out.json"
    ran = run("export", "--format", "worldinfo", "--to", out, "--ids", *entry, "--json")
    assert (ran.code, ran.data["counts"]["memories"]) == (0, 1)
    assert list(json.loads(out.read_text("utf-8"))["entries"]["0"]["key"]) == ["钟楼"]
    assert run("export", "--format", "worldinfo", "--to", out).code == 1


def test_changed_chat_waits_for_yes(run: Run, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "夜谈.jsonl", [header(), *floors(4)])
    run("import", path)
    write_chat(path, [header(), *floors(2), said("改了。"), *floors(3, start=3)])
    report = run("import", path, "--dry-run", "--json").data["files"][0]
    assert (report["counts"]["changed_floors"], report["counts"]["new_floors"]) == (1, 2)
    waiting = run("import", path, "--json")
    assert (waiting.code, waiting.data["files"][0]["imported"]) == (1, False)
    done = run("import", path, "--yes", "--json").data["files"][0]
    assert done["written"]["changed_floors"] == 1
    assert run("import", path, "--as-new", "--json").data["files"][0]["written"]["messages"] == 6
    target = tmp_path / "copy.jsonl"
    assert run("export", "夜谈", "--format", "chat", "--to", target).code == 0
    assert target.read_bytes().split(b"\n", 1)[1] == path.read_bytes().split(b"\n", 1)[1]
