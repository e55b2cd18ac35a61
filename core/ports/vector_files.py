"""Chroma folders of other programs: what is written into them and read from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.ports.embedder import Vectors

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class CollectionData:
    """A collection to write. All sequences have n members; vectors (n, dims).

    Of the metadata only text, numbers and truth values are kept (Chroma takes no others).
    """

    name: str
    ids: tuple[str, ...]
    documents: tuple[str, ...]
    metadatas: tuple[Mapping[str, object], ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A collection that was found. `dims` 0 = empty; `vectors` (n, dims) only when asked for."""

    name: str
    ids: tuple[str, ...]
    dims: int
    space: str
    vectors: Vectors | None = None

    @property
    def count(self) -> int:
        """Number of entries."""
        return len(self.ids)
