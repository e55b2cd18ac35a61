"""Segments of a chat by meaning; the vectors of turns are kept while the program runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from core.algos.boundaries import segment_starts
from core.algos.vectors import Matrix
from core.domain.embedding_text import text_hash
from core.domain.errors import Unavailable
from core.ports.progress import CancelToken
from core.services.extract.floors import ChatFloors
from core.services.extract.meaning import Meaning

TURN_CHARS = 1_000
KEPT = 20_000
"""Vectors of turns that are kept; more and all are made anew."""


class Segments:
    """Finds where segments begin."""

    def __init__(self, meaning: Callable[[], Meaning | None]) -> None:
        self._meaning = meaning
        self._lock = threading.Lock()
        self._vectors: dict[str, Matrix] = {}

    def starts(self, chat: ChatFloors, gamma: float, cancel: CancelToken | None = None) -> tuple[int, ...]:
        """Floors of the turns that begin a segment. Errors: Unavailable("embedder"), Cancelled."""
        turns = chat.turns()
        rows = self.vectors([chat.messages[at].text for at in turns], cancel)
        return tuple(chat.messages[turns[at]].seq for at in segment_starts(rows, gamma))

    def vectors(self, texts: list[str], cancel: CancelToken | None = None) -> Matrix:
        """Unit rows (n, d) of turns. Errors: Unavailable("embedder"), Cancelled."""
        meaning = self._meaning()
        if meaning is None:
            raise Unavailable("embedder", "switched off", key="error.embedder.off")
        key = meaning.embedder.identity.key
        named = [(f"{key}|{text_hash(text[:TURN_CHARS])}", text[:TURN_CHARS]) for text in texts]
        with self._lock:
            if len(self._vectors) > KEPT:
                self._vectors.clear()
            missing = {name: text for name, text in named if name not in self._vectors}
            if missing:
                rows = meaning.embed(list(missing.values()), cancel)
                self._vectors.update(zip(missing, rows, strict=True))
            found = [self._vectors[name] for name, _ in named]
        return np.stack(found) if found else np.zeros((0, meaning.embedder.identity.dims))
