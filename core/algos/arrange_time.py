"""The arrangement by time: a band a chat, in it a lane a type, story order from left to right.

Each chat counts floors of its own, so each has its own band; what knows no floors shares a band by date.
What a chat holds without a floor stands apart, left of its lane. Units: SPACING x SPACING a node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.domain.graph import NO_FLOOR, SPACING

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

LANE_GAP, BAND_GAP, APART_GAP = 1, 4, 2
"""Empty rows between two lanes and between two bands (its name and floors stand there), and columns between
what has no floor and the first floor."""
WIDTHS = 14
"""So many widths are tried for the one that fills the view best."""
WIDER_FOR = 1.08
"""More columns tell more of the order: they are taken although all gets smaller by so much."""
LOOSE = 1.6
"""A lane is so many times as tall as its mean stack; taller stacks fold into more columns."""


@dataclass(frozen=True, slots=True)
class _Band:
    """Nodes of a band: their moments' ranks (0..), -1 where there is none, and their lanes (0..)."""

    nodes: Ints
    rank: Ints
    lane: Ints
    lanes: int

    @property
    def moments(self) -> int:
        return int(self.rank.max()) + 1


@dataclass(frozen=True, slots=True)
class _Drawn:
    x: Ints
    y: Ints
    width: int
    height: int


def by_time(
    seq: NDArray[np.integer],
    created: Ints,
    types: NDArray[np.integer],
    bands: NDArray[np.integer],
    aspect: float,
) -> Floats:
    """Places of all nodes. `bands` (n,): the chat a node belongs to, -1 for those that go by date.

    Shapes: (n,) each -> (n, 2). Cost: O(n log n).
    """
    positions = np.zeros((len(seq), 2), dtype=np.float32)
    if not len(seq):
        return positions
    parts = _parts(np.asarray(seq, dtype=np.int64), created, types, bands)
    drawn = _best(parts, aspect)
    top = 0
    for part, place in zip(parts, drawn, strict=True):
        positions[part.nodes, 0] = place.x * SPACING
        positions[part.nodes, 1] = (place.y + top) * SPACING
        top += place.height + BAND_GAP
    return positions


def _parts(
    seq: Ints, created: Ints, types: NDArray[np.integer], bands: NDArray[np.integer]
) -> tuple[_Band, ...]:
    """Bands in the order in which they were begun, the one by date last."""
    found = []
    for band in np.unique(bands):
        nodes = np.flatnonzero(bands == band)
        moment = created[nodes] if band < 0 else seq[nodes]
        told = np.ones(len(nodes), dtype=np.bool_) if band < 0 else moment != NO_FLOOR
        rank = np.full(len(nodes), -1, dtype=np.int64)
        rank[told] = np.unique(moment[told], return_inverse=True)[1].ravel()
        kinds, lane = np.unique(types[nodes], return_inverse=True)
        begun = (band < 0, int(created[nodes].min()), int(band))
        found.append((begun, _Band(nodes, rank, lane.ravel().astype(np.int64), len(kinds))))
    return tuple(part for _, part in sorted(found, key=lambda pair: pair[0]))


def _best(parts: Sequence[_Band], aspect: float) -> list[_Drawn]:
    """The bands drawn with the number of columns with which all of them fit a view best."""
    most = max(part.moments for part in parts)
    best: list[_Drawn] = []
    least = np.inf
    for columns in np.unique(np.geomspace(1, max(most, 1), WIDTHS).round().astype(np.int64)).tolist():
        drawn = [_draw(part, columns) for part in parts]
        height = sum(each.height for each in drawn) + BAND_GAP * (len(drawn) - 1)
        need = max(max(each.width for each in drawn) / aspect, height)
        if need <= least * WIDER_FOR:
            best, least = drawn, min(need, least)
    return best


def _draw(part: _Band, columns: int) -> _Drawn:
    """A band with at most so many columns of moments; column 0 holds what has no moment."""
    moments = part.moments
    columns = max(min(columns, moments), 1)
    column = np.where(part.rank < 0, 0, 1 + part.rank * columns // max(moments, 1))
    cell = part.lane * (columns + 1) + column
    order = np.lexsort((part.rank, cell))
    sizes = np.bincount(cell, minlength=part.lanes * (columns + 1)).reshape(part.lanes, columns + 1)
    tall = _heights(sizes)
    wide = -(-sizes // tall[:, None])
    widths = wide.max(axis=0)
    left = np.concatenate(([0], np.cumsum(widths)))[:-1]
    if widths[0]:
        left[1:] += APART_GAP
    top = np.concatenate(([0], np.cumsum(tall + LANE_GAP)))[:-1]
    rank = _rank_in(cell, order)
    rows = np.minimum(sizes, tall[:, None])
    number, own = rank // tall[part.lane], rank % tall[part.lane]
    y = top[part.lane] + (tall[part.lane] - rows[part.lane, column]) // 2 + own
    return _Drawn(left[column] + number, y, int(left[-1] + widths[-1]), int(top[-1] + tall[-1]))


def _heights(sizes: Ints) -> Ints:
    """Rows of each lane, from the stacks in its columns; what has no moment makes a square of its own."""
    timed, apart = sizes[:, 1:], sizes[:, 0]
    number = np.maximum((timed > 0).sum(axis=1), 1)
    mean = np.ceil(LOOSE * timed.sum(axis=1) / number)
    most = timed.max(axis=1)
    tallest = np.minimum(
        most, np.maximum(np.minimum(mean, np.ceil(2 * np.sqrt(most))), np.ceil(np.sqrt(most)))
    )
    rows: Ints = np.maximum(1, np.maximum(tallest, np.ceil(np.sqrt(apart / 2)))).astype(np.int64)
    return rows


def _rank_in(cell: Ints, order: Ints) -> Ints:
    """Place of each node within its cell; `order` sorts by cell."""
    sizes = np.bincount(cell)
    first = np.cumsum(sizes) - sizes
    rank = np.empty(len(cell), dtype=np.int64)
    rank[order] = np.arange(len(cell)) - first[cell[order]]
    return rank
