"""Unsaved edits, kept by key until they are saved or thrown away (core.domain.api.Drafts)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.domain.json_types import JsonObject, parse_object
from core.domain.safe_text import storable
from core.ports.clock import Clock
from core.store.codecs import to_micros
from core.store.database import Database


class SqlDrafts:
    """Drafts are no ops: they are not journaled and not undone."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def save(self, key: str, data: JsonObject) -> None:
        """Keep (or replace) the draft of a key."""
        text = storable(json.dumps(data, ensure_ascii=False))
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO draft (key, data, updated_at) VALUES (?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET data = excluded.data, updated_at = excluded.updated_at",
                (key, text, to_micros(self._clock())),
            )

    def get(self, key: str) -> JsonObject | None:
        """The draft of a key."""
        with self._database.reading() as connection:
            text = connection.exec_driver_sql("SELECT data FROM draft WHERE key = ?", (key,)).scalar()
        return None if text is None else parse_object(text)

    def all(self) -> Mapping[str, JsonObject]:
        """All drafts, newest first."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql("SELECT key, data FROM draft ORDER BY updated_at DESC").all()
        return {row[0]: parse_object(row[1]) for row in rows}

    def discard(self, key: str) -> None:
        """Throw the draft of a key away."""
        with self._database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM draft WHERE key = ?", (key,))
