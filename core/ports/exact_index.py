"""Exact nearest neighbours over the vectors that SQL holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from core.ports.embedder import Vectors
from core.ports.vector_index import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ExactIndex(Protocol):
    """A matrix of all vectors of one embedder. Calls may come from any thread."""

    @property
    def loaded(self) -> bool:
        """Whether the matrix is in memory; the first search loads it."""

    @property
    def model_key(self) -> str:
        """Key of the embedder whose vectors these are."""

    def size(self) -> int:
        """Number of memories with a vector, outside the trash. Loads the matrix."""

    def touch(self, pks: Iterable[int]) -> None:
        """These memories, their texts or vectors changed: read them again before the next search."""

    def forget(self) -> None:
        """Read everything again at the next search (and free the memory until then)."""

    def search(self, query: Vectors, limit: int, allowed: Collection[int] | None = None) -> list[Hit]:
        """Nearest memories, best first; only those in `allowed` when given. A zero query finds none."""

    def scores(self, query: Vectors, pks: Sequence[int]) -> dict[int, float]:
        """Cosine to the query of each of these memories that has a vector."""

    def cosines(self, query: Vectors, pks: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Cosine of each of these memories in order, NaN for those that have no vector or a damaged one.

        In single precision, so that ten thousand cost about a millisecond. Shapes: query (dims,) -> (m,).
        """

    def vectors(self, pks: Sequence[int]) -> dict[int, Vectors]:
        """Unit vectors (copies) of those that have one."""
