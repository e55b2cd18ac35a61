"""The SQLite file: connections, transactions, and the guard that keeps writes inside units of work."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from core.domain.access import ReadOnly
from core.domain.api import Cancel
from core.domain.errors import BadFile, Cancelled, ReadOnlyLibrary, Unavailable
from core.store.reading import read_uri
from core.store.search_functions import add_functions

BUSY_TIMEOUT_MS = 10_000
CACHE_KIB = 32_768
CHECKPOINT_PAGES = 8_000
"""The write-ahead log is folded in every 32 MB: at SQLite's 4 MB a large op would wait for the disk at each chunk."""
WAL_KEPT_BYTES = 64 << 20
STEPS_BETWEEN_LOOKS = 20_000
"""Steps of SQLite's machine."""
_INTERRUPTED = "interrupted"
_WRITES = ("insert", "update", "delete", "replace")
_WRITER = "curator_writer"


WORDS_VIEW = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.recall_words USING fts5vocab('main', 'memory_fts', 'row')"
)
PLACES_VIEW = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.recall_places USING fts5vocab('main', 'memory_fts', 'instance')"
)
"""Views of the full-text index for one connection: nothing of them is written to the file."""


class UnguardedWrite(RuntimeError):
    """DML outside a unit of work: a bug, since it would bypass the journal."""


class Database:
    """One SQLite file in WAL mode. Readers see a snapshot; writers queue (BEGIN IMMEDIATE).

    With `read_only` the file is opened so that SQLite itself writes nothing into it.
    """

    def __init__(self, path: Path, read_only: ReadOnly | None = None) -> None:
        self.path = path
        self.read_only = read_only
        self._write_lock = threading.RLock()
        self._engine = create_engine(
            URL.create("sqlite", database=str(path)),  # a path in a text of a URL would be cut at "?"
            pool_size=8,
            max_overflow=8,
            connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
            **({} if read_only is None else {"creator": self._connect_to_read}),
        )
        event.listen(self._engine, "connect", _configure if read_only is None else _configure_reader)
        event.listen(self._engine, "begin", _begin)
        event.listen(self._engine, "before_cursor_execute", _guard)

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine (migrations only)."""
        return self._engine

    def _connect_to_read(self) -> sqlite3.Connection:
        return sqlite3.connect(
            read_uri(self.path), uri=True, timeout=BUSY_TIMEOUT_MS / 1000, check_same_thread=False
        )

    @contextmanager
    def reading(self, cancel: Cancel | None = None) -> Iterator[Connection]:
        """A connection with one consistent view; with `cancel` a statement ends in its middle.

        Errors: Unavailable("store"), BadFile, Cancelled.
        """
        with _said(self.path), self._engine.connect() as connection, connection.begin():
            if cancel is None:
                yield connection
                return
            with _ended_by(connection, cancel):
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection that holds the write lock until it is left; commits unless an error leaves it.

        Errors: Unavailable("store") when another program keeps the file locked for too long, ReadOnlyLibrary.
        """
        if self.read_only is not None:
            raise ReadOnlyLibrary(self.read_only)
        with self._write_lock, _said(self.path), self._engine.connect() as plain:
            connection = plain.execution_options(**{_WRITER: True})
            with connection.begin():
                yield connection

    def dispose(self) -> None:
        """Close all connections."""
        self._engine.dispose()


@contextmanager
def _ended_by(connection: Connection, cancel: Cancel) -> Iterator[None]:
    """Lets SQLite look at a cancel token every few tenths of a millisecond. Errors: Cancelled."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.set_progress_handler(lambda: cancel.cancelled, STEPS_BETWEEN_LOOKS)
    try:
        yield
    except (sqlite3.OperationalError, OperationalError) as error:
        if cancel.cancelled and _INTERRUPTED in str(error):
            raise Cancelled from error
        raise
    finally:
        driver.set_progress_handler(None, 0)


def _configure(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions are begun by _begin
    add_functions(connection)
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    cursor.execute(f"PRAGMA journal_size_limit={WAL_KEPT_BYTES}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA secure_delete=FAST")
    cursor.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
    cursor.close()


def _configure_reader(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    add_functions(connection)
    cursor = connection.cursor()
    for view in (WORDS_VIEW, PLACES_VIEW):  # later nothing can be made any more, not even in memory
        cursor.execute(view)
    cursor.execute("PRAGMA query_only=ON")
    cursor.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writer = connection.get_execution_options().get(_WRITER, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writer else "BEGIN")


def _guard(
    connection: Connection,
    _cursor: object,
    statement: str,
    _parameters: object,
    _context: Any,
    _many: bool,
) -> None:
    if statement.lstrip()[:7].lower().startswith(_WRITES) and not connection.get_execution_options().get(
        _WRITER, False
    ):
        raise UnguardedWrite(statement[:80])


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Turns the driver's errors into the domain's."""
    try:
        yield
    except (OperationalError, sqlite3.OperationalError) as error:
        if "locked" in str(error) or "busy" in str(error):
            raise Unavailable("store", "locked", key="error.store.locked") from error
        if "readonly" in str(error) or "disk is full" in str(error) or "disk I/O" in str(error):
            raise Unavailable("store", _cause(error)) from error
        if "unable to open" in str(error):
            raise BadFile("error.store.unreadable", file=path.name, details=_cause(error)) from error
        if "no such table" in str(error) or "no such column" in str(error):
            raise BadFile("error.store.damaged", file=path.name, details=_cause(error)) from error
        raise
    except (DatabaseError, sqlite3.DatabaseError) as error:
        if "malformed" in str(error) or "not a database" in str(error):
            raise BadFile("error.store.damaged", file=path.name, details=_cause(error)) from error
        raise


def _cause(error: Exception) -> str:
    """What the driver said; rows are read from it directly, so its own errors come too."""
    return str(getattr(error, "orig", error))
