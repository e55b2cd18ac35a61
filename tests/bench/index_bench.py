"""Figures of vectors and index (DESIGN §8): rebuild, search, and how long the window is held up meanwhile.

Vectors are invented, 512 numbers as the built-in embedder's: groups of texts about one matter, within 40
directions, with noise. Vectors drawn evenly from all directions, which no embedder gives, take twice as long
to place. Times are wall times; `cpu` rows are this process's share alone (Chroma runs in its own).
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core.adapters.embedder_builtin import DIMS, BuiltinEmbedder
from core.adapters.index_client import ChromaIndex, IndexHost
from core.adapters.index_numpy import NumpyIndex
from core.domain.schema_data import default_schema
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken
from core.services.indexer import Indexer
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import cached
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
GROUP, DIRECTIONS, NOISE = 50, 40, 1.6
EMBEDDED = 1_000
SEARCHES = 40
TICK_MS = 5
REBUILD_S = {SMALL: 8, LARGE: 120}
SEARCH_MS = {SMALL: 1, LARGE: 24}


def run(full: bool) -> list[Row]:
    """All figures; those of 100,000 memories only with `full`."""
    rows: list[Row] = []
    for memories in (SMALL, LARGE) if full else (SMALL,):
        with library(memories) as (store, index):
            rows += _rebuild(store, index, memories)
            rows += _search(store, index, memories)
    with library(SMALL) as (store, index):
        rows += _window(store, index)
    return rows + _embedding()


class NoEmbedder:
    """An embedder for a library that has all its vectors."""

    identity = EmbedderIdentity("bench", DIMS)
    thresholds = Thresholds(1, 1, 1)

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        raise AssertionError(f"{len(texts)} texts lack a vector")

    def embed_query(self, text: str) -> Vectors:
        raise AssertionError(text)


def invented_vectors(count: int) -> Vectors:
    """Unit vectors (count, 512) as the head of this module says."""
    random = np.random.default_rng(0)
    basis = random.standard_normal((DIRECTIONS, DIMS), dtype=np.float32)
    matters = random.standard_normal((max(1, count // GROUP), DIRECTIONS), dtype=np.float32)
    result = np.empty((count, DIMS), dtype=np.float32)
    for start in range(0, count, 5000):
        size = min(5000, count - start)
        matter = matters[random.integers(0, len(matters), size)]
        texts = matter + 0.7 * random.standard_normal((size, DIRECTIONS), dtype=np.float32)
        rows = texts @ basis + NOISE * random.standard_normal((size, DIMS), dtype=np.float32)
        result[start : start + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return result


@contextmanager
def library(memories: int) -> Iterator[tuple[SqlStore, ChromaIndex]]:
    """A copy of the library of that size, with a vector for each text and an index process."""
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as place:
        root = Path(place) / "library"
        shutil.copytree(cached(memories).root, root)
        store = SqlStore(LibraryFiles(root), default_schema())
        index = ChromaIndex(IndexHost(root / "index"))
        try:
            _save_vectors(store, memories)
            index.open(NoEmbedder.identity)
            yield store, index
        finally:
            index.close()
            store.close()


def _save_vectors(store: SqlStore, memories: int) -> None:
    vectors = iter(invented_vectors(memories))
    key, after = NoEmbedder.identity.key, 0
    while page := store.queue.entries(after, 5000):  # type: ignore[arg-type]  # a pk
        store.queue.save_vectors(
            key, {entry.text_hash: vector for (entry, _), vector in zip(page, vectors, strict=False)}
        )
        after = page[-1][0].pk


def _rebuild(store: SqlStore, index: ChromaIndex, memories: int) -> list[Row]:
    indexer = Indexer(store.queue, NoEmbedder(), index)
    before = _cpu_of(index)
    started, used = time.perf_counter(), time.process_time()
    result = indexer.rebuild()
    seconds, cpu = time.perf_counter() - started, time.process_time() - used
    assert result.waiting == 0
    size = f"{memories:,} x {DIMS}"
    return [
        Row("Chroma rebuilt from SQL", seconds, "s", f"<= {REBUILD_S[memories]}", size),
        Row("... cpu in the index process", _cpu_of(index) - before, "s", "", size),
        Row("... cpu in the program's own process", cpu, "s", "", size),
    ]


def _cpu_of(index: ChromaIndex) -> float:
    """Processor seconds of the index process (0 where /proc is not there)."""
    stat = Path(f"/proc/{index.pid}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _search(store: SqlStore, index: ChromaIndex, memories: int) -> list[Row]:
    exact = NumpyIndex(store.queue, NoEmbedder.identity)
    started = time.perf_counter()
    exact.size()
    loading = time.perf_counter() - started
    pks, matrix = store.queue.matrix(NoEmbedder.identity.key)
    queries = matrix[:: len(matrix) // SEARCHES][:SEARCHES]
    allowed = set(pks[::20].tolist())
    size = f"{memories:,} x {DIMS}, top 10"
    hits = [exact.search(query, 10) for query in queries]
    ids = {entry.id: entry.pk for entry in index.entries().values()}
    found = [{ids[id_] for id_, _ in index.search(query, 10)} for query in queries]
    shared = sum(len({hit.pk for hit in ours} & theirs) for ours, theirs in zip(hits, found, strict=True))
    return [
        Row(
            "exact search, median", _median_ms(exact.search, queries), "ms", f"<= {SEARCH_MS[memories]}", size
        ),
        Row(
            "exact search, 5 % allowed",
            _median_ms(lambda q, n: exact.search(q, n, allowed), queries),
            "ms",
            "",
            size,
        ),
        Row("Chroma search, median", _median_ms(index.search, queries), "ms", "", size),
        Row("Chroma's share of the exact ten", 100 * shared / (10 * len(queries)), "%", "", size),
        Row("reading the matrix from SQL", loading, "s", "", size),
    ]


def _median_ms(search: Callable[[Vectors, int], object], queries: Vectors) -> float:
    times = []
    for query in queries:
        started = time.perf_counter()
        search(query, 10)
        times.append(time.perf_counter() - started)
    return 1000 * float(np.median(times))


def _window(store: SqlStore, index: ChromaIndex) -> list[Row]:
    indexer = Indexer(store.queue, NoEmbedder(), index, NumpyIndex(store.queue, NoEmbedder.identity))
    gap = longest_gap_ms(indexer.rebuild)
    embedder = BuiltinEmbedder()
    loading = longest_gap_ms(embedder.load)
    texts = [text for _, text in store.queue.entries(0, EMBEDDED)]  # type: ignore[arg-type]  # a pk
    embedding = longest_gap_ms(lambda: embedder.embed_documents(texts))
    return [
        Row("window held up while vectors are written", gap, "ms", "<= 50", f"{SMALL:,} x {DIMS}"),
        Row("window held up while the embedder loads", loading, "ms", "<= 50", "built-in embedder"),
        Row("window held up while texts are embedded", embedding, "ms", "<= 50", f"{EMBEDDED:,} texts"),
    ]


def longest_gap_ms(work: Callable[[], object]) -> float:
    """The longest time between two ticks of a 5 ms timer in a Qt event loop, while a thread works.

    As in the window, garbage is not collected meanwhile but on an idle timer (DESIGN §3).
    """
    from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer

    application = QCoreApplication.instance() or QCoreApplication([])
    loop, timer = QEventLoop(), QTimer()
    ticks: list[float] = []
    thread = threading.Thread(target=work)

    def tick() -> None:
        ticks.append(time.perf_counter())
        if not thread.is_alive():
            loop.quit()

    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    gc.collect()
    gc.disable()
    timer.start(TICK_MS)
    thread.start()
    loop.exec()
    timer.stop()
    thread.join()
    gc.enable()
    application.processEvents()
    return 1000 * max((later - earlier for earlier, later in itertools.pairwise(ticks)), default=0)


def _embedding() -> list[Row]:
    embedder = BuiltinEmbedder()
    used = time.process_time()
    embedder.load()
    load = time.process_time() - used
    texts = [f"第{number}条：守夜人在钟楼点灯，然后走进雾里。" for number in range(EMBEDDED)]
    used = time.process_time()
    embedder.embed_documents(texts)
    seconds = time.process_time() - used
    used = time.process_time()
    for text in texts[:50]:
        embedder.embed_query(text)
    one = time.process_time() - used
    return [
        Row("built-in embedder loaded, cpu", load, "s", "", "after numpy"),
        Row("texts embedded, cpu", EMBEDDED / seconds, "/s", "", f"{EMBEDDED:,} of 22 characters"),
        Row("one question embedded, cpu", 1000 * one / 50, "ms", "", "22 characters"),
    ]
