"""From one embedding model to another: vectors of two models are never compared (case c513).

The new model's vectors and index are made beside the old ones, which stay in use until all is there.
Cancelled or interrupted it goes on where it stopped, because vectors are saved batch by batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.ports.embedder import EmbedderIdentity
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.services.indexer import Indexer, belongs

ROUNDS = 5
"""Passes at most: each takes what was changed during the one before it."""


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """What a person is shown before: both models, and how many of `memories` each has vectors for."""

    old: EmbedderIdentity
    new: EmbedderIdentity
    memories: int
    old_vectors: int
    new_vectors: int

    @property
    def needed(self) -> bool:
        """Whether the vectors of the two cannot be compared (also at equal dimension)."""
        return self.old != self.new

    @property
    def to_embed(self) -> int:
        """Memories whose text the new model has to embed."""
        return self.memories - self.new_vectors


def plan_switch(indexer: Indexer, old: EmbedderIdentity) -> SwitchPlan:
    """What a switch from the model `old` to the indexer's would take. Changes nothing. Cost: O(n)."""
    new = indexer.embedder.identity
    memories = old_vectors = new_vectors = 0
    for page in indexer.pages():
        hashes = [entry.text_hash for entry, _ in page if belongs(entry)]
        memories += len(hashes)
        old_vectors += _known(indexer, old, hashes)
        new_vectors += _known(indexer, new, hashes)
    return SwitchPlan(old, new, memories, old_vectors, new_vectors)


def fill_beside(
    indexer: Indexer, progress: Progress = ignore_progress, cancel: CancelToken | None = None
) -> bool:
    """Makes the vectors and the index of the indexer's model, whose index lies beside the one in use.

    Returns whether it is complete: then the caller may use it instead. False when memories changed
    faster than they were taken in. Errors: Cancelled, Unavailable; the old index stays usable.
    """
    return any(indexer.reconcile(progress, cancel) == 0 for _ in range(ROUNDS))


def _known(indexer: Indexer, model: EmbedderIdentity, hashes: Sequence[str]) -> int:
    found = indexer.queue.vectors(model.key, hashes)
    return sum(digest in found for digest in hashes)
