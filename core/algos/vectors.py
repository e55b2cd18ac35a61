"""Vectors: coercion of what stores and endpoints hand out, lengths, angles, nearest rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
"""Shape (d,), or (0,) for "no vector"."""
Matrix: TypeAlias = NDArray[np.float64]
"""Shape (n, d): one vector a row."""

Values: TypeAlias = Iterable[Any] | None
"""Numbers as parsed from JSON or handed out by a store, perhaps nested one level, perhaps none."""

EPS = 1e-12
"""Norms and squared norms up to this count as zero (spec/BOOKU §2)."""


class WrongDimension(ValueError):
    """A vector of another model or size than the query; `expected` and `found` are its dimensions."""

    def __init__(self, expected: int, found: int) -> None:
        super().__init__(f"vector of {found} dimensions where {expected} were expected")
        self.expected = expected
        self.found = found


def as_vector(values: Values) -> Vector:
    """The values as float64; nothing and what holds non-numbers give a vector of no dimensions.

    Of several rows the first is taken (endpoints without pooling answer with one row a token).
    """
    rows = _rows(values)
    return rows[0] if rows else np.zeros(0)


def stored_vector(values: Values, dims: int) -> Vector:
    """The one vector that a store holds for a text; nothing and non-numbers give no dimensions.

    Errors: WrongDimension when there is a vector and it has not `dims` dimensions, or when there are
    several rows. Source: spec/BOOKU §2.11 step 5.
    """
    rows = _rows(values)
    if len(rows) > 1:
        raise WrongDimension(dims, len(rows) * len(rows[0]))
    if rows and rows[0].size and rows[0].size != dims:
        raise WrongDimension(dims, rows[0].size)
    return rows[0] if rows else np.zeros(0)


def _rows(values: Values) -> list[Vector]:
    """The values as rows; a flat list is one row, what holds non-numbers (nulls too) is none."""
    if values is None or isinstance(values, str):
        return []
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return list(np.atleast_2d(values.astype(np.float64)))
    items = list(values)
    nested = bool(items) and isinstance(items[0], list | tuple | np.ndarray)
    try:
        return [np.array([float(number) for number in row]) for row in (items if nested else [items])]
    except (TypeError, ValueError):
        return []


def normalise(vector: Vector) -> Vector:
    """The vector at length 1; zeros when its squared length is at most EPS."""
    energy = float(vector @ vector)
    return vector / np.sqrt(energy) if energy > EPS else np.zeros_like(vector)


def cosine(left: Vector, right: Vector) -> float:
    """Cosine in [-1, 1]; 0 for empty vectors, different dimensions and norms up to EPS."""
    if not left.size or left.size != right.size:
        return 0.0
    norms = float(np.linalg.norm(left)), float(np.linalg.norm(right))
    if not min(norms) > EPS:
        return 0.0
    return float(left @ right) / (norms[0] * norms[1])


def cosine_of_common(left: Vector, right: Vector) -> float:
    """Cosine of the dimensions that both have (the document splitter's, spec/BOOKU §2)."""
    shared = min(left.size, right.size)
    return cosine(left[:shared], right[:shared])


def cosines(query: Vector, bank: Matrix) -> Vector:
    """Cosines of the query to every row: (d,), (n, d) -> (n,). Zero rows give 0. Cost: O(n d)."""
    norms = np.linalg.norm(bank, axis=1) * float(np.linalg.norm(query))
    products = bank @ query
    found: Vector = np.divide(products, norms, out=np.zeros(len(bank)), where=norms > 0.0)
    return found


def most_similar(
    query: Vector, rows: Sequence[Vector], limit: int, *, above: float = 0.0
) -> list[tuple[int, float]]:
    """Index and cosine of the rows nearest to the query, best first, only cosines > `above`.

    Equal cosines keep the order of the rows. Rows of other dimensions and zero rows never match.
    Source: spec/STBME §4.4. Cost: O(n d + n log n).
    """
    usable = [at for at, row in enumerate(rows) if row.size and row.size == query.size]
    if not usable:
        return []
    scores = cosines(query, np.stack([rows[at] for at in usable]))
    order = np.argsort(-scores, kind="stable")
    found = ((usable[at], float(scores[at])) for at in order.tolist() if scores[at] > above)
    return list(found)[: max(0, limit)]
