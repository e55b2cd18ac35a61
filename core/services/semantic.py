"""Search by meaning: exact over SQL's vectors, through Chroma where a library is large (DESIGN §3)."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from core.domain.errors import Unavailable
from core.ports.embedder import Embedder, Vectors
from core.ports.exact_index import ExactIndex
from core.ports.index_queue import IndexQueue
from core.ports.store import Store
from core.ports.vector_index import Hit, VectorIndex

LARGE_MEMORIES = 50_000
"""From here on Chroma answers unfiltered questions: exact search would take over 12 ms and 100 MB."""
LATE_SHARE = 0.02
"""With more of the library waiting for the index, it would miss too much: exact search answers."""
SPARE_SHARE = 0.5
SPARE_LEAST = 20

_log = logging.getLogger(__name__)


class SemanticSearch:
    """Finds memories near a text. Answers name only memories that SQL still has outside the trash."""

    def __init__(
        self,
        store: Store,
        queue: IndexQueue,
        embedder: Embedder,
        exact: ExactIndex,
        index: VectorIndex | None = None,
        large: int = LARGE_MEMORIES,
    ) -> None:
        self._store = store
        self._queue = queue
        self._embedder = embedder
        self._exact = exact
        self._index = index
        self._large = large

    def by_meaning(self, text: str, limit: int, allowed: Collection[int] | None = None) -> list[Hit]:
        """Nearest memories, best first; only those in `allowed` when given. A blank text finds none.

        Errors: Unavailable("embedder").
        """
        return self.by_vector(self._embedder.embed_query(text), limit, allowed)

    def by_vector(self, query: Vectors, limit: int, allowed: Collection[int] | None = None) -> list[Hit]:
        """The same for a query that is embedded already. Shapes: query (dims,), of unit length or zero."""
        if limit < 1 or not query.any():
            return []
        if allowed is None and self._index is not None and self._use_index():
            try:
                hits = self._through_index(self._index, query, limit)
            except Unavailable as error:
                _log.info("exact search instead of the index: %s", error.reason)
            else:
                if hits is not None:
                    return hits
        return self._present(self._exact.search(query, limit, allowed))

    def _use_index(self) -> bool:
        with self._store.read() as reader:
            memories = reader.counts().memories
        return memories >= self._large and self._queue.waiting() <= LATE_SHARE * memories

    def _through_index(self, index: VectorIndex, query: Vectors, limit: int) -> list[Hit] | None:
        """Hits joined back to SQL; None when the index gave too few that are still there."""
        asked = limit + max(SPARE_LEAST, int(SPARE_SHARE * limit))
        index.open(self._embedder.identity)
        found = index.search(query, asked)
        with self._store.read() as reader:
            pks = reader.resolve([id_ for id_, _ in found], None)
        score_of = {pks[id_][0]: score for id_, score in found if pks.get(id_)}
        hits = self._present([Hit(pk, score) for pk, score in score_of.items()])
        if len(hits) < limit:
            return None
        return hits[:limit]

    def _present(self, hits: Sequence[Hit]) -> list[Hit]:
        """Without what went to the trash or was deleted since."""
        with self._store.read() as reader:
            there = {state.pk for state in reader.states([hit.pk for hit in hits]) if not state.trashed}
        return [hit for hit in hits if hit.pk in there]
