"""What packages need of the store: keys by public id, and vectors by memory and hash of its text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from core.domain.enums import Kind
from core.domain.ids import MemoryPk
from core.store.filters import among, key_list

_JOINED = "FROM memory m JOIN vector v ON v.text_hash = m.text_hash WHERE m.text_hash <> ''"


def keys_of(connection: Connection, kind: Kind, ids: Sequence[str]) -> dict[str, int]:
    """Keys by public id."""
    rows = connection.exec_driver_sql(
        f"SELECT id, pk FROM {kind.value} WHERE {among('id')}", (key_list(ids),)
    )
    return {str(row[0]): int(row[1]) for row in rows}


def vector_groups(connection: Connection, memories: Sequence[MemoryPk] | None) -> list[tuple[str, int, int]]:
    """Model, bytes of a vector and number of memories."""
    chosen = "" if memories is None else f" AND {among('m.pk')}"
    given = () if memories is None else (key_list(int(pk) for pk in memories),)
    rows = connection.exec_driver_sql(
        f"SELECT v.model_key, length(v.data), count(*) {_JOINED}{chosen} GROUP BY 1, 2 ORDER BY 1, 2", given
    )
    return [(str(row[0]), int(row[1]), int(row[2])) for row in rows]


def stored_vectors(
    connection: Connection, model_key: str, size: int, memories: Sequence[MemoryPk]
) -> list[tuple[str, str, bytes]]:
    """Id, text hash and vector of memories, by pk."""
    rows = connection.exec_driver_sql(
        f"SELECT m.id, m.text_hash, v.data {_JOINED.replace('JOIN', 'CROSS JOIN')} AND v.model_key = ? AND length(v.data) = ?"
        f" AND {among('m.pk')} ORDER BY m.pk",
        (model_key, size, key_list(int(pk) for pk in memories)),
    )
    return [(str(row[0]), str(row[1]), bytes(row[2])) for row in rows]


def keep_hashed(connection: Connection, model_key: str, vectors: Sequence[tuple[str, bytes]]) -> int:
    """Store those vectors whose text a memory has; how many these are."""
    hashes = key_list(text_hash for text_hash, _ in vectors)
    rows = connection.exec_driver_sql(
        f"SELECT DISTINCT text_hash FROM memory WHERE {among('text_hash')} AND text_hash <> ''", (hashes,)
    )
    known = {row[0] for row in rows}
    kept = [(model_key, text_hash, data) for text_hash, data in vectors if text_hash in known]
    if kept:
        connection.exec_driver_sql(
            "INSERT INTO vector (model_key, text_hash, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", kept
        )
    return len(kept)
