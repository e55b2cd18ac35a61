"""From and until which floor an edge lives, where it does not say so itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.domain.graph import ALWAYS, NEVER, NO_FLOOR, GraphNodes

Indexes = NDArray[np.int32]
Numbers = NDArray[np.int64]


def floors_of(
    nodes: GraphNodes,
    source: Indexes,
    target: Indexes,
    from_seq: Numbers,
    ended_seq: Numbers,
    ends: Numbers,
    now: int,
) -> tuple[Numbers, Numbers]:
    """First floor of each edge, and the floor from which it no longer lives.

    An edge without a first floor begins with the later of its two memories; one that ended by `now`
    without a floor ends with the highest floor that was written by then. `ends` = time of its end.
    Shapes: (m,) each -> (m,), (m,); ALWAYS and NEVER where open. Cost: O(n log n + m log n).
    """
    seq = nodes.seq.astype(np.int64)
    if not len(seq):
        return np.full(len(from_seq), ALWAYS), np.full(len(from_seq), NEVER)
    later = np.maximum(seq[source], seq[target])
    begins = np.where(from_seq >= 0, from_seq, np.where(later > NO_FLOOR, later, ALWAYS))
    until = np.where(ended_seq >= 0, ended_seq, NEVER)
    unsaid = (ended_seq < 0) & (ends <= now)
    told = seq > NO_FLOOR
    if unsaid.any() and told.any():
        order = np.argsort(nodes.created_at[told], kind="stable")
        times = nodes.created_at[told][order]
        highest = np.maximum.accumulate(seq[told][order])
        place = np.searchsorted(times, ends[unsaid], side="right") - 1
        until[unsaid] = np.where(place >= 0, highest[np.maximum(place, 0)], ALWAYS)
    return begins.astype(np.int64), until.astype(np.int64)
