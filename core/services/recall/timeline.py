"""What happened just before and after a memory, and which memories belong to one session.

Sources: EM-LLM (neighbours in time are recalled together), the benchmark notes (neighbours at one and two steps,
a session's best memories as a hub).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
US_PER_MINUTE = 60_000_000
NEAR_SHARES = (1.0, 0.5)
"""What a neighbour at one step and at two steps passes on."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Memories in the order in which they happened, and the session of each.

    `order` are rows sorted by place, position and time; `sessions` the session of each of them (rising).
    """

    order: Ints
    sessions: Ints

    @classmethod
    def build(cls, places: Ints, positions: Floats, created: Ints, gap_minutes: int) -> Self:
        """A session ends at the end of a place, and where more than `gap_minutes` passed until the next memory.

        Memories without a position (no floor) stand by their time. Cost: O(n log n).
        """
        order = np.lexsort((created, positions, places)).astype(np.int64)
        if not len(order):
            return cls(order, order)
        jumps = np.abs(np.diff(created[order])) > gap_minutes * US_PER_MINUTE
        cuts = (np.diff(places[order]) != 0) | jumps
        return cls(order, np.concatenate([[0], np.cumsum(cuts)]).astype(np.int64))

    def among(self, usable: NDArray[np.bool_]) -> Timeline:
        """The timeline of the usable memories only: hidden ones stand between none."""
        kept = usable[self.order]
        return Timeline(self.order[kept], self.sessions[kept])

    def near(self, scores: Floats) -> tuple[Floats, Ints]:
        """What neighbours in the session pass on to each row, and from which row most of it came (-1 = none).

        Shapes: (n,) -> (n,), (n,). The best neighbour counts, the nearer one full, the next one half.
        """
        given = np.zeros(len(scores))
        sender = np.full(len(scores), -1, dtype=np.int64)
        for step, share in enumerate(NEAR_SHARES, start=1):
            if len(self.order) <= step:
                break
            same = self.sessions[step:] == self.sessions[:-step]
            earlier, later = self.order[:-step][same], self.order[step:][same]
            for source, target in ((earlier, later), (later, earlier)):
                better = share * scores[source] > given[target]
                given[target[better]] = share * scores[source[better]]
                sender[target[better]] = source[better]
        return given, sender

    def hubs(self, scores: Floats, best: int) -> tuple[Floats, Ints]:
        """Mean of the `best` highest scores of each row's session, without the row's own share, and its best row.

        Shapes: (n,) -> (n,), (n,); sessions of one memory pass nothing on. Cost: O(n log n).
        """
        hub = np.zeros(len(scores))
        top = np.full(len(scores), -1, dtype=np.int64)
        if not len(self.order):
            return hub, top
        ranked = np.lexsort((-scores[self.order], self.sessions))
        _, starts, numbers = np.unique(self.sessions, return_index=True, return_inverse=True)
        place = np.arange(len(self.order)) - starts[numbers]
        counted = place < best
        sums = np.bincount(
            numbers[counted], weights=scores[self.order][ranked][counted], minlength=len(starts)
        )
        sizes = np.bincount(numbers, minlength=len(starts))
        means = np.where(sizes > 1, sums / best, 0.0)
        hub[self.order] = means[numbers]
        top[self.order] = self.order[ranked][starts[numbers]]
        own = np.zeros(len(scores))
        own[self.order[ranked[counted]]] = scores[self.order[ranked[counted]]] / best
        return np.maximum(0.0, hub - own), np.where(hub > 0, top, -1)
