"""Booku databases: every generation in, the newest out, nothing lost and no original touched."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.adapters.chroma_files import read_collections
from core.adapters.formats.booku_db import BookuTables, Cell
from core.adapters.formats.booku_read import plan_of
from core.adapters.formats.booku_rows import COLUMNS
from core.adapters.formats.problems import Problems
from core.adapters.formats.values import EPOCH
from core.domain.commands import EditMemory
from core.domain.commands_folders import RenameFolder
from core.domain.enums import Layer, Status
from core.domain.errors import BadFile, UserError
from core.domain.json_types import canonical
from core.domain.queries_transfer import ExportFolder, FindFiles
from core.domain.schema_data import default_schema
from core.domain.transfer import Format, ImportPlan, PlannedMemory
from tests.formats.booku_files import T0, booku, record
from tests.formats.desk import CASES, EXPORTS, FilesDesk, rows

RECORDS, TAGS, MEMOS = "booku_memory_records", "booku_memory_tags", "booku_temporary_memos"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def problem_keys(plan: ImportPlan) -> set[str]:
    return {problem.key.removeprefix("import.problem.") for problem in plan.problems}


def by_key(plan: ImportPlan) -> dict[str, PlannedMemory]:
    return {memory.key: memory for memory in plan.memories}


def full_database(root: Path) -> Path:
    """One row of each type, links, tags and a memo: all clean."""
    records = [
        record(
            "mem-1",
            memory_type="person",
            person_id="qq:1",
            relation_aliases='["小艾", "Erin"]',
            title="艾琳",
            content="# 艾琳\n守夜人",
        ),
        record(
            "mem-2",
            memory_type="event",
            event_start_at=T0,
            event_end_at=T0 + 60,
            related_people='["艾琳", "路人"]',
            relation_memory_ids='["mem-3"]',
            activation_count=4,
            last_activated_at=T0 + 9,
        ),
        record("mem-3", memory_type="place", address_or_coord="31,121", place_type="tower", folder_id="work"),
        record("mem-4", memory_type="asset", disposition_status="in_use", status="archived", is_archived=1),
        record("mem-5", memory_type="procedure", procedure_type="cooking", is_deleted=1, deleted_at=T0 + 5),
        record("mem-6", title="", content="no heading at all"),
        record(
            "kb-doc-0123456789abcdef0123456789abcdef-0001",
            title="《灯塔手册》-片段1：点灯",
            bucket="knowledge",
            content="灯要每晚点亮",
            novelty_energy=1.0,
        ),
    ]
    tags = [
        ("mem-1", "tag", "Keeper"),
        ("mem-1", "core", "灯"),
        ("mem-1", "diffusion", "海"),
        ("mem-1", "opposing", "火"),
    ]
    memos = [("memo-1", "s1", "feed the cat", T0 + 7200, T0, T0)]
    return booku(root / "data" / "metadata.db", records, tags, memos)


def exported(desk: FilesDesk, source: Path, name: str = "out") -> Path:
    """Import all folders and export them to a new directory."""
    result, folders = desk.take(source), desk.plan(source).folders
    first = result.created_folder
    assert first is not None
    also = tuple(type(first)(first + index) for index in range(1, len(folders)))
    target = desk.root / name
    desk.engine.ask(ExportFolder(folder=first, also=also, format=Format.BOOKU, path=target))
    return target / "metadata.db"


def test_clean_database_goes_out_row_by_row(desk: FilesDesk) -> None:
    source = full_database(desk.root)
    out = exported(desk, source)
    assert rows(out, RECORDS) == sorted(
        ({column: row[column] for column in rows(out, RECORDS)[0]} for row in rows(source, RECORDS)),
        key=lambda row: row["memory_id"],
    )
    tags = [
        Counter((r["memory_id"], r["tag_type"], r["tag_value"]) for r in rows(p, TAGS)) for p in (source, out)
    ]
    assert tags[0] == tags[1]
    assert rows(out, MEMOS) == rows(source, MEMOS)


def test_exported_database_is_one_file_of_the_newest_generation(desk: FilesDesk) -> None:
    out = exported(desk, full_database(desk.root))
    assert [path.name for path in out.parent.glob("metadata.db*")] == ["metadata.db"]
    with closing(sqlite3.connect(out)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
        columns = connection.execute(f"PRAGMA table_info({RECORDS})").fetchall()
        indexes = {row[1] for row in connection.execute("SELECT * FROM sqlite_master WHERE type = 'index'")}
    assert [row[1] for row in columns][:7] == [
        "memory_id",
        "title",
        "folder_id",
        "bucket",
        "content",
        "source",
        "memory_type",
    ]
    assert [row[1] for row in columns if not row[3]] == ["person_id"]
    assert all(row[4] is None for row in columns)
    assert {"idx_booku_memory_type_status", "idx_booku_temporary_memos_stream_id"} <= indexes


def test_import_of_the_export_gives_the_same_plan(desk: FilesDesk) -> None:
    source = full_database(desk.root)
    first, second = desk.plan(source), desk.plan(exported(desk, source))
    assert second.counts == first.counts
    assert by_key(second) == by_key(first)
    assert second.edges == first.edges


@pytest.mark.parametrize("case", ["c312_booku_v1", "c315_booku_dirty", "c318_booku_wal"])
def test_import_of_an_exported_old_or_dirty_database_gives_the_same_memories(
    desk: FilesDesk, case: str
) -> None:
    source = CASES / case / "metadata.db"
    before = {path.name: digest(path) for path in source.parent.iterdir()}
    first, second = desk.plan(source), desk.plan(exported(desk, source))
    read, again = by_key(first), by_key(second)
    assert read.keys() == again.keys()
    for key, memory in read.items():
        shown = (memory.layer, memory.status, memory.title, memory.body, memory.tags, memory.deleted_at)
        other = again[key]
        assert shown == (other.layer, other.status, other.title, other.body, other.tags, other.deleted_at)
    assert {path.name: digest(path) for path in source.parent.iterdir()} == before


def test_links_become_relations_and_unknown_names_stay(desk: FilesDesk) -> None:
    plan = desk.plan(full_database(desk.root))
    assert [(e.source, e.target, e.relation) for e in plan.edges] == [
        ("mem-2", "mem-1", "involved_in"),
        ("mem-2", "mem-3", "related"),
    ]
    event = next(m for m in plan.memories if m.key == "mem-2")
    assert event.fields["related_people"] == ["路人"]
    assert plan.memories[0].aliases == ("小艾", "Erin")
    assert [d.title for d in plan.documents] == ["《灯塔手册》"]


def test_name_of_two_persons_is_left_in_the_fields(desk: FilesDesk) -> None:
    persons = [record(f"p{i}", memory_type="person", person_id=f"qq:{i}", title="Bo") for i in (1, 2)]
    source = booku(
        desk.root / "metadata.db", [*persons, record("e", memory_type="event", related_people='["Bo"]')]
    )
    plan = desk.plan(source)
    assert plan.edges == ()
    assert plan.memories[2].fields["related_people"] == ["Bo"]


def test_old_layers_are_told_apart_and_given_back(desk: FilesDesk) -> None:
    buckets = ["inherent", "emergent", "archived", "knowledge", "memory", "weird", "", "EMERGENT"]
    records = [record(f"m{i}", bucket=bucket) for i, bucket in enumerate(buckets)]
    source = booku(desk.root / "metadata.db", records, typed=False)
    plan = desk.plan(source)
    assert [m.layer for m in plan.memories] == [
        Layer.INHERENT,
        Layer.EMERGENT,
        Layer.MEMORY,
        Layer.KNOWLEDGE,
        Layer.MEMORY,
        Layer.MEMORY,
        Layer.MEMORY,
        Layer.EMERGENT,
    ]
    assert [m.status for m in plan.memories][2] is Status.ARCHIVED
    assert [row["bucket"] for row in rows(exported(desk, source), RECORDS)] == buckets


@pytest.mark.parametrize(
    "drop", [("is_archived", "source"), ("updated_at", "novelty_energy"), ("title",), ("folder_id",)]
)
def test_missing_columns_take_their_defaults(desk: FilesDesk, drop: tuple[str, ...]) -> None:
    source = booku(desk.root / "metadata.db", [record("a")], drop=drop)
    memory = desk.plan(source).memories[0]
    assert (memory.title, memory.body) == ("title a", "body of a")
    assert memory.type == "knowledge"
    assert len(rows(exported(desk, source), RECORDS)) == 1


def test_edited_memory_goes_out_changed_and_the_rest_as_it_was(desk: FilesDesk) -> None:
    source = full_database(desk.root)
    folder = desk.take(source).created_folder
    desk.engine.run(EditMemory(memory=desk.memory(folder, "mem-6").pk, title="Now", body="with heading"))
    desk.engine.run(EditMemory(memory=desk.memory(folder, "mem-2").pk, fields={"event_end_at": None}))
    desk.export(folder, Format.BOOKU, desk.root / "out")
    found = {row["memory_id"]: row for row in rows(desk.root / "out" / "metadata.db", RECORDS)}
    assert found["mem-6"]["content"] == "# Now\nwith heading"
    assert found["mem-2"]["event_end_at"] == 0
    assert found["mem-2"]["related_people"] == '["艾琳", "路人"]'


def test_folder_keeps_its_spelling_until_it_is_renamed(desk: FilesDesk) -> None:
    source = booku(desk.root / "metadata.db", [record("a", folder_id="默认 / 二 周目 ")])
    desk.take(source)
    folder = desk.take(source).created_folder
    assert folder is not None
    assert desk.bundle(folder).folder.name == "默认/二 周目 (2)"
    desk.export(folder, Format.BOOKU, desk.root / "one")
    assert rows(desk.root / "one" / "metadata.db", RECORDS)[0]["folder_id"] == "默认 / 二 周目 "
    desk.engine.run(RenameFolder(folder=folder, name="other"))
    desk.export(folder, Format.BOOKU, desk.root / "two")
    assert rows(desk.root / "two" / "metadata.db", RECORDS)[0]["folder_id"] == "other"


def test_times_in_milliseconds_are_read_as_such(desk: FilesDesk) -> None:
    source = booku(desk.root / "metadata.db", [record("a", created_at=1751328000000.0, updated_at="soon")])
    plan = desk.plan(source)
    assert plan.memories[0].created_at == datetime(2025, 7, 1, tzinfo=UTC)
    assert problem_keys(plan) == {"other_time_unit", "bad_time"}


def test_database_in_wal_mode_without_its_wal_says_so(desk: FilesDesk) -> None:
    copy = desk.root / "metadata.db"
    copy.write_bytes((CASES / "c318_booku_wal" / "metadata.db").read_bytes())
    plan = desk.plan(copy)
    assert problem_keys(plan) == {"no_wal"}
    assert len(plan.memories) == 1


def test_database_in_use_is_read_with_its_newest_rows_and_left_alone(desk: FilesDesk) -> None:
    source = booku(desk.root / "live" / "metadata.db", [record("a")])
    with closing(sqlite3.connect(source)) as bot:
        bot.execute("PRAGMA journal_mode = WAL")
        bot.execute("UPDATE booku_memory_records SET title = 'newest'")
        bot.commit()
        before = {path.name: digest(path) for path in source.parent.iterdir()}
        assert desk.plan(source).memories[0].title == "newest"
        assert {path.name: digest(path) for path in source.parent.iterdir()} == before


def test_foreign_empty_and_damaged_files_are_refused_and_left_alone(desk: FilesDesk) -> None:
    foreign = desk.root / "notes.db"
    with closing(sqlite3.connect(foreign)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
    torn = desk.root / "torn.db"
    torn.write_bytes(full_database(desk.root).read_bytes()[:9000])
    garbled = desk.root / "garbled.db"
    garbled.write_bytes(
        full_database(desk.root / "g").read_bytes().replace(b"CREATE TABLE", b"CREATE\xb1TABLE")
    )
    hollow = desk.root / "hollow.db"
    hollow.write_bytes(b"")
    refused = {
        foreign: "sqlite_foreign",
        torn: "sqlite_damaged_partly",
        garbled: "sqlite_damaged",
        hollow: "empty",
    }
    for path, key in refused.items():
        before = digest(path)
        with pytest.raises(BadFile) as caught:
            desk.plan(path)
        assert caught.value.key == f"error.file.{key}"
        assert digest(path) == before


def test_vectors_go_to_a_chroma_folder_that_is_noticed_at_import(desk: FilesDesk) -> None:
    out = exported(desk, full_database(desk.root))
    collections = {
        each.name: each for each in read_collections(out.parent / "chroma_db" / "booku_memory", vectors=True)
    }
    assert set(collections) == {
        "booku_memory__knowledge",
        "booku_memory__memory__default",
        "booku_memory__memory__work",
    }
    assert collections["booku_memory__memory__default"].count == 4
    assert collections["booku_memory__memory__work"].ids == ("mem-3",)
    plan = desk.plan(out)
    noted = next(problem for problem in plan.problems if problem.key == "import.problem.vectors_not_reused")
    assert (noted.args["vectors"], noted.args["collections"], noted.args["dims"]) == (6, 3, "3")


def test_folder_name_that_chroma_refuses_is_named_and_its_rows_are_written(desk: FilesDesk) -> None:
    folder = desk.take(booku(desk.root / "metadata.db", [record("a", folder_id="二 周目")])).created_folder
    report = desk.export(folder, Format.BOOKU, desk.root / "out")
    assert [problem.key for problem in report.problems] == ["export.problem.collection_name"]
    assert len(rows(desk.root / "out" / "metadata.db", RECORDS)) == 1


def test_graph_goes_out_as_a_booku_database(desk: FilesDesk) -> None:
    folder = desk.take(EXPORTS / "small_15_zh.json").created_folder
    report = desk.export(folder, Format.BOOKU, desk.root / "out.db")
    assert report.counts["memories"] == 15
    assert "export.problem.relation_kind" in {problem.key for problem in report.problems}
    assert len(desk.plan(desk.root / "out.db").memories) == 15


def test_booku_folder_goes_out_as_a_graph(desk: FilesDesk) -> None:
    folder = desk.take(full_database(desk.root)).created_folder
    written = desk.graph_after(folder)
    assert [item["id"] for item in written["nodes"]][:2] == ["mem-1", "mem-2"]
    assert [item["relation"] for item in written["edges"]] == ["involved_in"]


def test_row_with_nulls_of_an_old_database_goes_out_with_defaults(desk: FilesDesk) -> None:
    path = desk.root / "metadata.db"
    booku(path, [record("a", memory_type="event")])
    columns = [name for name in COLUMNS if name != "memory_id"]
    # a table without NOT NULL, as tools copy it, with a column of its own
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE plain AS SELECT *, NULL AS own FROM {RECORDS}")
        connection.execute(f"DROP TABLE {RECORDS}")
        connection.execute(f"ALTER TABLE plain RENAME TO {RECORDS}")
        connection.execute(f"UPDATE {RECORDS} SET {', '.join(f'{name} = NULL' for name in columns)}")
    out = desk.root / "out.db"
    desk.export(desk.take(path).created_folder, Format.BOOKU, out)
    (row,) = rows(out, RECORDS)
    assert [name for name, value in row.items() if value is None] == ["person_id"]
    assert (row["memory_id"], row["memory_type"], row["bucket"]) == ("a", "knowledge", "memory")


def test_existing_target_is_replaced_only_when_allowed(desk: FilesDesk) -> None:
    folder = desk.take(full_database(desk.root)).created_folder
    for target, path in ((Format.BOOKU, desk.root / "dir"), (Format.STBME, desk.root / "file.json")):
        desk.export(folder, target, path)
        with pytest.raises(UserError) as caught:
            desk.export(folder, target, path)
        assert caught.value.key == "error.export.exists"
        desk.export(folder, target, path, overwrite=True)
    (desk.root / "dir" / "metadata.db-wal").write_bytes(b"old")
    others = [desk.root / "dir" / "notes.txt", desk.root / "dir" / "chroma_db" / "of_another" / "data.bin"]
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.write_bytes(b"mine")
    old_segment = desk.root / "dir" / "chroma_db" / "booku_memory" / "old.bin"
    old_segment.write_bytes(b"old")
    desk.export(folder, Format.BOOKU, desk.root / "dir", overwrite=True)
    assert not (desk.root / "dir" / "metadata.db-wal").exists()
    assert not old_segment.exists()
    assert [other.read_bytes() for other in others] == [b"mine", b"mine"]
    assert not list(desk.root.glob(".*"))


def test_export_goes_only_where_a_file_can_stand(desk: FilesDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = desk.take(full_database(desk.root)).created_folder
    pipe = desk.root / "pipe.json"
    os.mkfifo(pipe)  # stands for every device
    monkeypatch.chdir(desk.root)
    for target in (Format.STBME, Format.BOOKU):
        for path in (pipe, Path(), desk.root / ("n" * 300 + ".json"), pipe / "x.json"):
            if target is Format.BOOKU and path == Path():
                continue
            with pytest.raises(UserError) as caught:
                desk.export(folder, target, path, overwrite=True)
            assert caught.value.key == "error.export.cannot_write"
    assert pipe.is_fifo()
    assert not list(desk.root.glob(".*"))


def test_exported_file_has_the_rights_of_any_new_file(desk: FilesDesk) -> None:
    folder = desk.take(full_database(desk.root)).created_folder
    (desk.root / "other").touch()
    for target, name in ((Format.STBME, "graph.json"), (Format.BOOKU, "out.db")):
        desk.export(folder, target, desk.root / name)
        assert (desk.root / name).stat().st_mode == (desk.root / "other").stat().st_mode


def test_directory_lists_what_can_be_imported(desk: FilesDesk) -> None:
    place = desk.root / "mixed"
    full_database(place)
    (place / "chats").mkdir()
    (place / "chats" / "graph.json").write_bytes((EXPORTS / "small_15_zh.json").read_bytes())
    (place / "chats" / "plain.jsonl").write_text('{"user_name": "a", "chat_metadata": {}}\n{"mes": "x"}')
    (place / "chats" / "cut.json").write_bytes((EXPORTS / "small_15_zh.json").read_bytes()[:9000])
    found = {each.path.name: each for each in desk.engine.ask(FindFiles(place))}
    assert {name: each.format for name, each in found.items()} == {
        "graph.json": Format.STBME,
        "cut.json": None,
        "plain.jsonl": Format.CHAT,
        "metadata.db": Format.BOOKU,
    }
    assert found["graph.json"].counts["memories"] == 15
    with pytest.raises(BadFile) as caught:
        desk.plan(place)
    assert caught.value.key == "error.file.several_found"
    assert len(desk.plan(place / "data").memories) == 7


cells = st.none() | st.integers(-(2**62), 2**62) | st.floats() | st.text(max_size=12) | st.binary(max_size=6)
any_records = st.lists(st.dictionaries(st.sampled_from(list(COLUMNS)), cells, max_size=12), max_size=5)
any_tags = st.lists(
    st.fixed_dictionaries({"memory_id": cells, "tag_type": cells, "tag_value": cells}), max_size=4
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    records=any_records,
    tags=any_tags,
    memos=st.lists(st.dictionaries(st.text(max_size=9), cells), max_size=2),
)
def test_no_content_of_rows_breaks_the_reader(
    records: list[dict[str, Cell]], tags: list[dict[str, Cell]], memos: list[dict[str, Cell]]
) -> None:
    tables = BookuTables(records=records, tags=tags, memos=memos, generation="C")
    plan = plan_of(tables, default_schema(), Problems(), name="any.db", fallback_time=EPOCH)
    keys = [memory.key for memory in plan.memories]
    assert len(keys) == len(set(keys)) == len(records)
    assert {memory.folder for memory in plan.memories} <= {folder.key for folder in plan.folders}
    for memory in plan.memories:
        canonical(memory.extra)
        canonical(memory.fields).encode()


def test_unknown_columns_leave_as_they_came(desk: FilesDesk) -> None:
    path = booku(desk.root / "in.db", [record("mem-1"), record("mem-2")])
    table = "booku_memory_records"
    with closing(sqlite3.connect(path)) as connection, connection:
        for name, kind in (("mood", "TEXT"), ("Weight kg", "REAL"), ("from", "INTEGER")):
            connection.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" {kind}')
        connection.execute(f'UPDATE {table} SET "Weight kg" = 1.5, "from" = 7 WHERE memory_id = \'mem-2\'')
        connection.execute(f"UPDATE {table} SET mood = '晴' WHERE memory_id = 'mem-1'")
    out = desk.root / "out.db"
    desk.export(desk.take(path).created_folder, Format.BOOKU, out)
    found = {row["memory_id"]: row for row in rows(out, table)}
    assert (found["mem-2"]["Weight kg"], found["mem-2"]["from"], found["mem-2"]["mood"]) == (1.5, 7, None)
    assert (found["mem-1"]["Weight kg"], found["mem-1"]["from"], found["mem-1"]["mood"]) == (None, None, "晴")
    assert desk.plan(out).memories[0].extra["booku"] == desk.plan(path).memories[0].extra["booku"]


def test_database_is_named_after_its_directory(desk: FilesDesk) -> None:
    plan = desk.plan(booku(desk.root / "艾琳的机器人" / "metadata.db", [record("m1")]))
    assert plan.source_name == "艾琳的机器人/metadata.db"
    assert plan.folders[0].origin["file"] == "艾琳的机器人/metadata.db"


def _many(place: Path) -> bytes:
    rows_ = [record(f"m{number}", content="字" * 300, created_at=T0 + number) for number in range(200)]
    return booku(place / "metadata.db", rows_, [("m1", "core", "灯塔")], []).read_bytes()


def _ruined(whole: bytes, fault: str) -> bytes:
    """The database without its last tenth, or with a page of rows (13) or of an index (10) overwritten."""
    if fault == "cut":
        return whole[: len(whole) * 9 // 10]
    kind = 13 if fault == "rows" else 10
    found = [at for at in range(4096, len(whole), 4096) if whole[at] == kind]
    at = found[len(found) // 2]
    return whole[:at] + b"\xa5" * 4096 + whole[at + 4096 :]


@pytest.mark.parametrize("fault", ["rows", "cut", "index"])
def test_rows_beside_the_damage_are_offered_and_never_taken_unasked(
    tmp_path: Path, fault: str, desk: FilesDesk
) -> None:
    path = tmp_path / "metadata.db"
    path.write_bytes(_ruined(_many(tmp_path), fault))
    before = digest(path)
    with pytest.raises(BadFile) as refused:
        desk.plan(path)
    assert refused.value.key == "error.file.sqlite_damaged_partly"
    plan = desk.plan(path, partly=True)
    left = len(plan.memories)
    assert left == refused.value.text_args["memories"]
    assert (left == 200) is (fault == "index")
    assert left > 150
    assert all("字" * 300 in memory.body for memory in plan.memories)
    assert "import.problem.database_damaged" in {problem.key for problem in plan.problems}
    assert digest(path) == before


def test_value_that_a_column_forbids_is_no_damage(tmp_path: Path, desk: FilesDesk) -> None:
    path = tmp_path / "metadata.db"
    path.write_bytes(_many(tmp_path))
    for old, new in (("title TEXT NOT NULL", "title TEXT"), ("title TEXT", "title TEXT NOT NULL")):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?)", (old, new))
        if new == "title TEXT":
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(f"UPDATE {RECORDS} SET title = NULL WHERE memory_id = 'm7'")
    assert len(desk.plan(path).memories) == 200
