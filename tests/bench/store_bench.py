"""Figures of the store and the list (DESIGN §8): first rows, filter, sort, search, bulk ops, import, memory.

Every figure is the wall time of the call that a window makes, on a library from tests.bench.library:
two thirds Chinese, words by Zipf's law, 2 tags and 3 relations a memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from core.domain.commands import FindAndReplace, MoveMemories, SetImportance, TextPlace
from core.domain.enums import Layer, Status
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries import (
    Counts,
    FacetCounts,
    Folders,
    ListMemories,
    MemoryFilter,
    MemoryRows,
    Sort,
    SortKey,
)
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH, Big, cached, words
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
BULK = 10_000
PAGE_ROWS = 200
REPEATS = 9
INDEXED = frozenset(
    {
        SortKey.CREATED,
        SortKey.UPDATED,
        SortKey.TITLE,
        SortKey.IMPORTANCE,
        SortKey.LAST_USED,
        SortKey.SEQ,
        SortKey.TYPE,
    }
)
RANKS = {"common": range(20), "middling": range(150, 190), "rare": range(2_000, 2_040)}
"""The query mix: places in the vocabulary by frequency, each as one word, as two words and as a phrase."""


def run(full: bool) -> list[Row]:
    """All figures: on 100,000 memories with `full`, else on 10,000 (same targets)."""
    big = cached(LARGE if full else SMALL)
    size = f"{big.memories:,} memories, {big.edges:,} relations"
    rows = [Row("import without embedding", big.memories / big.seconds, "mem/s", ">= 3000", size)]
    rows.append(Row("import without embedding (CPU)", big.memories / big.cpu_seconds, "mem/s", "", size))
    rows += _fresh(big, size)
    engine = _open(big)
    try:
        rows += _lists(engine, size)
        rows += _searches(engine, size)
        rows += _bulk(engine, size)
    finally:
        engine.close()
    return rows


def _open(big: Big) -> Engine:
    return Engine(SqlStore(LibraryFiles(big.root), default_schema()), BENCH)


# --- a fresh process -----------------------------------------------------------------------

_FRESH = """
import json, sys, time
begun = time.perf_counter()
from pathlib import Path
from core.domain.queries import Folders, ListMemories, MemoryRows
from tests.bench.store_bench import _open
from tests.bench.library import Big
engine = _open(Big(Path(sys.argv[1]), 0, 0, 0, 0))
pks = engine.ask(ListMemories())
engine.ask(MemoryRows(tuple(pks[:60])))
engine.ask(Folders())
done = time.perf_counter() - begun
resident = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 if Path("/proc/self/statm").exists() else 0
engine.close()
print(json.dumps([done, resident]))
"""


def _fresh(big: Big, size: str) -> list[Row]:
    """From a new interpreter to the first rows and the folder tree, without a window."""
    runs = []
    for _ in range(3):
        answer = subprocess.run(
            [sys.executable, "-c", _FRESH, str(big.root)],
            capture_output=True,
            check=True,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        runs.append(json.loads(answer.stdout))
    seconds, resident = min(run[0] for run in runs), min(run[1] for run in runs)
    return [
        Row("fresh process: imports, open, first rows, folders", seconds * 1e3, "ms", "<= 1500", size),
        Row("fresh process: resident then", resident / 2**20, "MB", "<= 250", size),
    ]


# --- lists ---------------------------------------------------------------------------------


def _lists(engine: Engine, size: str) -> Iterator[Row]:
    folder = max(engine.ask(Folders()), key=lambda node: node.memories).folder.pk
    filters = {
        "folder": MemoryFilter(folders=frozenset({folder})),
        "type": MemoryFilter(types=frozenset({TypeId("person")})),
        "layer and status": MemoryFilter(
            layers=frozenset({Layer.EMERGENT}), statuses=frozenset({Status.ACTIVE})
        ),
        "tag": MemoryFilter(tags=((None, words(chinese=True)[30]),)),
        "never recalled": MemoryFilter(never_recalled=True),
    }
    everything = engine.ask(ListMemories())
    middle = tuple(MemoryPk(pk) for pk in everything[len(everything) // 2 :][:PAGE_ROWS])
    yield Row("list: all, newest first", _median(engine, ListMemories()), "ms", "<= 100", size)
    yield Row(
        f"list: page of {PAGE_ROWS} rows in the middle",
        _median(engine, MemoryRows(middle)),
        "ms",
        "<= 100",
        size,
    )
    for name, where in filters.items():
        yield Row(f"list: filter by {name}", _median(engine, ListMemories(where)), "ms", "<= 100", size)
    for key in SortKey:
        if key is not SortKey.RELEVANCE:
            indexed = key in INDEXED
            name = f"list: sort by {key.value}" + ("" if indexed else " (no index)")
            target = "<= 100" if indexed else "<= 250"
            yield Row(name, _median(engine, ListMemories(sort=Sort(key))), "ms", target, size)
    yield Row("counts by type, layer and status", _median(engine, FacetCounts()), "ms", "", size)
    yield Row("folder tree with counts", _median(engine, Folders()), "ms", "", size)
    yield Row("sizes of the library", _median(engine, Counts()), "ms", "", size)


def _median(engine: Engine, query: object) -> float:
    return float(np.median([_timed(partial(engine.ask, query)) for _ in range(REPEATS)]))


def _timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3


# --- search --------------------------------------------------------------------------------


def queries(chinese: bool) -> Iterator[str]:
    """The mix: for each rank one word, two words, and a quoted phrase; for Chinese one character too."""
    vocabulary = words(chinese)
    for ranks in RANKS.values():
        chosen = [vocabulary[rank] for rank in ranks]
        for first, second in zip(chosen[::2], chosen[1::2], strict=True):
            yield first
            yield f"{first} {second}"
            yield f'"{first}{"" if chinese else " "}{second}"'
        if chinese:
            yield chosen[0][0]


def _searches(engine: Engine, size: str) -> Iterator[Row]:
    for chinese, target in ((True, "<= 50"), (False, "<= 100")):
        language = "Chinese" if chinese else "English"
        for order, key in (("best first", SortKey.RELEVANCE), ("newest first", SortKey.UPDATED)):
            times = [_timed(partial(_search, engine, text, key)) for text in queries(chinese)]
            name = f"search, {language} mix of {len(times)}, {order}"
            yield Row(f"{name}: p95", float(np.percentile(times, 95)), "ms", target, size)
            yield Row(f"{name}: median", float(np.median(times)), "ms", "", size)


def _search(engine: Engine, text: str, key: SortKey) -> None:
    """What a window does with a typed word: the list and its first rows."""
    found = engine.ask(ListMemories(MemoryFilter(text=text), Sort(key)))
    engine.ask(MemoryRows(tuple(MemoryPk(pk) for pk in found[:60])))


# --- bulk ----------------------------------------------------------------------------------


def _bulk(engine: Engine, size: str) -> Iterator[Row]:
    nodes = engine.ask(Folders())
    target = min(nodes, key=lambda node: node.memories).folder.pk
    chosen = tuple(MemoryPk(pk) for pk in islice(engine.ask(ListMemories()), BULK))
    yield Row(
        "select all: pks of the list", _timed(partial(engine.ask, ListMemories())), "ms", "<= 100", size
    )
    move = MoveMemories(memories=chosen, folder=target)
    importance = SetImportance(memories=chosen, importance=6.5)
    replace = FindAndReplace(
        memories=chosen,
        pattern=r"[。.]$",
        replacement=r"！",
        regex=True,
        places=frozenset({TextPlace.BODY}),
    )
    for name, command, limit in (
        ("move", move, "<= 1000"),
        ("set importance of", importance, "<= 1000"),
        ("change the text of", replace, "<= 5000"),
    ):
        for step, call in (("", partial(engine.run, command)), (": undo", engine.undo)):
            wall, cpu = _once(call)
            yield Row(f"{name} {BULK:,} rows{step}", wall, "ms", limit, size)
            yield Row(f"{name} {BULK:,} rows{step} (CPU)", cpu, "ms", "", size)


def _once(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of one call by the clock and of this process: they part when the machine is busy."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


if __name__ == "__main__":
    from tests.bench.report import table

    print(table(run(full="--full" in sys.argv[1:])))
