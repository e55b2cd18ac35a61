"""Pairs that are worth comparing among a hundred thousand: by rare words in common, and by near vectors.

Sources: prefix filtering (Chaudhuri et al. 2006: texts that share much share one of their rarest terms) and sorted
neighbourhood (Hernández and Stolfo 1995: among many that share a term only near ones in an order are compared).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

RAREST = 12
"""Terms of each text by which it is compared."""
MOST_TERMS = 400
"""Terms of a long text that count."""
SMALL_GROUP = 24
"""Texts that share a term are all compared up to so many ..."""
NEIGHBOURS = 6
"""... of more only with so many next ones."""
FEW_TERMS = 6
"""A text of so few terms needs only one in common."""
BLOCK = 512
COLUMNS = 16_384
NEAREST = 6
"""Vectors that are looked at of each memory."""

Step = Callable[[float], None]
"""Told how far a stage is (0..1); raises when it was cancelled."""


def _no_step(_share: float) -> None:
    return None


def pairs_by_terms(terms: Sequence[Iterable[str]], groups: Ints, step: Step = _no_step) -> Ints:
    """Pairs (k, 2) of texts of one group that share rare terms, each once, lower index first.

    Shapes: n texts as their terms, groups (n,). Cost: O(terms log terms).
    """
    count = len(terms)
    docs, hashes, order = _postings(terms, step)
    if not len(docs):
        return np.zeros((0, 2), dtype=np.int64)
    docs, hashes = _rarest(docs, hashes)
    ranks = order[docs]
    place = np.lexsort((ranks, hashes))
    docs, hashes = docs[place], hashes[place]
    _, sizes = np.unique(hashes, return_counts=True)
    size = np.repeat(sizes, sizes)
    found = []
    for offset in range(1, SMALL_GROUP):
        same = hashes[offset:] == hashes[:-offset]
        if offset > NEIGHBOURS:
            same &= size[:-offset] <= SMALL_GROUP
        left, right = docs[:-offset][same], docs[offset:][same]
        inside = groups[left] == groups[right]
        left, right = left[inside], right[inside]
        found.append(np.minimum(left, right) * count + np.maximum(left, right))
        step(0.5 + 0.5 * offset / SMALL_GROUP)
    keys, shared = np.unique(np.concatenate(found), return_counts=True)
    pairs = np.stack([keys // count, keys % count], axis=1)
    lengths = np.bincount(docs, minlength=count)
    short = np.minimum(lengths[pairs[:, 0]], lengths[pairs[:, 1]]) <= FEW_TERMS
    kept: Ints = pairs[(shared > 1) | short]
    return kept


def _postings(terms: Sequence[Iterable[str]], step: Step) -> tuple[Ints, Ints, Ints]:
    """Text and hash of each term, and the rank of each text by its smallest hash (near copies stand together)."""
    parts, lengths = [], np.zeros(len(terms), dtype=np.int64)
    smallest = np.zeros(len(terms), dtype=np.int64)
    for at, words in enumerate(terms):
        hashed = np.fromiter((hash(word) for word in words), dtype=np.int64)[:MOST_TERMS]
        parts.append(hashed)
        lengths[at] = len(hashed)
        smallest[at] = hashed.min() if len(hashed) else 0
        if at % 2_000 == 0:
            step(0.4 * at / len(terms))
    hashes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    ranks = np.empty(len(terms), dtype=np.int64)
    ranks[np.argsort(smallest, kind="stable")] = np.arange(len(terms))
    return np.repeat(np.arange(len(terms)), lengths), hashes, ranks


def _rarest(docs: Ints, hashes: Ints) -> tuple[Ints, Ints]:
    """Of each text the rarest terms that others have too."""
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    frequency = counts[inverse]
    shared = frequency > 1
    docs, hashes, frequency = docs[shared], hashes[shared], frequency[shared]
    order = np.lexsort((hashes, frequency, docs))
    docs, hashes = docs[order], hashes[order]
    if not len(docs):
        return docs, hashes
    starts = np.flatnonzero(np.concatenate([[True], docs[1:] != docs[:-1]]))
    place = np.arange(len(docs)) - np.repeat(starts, np.diff([*starts, len(docs)]))
    kept = place < RAREST
    return docs[kept], hashes[kept]


def pairs_by_vectors(
    vectors: Floats, floor: float, step: Step = _no_step, nearest: int = NEAREST
) -> tuple[Ints, Floats]:
    """Pairs (k, 2) of rows with a cosine of at least `floor`, lower index first, and their cosines.

    Of each row at most `nearest` of the rows behind it. Shapes: unit vectors (n, d). Cost: O(n^2 d / 2).
    """
    count = len(vectors)
    lefts, rights, scores = [], [], []
    for start in range(0, count, BLOCK):
        rows = vectors[start : start + BLOCK]
        for column in range(start, count, COLUMNS):
            products = rows @ vectors[column : column + COLUMNS].T
            if column < start + BLOCK:  # below and on the diagonal stands what was looked at
                behind = (
                    np.arange(column, column + products.shape[1])[None, :]
                    > (np.arange(start, start + len(rows))[:, None])
                )
                products[~behind] = -1.0
            near_rows, near_columns = _near(products, floor, nearest)
            lefts.append(near_rows + start)
            rights.append(near_columns + column)
            scores.append(products[near_rows, near_columns])
        step(_done(start + BLOCK, count))
    if not lefts:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
    return _best(np.concatenate(lefts), np.concatenate(rights), np.concatenate(scores), nearest)


def _near(products: Floats, floor: float, nearest: int) -> tuple[Ints, Ints]:
    """Places of a block that are near; where nearly all are, only the nearest of each row."""
    rows, columns = np.nonzero(products >= floor)
    if len(rows) <= 4 * nearest * len(products) or products.shape[1] <= nearest:
        return rows, columns
    best = np.argpartition(-products, nearest, axis=1)[:, :nearest]
    rows = np.repeat(np.arange(len(products)), nearest)
    columns = best.ravel()
    kept = products[rows, columns] >= floor
    return rows[kept], columns[kept]


def _done(rows: int, count: int) -> float:
    """Share of the triangle that is done."""
    left = max(0.0, 1.0 - rows / count)
    return 1.0 - left * left


def _best(left: Ints, right: Ints, scores: Floats, nearest: int) -> tuple[Ints, Floats]:
    order = np.lexsort((right, -scores, left))
    left, right, scores = left[order], right[order], scores[order]
    if not len(left):
        return np.zeros((0, 2), dtype=np.int64), scores
    starts = np.flatnonzero(np.concatenate([[True], left[1:] != left[:-1]]))
    place = np.arange(len(left)) - np.repeat(starts, np.diff([*starts, len(left)]))
    kept = place < nearest
    return np.stack([left[kept], right[kept]], axis=1), scores[kept]
