"""Rows of background work (core.ports.jobs.Jobs)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection

from core.domain.json_types import JsonObject, parse_object
from core.domain.safe_text import storable
from core.ports.clock import Clock
from core.ports.jobs import Job
from core.store.codecs import from_micros, to_micros
from core.store.database import Database
from core.store.filters import among, key_list

_COLUMNS = "pk, kind, state, data, done, total, error, created_at, updated_at"


class SqlJobs:
    """Not journaled and not undone: what the work writes is."""

    def __init__(self, database: Database, clock: Clock, directory: Path) -> None:
        self._database = database
        self._clock = clock
        self._directory = directory

    def add(self, kind: str, state: str, items: Sequence[JsonObject]) -> list[int]:
        """New rows, in order."""
        now = to_micros(self._clock())
        sql = (
            "INSERT INTO job (kind, state, data, done, total, error, created_at, updated_at)"
            " VALUES (?, ?, ?, 0, 0, '', ?, ?) RETURNING pk"
        )
        with self._database.writing() as connection:
            return [
                connection.exec_driver_sql(sql, (kind, state, _text(item), now, now)).scalar_one()
                for item in items
            ]

    def all(self, kind: str) -> list[Job]:
        """All rows of a kind, oldest first."""
        with self._database.reading() as connection:
            return _jobs(connection, "kind = ? ORDER BY pk", (kind,))

    def some(self, kind: str, state: str, limit: int, *, newest: bool = False) -> list[Job]:
        """The first rows in a state."""
        order = "DESC" if newest else "ASC"
        with self._database.reading() as connection:
            return _jobs(
                connection, f"kind = ? AND state = ? ORDER BY pk {order} LIMIT ?", (kind, state, limit)
            )

    def counts(self, kind: str) -> dict[str, int]:
        """How many rows are in each state."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT state, count(*) FROM job WHERE kind = ? GROUP BY state", (kind,)
            )
            return {str(state): int(count) for state, count in rows}

    def one(self, pk: int) -> Job | None:
        """One row."""
        with self._database.reading() as connection:
            return next(iter(_jobs(connection, "pk = ?", (pk,))), None)

    def take(self, kind: str, state: str, taken: str) -> Job | None:
        """The oldest row in a state, put into another one."""
        with self._database.writing() as connection:
            found = _jobs(connection, "kind = ? AND state = ? ORDER BY pk LIMIT 1", (kind, state))
            if not found:
                return None
            connection.exec_driver_sql(
                "UPDATE job SET state = ?, updated_at = ? WHERE pk = ?",
                (taken, to_micros(self._clock()), found[0].pk),
            )
            return found[0]

    def move(self, pks: Iterable[int], states: Iterable[str], to: str) -> int:
        """Put rows that are in one of these states into another."""
        with self._database.writing() as connection:
            result = connection.exec_driver_sql(
                f"UPDATE job SET state = ?, updated_at = ? WHERE {among('pk')} AND {among('state')}",
                (to, to_micros(self._clock()), key_list(pks), key_list(states)),
            )
            return result.rowcount

    def save(
        self, pk: int, state: str, data: JsonObject, *, done: int = 0, total: int = 0, error: str = ""
    ) -> None:
        """How far a row is."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE job SET state = ?, data = ?, done = ?, total = ?, error = ?, updated_at = ? WHERE pk = ?",
                (state, _text(data), done, total, error, to_micros(self._clock()), pk),
            )

    def remove(self, pks: Iterable[int]) -> int:
        """Forget rows."""
        with self._database.writing() as connection:
            return connection.exec_driver_sql(
                f"DELETE FROM job WHERE {among('pk')}", (key_list(pks),)
            ).rowcount

    @contextmanager
    def working(self, kind: str) -> Iterator[bool]:
        """Whether this program may work on the rows now."""
        lock = FileLock(self._directory / f"{kind}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()


def _text(data: JsonObject) -> str:
    return storable(json.dumps(data, ensure_ascii=False))


def _jobs(connection: Connection, where: str, parameters: tuple[Any, ...]) -> list[Job]:
    rows = connection.exec_driver_sql(f"SELECT {_COLUMNS} FROM job WHERE {where}", parameters).all()
    return [
        Job(
            pk=row[0],
            kind=row[1],
            state=row[2],
            data=parse_object(row[3]),
            done=row[4],
            total=row[5],
            error=row[6],
            created_at=from_micros(row[7]),
            updated_at=from_micros(row[8]),
        )
        for row in rows
    ]
