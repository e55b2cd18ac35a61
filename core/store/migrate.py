"""Bring a library's file to the schema of this program, with a backup of the file first."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection

from core.domain.errors import BadFile
from core.domain.schema import MemoryType, RelationType, Schema
from core.store.codecs import encode_record
from core.store.database import Database
from core.store.library import BACKUPS, INDEX, LibraryFiles
from core.store.migrations import MIGRATIONS
from core.store.reading import read_uri, understood

APPLICATION_ID = 0x4D435552
"""Marks a SQLite file as a library of this program ("MCUR")."""


def inspect(path: Path) -> int:
    """The schema version of a library's file; 0 = new or empty file.

    Errors: BadFile for a file that is no SQLite database, is damaged, or belongs to something else.
    """
    if not path.exists() or path.stat().st_size == 0:
        if path.exists() and any((path.parent / rest).exists() for rest in (INDEX, BACKUPS)):
            raise BadFile("error.store.damaged", file=path.name, details="0 bytes")  # a library once full
        return 0
    try:
        with closing(sqlite3.connect(read_uri(path), uri=True)) as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
            application: int = connection.execute("PRAGMA application_id").fetchone()[0]
            tables: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.OperationalError as error:
        raise BadFile("error.store.unreadable", file=path.name, details=str(error)) from error
    except sqlite3.DatabaseError as error:
        raise BadFile("error.store.damaged", file=path.name, details=str(error)) from error
    if tables and application != APPLICATION_ID:
        raise BadFile("error.store.foreign", file=path.name)
    if version > len(MIGRATIONS):
        raise BadFile("error.store.newer", file=path.name, version=version)
    return version


def migrate(database: Database, schema: Schema, now: datetime, backups: Path) -> None:
    """Run the migrations that the file lacks; each is one transaction, so none can be half done.

    A new file gets the built-in types and relations of `schema`.
    """
    version = inspect(database.path)
    if version == len(MIGRATIONS):
        return
    if version:
        from core.domain.health import BackupReason
        from core.store.backups import SqlBackups  # seldom needed: reading commands start without it

        copies = SqlBackups(LibraryFiles(backups.parent), lambda: now)
        copies.make(BackupReason.MIGRATION, f"m{version + 1:03d}")
    for number in range(version, len(MIGRATIONS)):
        with database.writing() as connection:
            if connection.exec_driver_sql("PRAGMA user_version").scalar_one() > number:
                continue  # another process was faster
            MIGRATIONS[number](connection)
            if number == 0:
                _seed(connection, schema)
            connection.exec_driver_sql(f"PRAGMA user_version={number + 1}")
            connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")


def check_readable(path: Path) -> None:
    """Errors: as `inspect`; BadFile too for a file of an older version, which would have to be changed first."""
    try:
        version = inspect(path)
    except BadFile as error:
        if error.key == "error.store.newer" and understood(path, len(MIGRATIONS)):
            return
        raise
    if version < len(MIGRATIONS):
        raise BadFile("error.store.older", file=path.name, version=version)


def _seed(connection: Connection, schema: Schema) -> None:
    groups: tuple[tuple[str, Sequence[MemoryType | RelationType]], ...] = (
        ("memory_type", schema.types),
        ("relation_type", schema.relations),
    )
    for table, items in groups:
        for pk, item in enumerate(items, start=1):
            row = encode_record(item) | {"pk": pk}
            names = ", ".join(f'"{name}"' for name in row)
            places = ", ".join(f":{name}" for name in row)
            connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({places})", row)
        connection.exec_driver_sql("INSERT INTO sequence (kind, next) VALUES (?, ?)", (table, len(items) + 1))
