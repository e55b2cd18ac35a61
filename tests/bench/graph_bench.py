"""Figures of the graph (DESIGN §8): layout in CPU time with its quality, loading, communities.

Layouts run on planted stories (tests.bench.planted), loading on the library of tests.bench.library.
Stress and neighbourhood are given in thousandths, the median over the seeds.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from core.algos.layout import RunningLayout, by_force
from core.algos.layout_pieces import Lines
from core.domain.graph import CommunitiesOf, GraphOf, KeepPositions, Separate
from core.domain.schema_data import default_schema
from core.services.graph import GraphService
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import cached
from tests.bench.planted import neighbourhood, planted, stress
from tests.bench.report import Row

REPEATS = 5
_MEASURE = """
import resource, sys
from pathlib import Path
from core.domain.graph import Arrange, GraphOf
from core.domain.schema_data import default_schema
from core.services.graph import GraphService
from core.store.library import LibraryFiles
from core.store.store import SqlStore
store = SqlStore(LibraryFiles(Path(sys.argv[1])), default_schema())
service = GraphService(store.graph)
layout = service.arrange(Arrange(graph=service.graph(GraphOf())))
while layout.step() is not None:
    pass
store.close()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))
"""


def run(full: bool) -> list[Row]:
    """All figures; with `full` also of 100,000 nodes, and over five seeds instead of two."""
    seeds = 5 if full else 2
    rows = [
        *_layout(2_000, 4.0, seeds, seconds="<= 0.75"),
        *_layout(10_000, 3.0, seeds, seconds="<= 3", quality=True, step="<= 10"),
        *_variations(seeds),
        *_library(10_000, load="<= 150", opened="<= 700"),
    ]
    if full:
        rows += _layout(100_000, 3.0, 1, seconds="<= 20", quality=False)
        rows += _library(100_000, load="", opened="")
        rows.append(_memory(100_000))
    return rows


def _layout(
    count: int, each: float, seeds: int, *, seconds: str, quality: bool = False, step: str = ""
) -> list[Row]:
    spent, steps, stresses, nears, edges = [], [], [], [], 0
    for seed in range(seeds):
        sources, targets, _ = planted(count, seed, each=each)
        edges = len(sources)
        positions, times = _drawn(count, sources, targets, seed)
        spent.append(sum(times))
        steps.append(1000 * float(np.percentile(times, 95)))
        stresses.append(1000 * stress(positions, sources, targets))
        nears.append(1000 * neighbourhood(positions, sources, targets))
    size = f"{count} memories, {edges} relations, {seeds} seeds"
    return [
        Row("layout to a stable picture, CPU", median(spent), "s", seconds, size),
        Row("layout step, CPU, 95 of 100", median(steps), "ms", step, size),
        Row("stress of the picture", median(stresses), "/1000", "<= 160" if quality else "", size),
        Row("neighbourhood kept", median(nears), "/1000", ">= 80" if quality else "", size),
    ]


def _variations(seeds: int) -> list[Row]:
    """The same on stories that hang together more or less (no targets but those of the usual one)."""
    rows = []
    for name, options in (
        ("15 of 100 relations leave", {"inside": 0.85}),
        ("2 of 100 relations leave", {"inside": 0.98}),
        ("10 of 100 leave, half of them anywhere", {"anywhere": 0.5}),
        ("15 of 100 leave, all of them anywhere", {"inside": 0.85, "anywhere": 1.0}),
    ):
        for count in (1_000, 4_000, 10_000):
            values = []
            for seed in range(min(seeds, 3)):
                sources, targets, _ = planted(count, seed, **options)
                positions, _ = _drawn(count, sources, targets, seed)
                values.append(
                    (stress(positions, sources, targets), neighbourhood(positions, sources, targets))
                )
            size = f"{count} memories, {name}"
            rows.append(Row("stress of the picture", 1000 * median(v[0] for v in values), "/1000", "", size))
            rows.append(Row("neighbourhood kept", 1000 * median(v[1] for v in values), "/1000", "", size))
    return rows


def _drawn(count: int, sources: np.ndarray, targets: np.ndarray, seed: int) -> tuple[np.ndarray, list[float]]:
    """The finished picture and the CPU time of each step."""
    lines = Lines(count, sources, targets, np.full(len(sources), 0.8, dtype=np.float32))
    places = np.full((count, 2), np.nan, dtype=np.float32)
    nothing = np.zeros(count, dtype=np.bool_)
    layout = RunningLayout(
        by_force(lines, places, nothing, afresh=True, aspect=1.5, seed=seed), places, nothing
    )
    times: list[float] = []
    while True:
        started = time.process_time()
        frame = layout.step()
        times.append(time.process_time() - started)
        if frame is None:
            return places, times
        places = frame.positions


def _library(memories: int, *, load: str, opened: str) -> list[Row]:
    big = cached(memories)
    size = f"{big.memories} memories, {big.edges} relations"
    store = SqlStore(LibraryFiles(big.root), default_schema())
    try:
        service = GraphService(store.graph)
        loads = [_cpu_ms(lambda: service.graph(GraphOf())) for _ in range(REPEATS)]
        graph = service.graph(GraphOf())
        grid = np.stack([graph.nodes.pks % 100, graph.nodes.pks // 100], axis=1).astype(np.float32) * 40
        service.keep(KeepPositions(graph.key, graph.nodes.pks, grid))
        walls = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            service.graph(GraphOf())
            walls.append(1000 * (time.perf_counter() - started))
        communities = _cpu_ms(lambda: service.communities(CommunitiesOf(graph)))
        few = grid[:2_000] / 4
        parted = _cpu_ms(lambda: service.separate(Separate(few, np.full(len(few), 8, dtype=np.float32))))
    finally:
        store.close()
    return [
        Row("graph loaded, CPU", median(loads), "ms", load, size),
        Row("graph with kept places loaded", median(walls), "ms", opened, size),
        Row("communities, CPU", communities, "ms", "", size),
        Row("overlaps of 2,000 in sight removed, CPU", parted, "ms", "", size),
    ]


def _cpu_ms(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def _memory(memories: int) -> Row:
    """Largest resident size of a process that loads and arranges the graph."""
    big = cached(memories)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(big.root)], capture_output=True, text=True, check=True
    )
    return Row("memory, loaded and arranged", float(done.stdout), "MB", "<= 600", f"{big.memories} memories")
