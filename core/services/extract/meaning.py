"""Vectors for extraction: of what is there (stored ones are used again) and of what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.algos.vectors import Matrix
from core.domain.embedding_text import Written, embedded_text, text_hash
from core.domain.ids import TypeId
from core.domain.schema import MemoryType, Schema
from core.ports.embedder import Embedder, Thresholds
from core.ports.index_queue import IndexQueue
from core.ports.progress import CancelToken

BATCH_TEXTS = 64


@dataclass(frozen=True, slots=True)
class Meaning:
    """An embedder with the library's stored vectors."""

    embedder: Embedder
    queue: IndexQueue

    @property
    def thresholds(self) -> Thresholds:
        """Cosines with a meaning for this embedder."""
        return self.embedder.thresholds

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Matrix:
        """Unit rows (n, d) of texts. Errors: Unavailable("embedder"), Cancelled."""
        rows = [
            self.embedder.embed_documents(list(texts[at : at + BATCH_TEXTS]), cancel)
            for at in range(0, len(texts), BATCH_TEXTS)
        ]
        if not rows:
            return np.zeros((0, self.embedder.identity.dims))
        return np.nan_to_num(np.concatenate(rows).astype(np.float64))

    def of(
        self, written: Sequence[tuple[Written, TypeId]], schema: Schema, cancel: CancelToken | None = None
    ) -> Matrix:
        """Unit rows (n, d) of memories; those that have no vector yet are embedded and kept.

        Errors: Unavailable("embedder"), Cancelled.
        """
        texts = [text_of(each, schema.type(type_id)) for each, type_id in written]
        hashes = [text_hash(text) for text in texts]
        known = self.queue.vectors(self.embedder.identity.key, hashes)
        missing = {
            digest: text for digest, text in zip(hashes, texts, strict=True) if text and digest not in known
        }
        if missing:
            rows = self.embed(list(missing.values()), cancel)
            made = {
                digest: row.astype(np.float32) for digest, row in zip(missing, rows, strict=True) if row.any()
            }
            self.queue.save_vectors(self.embedder.identity.key, made)
            known = {**known, **made}
        empty = np.zeros(self.embedder.identity.dims)
        if not hashes:
            return np.zeros((0, self.embedder.identity.dims))
        return np.stack([known[digest].astype(np.float64) if digest in known else empty for digest in hashes])


def text_of(written: Written, memory_type: MemoryType | None) -> str:
    """The text of a memory that is embedded."""
    return embedded_text(written, memory_type)
