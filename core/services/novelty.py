"""How new a text is among the memories of its folder, and which of them says nearly the same.

Sources: spec/BOOKU §2.3 and §3 (upsert_memory); DESIGN §5 adds the nearest memory's cosine as a second gate.
"""

from __future__ import annotations

import numpy as np

from core.algos.novelty import novelty_energy
from core.domain.embedding_text import EMBEDDED_TEXT_CHARS
from core.domain.enums import Layer, StatusReason
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, NoveltyOf, Sort
from core.domain.results import Neighbour, NoveltyReport
from core.ports.embedder import Embedder, Vectors
from core.ports.exact_index import ExactIndex
from core.ports.index_queue import IndexQueue
from core.ports.progress import CancelToken
from core.ports.store import Reader, Store
from core.ports.vector_index import Hit

BATCH_TEXTS = 64
SPARE = 8
FURTHER = 8
"""So many times as many are looked at when too few of the nearest count."""
SAME_VECTOR = 1.0 - 1e-6
"""Cosine from which two vectors are one: the original's squared distance of 1e-8 is below what float32 keeps."""
_STAND_FOR_OTHERS = frozenset({StatusReason.COMPRESSED, StatusReason.MERGED})
"""What was archived for these reasons lives on in another memory."""


class NoveltyCheck:
    """Compares new texts with what is there. Calls may come from any thread."""

    def __init__(self, store: Store, queue: IndexQueue, embedder: Embedder, exact: ExactIndex) -> None:
        self._store = store
        self._queue = queue
        self._embedder = embedder
        self._exact = exact

    def catch_up(self, limit: int, cancel: CancelToken | None = None) -> int:
        """Embed the newest memories that have no vector yet; the outbox is left to who drains it.

        Errors: Unavailable("embedder"), Cancelled.
        """
        key = self._embedder.identity.key
        waiting = self._queue.without_vector(key, limit)
        made = 0
        for start in range(0, len(waiting), BATCH_TEXTS):
            batch = waiting[start : start + BATCH_TEXTS]
            rows = self._embedder.embed_documents([text for _, _, text in batch], cancel)
            vectors = {
                digest: row for (_, digest, _), row in zip(batch, rows, strict=True) if np.isfinite(row).all()
            }
            self._queue.save_vectors(key, vectors)
            self._exact.touch(pk for pk, _, _ in batch)
            made += len(vectors)
        return made

    def of(self, query: NoveltyOf, cancel: CancelToken | None = None) -> NoveltyReport:
        """Novelty of a text and its neighbours, nearest first. A text without words is new. Errors: Unavailable."""
        text = "\n".join(part.strip() for part in (query.title, query.body) if part.strip())
        vector = self._embedder.embed_documents([text[:EMBEDDED_TEXT_CHARS]], cancel)[0]
        same_text = self._embedder.thresholds.same_text
        if not vector.any():
            return NoveltyReport(novelty=1.0, cutoff=query.cutoff, same_text=same_text)
        with self._store.read() as reader:
            allowed = _candidates(reader, query)
            neighbours = self._nearest(reader, vector, query.neighbours, allowed)
        found = self._exact.vectors([neighbour.pk for neighbour in neighbours])
        return NoveltyReport(
            novelty=_novelty(
                vector, [found[n.pk] for n in neighbours if n.pk in found], neighbours, query.cutoff
            ),
            neighbours=tuple(neighbours),
            cutoff=query.cutoff,
            same_text=same_text,
        )

    def _nearest(
        self, reader: Reader, vector: Vectors, wanted: int, allowed: frozenset[int]
    ) -> list[Neighbour]:
        """The nearest that stand for themselves; where a chat was compressed most near ones do not."""
        looked_at = wanted + SPARE
        while True:
            hits = self._exact.search(vector, looked_at, allowed)
            found = _neighbours(reader, hits)[:wanted]
            if len(found) == wanted or len(hits) < looked_at:
                return found
            looked_at *= FURTHER


def _novelty(vector: Vectors, others: list[Vectors], neighbours: list[Neighbour], cutoff: float) -> float:
    novelty = novelty_energy(vector.astype(np.float64), [other.astype(np.float64) for other in others])
    if novelty >= cutoff and neighbours and neighbours[0].cosine >= SAME_VECTOR:
        return 0.0  # an exact double in a direction that the 90 % of the basis leave out
    return min(1.0, max(0.0, novelty))


def _candidates(reader: Reader, query: NoveltyOf) -> frozenset[int]:
    """Memories of the folder outside the documents, or all pieces of documents; none from the trash."""
    if query.layer is Layer.KNOWLEDGE:
        where = MemoryFilter(layers=frozenset({Layer.KNOWLEDGE}))
    elif query.folder is None:
        return frozenset()
    else:
        layers = frozenset({Layer.INHERENT, Layer.EMERGENT, Layer.MEMORY})
        where = MemoryFilter(folders=frozenset({query.folder}), layers=layers)
    return frozenset(reader.memory_ids(where, Sort()))


def _neighbours(reader: Reader, hits: list[Hit]) -> list[Neighbour]:
    records = {memory.pk: memory for memory in reader.records(Memory, [hit.pk for hit in hits])}
    return [
        Neighbour(MemoryPk(hit.pk), hit.score, locked=memory.locked, revision=memory.revision)
        for hit in hits
        if (memory := records.get(hit.pk)) is not None and memory.status_reason not in _STAND_FOR_OTHERS
    ]
