"""Rows of requests for a person (core.ports.manual_requests.ManualRows)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from core.domain.endpoints import ModelTask
from core.domain.json_types import JsonObject, parse_object
from core.domain.safe_text import storable
from core.ports.clock import Clock
from core.ports.manual_requests import KeptRequest
from core.store.codecs import from_micros, to_micros
from core.store.database import Database
from core.store.filters import among, key_list

_COLUMNS = "pk, task, work, rest, text, reply, used, created_at"


class SqlManualRequests:
    """Not journaled and not undone: what is made of the replies is."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, task: ModelTask, text: str, work: str = "") -> int:
        """A request that waits; its number."""
        now = to_micros(self._clock())
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO manual_request (key, task, work, rest, text, used, created_at, updated_at)"
                " VALUES (?, ?, ?, '{}', ?, 0, ?, ?) ON CONFLICT (key) DO NOTHING",
                (_key(text), task.value, work, storable(text), now, now),
            )
            number: int = connection.exec_driver_sql(
                "SELECT pk FROM manual_request WHERE key = ?", (_key(text),)
            ).scalar_one()
            return number

    def all(self) -> list[KeptRequest]:
        """All rows, oldest first."""
        with self._database.reading() as connection:
            return _requests(connection, "1 = 1", ())

    def one(self, number: int) -> KeptRequest | None:
        """One row."""
        with self._database.reading() as connection:
            return next(iter(_requests(connection, "pk = ?", (number,))), None)

    def with_text(self, text: str) -> KeptRequest | None:
        """The row of a request with exactly this text."""
        with self._database.reading() as connection:
            return next(iter(_requests(connection, "key = ?", (_key(text),))), None)

    def belongs(self, number: int, work: str, rest: JsonObject) -> None:
        """Say which work a request belongs to."""
        with self._database.writing() as connection:
            before = connection.exec_driver_sql(
                "SELECT work FROM manual_request WHERE pk = ?", (number,)
            ).scalar()
            if before:
                connection.exec_driver_sql(
                    "UPDATE manual_request SET work = ? WHERE work = ?", (work, before)
                )
            connection.exec_driver_sql(
                "UPDATE manual_request SET work = ?, rest = ? WHERE pk = ?", (work, _json(rest), number)
            )

    def answer(self, number: int, reply: str) -> bool:
        """Keep the reply."""
        with self._database.writing() as connection:
            return bool(
                connection.exec_driver_sql(
                    "UPDATE manual_request SET reply = ?, used = 0, updated_at = ? WHERE pk = ?",
                    (storable(reply), to_micros(self._clock()), number),
                ).rowcount
            )

    def mark_used(self, number: int) -> None:
        """The reply was read."""
        with self._database.writing() as connection:
            connection.exec_driver_sql("UPDATE manual_request SET used = 1 WHERE pk = ?", (number,))

    def remove(self, numbers: Iterable[int]) -> int:
        """Forget requests."""
        with self._database.writing() as connection:
            return connection.exec_driver_sql(
                f"DELETE FROM manual_request WHERE {among('pk')}", (key_list(numbers),)
            ).rowcount

    def remove_work(self, work: str) -> int:
        """Forget all requests of a work."""
        with self._database.writing() as connection:
            return connection.exec_driver_sql("DELETE FROM manual_request WHERE work = ?", (work,)).rowcount


def erase_texts(connection: Connection, said: Iterable[str]) -> None:
    """Forget requests that hold one of these texts, of memories that are being erased. Those who ask can ask again."""
    marks = [mark for each in said if (mark := _flat(each))]
    rows = connection.exec_driver_sql("SELECT pk, text, coalesce(reply, '') FROM manual_request").all()
    gone = [row[0] for row in rows if any(mark in _flat(f"{row[1]} {row[2]}") for mark in marks)]
    if gone:
        connection.exec_driver_sql(f"DELETE FROM manual_request WHERE {among('pk')}", (key_list(gone),))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _json(data: JsonObject) -> str:
    return storable(json.dumps(data, ensure_ascii=False))


def _requests(connection: Connection, where: str, parameters: tuple[Any, ...]) -> list[KeptRequest]:
    rows = connection.exec_driver_sql(
        f"SELECT {_COLUMNS} FROM manual_request WHERE {where} ORDER BY pk", parameters
    )
    return [
        KeptRequest(
            number=row[0],
            task=ModelTask(row[1]),
            work=row[2],
            rest=parse_object(row[3]),
            text=row[4],
            reply=row[5],
            used=bool(row[6]),
            asked_at=from_micros(row[7]),
        )
        for row in rows
    ]
