"""Putting finished pieces side by side: circles packed around a middle, single nodes in a tidy grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

TURN = np.pi * (3.0 - np.sqrt(5.0))
"""The golden angle: directions that never line up."""
DIRECTIONS = 48
NEAR, ROUND = 0.05, np.inf
EXACT = 400
"""So many of the largest circles are packed exactly; the small rest goes round in rows."""


def packed(radii: NDArray[np.floating], aspect: float = 1.0, near: float = NEAR) -> Reals:
    """Centres (k, 2) of circles of these radii that do not overlap, the largest in the middle.

    `near`: what a unit of distance from the middle weighs against a unit of the size of all; ROUND = nothing else.
    Cost: O(k log k), for the largest O(EXACT^2).
    """
    sizes: Reals = np.asarray(radii, dtype=np.float64)
    centres = np.zeros((len(sizes), 2))
    order = np.argsort(-sizes, kind="stable")
    first = order[:EXACT]
    low = high = np.zeros(2)
    for place, at in enumerate(first):
        if place:
            known = first[:place]
            centres[at] = _best_place(sizes[at], centres[known], sizes[known], (low, high), aspect, near)
        low, high = np.minimum(low, centres[at] - sizes[at]), np.maximum(high, centres[at] + sizes[at])
    if len(order) > EXACT:
        low, high = _bounds(centres[first], sizes[first])
        centres[order[EXACT:]] = _rows(sizes[order[EXACT:]], low, high, aspect)
    return centres


def _best_place(
    radius: float, centres: Reals, radii: Reals, bounds: tuple[Reals, Reals], aspect: float, near: float
) -> Reals:
    """Where a circle touches what is there: so that all still fits a view best, then nearest to the middle."""
    angles = TURN * len(radii) + np.arange(DIRECTIONS) * (2 * np.pi / DIRECTIONS)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    along = ways @ centres.T
    gap = (radii + radius)[None, :]
    off = (centres**2).sum(axis=1)[None, :] - along**2
    reach = np.sqrt(np.maximum(gap**2 - off, 0.0))
    out = np.maximum(np.where(off < gap**2, along + reach, 0.0).max(axis=1), 0.0)
    cost = out * np.sqrt((ways[:, 0] / aspect) ** 2 + ways[:, 1] ** 2)
    at = ways * out[:, None] * (1 + 1e-9)
    if near < ROUND:
        spans = np.maximum(bounds[1], at + radius) - np.minimum(bounds[0], at - radius)
        cost = np.maximum(spans[:, 0] / aspect, spans[:, 1]) + near * cost
    return np.asarray(at[cost.argmin()])


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
