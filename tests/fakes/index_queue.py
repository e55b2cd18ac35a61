"""Outbox and vectors in memory, for tests that need no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.domain.embedding_text import text_hash
from core.domain.ids import MemoryPk
from core.ports.embedder import Vectors
from core.ports.index_queue import Pending
from core.ports.vector_index import IndexEntry


class MemoryQueue:
    """`put` and `remove` stand for the changes that ops make."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[IndexEntry, str]] = {}
        self.outbox: dict[int, tuple[str, int]] = {}
        self.stored: dict[tuple[str, str], Vectors] = {}

    def put(self, pk: int, text: str, *, trashed: bool = False) -> IndexEntry:
        entry = IndexEntry(f"mem-{pk:032x}", pk, 1, "memory", "event", "active", trashed, text_hash(text))
        self.rows[pk] = (entry, text)
        self._wait(pk, entry.id)
        return entry

    def remove(self, pk: int) -> None:
        entry, _ = self.rows.pop(pk)
        self._wait(pk, entry.id)

    def _wait(self, pk: int, id_: str) -> None:
        self.outbox[pk] = (id_, self.outbox.get(pk, ("", 0))[1] + 1)

    def waiting(self) -> int:
        return len(self.outbox)

    def pending(self, limit: int) -> list[Pending]:
        found = []
        for pk, (id_, version) in list(self.outbox.items())[:limit]:
            entry, text = self.rows.get(pk, (None, ""))
            found.append(Pending(MemoryPk(pk), id_, version, entry, text))
        return found

    def done(self, finished: Sequence[tuple[MemoryPk, int]]) -> None:
        for pk, version in finished:
            if self.outbox.get(pk, ("", -1))[1] == version:
                del self.outbox[pk]

    def enqueue_all(self) -> int:
        for pk, (entry, _) in self.rows.items():
            self._wait(pk, entry.id)
        return len(self.rows)

    def vectors(self, model_key: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        return {
            digest: self.stored[model_key, digest] for digest in hashes if (model_key, digest) in self.stored
        }

    def save_vectors(self, model_key: str, vectors: Mapping[str, Vectors]) -> None:
        self.stored.update({(model_key, digest): vector.copy() for digest, vector in vectors.items()})

    def entries(self, after: MemoryPk, limit: int) -> list[tuple[IndexEntry, str]]:
        return [self.rows[pk] for pk in sorted(self.rows) if pk > after][:limit]

    def matrix(self, model_key: str) -> tuple[NDArray[np.int64], Vectors]:
        return self.matrix_rows(model_key, sorted(self.rows))

    def matrix_rows(self, model_key: str, pks: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        found = [
            (pk, self.stored[model_key, self.rows[pk][0].text_hash])
            for pk in pks
            if pk in self.rows
            and not self.rows[pk][0].trashed
            and (model_key, self.rows[pk][0].text_hash) in self.stored
        ]
        rows = np.stack([vector for _, vector in found]) if found else np.zeros((0, 0), dtype=np.float32)
        return np.array([pk for pk, _ in found], dtype=np.int64), rows
