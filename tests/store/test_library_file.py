"""The library's file and lock: migrations, foreign and damaged files, guard, several processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, inspect

from core.domain.errors import BadFile, Invalid, Unavailable
from core.domain.schema_data import default_schema
from core.store import database, migrate, migrations
from core.store.database import Database, UnguardedWrite
from core.store.library import LibraryFiles, LibraryLock
from core.store.store import SqlStore
from core.store.tables import Base


def test_migrated_schema_is_the_one_the_tables_declare(store: SqlStore) -> None:
    found = inspect(store._database.engine)
    for name, table in Base.metadata.tables.items():
        assert [column["name"] for column in found.get_columns(name)] == list(table.columns.keys())
        declared = {index.name for index in table.indexes}
        assert declared <= {index["name"] for index in found.get_indexes(name)}


def test_new_library_has_the_built_in_schema(store: SqlStore) -> None:
    with store.read() as reader:
        schema = reader.schema()
    expected = default_schema()
    assert [item.id for item in schema.types] == [item.id for item in expected.types]
    event, wanted = schema.type("event"), expected.type("event")
    assert event is not None
    assert wanted is not None
    assert event.columns == wanted.columns
    assert [item.id for item in schema.relations] == [item.id for item in expected.relations]


def test_write_outside_a_unit_of_work_is_refused(store: SqlStore) -> None:
    with store._database.reading() as connection, pytest.raises(UnguardedWrite):
        connection.exec_driver_sql("DELETE FROM memory")


def test_locked_file_is_said(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 50)
    second = Database(store.files.database)
    with closing(sqlite3.connect(store.files.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable) as caught, second.writing():
            pass
        assert caught.value.port == "store"
        other.execute("ROLLBACK")
    second.dispose()


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"this is no database" * 100, "error.store.damaged"),
        (b"SQLite format 3\x00" + b"\xff" * 4000, "error.store.damaged"),
    ],
)
def test_damaged_file_is_refused_and_left_alone(files: LibraryFiles, content: bytes, key: str) -> None:
    files.root.mkdir()
    files.database.write_bytes(content)
    with pytest.raises(BadFile) as caught:
        SqlStore(files, default_schema())
    assert caught.value.key == key
    assert files.database.read_bytes() == content


def test_somebody_elses_database_is_refused(files: LibraryFiles) -> None:
    files.root.mkdir()
    with closing(sqlite3.connect(files.database)) as other:
        other.execute("CREATE TABLE notes (text)")
        other.commit()
    before = files.database.read_bytes()
    with pytest.raises(BadFile) as caught:
        SqlStore(files, default_schema())
    assert caught.value.key == "error.store.foreign"
    assert files.database.read_bytes() == before


def test_newer_library_is_refused(store: SqlStore) -> None:
    with store._database.writing() as connection:
        connection.exec_driver_sql("PRAGMA user_version=99")
    with pytest.raises(BadFile) as caught:
        SqlStore(store.files, default_schema())
    assert caught.value.key == "error.store.newer"


def test_migration_backs_up_and_a_failing_one_is_not_marked_done(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def adds(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE added (x)")

    def fails(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x)")
        raise RuntimeError("half way")

    now = datetime(2026, 1, 1, tzinfo=UTC)
    monkeypatch.setattr(migrate, "MIGRATIONS", (*migrations.MIGRATIONS, adds, fails))
    with pytest.raises(RuntimeError, match="half way"):
        migrate.migrate(store._database, default_schema(), now, store.files.backups)
    tables = inspect(store._database.engine).get_table_names()
    assert "added" in tables
    assert "half" not in tables
    with store._database.reading() as connection:
        assert (
            connection.exec_driver_sql("PRAGMA user_version").scalar_one() == len(migrations.MIGRATIONS) + 1
        )
    backup = next(store.files.backups.iterdir())
    with closing(sqlite3.connect(backup / "library.db")) as copy:
        assert copy.execute("SELECT count(*) FROM memory_type").fetchone()[0] == len(default_schema().types)


@pytest.mark.parametrize("name", ["100%20 done", "what?x=1#y", "夜谈 ?mode=ro", "a&b=c;d", 'it\'s "so"'])
def test_library_lies_where_its_name_says(tmp_path: Path, name: str) -> None:
    files = LibraryFiles(tmp_path / name)
    files.root.mkdir()
    SqlStore(files, default_schema()).close()
    assert files.exists
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_library_that_lost_its_content_is_not_taken_for_a_new_one(files: LibraryFiles) -> None:
    files.root.mkdir()
    files.database.touch()
    SqlStore(files, default_schema()).close()  # interrupted before it was made: begin again
    files.database.write_bytes(b"")
    files.index.mkdir()
    with pytest.raises(BadFile) as caught:
        SqlStore(files, default_schema())
    assert caught.value.key == "error.store.damaged"
    assert files.database.stat().st_size == 0


def test_missing_table_and_a_vanished_directory_are_said(store: SqlStore, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store.files.database)) as other:
        other.execute("DROP TABLE tag")
    with pytest.raises(BadFile) as caught, store._database.reading() as connection:
        connection.exec_driver_sql("SELECT * FROM tag")
    assert caught.value.key == "error.store.damaged"
    gone = Database(tmp_path / "gone" / "library.db")
    with pytest.raises(BadFile) as caught, gone.reading():
        pass
    assert caught.value.key == "error.store.unreadable"
    gone.dispose()


def test_something_else_in_place_of_the_lock_is_said(files: LibraryFiles) -> None:
    (files.root / "library.lock").mkdir(parents=True)
    with pytest.raises(Invalid) as caught:
        LibraryLock(files).acquire()
    assert caught.value.key == "error.library.cannot_write"


def test_lock_is_held_once_and_free_again(files: LibraryFiles) -> None:
    first, second = LibraryLock(files), LibraryLock(files)
    assert first.acquire("address-1")
    assert not second.acquire()
    holder = second.holder()
    assert holder is not None
    assert holder.address == "address-1"
    first.release()
    assert second.acquire()
    second.release()


LOCKING = """
    import sys
    from pathlib import Path
    from core.store.library import LibraryFiles, LibraryLock
    lock = LibraryLock(LibraryFiles(Path(sys.argv[1])))
    print("held" if lock.acquire() else "refused", flush=True)
    sys.stdin.read()
"""


def test_five_at_once_exactly_one_holds_and_a_killed_holder_does_not_block(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(LOCKING), str(tmp_path)]
    starts = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(5)
    ]
    answers = [process.stdout.readline().strip() if process.stdout else "" for process in starts]
    assert sorted(answers) == ["held", "refused", "refused", "refused", "refused"]
    for process in starts:
        process.kill()
        process.communicate()
    again = LibraryLock(LibraryFiles(tmp_path))
    assert again.acquire()
    again.release()
