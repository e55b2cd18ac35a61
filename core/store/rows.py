"""Raw row changes of one transaction, and what they leave to be derived afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.store.codecs import FIELDS
from core.store.filters import among, key_list

Row = dict[str, Any]
"""Column values as the database holds them."""

TEXT_COLUMNS = frozenset({"title", "body", "fields", "type"})
INDEX_COLUMNS = TEXT_COLUMNS | {"folder", "layer", "status", "deleted_at"}


@dataclass(slots=True)
class Dirty:
    """Memories whose derived columns (`text`) or index entry (`index`) must follow; `types` whose
    memories must; `gone` = id by pk of deleted memories."""

    text: set[int] = field(default_factory=set)
    index: set[int] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    gone: dict[int, str] = field(default_factory=dict)

    def clear(self) -> None:
        """Nothing is dirty any more."""
        self.text.clear()
        self.index.clear()
        self.types.clear()
        self.gone.clear()


class RowWriter:
    """Inserts, updates and deletes rows of the kinds that ops change. No journal, no rules."""

    def __init__(self, connection: Connection, dirty: Dirty) -> None:
        self._connection = connection
        self._dirty = dirty

    def reserve(self, kind: Kind, count: int) -> range:
        """`count` fresh keys of a kind."""
        row = self._connection.exec_driver_sql(
            "SELECT next FROM sequence WHERE kind = ?", (kind.value,)
        ).one_or_none()
        first: int = 1 if row is None else row[0]
        self._connection.exec_driver_sql(
            "INSERT INTO sequence (kind, next) VALUES (?, ?)"
            " ON CONFLICT (kind) DO UPDATE SET next = excluded.next",
            (kind.value, first + count),
        )
        return range(first, first + count)

    def fetch(self, kind: Kind, pks: Iterable[int], columns: Sequence[str] | None = None) -> dict[int, Row]:
        """Present rows by pk; `columns` None = all."""
        names = ("pk", *columns) if columns is not None else FIELDS[kind]
        listed = ", ".join(f'"{name}"' for name in names)
        with self._connection.exec_driver_sql(
            f"SELECT {listed} FROM {kind.value} WHERE {among('pk')}", (key_list(pks),)
        ) as found:
            return {row[0]: dict(zip(names, row, strict=True)) for row in found.cursor.fetchall()}

    def insert(self, kind: Kind, rows: Sequence[Row]) -> None:
        """Insert whole rows with their keys."""
        names = FIELDS[kind]
        listed = ", ".join(f'"{name}"' for name in names)
        places = ", ".join("?" * len(names))
        self._connection.exec_driver_sql(
            f"INSERT INTO {kind.value} ({listed}) VALUES ({places})",
            list(map(itemgetter(*names), rows)),
        )
        if kind is Kind.MEMORY:
            keys = [row["pk"] for row in rows]
            self._dirty.text.update(keys)
            self._dirty.index.update(keys)
        elif kind in (Kind.TAG, Kind.ALIAS):
            self._dirty.text.update(row["memory"] for row in rows)

    def update(self, kind: Kind, values: Mapping[int, Row]) -> None:
        """Set columns of rows, different ones each."""
        shapes: dict[tuple[str, ...], list[tuple[Any, ...]]] = defaultdict(list)
        for pk, row in values.items():
            shapes[tuple(row)].append((*row.values(), pk))
        for names, parameters in shapes.items():
            self._connection.exec_driver_sql(
                f"UPDATE {kind.value} SET {self._assign(kind, names)} WHERE pk = ?", parameters
            )
            self._mark(kind, names, (row[-1] for row in parameters))

    def update_same(self, kind: Kind, pks: Sequence[int], row: Row) -> None:
        """Set the same columns on many rows."""
        self._connection.exec_driver_sql(
            f"UPDATE {kind.value} SET {self._assign(kind, tuple(row))} WHERE {among('pk')}",
            (*row.values(), key_list(pks)),
        )
        self._mark(kind, tuple(row), pks)

    def delete(self, kind: Kind, pks: Iterable[int]) -> None:
        """Delete rows."""
        keys = key_list(pks)
        if kind is Kind.MEMORY:
            gone = self._connection.exec_driver_sql(f"SELECT pk, id FROM memory WHERE {among('pk')}", (keys,))
            self._dirty.gone.update((row[0], row[1]) for row in gone)
        elif kind in (Kind.TAG, Kind.ALIAS):
            owners = self._connection.exec_driver_sql(
                f"SELECT DISTINCT memory FROM {kind.value} WHERE {among('pk')}", (keys,)
            )
            self._dirty.text.update(row[0] for row in owners)
        self._connection.exec_driver_sql(f"DELETE FROM {kind.value} WHERE {among('pk')}", (keys,))

    @staticmethod
    def _assign(kind: Kind, names: Sequence[str]) -> str:
        assignments = [f'"{name}" = ?' for name in names]
        if kind is Kind.MEMORY:
            assignments.append("revision = revision + 1")
        return ", ".join(assignments)

    def _mark(self, kind: Kind, names: Sequence[str], pks: Iterable[int]) -> None:
        if kind is Kind.MEMORY:
            keys = set(pks)
            if not TEXT_COLUMNS.isdisjoint(names):
                self._dirty.text |= keys
            if not INDEX_COLUMNS.isdisjoint(names):
                self._dirty.index |= keys
        elif kind in (Kind.TAG, Kind.ALIAS):
            keys_json = key_list(pks)
            owners = self._connection.exec_driver_sql(
                f"SELECT DISTINCT memory FROM {kind.value} WHERE {among('pk')}", (keys_json,)
            )
            self._dirty.text.update(row[0] for row in owners)
        elif kind is Kind.MEMORY_TYPE and "columns" in names:
            types = self._connection.exec_driver_sql(
                f"SELECT id FROM memory_type WHERE {among('pk')}", (key_list(pks),)
            )
            self._dirty.types.update(row[0] for row in types)
