"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from core.ports.progress import CancelToken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""A name only: reading commands import this module and do without numpy."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines with a meaning for one embedder (never global constants, MODELS.md)."""

    same_text: float
    duplicate: float
    related: float


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What makes two vectors comparable: model, dimension, prefix and version of preparation."""

    model: str
    dims: int
    variant: str = ""

    @property
    def key(self) -> str:
        """Text under which vectors are stored."""
        return f"{self.model}|{self.dims}|{self.variant}"


class Embedder(Protocol):
    """Texts to unit vectors. Implementations load lazily and may be called from any thread."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Identity, known without loading the model."""

    @property
    def thresholds(self) -> Thresholds:
        """Thresholds of this model."""

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        """Unit vectors (n, dims) float32. Errors: Unavailable("embedder"), Cancelled."""

    def embed_query(self, text: str) -> Vectors:
        """Unit vector (dims,) float32. Errors: Unavailable("embedder")."""


@runtime_checkable
class InBatches(Protocol):
    """An embedder that asks for so many texts at a time: what was embedded is kept after each."""

    @property
    def batch_texts(self) -> int:
        """Texts of one request."""
