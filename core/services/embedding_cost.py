"""What it would take to embed texts: how many, their tokens, and time at a speed measured on a few of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.domain.ids import FolderPk, MemoryPk
from core.ports.embedder import Embedder
from core.ports.health_store import HealthStore
from core.ports.progress import CancelToken

PROBE_TEXTS = 16
CHARS_A_TOKEN = 1.6
"""For the estimate only: between Chinese (about one) and English (about four)."""


@dataclass(frozen=True, slots=True)
class EmbeddingCost:
    """Memories, different texts, characters and tokens (estimated) of them, seconds at the measured speed."""

    memories: int
    texts: int
    characters: int
    tokens: int
    seconds: float


def embedding_cost(
    health: HealthStore,
    embedder: Embedder,
    *,
    folder: FolderPk | None = None,
    missing_in: str | None = None,
    probe_key: str = "",
    cancel: CancelToken | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> EmbeddingCost:
    """The cost of all texts, or of those without a vector under the key `missing_in`.

    Embeds up to PROBE_TEXTS texts that have none under `probe_key` (else `missing_in`), and keeps nothing of it.
    Errors: Unavailable, Cancelled.
    """
    key = missing_in or embedder.identity.key
    memories, texts, characters = health.text_sizes(folder, key, only_missing=missing_in is not None)
    sample = health.texts_without(folder, probe_key or key, MemoryPk(0), PROBE_TEXTS)
    seconds = 0.0
    if sample:
        embedder.embed_query("speed")  # weights are loaded, connections are made
        began = clock()
        embedder.embed_documents([text for _, _, text in sample], cancel)
        measured = sum(len(text) for _, _, text in sample)
        seconds = (clock() - began) * characters / max(1, measured)
    return EmbeddingCost(memories, texts, characters, round(characters / CHARS_A_TOKEN), seconds)
