"""One opened library: store, index, embedder, models and formats, joined to an engine.

Nothing heavy is loaded before it is used: a command that only reads needs neither numpy's index, nor
the embedder, nor the index process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app.container_embedder import EmbedderChange
from app.container_extract import LibraryExtraction
from app.container_health import LibraryHealth, log_changes
from app.container_models import Models
from app.language import language_of
from app.lazy_files import LazyDocuments, LazyFormats
from app.library_place import take_lock
from core.domain import queries as q
from core.domain import queries_booku as qb
from core.domain import queries_index as qi
from core.domain import queries_transfer as qt
from core.domain.access import ReadOnly
from core.domain.endpoints import ModelTask
from core.domain.errors import Invalid, Unavailable
from core.domain.ids import MemoryPk
from core.domain.op_names import RESTORED
from core.domain.results import Actor, Changes, VerifyReport
from core.domain.schema_data import default_schema
from core.domain.transfer import ImportPlan
from core.engine import Engine
from core.ports.clock import system_clock
from core.settings import Settings
from core.store.library import LibraryFiles, LibraryLock, lies_in_library
from core.store.store import SqlStore

if TYPE_CHECKING:
    from app.container_watch import Watch
    from core.adapters.index_client import ChromaIndex
    from core.adapters.index_numpy import NumpyIndex
    from core.domain.api import Cancel, Report
    from core.domain.commands import Command
    from core.domain.queries_recall import PrepareRecall
    from core.ports.embedder import Embedder, Vectors
    from core.ports.file_watcher import FileWatcher
    from core.ports.manual_requests import ManualRows
    from core.ports.progress import CancelToken
    from core.services.compress import Compression
    from core.services.drainer import Drainer, IndexState
    from core.services.graph import GraphService
    from core.services.indexer import DrainResult, Indexer
    from core.services.novelty import NoveltyCheck
    from core.services.recall.recall import RecallService
    from core.services.semantic import SemanticSearch

OF_EMBEDDER = ("embedder", "_exact", "indexer", "_semantic", "recall", "_novelty", "graph", "_compression")
"""What a library made with its embedder in hand."""


class Library:
    """One opened library with all that belongs to it. With `read_only` nothing is written into its directory."""

    def __init__(
        self,
        root: Path,
        actor: Actor,
        settings: Settings,
        lock: LibraryLock | None,
        read_only: ReadOnly | None = None,
    ) -> None:
        self.files = LibraryFiles(root)
        self.read_only = read_only
        self._settings = settings
        self._lock = lock
        self.models = Models(settings, settings.beside("model_usage.json"), self._manual_rows)
        self._change = EmbedderChange(self, settings)
        self.health = LibraryHealth(self, settings)
        self.extracting = LibraryExtraction(self, settings)
        self.store = SqlStore(self.files, default_schema(), read_only=read_only)
        self.drainer: Drainer | None = None
        self._unsubscribe_drainer: Callable[[], None] = lambda: None
        self._on_index_state: Callable[[IndexState], None] | None = None
        self._keeps_indexed = False
        try:
            if read_only is None:
                self._roll_back_abandoned()
            self.engine = Engine(
                self.store, actor, self._answers(), [self._end], self.health.before, read_only
            )
            self.engine.subscribe(self._notice)
            self.engine.subscribe(log_changes)
        except BaseException:
            self.store.close()
            raise

    def _roll_back_abandoned(self) -> None:
        """Ops that a crash left open are taken back by whoever can have the lock, if only for a moment."""
        if self._lock is not None:
            self.store.roll_back_abandoned()
            return
        lock = LibraryLock(self.files)
        if lock.acquire():
            try:
                self.store.roll_back_abandoned()
            finally:
                lock.release()

    # --- the index -----------------------------------------------------------------------

    @cached_property
    def embedder(self) -> Embedder:
        """The chosen embedder (its weights are loaded at first use). Errors: Unavailable when it is off."""
        if self._settings.text("embedder") == "none":
            raise Unavailable("embedder", "switched off", key="error.embedder.off")
        if (found := self.models.embedder()) is not None:
            return found
        from core.adapters.embedder_builtin import BuiltinEmbedder

        return BuiltinEmbedder()

    @cached_property
    def _exact(self) -> NumpyIndex:
        from core.adapters.index_numpy import NumpyIndex

        return NumpyIndex(self.store.queue, self.embedder.identity)

    @cached_property
    def _index(self) -> ChromaIndex:
        from core.adapters.index_client import ChromaIndex, IndexHost

        return ChromaIndex(IndexHost(self.files.index))

    @cached_property
    def indexer(self) -> Indexer:
        """Writes the index. Only for the holder of the library's lock."""
        from core.services.indexer import Indexer

        return Indexer(self.store.queue, self.embedder, self._index, self._exact)

    @cached_property
    def _semantic(self) -> SemanticSearch:
        from core.services.semantic import SemanticSearch

        index = self._index if self._lock is not None else None
        return SemanticSearch(self.store, self.store.queue, self.embedder, self._exact, index)

    @cached_property
    def recall(self) -> RecallService:
        """What the next prompt would get. Without an embedder words and relations are left."""
        return self._recall_service(self._embedder_with_vectors)

    def recall_with(self, embedder: Embedder) -> RecallService:
        """The same with the vectors of that embedder, for a comparison."""
        from core.adapters.index_numpy import NumpyIndex

        exact = NumpyIndex(self.store.queue, embedder.identity)
        return self._recall_service(lambda: (embedder, exact))

    def _recall_service(self, embedder: Callable[[], tuple[Embedder, NumpyIndex] | None]) -> RecallService:
        from core.adapters.token_counter import QuicktokCounters
        from core.services.recall.recall import RecallService

        return RecallService(
            self.store,
            self.store.recall,
            QuicktokCounters(),
            embedder=embedder,
            model=lambda: self.models.model_for(ModelTask.RECALL),
            language=lambda: language_of(self._settings),
        )

    def _embedder_with_vectors(self) -> tuple[Embedder, NumpyIndex] | None:
        if self._settings.text("embedder") == "none":
            return None
        return self.embedder, self._exact

    def _embedder_or_none(self) -> Embedder | None:
        return None if self._settings.text("embedder") == "none" else self.embedder

    @cached_property
    def _novelty(self) -> NoveltyCheck:
        from core.services.novelty import NoveltyCheck

        return NoveltyCheck(self.store, self.store.queue, self.embedder, self._exact)

    @cached_property
    def _compression(self) -> Compression:
        from core.domain.queries_extract import PromptTask
        from core.services.compress import Compression
        from core.services.summarise import Summariser

        def summariser() -> Summariser:
            off = self._settings.text("embedder") == "none"
            model, language = self.models.model_for(ModelTask.COMPRESS), language_of(self._settings)
            prompt = self.extracting.prompts.of(PromptTask.COMPRESS, language).text
            return Summariser(model, language, None if off else embed, prompt)

        def embed(texts: Sequence[str]) -> Vectors:
            return self.embedder.embed_documents(list(texts))

        return Compression(self.store, self.store.proposals, summariser)

    @cached_property
    def graph(self) -> GraphService:
        """The graph of memories. Without an embedder there is no arrangement by meaning."""
        from core.services.graph import GraphService

        if self._settings.text("embedder") == "none":
            return GraphService(self.store.graph)
        return GraphService(
            self.store.graph, lambda pks: self.store.queue.matrix_rows(self.embedder.identity.key, pks)
        )

    def _notice(self, changes: Changes) -> None:
        """Exact search reads what changed again, also where no thread drains the outbox."""
        if "_exact" in self.__dict__:
            if changes.op.label == RESTORED:
                self._exact.forget()
            self._exact.touch(changes.memories)

    def keep_indexed(self, on_state: Callable[[IndexState], None] | None = None) -> None:
        """From now on a thread brings every change into the index. Needs the lock; off without embedder."""
        self._keeps_indexed, self._on_index_state = True, on_state
        if self._lock is None or self.drainer is not None or self._settings.text("embedder") == "none":
            return
        from core.services.drainer import Drainer

        drainer = Drainer(self.indexer, on_state)
        self._unsubscribe_drainer = self.engine.subscribe(lambda changes: drainer.changed(changes.memories))
        self.drainer = drainer
        drainer.start()

    def indexer_beside(self, embedder: Embedder) -> Indexer:
        """An indexer for another embedder, whose collection lies beside the one in use."""
        from core.services.indexer import Indexer

        return Indexer(self.store.queue, embedder, self._index.beside())

    def use_embedder_anew(self) -> None:
        """The settings name another embedder: everything that works with one is made anew."""
        kept, drainer = self._lock is not None, self.drainer
        if drainer is not None:
            drainer.stop()
            self._unsubscribe_drainer()
            self.drainer = None
        for name in OF_EMBEDDER:
            self.__dict__.pop(name, None)
        self.health.__dict__.pop("rebuilder", None)
        if kept and self._keeps_indexed:
            self.keep_indexed(self._on_index_state)

    # --- health --------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self._settings

    @property
    def keeps_lock(self) -> bool:
        """Whether this program holds the library's lock."""
        return self._lock is not None

    @contextmanager
    def index_lock(self) -> Iterator[bool]:
        """Whether the index may be used now; without the library's lock it is let go of afterwards."""
        if self._lock is not None:
            yield True
            return
        lock = LibraryLock(self.files)
        if self.read_only is not None or not lock.acquire():
            yield False
            return
        try:
            yield True
        finally:
            self.release_index()
            lock.release()

    def release_index(self) -> None:
        """End the index process; the next call starts it again."""
        if "_index" in self.__dict__:
            self._index.release()

    def forget_vectors(self) -> None:
        """All vectors are others now: exact search reads them again, the drainer brings them into the index."""
        if "_exact" in self.__dict__:
            self._exact.forget()
        if self.drainer is not None:
            self.drainer.changed()

    @cached_property
    def watch(self) -> Watch:
        """Watched folders, and the queue's way to write."""
        from app.container_watch import Watch

        def watcher() -> FileWatcher:
            from core.adapters.file_watcher import SystemFileWatcher

            return SystemFileWatcher()

        return Watch(self, watcher, lies_in_library)

    def keep_watched(self) -> None:
        """From now on files of watched folders come in by themselves. Needs the lock."""
        if self._lock is not None:
            self.watch.start()

    def rebuild(self, progress: Report | None = None, cancel: CancelToken | None = None) -> DrainResult:
        """The index anew from SQL; no text that has a vector is embedded again.

        Errors: LibraryInUse when another program holds the library, Unavailable, Cancelled.
        """
        from core.ports.progress import ignore_progress

        if self._lock is not None:
            return self.indexer.rebuild(progress or ignore_progress, cancel)
        lock = take_lock(self.files.root)
        try:
            return self.indexer.rebuild(progress or ignore_progress, cancel)
        finally:
            self._index.release()
            lock.release()

    def sample_plan(self) -> ImportPlan:
        """The sample library, as an import."""
        from core.adapters.sample import read_sample

        return read_sample(system_clock())

    def _prepare_recall(self, query: PrepareRecall, cancel: CancelToken | None) -> None:
        """What recall reads first, and the weights of the built-in embedder; no endpoint is asked."""
        from core.adapters.embedder_builtin import BuiltinEmbedder

        self.recall.prepare(query.folder, cancel)
        if self._settings.text("embedder") != "none" and isinstance(self.embedder, BuiltinEmbedder):
            self.embedder.load()

    # --- queries that need more than the store -------------------------------------------

    def _answers(self) -> Mapping[type[q.Query[Any]], Callable[[Any, Cancel | None], Any]]:
        from core.domain import queries_recall as qr
        from core.services.completing import Completing
        from core.services.duplicate_answers import duplicate_answers
        from core.services.file_answers import file_answers
        from core.services.graph_answers import graph_answers
        from core.services.graph_file import graph_file_answers
        from core.services.ingest.answers import ingest_answers
        from core.services.manual_work import ManualWork
        from core.services.proposals import proposal_answers
        from core.services.recall.answers import recall_answers
        from core.services.saved_searches import SavedCounts
        from core.services.searching import Searching
        from core.services.upkeep_answers import upkeep_answers

        plain: Mapping[type[q.Query[Any]], Callable[[Any, Cancel | None], Any]] = {
            **ingest_answers(
                self.store,
                self.store.jobs,
                LazyDocuments(),
                self.watch.run,
                lambda texts: self.embedder.embed_documents(list(texts)),
                lambda path, partly: self.engine.ask(qt.ReadFile(path, partly=partly)),
                lambda path: self.engine.ask(qt.FindFiles(path)),
            ),
            **self.watch.answers(),
            **recall_answers(lambda: self.recall),
            qr.PrepareRecall: lambda query, cancel: self._prepare_recall(
                query, cast("CancelToken | None", cancel)
            ),
            **proposal_answers(self.store, self.store.proposals),
            **self.models.answers(),
            **self._change.answers(),
            **self.health.answers(),
            **self.extracting.answers(),
            **graph_answers(lambda: self.graph),
            **duplicate_answers(self.store, lambda: self.store.queue, self._embedder_or_none),
            **graph_file_answers(self.store, LazyFormats(), self._in_library),
            **upkeep_answers(self.store, lambda: self.store.upkeep, lambda: self._compression),
            **file_answers(
                self.store,
                LazyFormats(),
                self._vectors_of,
                self._in_library,
                self._run,
            ),
            **Searching(self.store, self._near).answers(),
            **Completing(self.store, lambda: self.store.search).answers(),
            **SavedCounts(self.store).answers(),
            qi.SearchByMeaning: self._search,
            qi.Verify: self._verify,
            qi.RebuildIndex: lambda _query, cancel: (
                self.rebuild(None, cast("CancelToken | None", cancel)).done
            ),
            q.NoveltyOf: lambda query, cancel: self._novelty.of(query, cast("CancelToken | None", cancel)),
            qi.EmbedWaiting: lambda query, cancel: self._novelty.catch_up(
                query.limit, cast("CancelToken | None", cancel)
            ),
            qi.VectorCounts: lambda query, _cancel: self.store.queue.vector_counts(
                self.embedder.identity.key, query.folder
            ),
            qb.CountUse: lambda query, _cancel: self.store.usage.count(query.memories),
            q.LibraryPath: lambda _query, _cancel: self.files.root,
        }
        work = ManualWork(self.store.manual, self.store, plain, self.models.by_hand)
        return {**plain, **work.answers()}

    def _manual_rows(self) -> ManualRows | None:
        return self.store.manual if self.read_only is None else None

    def _run(self, command: Command) -> object:
        return self.engine.run(command)

    def _in_library(self, path: Path) -> bool:
        return lies_in_library(path) or path.resolve().is_relative_to(self.files.root.resolve())

    def _vectors_of(self, memories: Sequence[MemoryPk]) -> Mapping[MemoryPk, Vectors]:
        if self._settings.text("embedder") == "none":
            return {}
        pks, rows = self.store.queue.matrix_rows(self.embedder.identity.key, memories)
        return {MemoryPk(int(pk)): row for pk, row in zip(pks, rows, strict=True)}

    def _search(
        self, query: qi.SearchByMeaning, _cancel: Cancel | None
    ) -> tuple[tuple[MemoryPk, float], ...]:
        from core.services.searching import read_filter

        allowed = None
        if query.filter != q.MemoryFilter():
            with self.store.read() as reader:
                allowed = set(reader.memory_ids(read_filter(reader, query.filter), q.Sort()))
        hits = self._semantic.by_meaning(query.text, query.limit, allowed)
        return tuple((hit.pk, hit.score) for hit in hits)

    def _near(self, text: str, limit: int, allowed: set[int] | None) -> list[tuple[int, float]]:
        """For a search that has `~text` in it. Errors: Invalid where search by meaning is switched off."""
        if self._settings.text("embedder") == "none":
            raise Invalid("error.search.meaning_off")
        if not self.store.queue.vector_counts(self.embedder.identity.key, None)[0]:
            raise Invalid("error.search.no_vectors")
        return [(hit.pk, hit.score) for hit in self._semantic.by_meaning(text, limit, allowed)]

    def _verify(self, query: qi.Verify, cancel: Cancel | None) -> VerifyReport:
        """Store and index; beside a program that keeps the library, or without an index, the store alone."""
        from core.services.doctor import checked_store, store_report

        with self.store.read() as reader:
            problems = (*self.store.check(), *checked_store(reader))
            counts = reader.counts()
        if self._settings.text("embedder") == "none" or not self.files.index.exists():
            return store_report(counts, problems, index="none")
        lock = None if self._lock is not None else LibraryLock(self.files)
        if lock is not None and (self.read_only is not None or not lock.acquire()):
            return store_report(counts, problems, index="elsewhere")
        from core.services.index_check import verify

        try:
            report = verify(self.indexer, query.sample, cast("CancelToken | None", cancel))
        finally:
            if lock is not None:
                self._index.release()
                lock.release()
        return replace(report, problems=(*problems, *report.problems))

    # --- end -----------------------------------------------------------------------------

    def _end(self) -> None:
        self.health.close()
        self.watch.stop()
        self.models.close()
        self.extracting.stop()
        if self.drainer is not None:
            self.drainer.stop()
        if "_index" in self.__dict__:
            self._index.close()

    def close(self) -> None:
        """End threads, processes and connections, and give the lock back."""
        self.engine.close()
        if self._lock is not None:
            self._lock.release()
