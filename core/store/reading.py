"""Opening a library's file for reading alone: on a read-only medium, and when a newer program wrote it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from core.domain.errors import BadFile

OLDEST_READER = "oldest_reader"
"""Key in `state`: {"format": n} of the oldest program that reads the file rightly. A migration after which older
programs would read something wrong sets it."""


def can_be_written(database: Path) -> bool:
    """Whether the file and its directory may be written to (SQLite needs both)."""
    return os.access(database.parent, os.W_OK) and (not database.exists() or os.access(database, os.W_OK))


def read_uri(database: Path) -> str:
    """The address at which SQLite opens the file without writing into it.

    Where no files can be made beside it, it must be taken as unchangeable; then nothing may be left in its
    write-ahead log. Errors: BadFile when something is.
    """
    uri = f"{database.resolve().as_uri()}?mode=ro"
    wal, shared = (database.with_name(database.name + rest) for rest in ("-wal", "-shm"))
    if os.access(database.parent, os.W_OK) or (wal.exists() and shared.exists()):
        return uri
    if wal.exists() and wal.stat().st_size:
        raise BadFile("error.store.log_left", file=database.name, path=str(database.parent))
    return f"{uri}&immutable=1"


def understood(database: Path, format_known: int) -> bool:
    """Whether a newer program's file can be read by one that knows formats up to `format_known`.

    So it is when every table and column of ours is there, and the file does not say otherwise (OLDEST_READER).
    """
    from core.store.tables import Base

    try:
        with closing(sqlite3.connect(read_uri(database), uri=True)) as connection:
            for table in Base.metadata.sorted_tables:
                there = {row[1] for row in connection.execute(f'PRAGMA table_info("{table.name}")')}
                if not there.issuperset(column.name for column in table.columns):
                    return False
            row = connection.execute("SELECT value FROM state WHERE key = ?", (OLDEST_READER,)).fetchone()
            return row is None or int(json.loads(row[0])["format"]) <= format_known
    except (sqlite3.Error, BadFile, ValueError, KeyError, TypeError):
        return False
