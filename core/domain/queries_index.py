"""Queries on the vector index and on vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import MemoryFilter, Query
from core.domain.results import VerifyReport


@dataclass(frozen=True, slots=True)
class Verify(Query[VerifyReport]):
    """Compare SQL with the vector index and check the store (doctor)."""

    sample: int = 50


@dataclass(frozen=True, slots=True)
class RebuildIndex(Query[int]):
    """Make the vector index anew from SQL; answers how many entries it then holds.

    What has a stored vector is not embedded again. No op: the index is a cache.
    Errors: Unavailable, Cancelled (the rest waits in the outbox).
    """

    WRITES: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SearchByMeaning(Query[tuple[tuple[MemoryPk, float], ...]]):
    """Memories nearest to a text, with cosine, best first. Errors: Unavailable(embedder)."""

    text: str
    limit: int = 50
    filter: MemoryFilter = field(default_factory=MemoryFilter)


@dataclass(frozen=True, slots=True)
class VectorCounts(Query[tuple[int, int]]):
    """How many memories outside the trash have a vector: those of a folder (None = of all), and pieces of documents."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class EmbedWaiting(Query[int]):
    """Embed memories that have no vector yet, newest first; answers how many. No op: vectors are a cache.

    Errors: Unavailable(embedder).
    """

    WRITES: ClassVar[bool] = True

    limit: int = 256
