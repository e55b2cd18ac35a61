"""A tiny deterministic embedder: hashed character n-grams, so that tests need no model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from core.domain.errors import Invalid, Unavailable
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken


class HashEmbedder:
    """Texts that share pairs of characters are near each other. `calls` holds every batch asked for."""

    def __init__(self, dims: int = 64, model: str = "hash", variant: str = "1") -> None:
        self._identity = EmbedderIdentity(model, dims, variant)
        self.calls: list[list[str]] = []
        self.down = False
        self.refuses: set[str] = set()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(same_text=0.95, duplicate=0.8, related=0.3)

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        if cancel is not None:
            cancel.check()
        if self.down:
            raise Unavailable("embedder", "the test turned it off")
        self.calls.append(list(texts))
        if self.refuses & set(texts):
            raise Invalid("embedder.refused")
        result = np.zeros((len(texts), self._identity.dims), dtype=np.float32)
        for row, text in enumerate(texts):
            result[row] = self._one(text)
        return result

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def _one(self, text: str) -> Vectors:
        vector = np.zeros(self._identity.dims, dtype=np.float32)
        lowered = text.lower().strip()
        for size in (1, 2, 3):
            for start in range(len(lowered) - size + 1):
                gram = lowered[start : start + size] + self._identity.model
                digest = hashlib.blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                vector[number % self._identity.dims] += size if number & (1 << 40) else -size
        norm = float(np.linalg.norm(vector))
        return vector / norm if norm else vector
