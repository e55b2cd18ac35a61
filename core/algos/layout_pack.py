"""Putting finished pieces side by side: circles packed around a middle, single nodes in a tidy grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

TURN = np.pi * (3.0 - np.sqrt(5.0))
"""The golden angle: directions that never line up."""
DIRECTIONS = 48
EXACT = 400
"""So many of the largest circles are packed exactly; the small rest goes round in rows."""


def packed(radii: NDArray[np.floating], aspect: float = 1.0) -> Reals:
    """Centres (k, 2) of circles of these radii that do not overlap, the largest in the middle.

    Cost: O(k log k), for the largest O(EXACT^2).
    """
    sizes: Reals = np.asarray(radii, dtype=np.float64)
    centres = np.zeros((len(sizes), 2))
    order = np.argsort(-sizes, kind="stable")
    first = order[:EXACT]
    for place, at in enumerate(first[1:], start=1):
        centres[at] = _nearest_place(sizes[at], centres[first[:place]], sizes[first[:place]], aspect, place)
    if len(order) > EXACT:
        low, high = _bounds(centres[first], sizes[first])
        centres[order[EXACT:]] = _rows(sizes[order[EXACT:]], low, high, aspect)
    return centres


def _nearest_place(radius: float, centres: Reals, radii: Reals, aspect: float, number: int) -> Reals:
    """Where a circle touches what is there, as near to the middle as possible among some directions."""
    angles = TURN * number + np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    along = ways @ centres.T
    gap = (radii + radius)[None, :]
    off = (centres**2).sum(axis=1)[None, :] - along**2
    reach = np.sqrt(np.maximum(gap**2 - off, 0.0))
    out = np.where(off < gap**2, along + reach, 0.0).max(axis=1)
    stretched = (out * np.sqrt((ways[:, 0] / aspect) ** 2 + ways[:, 1] ** 2)).argmin()
    return np.asarray(ways[stretched] * max(float(out[stretched]), 0.0) * (1 + 1e-9))


def _bounds(centres: Reals, radii: Reals) -> tuple[Reals, Reals]:
    return (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)


def _rows(radii: Reals, low: Reals, high: Reals, aspect: float) -> Reals:
    """Small circles, largest first, in rows below what is there."""
    wide = max(float(high[0] - low[0]), float(np.sqrt((4 * radii**2).sum() * aspect)), 2 * float(radii[0]))
    centres = np.empty((len(radii), 2))
    left, top, tall = float(low[0]), float(high[1]), 2 * float(radii[0])
    for at, radius in enumerate(radii):
        if left + 2 * radius > low[0] + wide * (1 + 1e-9):
            left, top, tall = float(low[0]), top + tall, 2 * float(radius)
        centres[at] = left + radius, top + radius
        left += 2 * float(radius)
    return centres


def grid(count: int, columns: int, step: float) -> Floats:
    """Places of single nodes: rows of a grid from its upper left corner at 0, 0. Shape: (count, 2)."""
    number = np.arange(count)
    return np.stack([number % columns, number // columns], axis=1).astype(np.float32) * np.float32(step)
