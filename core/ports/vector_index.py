"""The vector index: a cache over the vectors that SQL holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.domain.ids import MemoryPk
from core.ports.embedder import EmbedderIdentity, Vectors


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index holds of one memory besides its vector (always written as a full set)."""

    id: str
    pk: int
    folder: int
    layer: str
    type: str
    status: str
    trashed: bool
    text_hash: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory with its cosine to the query."""

    pk: MemoryPk
    score: float


class VectorIndex(Protocol):
    """Nearest neighbours by cosine. Errors of all calls: Unavailable("index")."""

    @property
    def name(self) -> str:
        """Short name for messages, e.g. `chroma`."""

    def open(self, identity: EmbedderIdentity) -> None:
        """Use (and create when needed) the collection of this embedder."""

    def upsert(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Write entries with vectors (n, dims); an existing id is replaced as a whole."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove ids; unknown ones are ignored."""

    def search(self, query: Vectors, limit: int) -> list[tuple[str, float]]:
        """(id, cosine) of the nearest entries, best first."""

    def entries(self) -> dict[str, IndexEntry]:
        """All entries by id (paged inside)."""

    def vectors_of(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """Stored vectors of ids."""

    def count(self) -> int:
        """Number of entries."""

    def reset(self) -> None:
        """Drop the collection and start an empty one."""

    def release(self) -> None:
        """End the process it runs in, whatever that does; the next call starts it again."""

    def close(self) -> None:
        """End the index and whatever process it runs in."""
