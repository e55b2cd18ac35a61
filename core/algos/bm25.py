"""BM25 over the places of a message's terms, and how much of the message a memory covers.

Sources: Robertson and Walker (BM25); the cut of common terms from DESIGN §4; the gate on covered weight from
MODELS.md. Terms are numbers 0..t-1, memories rows 0..n-1; entry i of `Places` says that row `rows[i]` holds term
`terms[i]` `times[i]` times. Whoever calls keeps the texts and finds the places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

K1 = 1.2
B = 0.4
"""Length counts less than in the textbook (0.75): memories are short, and a long one is seldom off the subject."""
NEVER_COMMON = 1_000
"""A term in so few memories is never common: in a small scope frequency says little, a speaker's name is everywhere."""
SMALLEST_SCOPE = 50
UNKNOWN_PAIR = 0.5
"""What an unknown pair of characters counts: half of the pairs of a Chinese sentence are no words."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where terms stand. Shapes: (p,) each."""

    terms: Ints
    rows: Ints
    times: Floats

    def among(self, usable: Flags) -> Places:
        """The places in usable rows only."""
        kept = usable[self.rows] if len(self.rows) else np.zeros(0, dtype=np.bool_)
        return Places(self.terms[kept], self.rows[kept], self.times[kept])


def rarity(held: Ints | Floats | int, size: int) -> Floats:
    """Weight of terms that `held` of `size` memories hold: ln(1 + (size - held + 0.5) / (held + 0.5)).

    A scope counts as SMALLEST_SCOPE memories at least: among three, a term that one holds is not common.
    """
    count = np.asarray(held, dtype=np.float64)
    return np.asarray(np.log1p((max(size, SMALLEST_SCOPE) - count + 0.5) / (count + 0.5)))


def term_weights(places: Places, terms: int, size: int, common_share: float) -> Floats:
    """Weight of each term, shape (terms,): 0 when no row holds it, and for common terms.

    Common: in more than `common_share` of the `size` memories and in more than NEVER_COMMON of them. When all
    are common, none is dropped. Cost: O(p).
    """
    held = np.bincount(places.terms, minlength=terms)[:terms]
    weights = np.where(held > 0, rarity(held, size), 0.0)
    rare = np.where(held > max(NEVER_COMMON, common_share * size), 0.0, weights)
    return np.asarray(rare if rare.any() else weights)


def scores(places: Places, weights: Floats, lengths: Floats, average: float) -> Floats:
    """BM25 of every row, shape (n,). `lengths`: tokens of every row, (n,). Cost: O(n + p)."""
    stretch = 1.0 - B + B * lengths[places.rows] / max(average, 1.0)
    parts = weights[places.terms] * places.times * (K1 + 1.0) / (places.times + K1 * stretch)
    return np.bincount(places.rows, weights=parts, minlength=len(lengths)).astype(np.float64)


def covered(places: Places, weights: Floats, rows: int, missing: float = 0.0) -> Floats:
    """Share 0..1 of the message's weight whose terms a row holds, shape (rows,).

    `missing`: the weight of terms that nobody holds. It counts in the whole: a message of which the library knows
    one word of ten says little about who holds that word. Cost: O(rows + p).
    """
    carried = np.bincount(places.rows, weights=weights[places.terms], minlength=rows).astype(np.float64)
    total = float(weights.sum()) + missing
    return np.asarray(np.minimum(1.0, carried / total)) if total > 0 else carried
