"""Outbox and vectors for the indexer (core.ports.index_queue.IndexQueue)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from core.domain.embedding_text import embedded_text
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.ports.embedder import Vectors
from core.ports.index_queue import Pending
from core.ports.vector_index import IndexEntry
from core.store.database import Database
from core.store.filters import among, key_list
from core.store.reader import SqlReader

MATRIX_PAGE_ROWS = 1000

_ENTRY = "m.id, m.pk, m.folder, m.layer, m.type, m.status, m.deleted_at IS NOT NULL, m.text_hash"


class SqlIndexQueue:
    """Each call is one short transaction; none of it is journaled."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def waiting(self) -> int:
        """Number of outbox rows."""
        with self._database.reading() as connection:
            count: int = connection.exec_driver_sql("SELECT count(*) FROM outbox").scalar_one()
            return count

    def pending(self, limit: int) -> list[Pending]:
        """Oldest waiting memories with their present state and text."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                f"SELECT o.memory, o.id, o.version, {_ENTRY} FROM outbox o LEFT JOIN memory m"
                " ON m.pk = o.memory ORDER BY o.rowid LIMIT ?",
                (limit,),
            ).all()
            texts = texts_of(connection, [row[0] for row in rows if row[4] is not None])
        return [
            Pending(
                pk=MemoryPk(row[0]),
                id=row[1],
                version=row[2],
                entry=None if row[4] is None else _entry(row[3:]),
                text=texts.get(row[0], ""),
            )
            for row in rows
        ]

    def done(self, finished: Sequence[tuple[MemoryPk, int]]) -> None:
        """Remove outbox rows that have not changed since."""
        if finished:
            with self._database.writing() as connection:
                connection.exec_driver_sql(
                    "DELETE FROM outbox WHERE memory = ? AND version = ?",
                    [(int(pk), version) for pk, version in finished],
                )

    def enqueue_all(self) -> int:
        """Put every memory into the outbox."""
        with self._database.writing() as connection:
            result = connection.exec_driver_sql(
                "INSERT INTO outbox (memory, id, version) SELECT pk, id, 1 FROM memory WHERE true"
                " ON CONFLICT (memory) DO UPDATE SET version = outbox.version + 1"
            )
            return result.rowcount

    def vectors(self, model_key: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors by text hash."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                f"SELECT text_hash, data FROM vector WHERE model_key = ? AND {among('text_hash')}",
                (model_key, key_list(hashes)),
            )
            return {row[0]: np.frombuffer(row[1], dtype="<f4") for row in rows}

    def save_vectors(self, model_key: str, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by text hash."""
        rows = [
            (model_key, digest, np.ascontiguousarray(vector, dtype="<f4").tobytes())
            for digest, vector in vectors.items()
        ]
        if rows:
            with self._database.writing() as connection:
                connection.exec_driver_sql(
                    "INSERT INTO vector (model_key, text_hash, data) VALUES (?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET data = excluded.data",
                    rows,
                )

    def entries(self, after: MemoryPk, limit: int) -> list[tuple[IndexEntry, str]]:
        """One page of present states and texts, by pk."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                f"SELECT {_ENTRY} FROM memory m WHERE m.pk > ? ORDER BY m.pk LIMIT ?", (int(after), limit)
            ).all()
            texts = texts_of(connection, [row[1] for row in rows])
        return [(_entry(row), texts.get(row[1], "")) for row in rows]

    def matrix(self, model_key: str) -> tuple[NDArray[np.int64], Vectors]:
        """All vectors of memories outside the trash, read in the order they lie in: at 100,000 it is 200 MB."""
        size = _told_bytes(model_key)
        if size is None:
            return self._matrix(model_key, "", ())
        with self._database.reading() as connection:
            return _whole_matrix(connection, model_key, size)

    def matrix_rows(self, model_key: str, pks: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        """The vectors of some memories."""
        return self._matrix(model_key, f" AND {among('m.pk')}", (key_list(int(pk) for pk in pks),))

    def without_vector(self, model_key: str, limit: int) -> list[tuple[MemoryPk, str, str]]:
        """Memories whose text still has to be embedded, newest first."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT m.pk, m.text_hash FROM memory m WHERE m.deleted_at IS NULL AND m.text_hash <> '' AND NOT EXISTS"
                " (SELECT 1 FROM vector v WHERE v.model_key = ? AND v.text_hash = m.text_hash)"
                " ORDER BY m.pk DESC LIMIT ?",
                (model_key, limit),
            ).all()
            texts = texts_of(connection, [row[0] for row in rows])
        return [(MemoryPk(row[0]), row[1], texts.get(row[0], "")) for row in rows]

    def vector_counts(self, model_key: str, folder: FolderPk | None) -> tuple[int, int]:
        """Memories of a folder (None = of all) outside the documents that have a vector, and pieces of documents."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT m.layer = 'knowledge', count(*) FROM memory m JOIN vector v ON v.model_key = ?"
                " AND v.text_hash = m.text_hash WHERE m.deleted_at IS NULL AND m.text_hash <> ''"
                " AND (m.layer = 'knowledge' OR ? IS NULL OR m.folder = ?) GROUP BY 1",
                (model_key, folder, folder),
            )
            counts = {bool(row[0]): int(row[1]) for row in rows}
        return counts.get(False, 0), counts.get(True, 0)

    def _matrix(
        self, model_key: str, condition: str, parameters: tuple[Any, ...]
    ) -> tuple[NDArray[np.int64], Vectors]:
        """Read in pages straight into one matrix: at 100,000 it is 200 MB, and must not be there twice.

        CROSS JOIN: SQLite would go through all vectors to count those of one memory.
        """
        source = (
            "FROM memory m CROSS JOIN vector v ON v.model_key = ? AND v.text_hash = m.text_hash"
            f" WHERE m.deleted_at IS NULL AND m.text_hash <> ''{condition}"
        )
        given = (model_key, *parameters)
        with self._database.reading() as connection:
            sizes = connection.exec_driver_sql(f"SELECT length(v.data), count(*) {source} GROUP BY 1", given)
            counts = {int(row[0]): int(row[1]) for row in sizes}
            size = _vector_bytes(model_key, counts)  # one of another dimension counts as missing
            count = counts.get(size, 0)
            pks = np.empty(count, dtype=np.int64)
            vectors = np.empty((count, size // 4 if count else 0), dtype=np.float32)
            found = connection.exec_driver_sql(
                f"SELECT m.pk, v.data {source} AND length(v.data) = ? ORDER BY m.pk", (*given, size)
            )
            start = 0
            for page in found.partitions(MATRIX_PAGE_ROWS):
                place = slice(start, start + len(page))
                pks[place] = [row[0] for row in page]
                data = b"".join(row[1] for row in page)
                vectors[place] = np.frombuffer(data, dtype="<f4").reshape(len(page), -1)
                start += len(page)
        return pks, vectors


def _vector_bytes(model_key: str, counts: Mapping[int, int]) -> int:
    """Bytes of a vector of that model: its key says the dimension, else most rows do (count by bytes)."""
    told = _told_bytes(model_key)
    return max(counts, key=lambda size: counts[size], default=0) if told is None else told


def _told_bytes(model_key: str) -> int | None:
    """Bytes of a vector by the dimension in the model's key; None where it has none."""
    parts = model_key.rsplit("|", 2)
    return 4 * int(parts[1]) if len(parts) == 3 and parts[1].isdecimal() else None


def _whole_matrix(connection: Connection, model_key: str, size: int) -> tuple[NDArray[np.int64], Vectors]:
    """Keys and vectors by pk. Cost: each table is read once from end to end; a join would seek for every row."""
    with connection.exec_driver_sql(
        "SELECT pk, text_hash FROM memory WHERE deleted_at IS NULL AND text_hash <> '' ORDER BY pk"
    ) as result:
        memories = result.cursor.fetchall()
    places: dict[str, list[int]] = {}
    for at, (_, digest) in enumerate(memories):
        places.setdefault(digest, []).append(at)
    vectors = np.empty((len(memories), size // 4), dtype=np.float32)
    there = np.zeros(len(memories), dtype=np.bool_)
    with connection.exec_driver_sql(
        "SELECT text_hash, data FROM vector WHERE model_key = ?", (model_key,)
    ) as result:
        while page := result.cursor.fetchmany(MATRIX_PAGE_ROWS):
            for digest, data in page:
                if len(data) == size:  # one of another dimension counts as missing
                    for at in places.get(digest, ()):
                        vectors[at] = np.frombuffer(data, dtype="<f4")
                        there[at] = True
    pks = np.fromiter((row[0] for row in memories), dtype=np.int64, count=len(memories))
    return pks[there], _closed_up(vectors, there)


def _closed_up(vectors: Vectors, there: NDArray[np.bool_]) -> Vectors:
    """The rows that are there, moved together in place, so that the matrix is not in memory twice."""
    kept = np.nonzero(there)[0]
    if len(kept) == len(vectors):
        return vectors
    for start in range(0, len(kept), MATRIX_PAGE_ROWS):
        page = kept[start : start + MATRIX_PAGE_ROWS]
        vectors[start : start + len(page)] = vectors[page]
    return vectors[: len(kept)]


def _entry(row: Sequence[Any]) -> IndexEntry:
    return IndexEntry(
        id=row[0],
        pk=row[1],
        folder=row[2],
        layer=row[3],
        type=row[4],
        status=row[5],
        trashed=bool(row[6]),
        text_hash=row[7],
    )


def texts_of(connection: Connection, pks: Iterable[int]) -> dict[int, str]:
    """The embedded text of each memory."""
    reader = SqlReader(connection)
    types = {item.id: item for item in reader.schema().types}
    return {
        memory.pk: embedded_text(memory, types.get(memory.type))
        for memory in reader.records(Memory, list(pks))
    }
