"""What the indexer needs of the store: the outbox, the vectors, and the present state of memories.

None of this is journaled: vectors are a cache by text hash, the outbox is a to-do list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.domain.ids import FolderPk, MemoryPk
from core.ports.embedder import Vectors
from core.ports.vector_index import IndexEntry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Pending:
    """One coalesced outbox row joined to the present row. `entry` None = the memory is gone.

    `version` rises with each new change of the memory; `done` with an older version leaves the
    row waiting. `text` is the embedded text.
    """

    pk: MemoryPk
    id: str
    version: int
    entry: IndexEntry | None
    text: str


class IndexQueue(Protocol):
    """Outbox and vectors of the SQL store."""

    def waiting(self) -> int:
        """Number of outbox rows."""

    def pending(self, limit: int) -> list[Pending]:
        """Oldest waiting memories."""

    def done(self, finished: Sequence[tuple[MemoryPk, int]]) -> None:
        """Remove outbox rows (pk, version) that have not changed since."""

    def enqueue_all(self) -> int:
        """Put every memory into the outbox (rebuild). Returns how many."""

    def vectors(self, model_key: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors (dims,) float32 by text hash."""

    def save_vectors(self, model_key: str, vectors: Mapping[str, Vectors]) -> None:
        """Store vectors by text hash (idempotent)."""

    def entries(self, after: MemoryPk, limit: int) -> list[tuple[IndexEntry, str]]:
        """Present state and embedded text of memories with pk > after, by pk (one page)."""

    def matrix(self, model_key: str) -> tuple[NDArray[np.int64], Vectors]:
        """All stored vectors of memories outside the trash: pks (n,), unit vectors (n, dims)."""

    def matrix_rows(self, model_key: str, pks: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        """The same for some memories (those that have a vector and are outside the trash)."""

    def without_vector(self, model_key: str, limit: int) -> list[tuple[MemoryPk, str, str]]:
        """Memories outside the trash whose text has no vector of that model: pk, text hash and text, newest first."""

    def vector_counts(self, model_key: str, folder: FolderPk | None) -> tuple[int, int]:
        """Memories of a folder (None = of all) outside the documents that have a vector, and pieces of documents."""
