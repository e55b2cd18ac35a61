"""Figures of recall (DESIGN §8): preview at 10,000 / 30,000, a moved slider, spreading alone, 300 nodes, the trace.

Vectors are invented (512 numbers), so no model is loaded and no text embedded. Times are medians of wall times;
`cpu` rows are this process's share alone. The share of the trace is the time spent inside `Trace` and in the values
made for the result, measured by a clock around its methods.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from core.adapters.formats.stbme_read import read_stbme
from core.adapters.index_numpy import NumpyIndex
from core.adapters.token_counter import QuicktokCounters
from core.algos.diffusion import Spread
from core.domain.commands_transfer import ApplyImport
from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.domain.recall import RecallRequest, Scope, Setting
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.ports.embedder import EmbedderIdentity, Thresholds, Vectors
from core.ports.progress import CancelToken
from core.services.recall.network import Flow
from core.services.recall.recall import RecallService
from core.services.recall.trace import Trace
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH, cached
from tests.bench.report import Row

DIMS = 512
MEMORIES = 10_000
LARGE = 100_000
RUNS = 15
SEEDS = 60
MEDIUM = Path(__file__).parents[1] / "data" / "exports" / "medium_300_zh.json"
TRACED = ("drop", "bring_back", "came_by", "rank", "count", "note", "recalled")


class InventedEmbedder:
    """A vector for each text, the same each time, near those of texts that begin alike."""

    identity = EmbedderIdentity("invented", DIMS)
    thresholds = Thresholds(same_text=0.95, duplicate=0.85, related=0.25)

    def embed_query(self, text: str) -> Vectors:
        vector = self._drawn(text) + 0.5 * self._drawn(text[:4])
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)

    def embed_documents(self, texts: Sequence[str], cancel: CancelToken | None = None) -> Vectors:
        return np.stack([self.embed_query(text) for text in texts])

    @staticmethod
    def _drawn(text: str) -> Vectors:
        random = np.random.default_rng(zlib.crc32(text.encode("utf-8", "surrogatepass")))
        return random.standard_normal(DIMS, dtype=np.float32)


@contextlib.contextmanager
def opened(root: Path) -> Iterator[tuple[SqlStore, RecallService]]:
    """A library with vectors, and recall over it."""
    store = SqlStore(LibraryFiles(root), default_schema())
    try:
        embedder = InventedEmbedder()
        after = MemoryPk(0)
        while page := store.queue.entries(after, 5_000):
            known = store.queue.vectors(embedder.identity.key, [entry.text_hash for entry, _ in page])
            fresh = [(e.text_hash, text) for e, text in page if e.text_hash and e.text_hash not in known]
            if fresh:
                vectors = embedder.embed_documents([text for _, text in fresh])
                rows = {digest: vector for (digest, _), vector in zip(fresh, vectors, strict=True)}
                store.queue.save_vectors(embedder.identity.key, rows)
            after = MemoryPk(page[-1][0].pk)
        index = NumpyIndex(store.queue, embedder.identity)
        service = RecallService(store, store.recall, QuicktokCounters(), embedder=lambda: (embedder, index))
        yield store, service
    finally:
        store.close()


def messages(store: SqlStore, count: int) -> list[str]:
    """Messages made of the words of stored memories, as a person would speak of them."""
    with store.read() as reader:
        records = reader.records(Memory, range(11, 11 + 37 * 2 * count, 37))
    texts = [record.body[:40] for record in records]
    return [f"{first} {second}" for first, second in zip(texts[::2], texts[1::2], strict=False)][:count]


def timed(calls: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """Median wall time and CPU time of the calls in milliseconds."""
    walls, cpus = [], []
    for call in calls:
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return statistics.median(walls), statistics.median(cpus)


def run(full: bool) -> list[Row]:
    """All figures."""
    rows: list[Row] = []
    for size in (MEMORIES, LARGE) if full else (MEMORIES,):
        big = cached(size)
        with opened(big.root) as (store, service):
            rows += _library(store, service, f"{size:,} memories / {big.edges:,} edges", size)
    return rows + _three_hundred()


def _library(store: SqlStore, service: RecallService, data: str, size: int) -> list[Row]:
    target = "<= 100" if size == MEMORIES else ""
    asked = messages(store, RUNS + 1)
    started = time.perf_counter()
    _ask(service, asked[0])
    rows = [
        Row(
            "first recall (reads the scope, vectors, words)",
            (time.perf_counter() - started) * 1000,
            "ms",
            "",
            data,
        )
    ]
    for recipe, goal in (("blend", target), ("stbme", target), ("booku", target)):
        _ask(service, asked[0], recipe)
        wall, cpu = timed(
            [lambda each=each, recipe=recipe: _ask(service, each, recipe) for each in asked[1:]]
        )
        rows += [
            Row(f"preview with injection, {recipe}, new message", wall, "ms", goal, data),
            Row(f"preview with injection, {recipe}, new message, cpu", cpu, "ms", "", data),
        ]
    settings: list[dict[str, Setting]] = [{"graph_weight": 0.1 + at / 20} for at in range(RUNS)]
    wall, cpu = timed([lambda each=each: _ask(service, asked[1], settings=each) for each in settings])
    rows += [
        Row("a moved slider ranks anew, blend", wall, "ms", target, data),
        Row("a moved slider ranks anew, blend, cpu", cpu, "ms", "", data),
    ]
    rows += _spreading(service, asked[1], data, "<= 15" if size == MEMORIES else "")
    rows.append(_trace_share(service, asked[1], data))
    return rows


def _ask(
    service: RecallService, message: str, recipe: str = "blend", settings: dict[str, Setting] | None = None
) -> None:
    service.recall(
        RecallRequest(message=message, scope=Scope.LIBRARY, recipe=recipe, settings=settings or {})
    )


def _spreading(service: RecallService, message: str, data: str, target: str) -> list[Row]:
    """Spreading from the most relevant memories, and making the network that it runs on."""
    frame = service.run(RecallRequest(message=message, scope=Scope.LIBRARY)).frame
    network = frame.network(normalisation=0.5)
    seeds = [(int(row), 2.0) for row in np.argsort(-frame.trace.scores)[:SEEDS]]
    spread, _ = timed([lambda: Flow.run(network, seeds, Spread(), {})] * RUNS)

    def build() -> None:
        frame.networks.clear()
        frame.network(normalisation=0.5)

    built, _ = timed([build] * RUNS)
    return [
        Row("spreading alone", spread, "ms", target, data),
        Row("making the network (when scope or view change)", built, "ms", "", data),
    ]


def _trace_share(service: RecallService, message: str, data: str) -> Row:
    """Share of a recall that its trace takes."""
    spent = [0.0]
    depth = [0]

    def clocked(method: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **named: object) -> object:
            depth[0] += 1
            started = time.perf_counter()
            try:
                return method(*args, **named)
            finally:
                depth[0] -= 1
                if not depth[0]:
                    spent[0] += time.perf_counter() - started

        return call

    with contextlib.ExitStack() as stack:
        for name in TRACED:
            stack.enter_context(patch.object(Trace, name, clocked(getattr(Trace, name))))
        _ask(service, message)
        spent[0] = 0.0
        started = time.perf_counter()
        for _ in range(RUNS):
            _ask(service, message)
        total = time.perf_counter() - started
    return Row("share of the trace in a recall", 100 * spent[0] / total, "%", "<= 20", data)


def _three_hundred() -> list[Row]:
    """Selection and text of ST-BME's own size, without embedding."""
    data = "exports/medium_300_zh.json"
    if not MEDIUM.exists():
        return []
    graph = json.loads(MEDIUM.read_text(encoding="utf-8"))
    names = [node["fields"].get("name", "") for node in graph["nodes"] if node["type"] == "character"]
    with tempfile.TemporaryDirectory() as directory:
        store = SqlStore(LibraryFiles(Path(directory)), default_schema())
        engine = Engine(store, BENCH)
        try:
            engine.run(ApplyImport(read_stbme(MEDIUM, default_schema())))
            service = RecallService(store, store.recall, QuicktokCounters())
            asked = [f"{name}后来去了哪里？" for name in names[: RUNS + 1] if name] * 3
            rows = []
            for recipe in ("stbme-compat", "blend"):
                _ask(service, asked[0], recipe)
                wall, cpu = timed(
                    [lambda each=each, recipe=recipe: _ask(service, each, recipe) for each in asked]
                )
                rows += [
                    Row(
                        f"selection and text, {recipe}",
                        wall,
                        "ms",
                        "<= 5" if recipe == "stbme-compat" else "",
                        data,
                    ),
                    Row(f"selection and text, {recipe}, cpu", cpu, "ms", "", data),
                ]
            return rows
        finally:
            engine.close()
