"""What the graph needs of the store: memories and relations in bulk, as arrays, and kept positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from core.domain.graph import GraphData, GraphFilter
from core.domain.ids import MemoryPk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class GraphStore(Protocol):
    """Reads of the graph; each call is one consistent view. Nothing here is an op."""

    def graph(self, where: GraphFilter, key: str, only: Iterable[int] | None = None) -> GraphData:
        """The graph under a filter (of these memories only), with the positions kept under `key`."""

    def around(self, memories: Sequence[MemoryPk], hops: int, where: GraphFilter, limit: int) -> list[int]:
        """Pks of the memories at most `hops` relations away, nearest first, these themselves included."""

    def titles(self, memories: Sequence[int]) -> list[str]:
        """Shown titles in the order asked, "" where a memory is missing."""

    def keep(self, key: str, memories: NDArray[np.int64], positions: NDArray[np.float32]) -> None:
        """Keep positions (n, 2) in place of those kept before for these memories. A cache: no op."""
