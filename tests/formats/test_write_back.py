"""An edited folder goes back into the file it came from, and says the same in another library."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.domain.commands import CreateMemory, EditMemory, NewMemory, TrashMemories
from core.domain.commands_folders import CreateFolder
from core.domain.errors import UserError
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.queries_write_back import PreviewWriteBack, SourceChangesOf, SourceOf, WriteBack
from core.domain.source_file import Becomes, FolderSource, SourceState
from core.domain.transfer import ExportReport
from tests.formats import chats
from tests.formats.booku_files import booku, record
from tests.formats.desk import CASES, EXPORTS, Desks, FilesDesk, edge, node


def _graph() -> dict[str, object]:
    nodes = [node("one"), node("two", fields={"summary": "second"}, seq=2, seqRange=[2, 2])]
    return {"version": 3, "lastProcessedSeq": 2, "nodes": nodes, "edges": [edge("e", "one", "two")]}


def _stbme(place: Path) -> Path:
    path = place / "graph.json"
    path.write_text(json.dumps(_graph(), ensure_ascii=False), encoding="utf-8")
    return path


def _chat(place: Path) -> Path:
    return chats.write_chat(
        place / "艾琳.jsonl", [chats.header(st_bme_graph=_graph(), note=1), *chats.floors(4)]
    )


def _booku(place: Path) -> Path:
    records = [record("m1"), record("m2", folder_id="other"), record("m3", bucket="inherent")]
    return booku(place / "bot" / "metadata.db", records, [("m1", "core", "灯塔")], [])


def _worldinfo(place: Path) -> Path:
    entries = {
        str(uid): {
            "uid": uid,
            "key": [f"键{uid}"],
            "comment": f"标题{uid}",
            "content": f"内容{uid}",
            "order": 7,
        }
        for uid in range(3)
    }
    path = place / "book.json"
    path.write_text(json.dumps({"entries": entries, "extensions": {"x": 1}}, ensure_ascii=False), "utf-8")
    return path


def _png(place: Path) -> Path:
    return Path(shutil.copy(CASES / "c207_itxt.png", place / "card.png"))


def _charx(place: Path) -> Path:
    return Path(shutil.copy(CASES / "c216_card.charx", place / "card.charx"))


def _mem0(place: Path) -> Path:
    path = place / "mem0.json"
    rows = [{"id": f"r{n}", "memory": f"likes tea {n}", "user_id": "ann"} for n in range(3)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def _markdown(place: Path) -> Path:
    path = place / "notes"
    path.mkdir()
    for n in range(3):
        text = (
            f'---\nid: "mem-{n:032x}"\ntitle: "Note {n}"\ntype: "knowledge"\nfolder: "notes"\n---\nText {n}\n'
        )
        (path / f"note{n}.md").write_text(text, encoding="utf-8")
    (path / "plain.txt").write_text("mine", encoding="utf-8")
    return path


MAKERS = (_stbme, _chat, _booku, _worldinfo, _png, _charx, _mem0, _markdown)


def _take(desk: FilesDesk, path: Path) -> FolderPk:
    desk.take(path)
    with desk.store.read() as reader:
        folders = reader.all_records(Folder)
        return next(f.pk for f in folders if reader.memories_in(f.pk))


def _memories(desk: FilesDesk) -> list[Memory]:
    with desk.store.read() as reader:
        return reader.all_records(Memory)


def _said(desk: FilesDesk) -> set[tuple[object, ...]]:
    return {(m.title, m.body, m.type, m.layer) for m in _memories(desk) if m.deleted_at is None}


def _edit(desk: FilesDesk, folder: FolderPk) -> MemoryPk:
    with desk.store.read() as reader:
        pk = MemoryPk(reader.memories_in(folder)[0])
        is_character = reader.records(Memory, [pk])[0].type == "character"
    edit = EditMemory(memory=pk, body="钟楼地下有一扇暗门。")
    desk.engine.run(EditMemory(memory=pk, title="艾琳·钟") if is_character else edit)
    return pk


def _source(desk: FilesDesk, folder: FolderPk) -> FolderSource:
    found = desk.engine.ask(SourceOf(folder))
    assert found is not None
    return found


def _write(desk: FilesDesk, folder: FolderPk, **how: object) -> ExportReport:
    return desk.engine.ask(WriteBack(folder=folder, **how))  # type: ignore[arg-type]  # names of its fields


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__[1:])
def test_edited_folder_written_back_says_the_same_elsewhere(
    make: Callable[[Path], Path], desks: Desks, tmp_path: Path
) -> None:
    desk, path = desks("one"), make(tmp_path)
    folder = _take(desk, path)
    assert _source(desk, folder).changes == 0
    _edit(desk, folder)
    assert _source(desk, folder).changes == 1
    preview = desk.engine.ask(PreviewWriteBack(folder))
    assert (preview.state, preview.obstacle) == (SourceState.SAME, None)
    assert preview.totals[Becomes.CHANGED] == 1
    report = _write(desk, folder)
    assert any(problem.key == "export.problem.backup" for problem in report.problems)
    assert [each for each in path.parent.iterdir() if each.name.endswith(".bak")]
    assert _source(desk, folder).changes == 0
    assert _source(desk, folder).written
    other = desks("two")
    _take(other, path)
    assert _said(other) == _said(desk)
    again = desk.engine.ask(PreviewWriteBack(folder))
    assert (again.state, sum(again.totals.values()), again.relations) == (SourceState.SAME, 0, 0)


def test_real_export_comes_back_with_nothing_else_changed(desks: Desks, tmp_path: Path) -> None:
    path = Path(shutil.copy(next(iter(sorted(EXPORTS.glob("small*.json")))), tmp_path / "real.json"))
    desk = desks("one")
    folder = _take(desk, path)
    _edit(desk, folder)
    preview = desk.engine.ask(PreviewWriteBack(folder))
    assert preview.totals == {Becomes.NEW: 0, Becomes.CHANGED: 1, Becomes.GONE: 0}
    assert preview.relations == 0


def test_edit_taken_back_is_no_change(desks: Desks, tmp_path: Path) -> None:
    desk = desks("one")
    folder = _take(desk, _stbme(tmp_path))
    _edit(desk, folder)
    desk.engine.undo()
    assert _source(desk, folder).changes == 0
    desk.engine.redo()
    assert _source(desk, folder).changes == 1
    _write(desk, folder)
    desk.engine.undo()  # writing back is not undone, the edit is
    assert _source(desk, folder).changes == 1


def test_new_and_trashed_memories_are_differences(desks: Desks, tmp_path: Path) -> None:
    desk = desks("one")
    folder = _take(desk, _stbme(tmp_path))
    desk.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body="x")))
    with desk.store.read() as reader:
        desk.engine.run(TrashMemories(memories=(MemoryPk(reader.memories_in(folder)[0]),)))
    preview = desk.engine.ask(PreviewWriteBack(folder))
    assert preview.totals == {Becomes.NEW: 1, Becomes.CHANGED: 0, Becomes.GONE: 1}
    assert _source(desk, folder).changes == 2


def test_file_changed_on_disk_is_replaced_only_on_purpose(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _stbme(tmp_path)
    folder = _take(desk, path)
    _edit(desk, folder)
    path.write_text(path.read_text("utf-8").replace("second", "third"), "utf-8")
    before = path.read_bytes()
    assert desk.engine.ask(PreviewWriteBack(folder)).state is SourceState.CHANGED
    with pytest.raises(UserError, match="changed"):
        _write(desk, folder)
    assert path.read_bytes() == before
    _write(desk, folder, path=tmp_path / "copy.json")
    assert path.read_bytes() == before
    assert _source(desk, folder).changes == 1
    _write(desk, folder, replace_changed=True)
    assert path.read_bytes() != before
    assert _source(desk, folder).changes == 0


def test_file_touched_without_a_change_is_the_same(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _booku(tmp_path)
    folder = _take(desk, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    assert desk.engine.ask(PreviewWriteBack(folder)).state is SourceState.SAME


def test_database_in_use_is_refused(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _booku(tmp_path)
    folder = _take(desk, path)
    _edit(desk, folder)
    holder = (
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('PRAGMA journal_mode=WAL');"
        "c.execute('SELECT count(*) FROM booku_memory_records').fetchall(); print('on', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        with pytest.raises(UserError, match="in_use"):
            _write(desk, folder, replace_changed=True)
        other.communicate(b"\n")


def test_database_with_other_tables_is_not_replaced(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _booku(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE moods (name TEXT)")
    folder = _take(desk, path)
    with pytest.raises(UserError, match="tables"):
        _write(desk, folder)


def test_all_folders_of_a_database_go_back_together(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _booku(tmp_path)
    folder = _take(desk, path)
    assert len(_source(desk, folder).folders) == 2
    _write(desk, folder)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM booku_memory_records").fetchone() == (3,)


def test_missing_file_leaves_a_copy_as_the_way_out(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _stbme(tmp_path)
    folder = _take(desk, path)
    path.unlink()
    with pytest.raises(UserError, match="gone"):
        _write(desk, folder)
    _write(desk, folder, path=tmp_path / "copy.json")
    assert (tmp_path / "copy.json").exists()


def test_chat_keeps_its_floors_and_package_its_files(desks: Desks, tmp_path: Path) -> None:
    desk, path = desks("one"), _chat(tmp_path)
    lines = path.read_text("utf-8").splitlines()[1:]
    folder = _take(desk, path)
    _edit(desk, folder)
    _write(desk, folder)
    assert path.read_text("utf-8").splitlines()[1:] == lines
    packed = _charx(tmp_path)
    with zipfile.ZipFile(packed) as package:
        names = package.namelist()
    card = desks("two")
    _write(card, _take(card, packed))
    with zipfile.ZipFile(packed) as package:
        assert package.namelist() == names
        assert package.testzip() is None


def test_folder_made_here_came_from_no_file(desks: Desks) -> None:
    desk = desks("one")
    folder = desk.engine.run(CreateFolder("mine")).created_folder
    assert folder is not None
    assert desk.engine.ask(SourceOf(folder)) is None
    with pytest.raises(UserError, match="no_source"):
        _write(desk, folder)


def test_changes_since_the_import_are_listed_as_one_without_what_was_taken_back(
    desks: Desks, tmp_path: Path
) -> None:
    desk = desks("one")
    folder = _take(desk, _stbme(tmp_path))
    with desk.store.read() as reader:
        pk = MemoryPk(reader.memories_in(folder)[0])
        before = reader.records(Memory, [pk])[0].body
    desk.engine.run(EditMemory(memory=pk, body="first"))
    second = desk.engine.run(EditMemory(memory=pk, body="second", aliases=("a name",)))
    desk.engine.run(EditMemory(memory=pk, importance=9.5))
    desk.engine.undo()
    new = NewMemory(folder=folder, type=TypeId("event"), body="quite new")
    desk.engine.run(CreateMemory(new))
    other = desk.engine.run(CreateFolder("elsewhere")).created_folder
    assert other is not None
    desk.engine.run(CreateMemory(NewMemory(folder=other, type=TypeId("event"), body="not here")))
    found = desk.engine.ask(SourceChangesOf(folder))
    assert found is not None
    told = {(row.row.kind.value, row.row.action): row for row in found.rows}
    assert set(told) == {("memory", "changed"), ("alias", "created"), ("memory", "created")}
    changed = told["memory", "changed"]
    assert dict(changed.row.before) == {"body": before}
    assert dict(changed.row.after) == {"body": "second"}
    assert changed.row.type == "event"
    assert told["alias", "created"].row.after["value"] == "a name"
    assert second.op is not None
    assert told["alias", "created"].op.id == second.op.id
    assert found.total == 3
    assert desk.engine.ask(SourceChangesOf(other)) is None
    _write(desk, folder)
    after = desk.engine.ask(SourceChangesOf(folder))
    assert after is not None
    assert (after.rows, after.total, after.source.written) == ((), 0, True)
