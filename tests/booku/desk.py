"""A real library with a chosen embedder and clock, and the service over it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from app.library import Library
from app.writers import program
from core.booku import BookuMemoryService, BookuSettings
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken
from core.settings import Settings

T = TypeVar("T")
START = datetime(2026, 1, 1, tzinfo=UTC)


class TableEmbedder:
    """The first key that a text contains gives its vector (the recorder's own table), at length 1.

    Other texts get `default`; one of another dimension, which the original's store refused, points nowhere.
    """

    def __init__(self, table: dict[str, list[float]], default: Sequence[float]) -> None:
        self._table = {key: np.array(value, dtype=np.float64) for key, value in table.items()}
        self._dims = len(next(iter(table.values()))) if table else len(default)
        fits = len(default) == self._dims
        self._default = np.array(default, dtype=np.float64) if fits else np.zeros(self._dims)

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("table", self._dims, "1")

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(same_text=0.9, duplicate=0.8, related=0.3)

    def vector(self, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        found = next((vector for key, vector in self._table.items() if key in text), self._default)
        norm = float(np.linalg.norm(found))
        return np.asarray(found / norm if norm else found)

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        if not texts:
            return np.zeros((0, self._dims), dtype=np.float32)
        return np.stack([self.vector(text) for text in texts]).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        result: Vectors = self.vector(text).astype(np.float32)
        return result


class Desk:
    """A library and the service over it; the clock moves a second at each call."""

    def __init__(self, root: Path, embedder: object = None, **settings: Any) -> None:
        self.now = START
        own = Settings()
        if embedder is None:
            own.set("embedder", "none")
        self.library = Library(root, program("bot"), own, None)
        self.library.store._clock = self.clock  # type: ignore[assignment]
        self.library.store.usage._clock = self.clock  # type: ignore[assignment]
        if embedder is not None:
            self.library.__dict__["embedder"] = embedder
        self.library.recall.clock = self.clock
        self.service = BookuMemoryService(self.library.engine, BookuSettings(**settings), clock=self.clock)

    def clock(self) -> datetime:
        return self.now

    def do(self, call: Coroutine[Any, Any, T]) -> T:
        self.now += timedelta(seconds=1)
        return asyncio.run(call)

    def close(self) -> None:
        self.library.close()
