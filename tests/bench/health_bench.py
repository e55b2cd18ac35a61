"""Figures of check-up, backup and rebuilding (issue "Upkeep"): the window's state, vectors into numpy, another model.

The model switch embeds every text of 10,000 memories with the built-in embedder beside the old vectors and takes
them into use. The texts have the mean length of the sample library's (48 characters; time grows with it: the
140 of the other figures' library would take three times as long). Its processor time stands beside it, since wall
time on a shared machine says little.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from app.container import open_library
from app.library import Library
from app.writers import person
from core.adapters.embedder_builtin import BuiltinEmbedder
from core.adapters.index_numpy import NumpyIndex
from core.domain.commands_folders import CreateFolder
from core.domain.health import BackupReason, RebuildScope
from core.domain.ids import TypeId, new_memory_id
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort
from core.domain.queries_health import AcceptRebuild, CheckUp, EstimateRebuild, Health, RunRebuild
from core.ports.store import OpDraft
from core.settings import Settings
from tests.bench.index_bench import NoEmbedder, library
from tests.bench.library import cached
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
NUMPY_RATE = 2_000
SWITCH_S = 30
TEXT_CHARS = 48


def run(full: bool) -> list[Row]:
    """All figures; check-up, backup and the matrix also of 100,000 memories with `full`."""
    rows: list[Row] = []
    for memories in (SMALL, LARGE) if full else (SMALL,):
        rows += _matrix(memories)
        with tempfile.TemporaryDirectory(prefix="curator-bench-") as place:
            root = Path(place) / "library"
            shutil.copytree(cached(memories).root, root)
            opened = open_library(root, person(), Settings(), keep=True)
            try:
                rows += _looking(opened, memories)
            finally:
                opened.close()
    return rows + _switch()


def _matrix(memories: int) -> list[Row]:
    with library(memories) as (store, _index):
        seconds, _cpu = _taken(lambda: NumpyIndex(store.queue, NoEmbedder.identity).size())
    return [
        Row(
            "vectors from SQL into numpy", memories / seconds, "/s", f">= {NUMPY_RATE}", f"{memories:,} x 512"
        )
    ]


def _looking(opened: Library, memories: int) -> list[Row]:
    opened.__dict__["embedder"] = BuiltinEmbedder()
    size = f"{memories:,} memories"
    state, _ = _taken(lambda: opened.engine.ask(Health()))
    check, cpu = _taken(lambda: opened.engine.ask(CheckUp()))
    backup, _ = _taken(lambda: opened.health.make(BackupReason.BY_HAND))
    return [
        Row("state of the light", 1000 * state, "ms", "", size),
        Row("check-up, no index yet", check, "s", "", size),
        Row("... cpu", cpu, "s", "", size),
        Row("backup", backup, "s", "", size),
    ]


def _switch() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="curator-bench-") as place:
        opened = open_library(Path(place) / "library", person(), Settings(), create=True, keep=True)
        try:
            _fill(opened)
            estimate = opened.engine.ask(EstimateRebuild(RebuildScope.ALL))
            made, cpu = _taken(lambda: opened.engine.ask(RunRebuild(RebuildScope.ALL)))
            taken, _ = _taken(lambda: opened.engine.ask(AcceptRebuild()))
        finally:
            opened.close()
    size = f"{SMALL:,} memories of {TEXT_CHARS} characters"
    return [
        Row("other vectors beside the old ones, and the swap", made + taken, "s", f"<= {SWITCH_S}", size),
        Row("... cpu", cpu, "s", "", size),
        Row("... as estimated before", estimate.seconds, "s", "", size),
        Row("... of it the swap", 1000 * taken, "ms", "", size),
    ]


def _fill(opened: Library) -> None:
    """Memories with texts of the large library, cut."""
    folder = opened.engine.run(CreateFolder("bench")).created_folder
    assert folder is not None
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with library(SMALL) as (store, _index), store.read() as reader:
        pks = reader.memory_ids(MemoryFilter(), Sort())
        texts = [memory.body for memory in reader.records(Memory, pks)]
    rows = [
        Memory(
            id=new_memory_id(),
            folder=folder,
            type=TypeId("event"),
            body=f"{number} {text}"[:TEXT_CHARS],
            created_at=now,
            updated_at=now,
        )
        for number, text in enumerate(texts[:SMALL])
    ]
    opened.store.write(OpDraft("op.import", opened.engine.actor), lambda unit: unit.insert(rows))


def _taken(work: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used
