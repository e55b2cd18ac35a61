"""Titles of memories for labels: asked once, kept until the memory changes. Used by workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock

from core.domain.api import EngineApi
from core.domain.graph import TitlesOf
from core.domain.ids import MemoryPk

KEPT = 50_000


class TitleBook:
    """Titles by pk."""

    def __init__(self, engine: EngineApi) -> None:
        self._engine = engine
        self._known: dict[int, str] = {}
        self._lock = Lock()

    def __call__(self, pks: Sequence[int]) -> dict[int, str]:
        """The titles of these memories; asks the store for unknown ones, so only a worker calls it."""
        with self._lock:
            missing = [pk for pk in pks if pk not in self._known]
        if missing:
            titles = self._engine.ask(TitlesOf(tuple(MemoryPk(pk) for pk in missing)))
            with self._lock:
                if len(self._known) > KEPT:
                    self._known.clear()
                self._known.update(zip(missing, titles, strict=True))
        with self._lock:
            return {pk: self._known.get(pk, "") for pk in pks}

    def known(self, pk: int) -> str:
        """A title without asking, "" when it is not known."""
        with self._lock:
            return self._known.get(pk, "")

    def forget(self, pks: Iterable[int]) -> None:
        """These memories were changed."""
        with self._lock:
            for pk in pks:
                self._known.pop(pk, None)
