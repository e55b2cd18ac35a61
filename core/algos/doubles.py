"""Whether two memories say the same: sure, likely, maybe or not, from words, names and meaning.

`sure` is kept for texts whose facts are word for word the same; a cosine alone never makes one sure (DESIGN §5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from core.algos.differences import (
    Difference,
    Text,
    contained,
    differences,
    overlap,
    same_text,
    same_words,
)

LIKELY_OVERLAP = 0.72
"""From here words alone make a pair likely (without a vector)."""
MAYBE_OVERLAP = 0.5
MIXED_OVERLAP = 0.45
"""Words that let a cosine a little below `duplicate` count."""
NEAR_SHARE = 0.1
"""How far below `duplicate` that may be, as a share of the way down to `related`."""
MAYBE_SHARE = 0.15


class Level(IntEnum):
    """How surely; higher is surer."""

    NO = 0
    MAYBE = 1
    LIKELY = 2
    SURE = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on a pair, with what it rests on."""

    level: Level
    score: float
    same_text: bool = False
    same_words: bool = False
    same_title: bool = False
    contained: bool = False
    overlap: float = 0.0
    cosine: float | None = None
    guards: Sequence[Difference] = ()
    languages: bool = False


@dataclass(frozen=True, slots=True)
class Cuts:
    """Cosines of the embedder that count (core.ports.embedder.Thresholds)."""

    duplicate: float
    related: float

    @property
    def near(self) -> float:
        """Enough when words agree too."""
        return self.duplicate - NEAR_SHARE * (self.duplicate - self.related)

    @property
    def maybe(self) -> float:
        """From here a pair is worth a look."""
        return self.duplicate - MAYBE_SHARE * (self.duplicate - self.related)


def judge(
    left: Text,
    right: Text,
    *,
    cosine: float | None,
    cuts: Cuts,
    same_title: bool = False,
    guards: Sequence[Difference] = (),
) -> Judged:
    """The verdict. `cosine` None: one has no vector. `guards`: differences that are known beside the texts (their
    titles are different names). `same_title`: both are named so, and names stand for one thing (a character, a place):
    that is likely one thing, whatever its texts say. Cost: O(length).
    """
    found = [*guards, *differences(left, right)]
    words, holds = overlap(left, right), contained(left, right)
    languages = left.is_han != right.is_han
    equal, wordwise = same_text(left, right), same_words(left, right)
    level = _level(equal, wordwise, words, holds, cosine, cuts)
    if found or languages:
        level = min(level, Level.MAYBE)
    if same_title:
        level = max(level, Level.LIKELY)
    return Judged(
        level=level,
        score=max(words, 0.0 if cosine is None else cosine, 0.5 if same_title else 0.0),
        same_text=equal,
        same_words=wordwise and not equal,
        same_title=same_title,
        contained=holds and not wordwise,
        overlap=words,
        cosine=cosine,
        guards=found,
        languages=languages,
    )


def _level(equal: bool, wordwise: bool, words: float, holds: bool, cosine: float | None, cuts: Cuts) -> Level:
    if equal or wordwise:
        return Level.SURE
    if cosine is None:
        if words >= LIKELY_OVERLAP or holds:
            return Level.LIKELY
        return Level.MAYBE if words >= MAYBE_OVERLAP else Level.NO
    near = cosine >= cuts.near and words >= MIXED_OVERLAP
    if cosine >= cuts.duplicate or near or (holds and cosine >= cuts.related):
        return Level.LIKELY
    return Level.MAYBE if cosine >= cuts.maybe or words >= MAYBE_OVERLAP else Level.NO
