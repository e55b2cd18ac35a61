"""Where the nodes of a graph are drawn: the same for the same input, step by step for a view that follows.

Large components are drawn together by forces (core.algos.layout_force), small ones at once by exact
stress, single nodes stand in a grid; then all are packed side by side. A drawing that is there already is
kept: new nodes go beside their neighbours. Source of the method: TECH §4.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency
from core.algos.layout_beside import placed_beside
from core.algos.layout_mesh import Floats
from core.algos.layout_pieces import Lines, Pieces
from core.domain.graph import SPACING, Frame

KEPT_SHARE = 0.5
"""A drawing in which so many nodes have a place is kept; only the others are placed."""


class RunningLayout:
    """Hands out the frames of an arrangement (core.domain.graph.Layout).

    Pinned nodes stand at their `places` (n, 2) in every frame, whatever the arrangement says.
    """

    def __init__(self, frames: Iterator[Frame], places: Floats, pinned: NDArray[np.bool_]) -> None:
        self._frames = frames
        self._places = places
        self._pinned = pinned
        self._held: dict[int, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def step(self) -> Frame | None:
        """One step further; None when the picture is stable."""
        frame = next(self._frames, None)
        if frame is None:
            return None
        positions = np.array(frame.positions, dtype=np.float32)
        positions[self._pinned] = self._places[self._pinned]
        with self._lock:
            for node, place in self._held.items():
                positions[node] = place
        return Frame(positions, frame.done)

    def hold(self, node: int, x: float, y: float) -> None:
        """Keep a node at a place until released."""
        with self._lock:
            self._held[node] = (x, y)

    def release(self, node: int) -> None:
        """Let a held node go."""
        with self._lock:
            self._held.pop(node, None)


def by_force(
    lines: Lines,
    start: Floats,
    pinned: NDArray[np.bool_],
    *,
    afresh: bool,
    aspect: float,
    seed: int,
    unfinished: bool = False,
) -> Iterator[Frame]:
    """The force layout. `start` (n, 2) are places to keep, NaN where there is none.

    When at least KEPT_SHARE of the nodes have one (and not `afresh`), only the others are placed. Of a
    drawing made anew the pinned ones are fixed: their neighbours settle around them. `unfinished`: a kept
    drawing is not complete yet, so its forces go on working.
    """
    if not lines.count:
        return
    known = np.isfinite(start).all(axis=1)
    if not afresh and known.mean() >= KEPT_SHARE:
        there = completed(lines, start, aspect, seed)
        if not unfinished:
            yield Frame(there, 1.0)
            return
        for positions, done in Pieces(lines, aspect, seed).go_on(there, pinned):
            yield Frame(positions, done)
        return
    pieces = Pieces(lines, aspect, seed)
    positions = start
    for positions, done in pieces.grow():
        yield Frame(positions, done)
    if pinned.any():
        for settled in pieces.around_pins(positions, start, pinned):
            yield Frame(settled[0], 1.0)


def completed(lines: Lines, start: Floats, aspect: float, seed: int) -> Floats:
    """A drawing with places for those that have none (NaN); the rest stays. Shape: (n, 2)."""
    positions = start
    if np.isfinite(start).all():
        return positions
    adjacency = Adjacency.of(lines.count, lines.sources, lines.targets)
    positions = placed_beside(start, adjacency, SPACING)
    left = np.zeros(lines.count, dtype=np.bool_)
    left[np.flatnonzero(~np.isfinite(positions).all(axis=1))] = True
    if not left.any():
        return positions
    *_, (own, _) = Pieces(lines.among(left), aspect, seed).grow()
    there = positions[~left]
    corner = np.array([there[:, 0].min(), there[:, 1].max() + 2 * SPACING], dtype=np.float32)
    positions[left] = own - own.min(axis=0) + corner
    return positions
