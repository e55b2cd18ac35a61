"""What happened just before and after a memory, and which memories belong to one session.

Sources: EM-LLM (neighbours in time are recalled together); the notes to the benchmark (neighbours at one and two
steps, a session's best memories as a hub); that an answer follows its question is ours, measured (docs/RECALL.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from core.algos.bm25 import Flags, Floats, Ints

US_PER_MINUTE = 60_000_000
NEAR_SHARES = (1.0, 0.5)
"""What a neighbour at one step and at two steps passes on."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What each row got from others, and from which row most of it came (-1 = none). Shapes: (n,), (n,)."""

    given: Floats
    senders: Ints

    @classmethod
    def nothing(cls, rows: int) -> Self:
        """Nothing for anybody."""
        return cls(np.zeros(rows), np.full(rows, -1, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Timeline:
    """Memories in the order in which they happened, and the session of each.

    `order` are rows sorted by place, position and time; `sessions` the session of each of them (rising), `places`
    and `created` where and when each of them was, `gap_minutes` what ends a session.
    """

    order: Ints
    sessions: Ints
    places: Ints
    created: Ints
    gap_minutes: int

    @classmethod
    def build(cls, places: Ints, positions: Floats, created: Ints, gap_minutes: int) -> Self:
        """A session ends at the end of a place, and where more than `gap_minutes` passed until the next memory.

        Memories without a position (no floor) stand by their time. Cost: O(n log n).
        """
        order = np.lexsort((created, positions, places)).astype(np.int64)
        return cls._cut(order, places[order], created[order], gap_minutes)

    @classmethod
    def _cut(cls, order: Ints, places: Ints, created: Ints, gap_minutes: int) -> Self:
        """Rows in their order, cut into sessions. Cost: O(n)."""
        if not len(order):
            return cls(order, order, places, created, gap_minutes)
        jumps = np.abs(np.diff(created)) > gap_minutes * US_PER_MINUTE
        cuts = (np.diff(places) != 0) | jumps
        sessions = np.concatenate([[0], np.cumsum(cuts)]).astype(np.int64)
        return cls(order, sessions, places, created, gap_minutes)

    def among(self, usable: Flags) -> Timeline:
        """The timeline of the usable memories only: hidden ones stand between none and bridge no gap."""
        kept = usable[self.order]
        if kept.all():
            return self
        return self._cut(self.order[kept], self.places[kept], self.created[kept], self.gap_minutes)

    def near(self, scores: Floats) -> Passed:
        """The sum of what neighbours in the session pass on: the nearer ones all, the next ones half.

        A memory between two that fit is the likelier to fit. Shapes: (n,) -> (n,). Cost: O(n).
        """
        near = _Sums(len(scores))
        for step, share in enumerate(NEAR_SHARES, start=1):
            earlier, later = self._pairs(step)
            near.add(earlier, later, share * scores[earlier])
            near.add(later, earlier, share * scores[later])
        return near.passed

    def answers(self, scores: Floats, asks: Flags) -> Passed:
        """What a memory that asks a question passes on to the next one in the session. Cost: O(n)."""
        answer = _Sums(len(scores))
        earlier, later = self._pairs(1)
        asked = asks[earlier]
        answer.add(earlier[asked], later[asked], scores[earlier[asked]])
        return answer.passed

    def _pairs(self, step: int) -> tuple[Ints, Ints]:
        """Rows that stand so many steps apart in one session: the earlier and the later ones."""
        if len(self.order) <= step:
            return self.order[:0], self.order[:0]
        same = self.sessions[step:] == self.sessions[:-step]
        return self.order[:-step][same], self.order[step:][same]

    def hubs(self, scores: Floats, best: int) -> Passed:
        """Mean of the `best` highest scores of each row's session, without the row's own share.

        Sessions of one memory pass nothing on. Shapes: (n,) -> (n,). Cost: O(n log n).
        """
        hub = np.zeros(len(scores))
        top = np.full(len(scores), -1, dtype=np.int64)
        if not len(self.order):
            return Passed(hub, top)
        ranked = np.lexsort((-scores[self.order], self.sessions))
        _, starts, numbers = np.unique(self.sessions, return_index=True, return_inverse=True)
        counted = np.arange(len(self.order)) - starts[numbers] < best
        highest = scores[self.order][ranked]
        sums = np.bincount(numbers[counted], weights=highest[counted], minlength=len(starts))
        sizes = np.bincount(numbers, minlength=len(starts))
        hub[self.order] = np.where(sizes > 1, sums / best, 0.0)[numbers]
        top[self.order] = self.order[ranked][starts[numbers]]
        own = np.zeros(len(scores))
        own[self.order[ranked[counted]]] = highest[counted] / best
        return Passed(np.maximum(0.0, hub - own), np.where(hub > 0, top, -1))


class _Sums:
    """What rows get from several senders. Every row is the target of one sender at most in each call."""

    def __init__(self, rows: int) -> None:
        self.passed = Passed.nothing(rows)
        self._largest = np.zeros(rows)

    def add(self, senders: Ints, targets: Ints, amounts: Floats) -> None:
        self.passed.given[targets] += amounts
        larger = amounts > self._largest[targets]
        self._largest[targets[larger]] = amounts[larger]
        self.passed.senders[targets[larger]] = senders[larger]
