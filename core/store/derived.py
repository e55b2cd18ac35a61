"""What follows from a row: search text, hash of the embedded text, and the outbox of the index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from core.algos.lexical import search_text
from core.domain.embedding_text import Written, embedded_text, text_hash
from core.domain.ids import TypeId
from core.domain.json_types import Json, JsonObject, parse_object
from core.store.filters import among, key_list
from core.store.reader import SqlReader
from core.store.rows import Dirty

PAGE = 2_000


def refresh(connection: Connection, dirty: Dirty) -> None:
    """Bring everything derived up to date with the rows of this transaction; nothing stays dirty."""
    reader = SqlReader(connection)
    if dirty.types:
        rows = connection.exec_driver_sql(
            f"SELECT pk FROM memory WHERE {among('type')}", (key_list(sorted(dirty.types)),)
        )
        dirty.text.update(row[0] for row in rows)
    pks = sorted(dirty.text - dirty.gone.keys())
    for start in range(0, len(pks), PAGE):
        dirty.index.update(_refresh_texts(connection, reader, pks[start : start + PAGE]))
    _enqueue(connection, dirty)
    dirty.clear()


def searched_parts(memory: Written, tags: Iterable[str], aliases: Iterable[str]) -> tuple[str, ...]:
    """The texts of a memory that the word search finds."""
    return (
        memory.title,
        memory.body,
        *_strings(list(memory.fields.values())),
        *aliases,
        *tags,
    )


def _strings(values: Sequence[Json]) -> Iterator[str]:
    for value in values:
        match value:
            case str():
                yield value
            case list() | tuple():
                yield from _strings(value)
            case dict():
                yield from _strings(list(value.values()))
            case _:
                continue


@dataclass(slots=True)
class _Texts:
    """As much of a row as its derived columns follow from."""

    title: str
    body: str
    fields: JsonObject


def _refresh_texts(connection: Connection, reader: SqlReader, pks: Sequence[int]) -> list[int]:
    """Rewrites the derived columns of a page; returns the memories whose embedded text changed."""
    types = {item.id: item for item in reader.schema().types}
    keys = key_list(pks)
    tags, aliases = _values(connection, "tag", keys), _values(connection, "alias", keys)
    changes: list[tuple[str, str, int]] = []
    fresh: list[int] = []
    for pk, title, body, fields, kind, old in _fetch(
        connection,
        f"SELECT pk, title, body, fields, type, text_hash FROM memory WHERE {among('pk')} ORDER BY pk",
        keys,
    ):
        texts = _Texts(title, body, _fields(fields))
        digest = text_hash(embedded_text(texts, types.get(TypeId(kind))))
        changes.append(
            (search_text(*searched_parts(texts, tags.get(pk, ()), aliases.get(pk, ()))), digest, pk)
        )
        if digest != old:
            fresh.append(pk)
    if changes:  # owners of rows that are removed may be gone themselves
        connection.exec_driver_sql("UPDATE memory SET search_text = ?, text_hash = ? WHERE pk = ?", changes)
    return fresh


def _fields(text: str) -> JsonObject:
    """The columns of a row; none where they cannot be read (an undo may bring such a row back)."""
    if text == "{}":
        return {}
    try:
        return parse_object(text)
    except ValueError:
        return {}


def _values(connection: Connection, table: str, keys: str) -> dict[int, list[str]]:
    """Values of tags or aliases by memory, in their order."""
    found: dict[int, list[str]] = defaultdict(list)
    sql = f"SELECT memory, value FROM {table} WHERE {among('memory')} ORDER BY memory, position, pk"
    for pk, value in _fetch(connection, sql, keys):
        found[pk].append(value)
    return found


def _fetch(connection: Connection, sql: str, keys: str) -> list[tuple[Any, ...]]:
    with connection.exec_driver_sql(sql, (keys,)) as result:
        return list(result.cursor.fetchall())


def _enqueue(connection: Connection, dirty: Dirty) -> None:
    insert = (
        "INSERT INTO outbox (memory, id, version) {source}"
        " ON CONFLICT (memory) DO UPDATE SET version = outbox.version + 1"
    )
    present = sorted(dirty.index - dirty.gone.keys())
    if present:
        source = f"SELECT pk, id, 1 FROM memory WHERE {among('pk')}"
        connection.exec_driver_sql(insert.format(source=source), (key_list(present),))
    if dirty.gone:
        connection.exec_driver_sql(
            insert.format(source="VALUES (?, ?, 1)"), [(pk, name) for pk, name in dirty.gone.items()]
        )
