"""Keeps the vector index equal to SQL: drains the outbox, rebuilds, reconciles (DESIGN §3).

What the index holds: every memory outside the trash whose text has a vector that is not zero. All of it
follows from the *present* rows, so each step may be repeated after a crash.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.domain.errors import Unavailable, UserError
from core.domain.ids import MemoryPk
from core.ports.embedder import Embedder, InBatches, Vectors
from core.ports.exact_index import ExactIndex
from core.ports.index_queue import IndexQueue, Pending
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.ports.vector_index import IndexEntry, VectorIndex

CHUNK_ROWS = 500
EMBED_TEXTS = 64
"""Texts between two savings of vectors: what a cancel or a crash can cost."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DrainResult:
    """What a drain did. `failed` = memories whose text the embedder refused: they are in no index."""

    done: int = 0
    embedded: int = 0
    removed: int = 0
    waiting: int = 0
    failed: tuple[MemoryPk, ...] = ()


class Indexer:
    """Writes the index of one embedder. Calls from several threads follow one another."""

    def __init__(
        self,
        queue: IndexQueue,
        embedder: Embedder,
        index: VectorIndex,
        exact: ExactIndex | None = None,
    ) -> None:
        self.queue = queue
        self.embedder = embedder
        self.index = index
        self._exact = exact
        self._lock = threading.RLock()
        self._opened = False

    def waiting(self) -> int:
        """Number of memories that wait for the index."""
        return self.queue.waiting()

    def drain(
        self,
        limit: int | None = None,
        cancel: CancelToken | None = None,
        progress: Progress = ignore_progress,
    ) -> DrainResult:
        """Brings up to `limit` waiting memories into the index (None = all).

        Errors: Cancelled and Unavailable("embedder" or "index"); what was finished before stays so,
        the rest waits on.
        """
        with self._lock:
            self.open()
            total = self.queue.waiting()
            total = total if limit is None else min(limit, total)
            done = embedded = removed = 0
            failed: list[MemoryPk] = []
            while done < total:
                _look(cancel)
                batch = self.queue.pending(min(CHUNK_ROWS, total - done))
                if not batch:
                    break
                chunk = self._drain_batch(batch, cancel)
                done += chunk.done
                embedded += chunk.embedded
                removed += chunk.removed
                failed += chunk.failed
                progress(done, total)
            return DrainResult(done, embedded, removed, self.queue.waiting(), tuple(failed))

    def open(self) -> None:
        """Opens the embedder's collection; one that is empty is filled from SQL by the next drains."""
        with self._lock:
            if not self._opened:
                self.index.open(self.embedder.identity)
                if self.index.count() == 0:
                    self.queue.enqueue_all()
                self._opened = True

    def rebuild(self, progress: Progress = ignore_progress, cancel: CancelToken | None = None) -> DrainResult:
        """The index anew from SQL. Only texts without a vector are embedded.

        Cancelled or interrupted: the rest waits in the outbox and comes with the next drains.
        """
        with self._lock:
            with contextlib.suppress(Unavailable):  # a damaged one: `reset` makes it anew
                self.index.open(self.embedder.identity)
            self.queue.enqueue_all()  # first: a crash after it loses nothing
            self.index.reset()
            self._opened = True
            return self.drain(None, cancel, progress)

    def reconcile(self, progress: Progress = ignore_progress, cancel: CancelToken | None = None) -> int:
        """Repairs the index where it differs from SQL, and fills a new one. Returns rows written or removed.

        Leaves the outbox alone, so it may fill the collection of a new model beside the one in use.
        Cancelled: the next call goes on where this one stopped.
        """
        with self._lock:
            self.index.open(self.embedder.identity)
            stored = self.index.entries()
            total = max(1, len(stored))
            changed = seen = 0
            for page in self.pages():
                _look(cancel)
                vectors = self._vectors(
                    {entry.text_hash: text for entry, text in page if belongs(entry)}, cancel
                )
                placed = [entry for entry, _ in page if belongs(entry) and has_place(vectors, entry)]
                changed += self._upsert([e for e in placed if stored.get(e.id) != e], vectors)
                for entry in placed:
                    stored.pop(entry.id, None)
                self.touched(entry.pk for entry, _ in page)
                seen += len(page)
                progress(seen, max(total, seen))
            self.index.delete(list(stored))
            return changed + len(stored)

    def embed_missing(self, progress: Progress = ignore_progress, cancel: CancelToken | None = None) -> int:
        """Embeds every text that has no vector yet, whatever the state of the index. Returns how many."""
        made = seen = 0
        for page in self.pages():
            _look(cancel)
            texts = {entry.text_hash: text for entry, text in page if belongs(entry)}
            found = self.stored_vectors(list(texts))
            made += self._embed(texts, found, cancel)
            self.touched(entry.pk for entry, _ in page)
            seen += len(page)
            progress(seen, 0)
        return made

    def pages(self) -> Iterator[list[tuple[IndexEntry, str]]]:
        """All memories with their texts, page by page."""
        after = MemoryPk(0)
        while page := self.queue.entries(after, CHUNK_ROWS):
            yield page
            after = MemoryPk(page[-1][0].pk)

    def stored_vectors(self, hashes: Sequence[str]) -> dict[str, Vectors]:
        """SQL's vectors by text hash; unfit ones (of another length, not finite) count as absent."""
        dims = self.embedder.identity.dims
        found = self.queue.vectors(self.embedder.identity.key, hashes)
        return {
            digest: vector
            for digest, vector in found.items()
            if vector.shape == (dims,) and np.isfinite(vector).all()
        }

    def _drain_batch(self, batch: Sequence[Pending], cancel: CancelToken | None) -> DrainResult:
        present = [
            (item.entry, item.text) for item in batch if item.entry is not None and belongs(item.entry)
        ]
        texts = {entry.text_hash: text for entry, text in present}
        vectors = self.stored_vectors(list(texts))
        known = len(vectors)
        down: Unavailable | None = None
        try:
            self._embed(texts, vectors, cancel)
        except Unavailable as error:
            down = error
        open_ends = set(texts) - set(vectors) if down else set()
        ready = [item for item in batch if item.entry is None or item.entry.text_hash not in open_ends]
        placed = [entry for entry, _ in present if has_place(vectors, entry)]
        kept = {entry.id for entry in placed}
        gone = [item.id for item in ready if item.id not in kept]
        self._upsert(placed, vectors)
        self.index.delete(gone)
        self.queue.done([(item.pk, item.version) for item in ready])
        self.touched(item.pk for item in batch)
        if down is not None:
            raise down
        failed = tuple(MemoryPk(entry.pk) for entry, _ in present if entry.text_hash not in vectors)
        return DrainResult(len(ready), len(vectors) - known, len(gone), 0, failed)

    def _vectors(self, texts: Mapping[str, str], cancel: CancelToken | None) -> dict[str, Vectors]:
        found = self.stored_vectors(list(texts))
        self._embed(texts, found, cancel)
        return found

    def _embed(self, texts: Mapping[str, str], found: dict[str, Vectors], cancel: CancelToken | None) -> int:
        """Adds to `found` what it lacks, and saves it batch by batch. Refused texts stay absent."""
        missing = [(digest, text) for digest, text in texts.items() if digest not in found]
        before = len(found)
        step = self.embedder.batch_texts if isinstance(self.embedder, InBatches) else EMBED_TEXTS
        for start in range(0, len(missing), step):
            _look(cancel)
            made = self._embed_batch(missing[start : start + step], cancel)
            self.queue.save_vectors(self.embedder.identity.key, made)
            found.update(made)
        return len(found) - before

    def _embed_batch(
        self, batch: Sequence[tuple[str, str]], cancel: CancelToken | None
    ) -> dict[str, Vectors]:
        """Vectors by hash; one text that the embedder refuses never sinks the others."""
        try:
            rows = self.embedder.embed_documents([text for _, text in batch], cancel)
        except UserError as error:
            if len(batch) == 1:
                _log.warning("a text cannot be embedded: %s", error.key)
                return {}
            half = len(batch) // 2
            return self._embed_batch(batch[:half], cancel) | self._embed_batch(batch[half:], cancel)
        if rows.shape != (len(batch), self.embedder.identity.dims):
            raise Unavailable(
                "embedder",
                f"gave an array of shape {rows.shape} for {len(batch)} texts",
                key="index.wrong_shape",
            )
        return {digest: row for (digest, _), row in zip(batch, rows, strict=True) if np.isfinite(row).all()}

    def _upsert(self, entries: Sequence[IndexEntry], vectors: Mapping[str, Vectors]) -> int:
        if entries:
            self.index.upsert(entries, np.stack([vectors[entry.text_hash] for entry in entries]))
        return len(entries)

    def touched(self, pks: Iterable[int]) -> None:
        """These memories changed: exact search reads them again."""
        if self._exact is not None:
            self._exact.touch(pks)


def belongs(entry: IndexEntry) -> bool:
    """Whether a memory should be found by meaning: outside the trash, with a text."""
    return not entry.trashed and bool(entry.text_hash)


def has_place(vectors: Mapping[str, Vectors], entry: IndexEntry) -> bool:
    """Whether the entry's text has a vector that points somewhere (a text without words has none)."""
    vector = vectors.get(entry.text_hash)
    return vector is not None and bool(vector.any())


def _look(cancel: CancelToken | None) -> None:
    if cancel is not None:
        cancel.check()
