"""Whether a model is still the one that made the stored vectors: five stored texts are embedded again."""

from __future__ import annotations

import numpy as np

from core.ports.embedder import Vectors
from core.ports.progress import CancelToken
from core.services.indexer import Indexer, belongs

TEXTS = 5
PAGES = 4
"""Pages of memories in which stored vectors are looked for."""


def agreement(indexer: Indexer, cancel: CancelToken | None = None) -> float | None:
    """Mean cosine between stored vectors of the indexer's model and those it makes now; None without any.

    Errors: Unavailable, Cancelled. Cost: one request.
    """
    stored: list[tuple[str, Vectors]] = []
    for number, page in enumerate(indexer.pages()):
        texts = {entry.text_hash: text for entry, text in page if belongs(entry)}
        found = indexer.stored_vectors(list(texts))
        stored += [(texts[digest], vector) for digest, vector in found.items() if vector.any()]
        if len(stored) >= TEXTS or number + 1 >= PAGES:
            break
    chosen = stored[:: max(1, len(stored) // TEXTS)][:TEXTS]
    if not chosen:
        return None
    again = indexer.embedder.embed_documents([text for text, _ in chosen], cancel)
    return _mean_cosine(np.stack([vector for _, vector in chosen]), again)


def _mean_cosine(stored: Vectors, again: Vectors) -> float:
    one, two = stored.astype(np.float64), again.astype(np.float64)
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    return float(np.mean(np.sum(one * two, axis=1) / np.where(norms == 0, 1.0, norms)))
