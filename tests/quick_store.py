"""New libraries for tests: a copy of one that the real migrations made, and no waiting for the disk.

A power cut is nothing that a test can play, so SQLite need not sync; a killed process loses nothing by that.
Programs that a test starts do everything themselves.
"""

from __future__ import annotations

import sqlite3
import tempfile
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.domain.schema import Schema
from core.domain.schema_data import default_schema
from core.store import database, store
from core.store.database import Database
from core.store.library import LibraryFiles

_migrate, _configure = store.migrate, database._configure


def install(patch: pytest.MonkeyPatch) -> None:
    """From now on new libraries with the built-in types are copies."""
    patch.setattr(store, "migrate", migrate)
    patch.setattr(database, "_configure", _unsynced)


def migrate(to: Database, schema: Schema, now: datetime, backups: Path) -> None:
    """As core.store.migrate.migrate, which also has the last word on the copy."""
    files = LibraryFiles(to.path.parent)
    if schema == default_schema() and not any(
        path.exists() for path in (files.database, files.index, files.backups)
    ):
        files.database.write_bytes(_empty())
    _migrate(to, schema, now, backups)


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        files = LibraryFiles(Path(directory))
        made = Database(files.database)
        _migrate(made, default_schema(), datetime.now().astimezone(), files.backups)
        made.dispose()
        return files.database.read_bytes()


def _unsynced(connection: sqlite3.Connection, entry: Any) -> None:
    _configure(connection, entry)
    connection.execute("PRAGMA synchronous=OFF")
