"""A library with recall: a real store, an exact index, a tiny embedder, and whatever model a test scripts."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from core.adapters.index_numpy import NumpyIndex
from core.adapters.token_counter import QuicktokCounters
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import JsonObject
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort
from core.domain.recall import RecallRequest, RecallResult, WhyNotAnswer
from core.engine import Engine
from core.ports.embedder import Embedder
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.services.recall.answers import recall_answers
from core.services.recall.recall import RecallService
from core.services.recall.stages import seeded
from core.services.recall.why import WhyNot
from tests.fakes.embedder import HashEmbedder
from tests.services.desk import PERSON, Desk


class ScriptedModel:
    """Answers with its replies, one a call; then with nothing it can be read from."""

    name = "scripted"

    def __init__(self, replies: Iterable[str]) -> None:
        self._replies = list(replies)
        self.asked: list[Sequence[ChatMessage]] = []

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,
        cancel: CancelToken | None = None,
    ) -> str:
        self.asked.append(messages)
        return self._replies.pop(0) if self._replies else ""


class RecallDesk(Desk):
    """Commands as in Desk, and recall beside them."""

    def __init__(self, root: Path, embedder: Embedder | None = None) -> None:
        super().__init__(root)
        self.embedder: Embedder | None = embedder
        self.model: LanguageModel | None = None
        self.chance: Callable[[RecallRequest], random.Random] = lambda request: seeded(
            request.seed, request.message
        )
        self.index = None if embedder is None else NumpyIndex(self.store.queue, embedder.identity)
        self.service = RecallService(
            self.store,
            self.store.recall,
            QuicktokCounters(),
            embedder=self._pair,
            model=lambda: self.model,
            clock=lambda: self.now,
            chance=self._chance,
        )
        self.engine = Engine(self.store, PERSON, recall_answers(lambda: self.service))

    def _chance(self, request: RecallRequest) -> random.Random:
        return self.chance(request)

    def _pair(self) -> tuple[Embedder, NumpyIndex] | None:
        return None if self.embedder is None or self.index is None else (self.embedder, self.index)

    def embed_all(self) -> None:
        """Give every memory its vector."""
        assert self.embedder is not None
        entries = self.store.queue.entries(MemoryPk(0), 100_000)
        with_text = [(entry, text) for entry, text in entries if entry.text_hash]
        vectors = self.embedder.embed_documents([text for _, text in with_text])
        rows = {entry.text_hash: vector for (entry, _), vector in zip(with_text, vectors, strict=True)}
        self.store.queue.save_vectors(self.embedder.identity.key, rows)
        if self.index is not None:
            self.index.touch([entry.pk for entry, _ in with_text])

    def recall(self, message: str, folder: FolderPk | None = None, **more: Any) -> RecallResult:
        return self.service.recall(RecallRequest(message=message, folder=folder, **more))

    def selected(self, message: str, folder: FolderPk | None = None, **more: Any) -> list[int]:
        return [each.pk for each in self.recall(message, folder, **more).selected]

    def why(
        self, memory: MemoryPk, message: str, folder: FolderPk | None = None, **more: Any
    ) -> WhyNotAnswer:
        return WhyNot(self.service, RecallRequest(message=message, folder=folder, **more), memory).answer()

    def by_foreign_id(self) -> dict[str, Memory]:
        with self.store.read() as reader:
            pks = reader.memory_ids(MemoryFilter(), Sort())
            return {memory.foreign_id or memory.id: memory for memory in reader.records(Memory, pks)}

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables, to compare byte for byte."""
        with closing(sqlite3.connect(self.store.files.database)) as connection:
            names = [
                row[0]
                for row in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
                )
            ]
            return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}


def hash_embedder() -> HashEmbedder:
    return HashEmbedder(dims=256)
