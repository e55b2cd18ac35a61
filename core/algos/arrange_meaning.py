"""Memories by what they mean: two dimensions of their vectors, then neighbours in meaning drawn together.

At once: the two directions in which the vectors differ most (PCA). Then, up to MOST_REFINED memories, a
force layout of the graph of nearest neighbours, turned so that it lies as the first picture did. A library
for this (UMAP, openTSNE) would bring scipy, scikit-learn and numba along: more than the rest of the program.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.algos.layout_apart import with_apart
from core.algos.layout_pieces import Lines, Pieces
from core.domain.graph import SPACING, Frame

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

NEIGHBOURS = 8
MOST_REFINED = 20_000
REDUCED_DIMS = 48
BLOCK_ROWS = 1_000


def by_meaning(vectors: Floats, there: Ints, count: int, aspect: float, seed: int) -> Iterator[Frame]:
    """The drawing step by step; memories without a vector stand in a grid below.

    Shapes: vectors (k, d) of the nodes `there` (k,) among `count`. Cost: O(k d^2), then O(k^2) for the
    neighbours of up to MOST_REFINED.
    """
    if not count:
        return
    apart = np.ones(count, dtype=np.bool_)
    apart[there] = False
    reduced = principal(vectors, REDUCED_DIMS)
    first = _spread(reduced[:, :2])
    yield Frame(_whole(first, there, apart, aspect), 0.05)
    if not 2 < len(there) <= MOST_REFINED:
        return
    source, target, weight = neighbours(reduced)
    for positions, done in Pieces(Lines(len(there), source, target, weight), aspect, seed).grow():
        turned = _turned(positions, first)
        yield Frame(_whole(turned, there, apart, aspect), 0.05 + 0.95 * done)


def principal(vectors: Floats, dims: int) -> Floats:
    """Coordinates along the directions of greatest variance, as many as there are up to `dims`, at least 2.

    Shapes: (k, d) -> (k, r). The sign is fixed, so that the same vectors give the same picture.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, ::-1][:, :dims]
    at = np.abs(directions).argmax(axis=0)
    directions = directions * np.where(directions[at, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
    reduced = centred @ directions
    missing = max(0, 2 - reduced.shape[1])
    return np.pad(reduced, ((0, 0), (0, missing))).astype(np.float32)


def neighbours(points: Floats) -> tuple[Ints, Ints, Floats]:
    """Each point's nearest others with weights in 0..1, the nearer the greater. -> (e,), (e,), (e,).

    Cost: O(k^2 r), in blocks of rows.
    """
    count = len(points)
    number = min(NEIGHBOURS, count - 1)
    square = (points**2).sum(axis=1)
    found, away = np.empty((count, number), dtype=np.int64), np.empty((count, number), dtype=np.float32)
    for start in range(0, count, BLOCK_ROWS):
        rows = np.arange(start, min(start + BLOCK_ROWS, count))
        distance = square[rows, None] + square[None, :] - 2 * points[rows] @ points.T
        distance[np.arange(len(rows)), rows] = np.inf
        near = np.argpartition(distance, number - 1, axis=1)[:, :number]
        found[rows] = near
        away[rows] = np.sqrt(np.maximum(np.take_along_axis(distance, near, axis=1), 0.0))
    nearest = away.min(axis=1, keepdims=True)
    width = np.maximum((away - nearest).mean(axis=1, keepdims=True), 1e-6)
    weight = np.exp(-(away - nearest) / width).astype(np.float32)
    return np.repeat(np.arange(count), number), found.ravel(), weight.ravel()


def _spread(points: Floats) -> Floats:
    """The picture at the size at which each node has SPACING x SPACING."""
    square = float((points.astype(np.float64) ** 2).sum(axis=1).mean())
    spread: Floats = points * np.float32(SPACING * np.sqrt(len(points) / (2 * np.pi * max(square, 1e-12))))
    return spread


def _turned(positions: Floats, like: Floats) -> Floats:
    """The picture moved, turned and mirrored so that it lies as another one. Source: orthogonal Procrustes."""
    own, other = positions - positions.mean(axis=0), like - like.mean(axis=0)
    left, _, right = np.linalg.svd(own.astype(np.float64).T @ other.astype(np.float64))
    turned: Floats = own @ (left @ right).astype(np.float32)
    return turned


def _whole(places: Floats, there: Ints, apart: NDArray[np.bool_], aspect: float) -> Floats:
    positions = np.zeros((len(apart), 2), dtype=np.float32)
    positions[there] = places
    return with_apart(positions, apart, aspect)
