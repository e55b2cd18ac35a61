"""Putting a whole copy in place of a library's file while other programs may have that file open.

SQLite's backup writes the copy as one transaction, and its first step takes the write lock. Only then the present
state is kept (readers go on beside a writer), so that nothing another program wrote is lost between the two.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from core.domain.enums import ActorKind, OpRole, OpState
from core.domain.op_names import RESTORED
from core.store.codecs import to_micros
from core.store.rollback import process_lives

PAGES_A_STEP = 4_000
LOCK_PATIENCE_S = 10.0
"""How long another program may hold the write lock before it counts as writing on and on."""
_WAIT_S = 0.05
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class InUse(Exception):
    """Another program is in the middle of a change; nothing was put in place."""


def is_damage(error: BaseException | None) -> bool:
    """Whether an error says that the file itself is broken, not that it is locked or that there is no room."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    return (_code(error) & 0xFF) in _DAMAGED or str(error).startswith(("no such table", "no such column"))


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0) or 0)


def put_in_place(source: Path, target: Path, keep: Callable[[], None], now: datetime, name: str) -> None:
    """Make `target` hold what the backup `name` at `source` holds, and note that in its history.

    `keep` is called while nobody else can write. Errors: InUse, sqlite3.Error, and those of `keep`; the target is
    unchanged then.
    """
    address = f"{source.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as copy, closing(sqlite3.connect(target)) as into:
        into.execute("PRAGMA journal_mode=WAL")
        newest = _last_op(into)
        copy.execute("BEGIN")
        pages = int(copy.execute("PRAGMA page_count").fetchone()[0])
        step = max(1, min(PAGES_A_STEP, pages - 1))  # the first step must not be the last one
        copy.backup(into, pages=step, progress=_Guard(target, keep), sleep=_WAIT_S)
        _note(into, newest, now, name)


class _Guard:
    """Called after each step of the backup: once the lock is held, the present state is kept."""

    def __init__(self, target: Path, keep: Callable[[], None]) -> None:
        self._target = target
        self._keep = keep
        self._deadline = time.monotonic() + LOCK_PATIENCE_S
        self._kept = False

    def __call__(self, status: int, _left: int, _total: int) -> None:
        if status in _BUSY:
            if time.monotonic() > self._deadline:
                raise InUse
        elif not self._kept:
            self._kept = True
            if _half_done(self._target):
                raise InUse
            self._keep()


def _half_done(target: Path) -> bool:
    """Whether a program that lives is in the middle of a change that it commits piece by piece."""
    with closing(sqlite3.connect(target)) as connection:
        pids = connection.execute("SELECT DISTINCT pid FROM op WHERE state = 'open'").fetchall()
    return any(pid != os.getpid() and process_lives(pid) for (pid,) in pids)


def _last_op(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(pk), 0) FROM op").fetchone()[0])


def _note(into: sqlite3.Connection, newest: int, now: datetime, name: str) -> None:
    """A line in the history. Its number is above all that were in use: programs that have the library open see it,
    and read anew what they kept. Changes that were half done when the backup was made are left to the next start.
    """
    into.isolation_level = None
    into.execute("PRAGMA busy_timeout=10000")
    into.execute("BEGIN IMMEDIATE")
    into.execute("UPDATE op SET pid = ? WHERE state = 'open'", (os.getpid(),))
    into.execute(
        'INSERT INTO op (pk, label, args, actor_kind, actor_name, session, pid, "at", role, state, undoable, "rows",'
        " memories) VALUES (?, ?, ?, ?, '', '', ?, ?, ?, ?, 0, 0, 0)",
        (
            max(newest, _last_op(into)) + 1,
            RESTORED,
            json.dumps({"name": name}, ensure_ascii=False),
            ActorKind.PERSON.value,
            os.getpid(),
            to_micros(now),
            OpRole.CHANGE.value,
            OpState.COMPLETE.value,
        ),
    )
    into.execute("COMMIT")


def set_aside(database: Path, backups: Path, now: datetime) -> None:
    """Keep a damaged file beside the backups as it is, with what is left in its write-ahead log."""
    backups.mkdir(parents=True, exist_ok=True)
    target = backups / f"damaged-{now:%Y%m%dT%H%M%S}.db"
    for rest in ("", "-wal"):
        part = database.with_name(database.name + rest)
        if part.exists():
            shutil.copyfile(part, target.with_name(target.name + rest))


def replace_file(source: Path, database: Path) -> None:
    """For a file that cannot even be written into."""
    beside = database.with_suffix(".restored")
    shutil.copyfile(source, beside)
    for rest in ("-wal", "-shm"):
        database.with_name(database.name + rest).unlink(missing_ok=True)
    beside.replace(database)
