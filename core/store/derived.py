"""What follows from a row: search text, hash of the embedded text, and the outbox of the index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Connection

from core.algos.lexical import search_text
from core.domain.embedding_text import embedded_text, text_hash
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
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


def searched_parts(memory: Memory, tags: Iterable[str], aliases: Iterable[str]) -> tuple[str, ...]:
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


def _refresh_texts(connection: Connection, reader: SqlReader, pks: Sequence[int]) -> list[int]:
    """Rewrites the derived columns of a page; returns the memories whose embedded text changed."""
    types = {item.id: item for item in reader.schema().types}
    keys = [MemoryPk(pk) for pk in pks]
    tags = reader.tags_of(keys)
    aliases = reader.aliases_of(keys)
    old = {
        row[0]: row[1]
        for row in connection.exec_driver_sql(
            f"SELECT pk, text_hash FROM memory WHERE {among('pk')}", (key_list(pks),)
        )
    }
    changes: list[tuple[str, str, int]] = []
    for memory in reader.records(Memory, keys):
        parts = searched_parts(
            memory,
            (tag.value for tag in tags.get(memory.pk, ())),
            (alias.value for alias in aliases.get(memory.pk, ())),
        )
        embedded = embedded_text(memory, types.get(memory.type))
        changes.append((search_text(*parts), text_hash(embedded), memory.pk))
    connection.exec_driver_sql("UPDATE memory SET search_text = ?, text_hash = ? WHERE pk = ?", changes)
    return [pk for _, digest, pk in changes if digest != old.get(pk)]


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
