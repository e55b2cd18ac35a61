"""Where each memory of the scope was dropped, with what number against which limit; ranks and counts by stage.

Compact arrays over the scope: nothing is made for single memories until somebody asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.domain.ids import MemoryPk
from core.domain.recall import PathStep, Recalled, RecallNote, Source, Stage, StageCount
from core.services.recall.corpus import Corpus, Flags, Floats, Ints

STAGES = tuple(Stage)
SOURCES = tuple(Source)
_STAGE_CODES = {stage: code for code, stage in enumerate(STAGES)}
_SOURCE_CODES = {source: code for code, source in enumerate(SOURCES)}
SELECTED = _STAGE_CODES[Stage.SELECTED]


@dataclass(slots=True)
class Trace:
    """The trace of one run. A memory counts as selected until a stage drops it."""

    corpus: Corpus
    stages: NDArray[np.int8]
    numbers: Floats
    thresholds: Floats
    sources: NDArray[np.int8]
    scores: Floats
    parts: dict[str, Floats] = field(default_factory=dict)
    ranks: dict[Stage, NDArray[np.int32]] = field(default_factory=dict)
    counts: list[StageCount] = field(default_factory=list)
    notes: list[RecallNote] = field(default_factory=list)
    path_to: Callable[[int], tuple[PathStep, ...]] | None = None
    twins: dict[int, int] = field(default_factory=dict)
    _clock: float = field(default_factory=time.perf_counter)

    @classmethod
    def start(cls, corpus: Corpus) -> Trace:
        """A trace in which nothing is dropped yet."""
        n = corpus.size
        return cls(
            corpus=corpus,
            stages=np.full(n, SELECTED, dtype=np.int8),
            numbers=np.full(n, np.nan),
            thresholds=np.full(n, np.nan),
            sources=np.full(n, _SOURCE_CODES[Source.ALL], dtype=np.int8),
            scores=np.zeros(n),
        )

    @property
    def left(self) -> Flags:
        """Memories that no stage has dropped."""
        return np.asarray(self.stages == SELECTED)

    def drop(
        self, stage: Stage, dropped: Flags, number: ArrayLike = np.nan, threshold: ArrayLike = np.nan
    ) -> None:
        """Drop those of these that are left. Numbers: one for all, or one a memory of the scope."""
        now = dropped & self.left
        self.stages[now] = _STAGE_CODES[stage]
        for column, values in ((self.numbers, number), (self.thresholds, threshold)):
            column[now] = np.broadcast_to(np.asarray(values, dtype=np.float64), column.shape)[now]

    def bring_back(self, rows: Iterable[int], source: Source) -> None:
        """Memories that a later stage adds although an earlier one dropped them."""
        for row in rows:
            self.stages[row] = SELECTED
            self.numbers[row] = self.thresholds[row] = np.nan
            self.sources[row] = _SOURCE_CODES[source]

    def came_by(self, source: Source, rows: Ints | Flags | Iterable[int]) -> None:
        """By what these came in; the first source of a memory stays."""
        some = rows if isinstance(rows, np.ndarray) else np.fromiter(rows, dtype=np.int64)
        fresh = np.zeros(self.corpus.size, dtype=np.bool_)
        fresh[some] = True
        fresh &= self.sources == _SOURCE_CODES[Source.ALL]
        self.sources[fresh] = _SOURCE_CODES[source]

    def rank(self, stage: Stage, rows: Iterable[int]) -> None:
        """The order after a stage."""
        places = np.zeros(self.corpus.size, dtype=np.int32)
        order = np.fromiter(rows, dtype=np.int64)
        places[order] = np.arange(1, len(order) + 1)
        self.ranks[stage] = places

    def count(self, stage: Stage, entered: int, left: int) -> None:
        """Close a stage: its numbers, and the time since the last one was closed."""
        now = time.perf_counter()
        self.counts.append(StageCount(stage, int(entered), int(left), (now - self._clock) * 1000))
        self._clock = now

    def note(self, key: str, **args: object) -> None:
        """Something the person should know."""
        self.notes.append(RecallNote(key, args))

    def recalled(self, row: int) -> Recalled:
        """All numbers of one memory."""
        memory = self.corpus.stored[row]
        stage = STAGES[self.stages[row]]
        return Recalled(
            pk=MemoryPk(memory.pk),
            id=self.corpus.id_of(row),
            type=self.corpus.type_of(row),
            title=self.corpus.shown_title(row),
            score=float(self.scores[row]),
            parts={name: float(values[row]) for name, values in self.parts.items() if values[row] != 0.0},
            source=SOURCES[self.sources[row]],
            path=() if self.path_to is None else self.path_to(row),
            ranks={stage: int(places[row]) for stage, places in self.ranks.items() if places[row]},
            stage=stage,
            number=_given(self.numbers[row]),
            threshold=_given(self.thresholds[row]),
        )


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
