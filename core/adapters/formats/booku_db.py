"""Opening a Booku metadata.db of any generation without touching it: a copy of the file set is read.

Source: spec/BOOKU §1.4, §1.5; no version is stored, so tables and columns tell.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.adapters.formats.booku_damage import damaged_places, filled_up, rows_around_damage
from core.adapters.formats.problems import INFO, Problems
from core.algos.booku_rows import RECORDS
from core.domain.errors import BadFile
from core.domain.transfer import DATABASE_BROKEN

TAGS = "booku_memory_tags"
MEMOS = "booku_temporary_memos"
SQLITE_MAGIC = b"SQLite format 3\x00"
_WRITE_VERSION_AT = 18
_WAL_VERSION = 2
Cell = str | int | float | bytes | None
Row = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class BookuTables:
    """All rows of a database, as dictionaries of the columns that it has."""

    records: list[dict[str, Cell]]
    tags: list[dict[str, Cell]]
    memos: list[dict[str, Cell]]
    generation: str


def read_tables(path: Path, problems: Problems, *, partly: bool = False) -> BookuTables:
    """The rows of `path` together with what its -wal file holds. The files stay byte for byte as they are.

    `partly`: of a damaged database take the rows that can be read. Errors: BadFile when it is empty, not SQLite,
    damaged, or a database of another program.
    """
    check_sqlite(path)
    _check_wal(path, problems)
    try:
        with copied(path) as copy:
            cut = filled_up(copy)
            with closing(open_read_only(copy)) as connection:
                tables = _tables(connection)
                if RECORDS not in tables:
                    raise BadFile("error.file.sqlite_foreign", name=path.name, tables=_named(tables))
                found, damage = _read(connection, tables)
            damage = cut or damage
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the message may quote damaged names
        raise BadFile("error.file.sqlite_damaged", name=path.name, details=str(error)) from error
    if damage and not found.records:
        raise BadFile("error.file.sqlite_damaged", name=path.name, details=damage)
    if damage and not partly:
        raise BadFile(DATABASE_BROKEN, name=path.name, memories=len(found.records), details=damage)
    if damage:
        problems.add("import.problem.database_damaged", memories=len(found.records))
    return found


def _read(connection: sqlite3.Connection, tables: list[str]) -> tuple[BookuTables, str]:
    """All rows that can be read, and what is damaged in the database; "" for a whole one."""
    damage = damaged_places(connection)
    rows: dict[str, list[dict[str, Cell]]] = {RECORDS: [], TAGS: [], MEMOS: []}
    for table in rows:
        if table not in tables:
            continue
        try:
            rows[table] = _rows(connection, table)
        except sqlite3.DatabaseError as error:
            damage = damage or str(error)
            rows[table] = rows_around_damage(connection, table)
    return BookuTables(rows[RECORDS], rows[TAGS], rows[MEMOS], _generation(connection, tables)), damage


def is_sqlite(path: Path) -> bool:
    """Whether the file begins like an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def check_sqlite(path: Path) -> None:
    """Errors: BadFile when the file is empty or no SQLite database."""
    if path.stat().st_size == 0:
        raise BadFile("error.file.empty", name=path.name)
    if not is_sqlite(path):
        raise BadFile("error.file.not_sqlite", name=path.name)


def _check_wal(path: Path, problems: Problems) -> None:
    """Say so when newer rows may lie in a -wal file that was not given."""
    with path.open("rb") as file:
        file.seek(_WRITE_VERSION_AT)
        wal_mode = file.read(1) == bytes([_WAL_VERSION])
    if wal_mode and not _beside(path, "-wal").exists():
        problems.add("import.problem.no_wal", severity=INFO)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A copy of the database and its -wal in a directory of its own, removed afterwards.

    The -shm file is an index of the -wal that SQLite makes anew: a copied one could be out of step.
    """
    with tempfile.TemporaryDirectory(prefix="memory-curator-") as folder:
        copy = Path(folder) / "metadata.db"
        shutil.copyfile(path, copy)
        if _beside(path, "-wal").exists():
            shutil.copyfile(_beside(path, "-wal"), _beside(copy, "-wal"))
        yield copy


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that cannot write; texts that are not UTF-8 are read too."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.text_factory = _text
    connection.execute("PRAGMA query_only = ON")
    return connection


def _text(data: bytes) -> str:
    """Texts that are not UTF-8 are read too: what cannot be decoded is replaced, never dropped."""
    return data.decode("utf-8", "replace")


def _tables(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [row["name"] for row in found if not row["name"].startswith("sqlite_")]


def _named(tables: list[str]) -> str:
    return ", ".join(tables[:8]) + (" ..." if len(tables) > 8 else "")


def _rows(connection: sqlite3.Connection, table: str) -> list[dict[str, Cell]]:
    order = "id" if table == TAGS and "id" in _columns(connection, table) else "rowid"
    try:
        found = connection.execute(f'SELECT * FROM "{table}" ORDER BY {order}')
    except sqlite3.OperationalError:  # a table WITHOUT ROWID
        found = connection.execute(f'SELECT * FROM "{table}"')
    return [dict(row) for row in found]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row["name"] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _generation(connection: sqlite3.Connection, tables: list[str]) -> str:
    """A, B or C of spec/FORMATS §5."""
    if MEMOS in tables:
        return "C"
    return "B" if "memory_type" in _columns(connection, RECORDS) else "A"
