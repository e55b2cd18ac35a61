"""Figures of upkeep: plans of promotion, forgetting and compression, everything about a name, and forgetting many memories with its undo.

Every figure is the wall time of the call that a window makes, on a library from tests.bench.library.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from core.domain.commands_upkeep import ForgetMemories
from core.domain.ids import MemoryPk
from core.domain.queries_sayings import EverythingAbout
from core.domain.queries_upkeep import CompressPlanOf, ForgetPlan, SummariesOutOfDate, TrialPlan
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.services import about, compress, forget, trials
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import BENCH, cached, words
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
BULK = 10_000
REPEATS = 5
RARE = 100
"""A word of that rank stands in about 3 % of the texts."""


def run(full: bool) -> list[Row]:
    """All figures: on 100,000 memories with `full`, else on 10,000 (same targets)."""
    big = cached(LARGE if full else SMALL)
    store = SqlStore(LibraryFiles(big.root), default_schema())
    engine = Engine(store, BENCH)
    size = f"{big.memories:,} memories, {big.edges:,} relations"
    try:
        return [*_plans(store, size), *_names(store, size), *_forgetting(store, engine, size)]
    finally:
        engine.close()


def _plans(store: SqlStore, size: str) -> list[Row]:
    def groups() -> object:
        with store.read() as reader:
            return compress.plan(store.upkeep, reader, CompressPlanOf())

    calls: dict[str, Callable[[], object]] = {
        "plan of promotion": lambda: trials.plan(store.upkeep, TrialPlan()),
        "plan of forgetting": lambda: forget.plan(store.upkeep, ForgetPlan()),
        "plan of compression": groups,
        "summaries out of date": lambda: compress.out_of_date(store.upkeep, SummariesOutOfDate()),
    }
    return [Row(name, _seconds(call), "s", "<= 1", size) for name, call in calls.items()]


def _names(store: SqlStore, size: str) -> list[Row]:
    """Everything about a word that most texts hold, and about one that some do."""

    def ask(name: str) -> None:
        with store.read() as reader:
            about.about(reader, EverythingAbout(name=name))

    common, rare = words(chinese=True)[0], words(chinese=True)[RARE]
    return [
        Row(f"everything about {name}", _seconds(lambda word=word: ask(word)), "s", "<= 0.25", size)
        for name, word in (("a name in most texts", common), ("a name in some texts", rare))
    ]


def _forgetting(store: SqlStore, engine: Engine, size: str) -> list[Row]:
    plan = forget.plan(store.upkeep, ForgetPlan())
    chosen = tuple(MemoryPk(pk) for pk in plan.rows.pks[:BULK].tolist())
    begun = time.perf_counter()
    changed = engine.run(ForgetMemories(memories=chosen)).changed
    middle = time.perf_counter()
    engine.undo()
    done = time.perf_counter()
    name = f"forget {changed:,}"
    return [
        Row(name, middle - begun, "s", "<= 1", size),
        Row(f"{name}, undone", done - middle, "s", "<= 1", size),
    ]


def _seconds(call: Callable[[], object]) -> float:
    """The median of some calls."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return sorted(times)[REPEATS // 2]
