"""Big libraries for measuring: the same each time, written through the real import.

Words follow Zipf's law over 6,000 invented Chinese and 6,000 invented English words, so that a search
meets common, middling and rare words as in real text. Two thirds of the memories are Chinese.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np

from core.domain.commands_transfer import ApplyImport
from core.domain.enums import ActorKind, FolderKind, Layer, Status, StatusReason
from core.domain.ids import RelationId, TypeId
from core.domain.memory import TagSet
from core.domain.results import Actor
from core.domain.schema_data import default_schema
from core.domain.transfer import Format, ImportPlan, PlannedEdge, PlannedFolder, PlannedMemory
from core.engine import Engine
from core.store.library import LibraryFiles
from core.store.store import SqlStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BENCH = Actor(ActorKind.PERSON, "bench", "bench")
FOLDERS = 8
EDGES_EACH = 3
VOCABULARY = 6_000
PLAN_ROWS = 10_000
"""Memories of one import, with folders of its own: a whole library is written as several."""

_HAN_FROM, _HAN_COUNT = 0x4E00, 2_500
_SYLLABLES = [
    first + second for first in "bcdfghjklmnprstvwz" for second in ("a", "e", "i", "o", "u", "an", "er", "ol")
]
_TYPES = ("event", "character", "location", "knowledge", "person", "thread", "procedure", "place")
_SHARES = (0.58, 0.08, 0.06, 0.12, 0.04, 0.04, 0.04, 0.04)
_RELATIONS = ("related", "involved_in", "occurred_at", "advances", "updates", "evolves")


@dataclass(frozen=True, slots=True)
class Big:
    """A library that was made: where, how large, and how long the writing took."""

    root: Path
    memories: int
    edges: int
    seconds: float
    cpu_seconds: float


def words(chinese: bool) -> list[str]:
    """The vocabulary, commonest word first."""
    random = np.random.default_rng(7 if chinese else 8)
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        if chinese:
            codes = _HAN_FROM + random.integers(0, _HAN_COUNT, size=2)
            made["".join(map(chr, codes))] = None
        else:
            parts = random.integers(0, len(_SYLLABLES), size=int(random.integers(2, 5)))
            made["".join(_SYLLABLES[part] for part in parts)] = None
    return list(made)


def make(root: Path, memories: int) -> Big:
    """Write a library of so many memories and three times as many relations."""
    store = SqlStore(LibraryFiles(root), default_schema())
    engine = Engine(store, BENCH)
    seconds, cpu, edges = 0.0, 0.0, 0
    try:
        for plan in plans(memories):
            started, started_cpu = time.perf_counter(), time.process_time()
            engine.run(ApplyImport(plan))
            seconds += time.perf_counter() - started
            cpu += time.process_time() - started_cpu
            edges += len(plan.edges)
    finally:
        engine.close()
    return Big(root, memories, edges, seconds, cpu)


@cache
def cached(memories: int) -> Big:
    """The library of that size, made once a run; it goes when the run ends."""
    root = Path(tempfile.mkdtemp(prefix="curator-bench-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return make(root / "library", memories)


def plans(memories: int) -> Iterator[ImportPlan]:
    """The import plans whose sum is the library."""
    text = _Text(np.random.default_rng(20260101))
    for start in range(0, memories, PLAN_ROWS):
        yield _plan(text, start, min(PLAN_ROWS, memories - start))


class _Text:
    """Draws words, sentences and numbers."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        self._sums = np.cumsum(weights / weights.sum())
        self._words = {chinese: words(chinese) for chinese in (True, False)}

    def draw(self, chinese: bool, count: int) -> list[str]:
        """Words by Zipf's law."""
        places = np.searchsorted(self._sums, self.random.random(count))
        vocabulary = self._words[chinese]
        return [vocabulary[place] for place in np.minimum(places, VOCABULARY - 1)]

    def body(self, chinese: bool) -> str:
        """A text of 30 to 120 characters Chinese, 15 to 45 words English."""
        drawn = self.draw(chinese, int(self.random.integers(15, 60 if chinese else 45)))
        if chinese:
            return "，".join("".join(drawn[at : at + 5]) for at in range(0, len(drawn), 5)) + "。"
        return " ".join(drawn).capitalize() + "."


def _plan(text: _Text, start: int, count: int) -> ImportPlan:
    folders = tuple(
        PlannedFolder(
            key=str(number),
            name=f"聊天/故事 {start // PLAN_ROWS}-{number}"
            if number % 3
            else f"chats/story {start // PLAN_ROWS}-{number}",
            kind=FolderKind.CHAT,
        )
        for number in range(FOLDERS)
    )
    memories = tuple(_memory(text, number) for number in range(start, start + count))
    return ImportPlan(
        format=Format.SAMPLE,
        source_name="bench",
        folders=folders,
        memories=memories,
        edges=tuple(_edges(text, memories)),
    )


def _memory(text: _Text, number: int) -> PlannedMemory:
    random = text.random
    chinese = bool(random.random() < 2 / 3)
    kind = str(random.choice(_TYPES, p=_SHARES))
    made = NOW - timedelta(minutes=int(random.integers(10, 500_000)))
    archived = bool(random.random() < 0.15)
    used = int(random.geometric(0.3)) - 1
    return PlannedMemory(
        key=str(number),
        foreign_id=None,
        folder=str(min(int(random.geometric(0.3)) - 1, FOLDERS - 1)),
        type=TypeId(kind),
        layer=Layer.EMERGENT if random.random() < 0.1 else Layer.MEMORY,
        status=Status.ARCHIVED if archived else Status.ACTIVE,
        status_reason=StatusReason.COMPRESSED if archived else None,
        title="" if kind == "event" else ("" if chinese else " ").join(text.draw(chinese, 2)),
        body=text.body(chinese),
        fields={"participants": " ".join(text.draw(chinese, 2))} if kind == "event" else {},
        importance=float(random.integers(0, 101)) / 10,
        novelty=float(random.random()),
        activation_count=used,
        last_activated_at=made + timedelta(minutes=5) if used else None,
        seq=number % 5_000,
        created_at=made,
        updated_at=made,
        tags=TagSet(general=tuple(dict.fromkeys(text.draw(chinese, 2)))),
    )


def _edges(text: _Text, memories: Sequence[PlannedMemory]) -> Iterator[PlannedEdge]:
    count = len(memories)
    ends = text.random.integers(0, count, size=(count * EDGES_EACH, 2))
    relations = text.random.integers(0, len(_RELATIONS), size=len(ends))
    for (source, target), relation in zip(ends.tolist(), relations.tolist(), strict=True):
        if source != target:
            yield PlannedEdge(
                source=memories[source].key,
                target=memories[target].key,
                relation=RelationId(_RELATIONS[relation]),
                created_at=memories[source].created_at,
                valid_from=memories[source].created_at,
            )
