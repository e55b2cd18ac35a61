"""Summaries made of sentences of the text itself: the ones nearest to the middle that differ from one another.

Source: centroid summarisation with maximal marginal relevance (MODELS.md). Sentences stay as they stand; what is said
in quotes is not cut.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algos.bm25 import Floats
from core.algos.function_words import function_words
from core.algos.lexical import search_tokens
from core.algos.mmr import mmr
from core.algos.vectors import Matrix

SENTENCES = 3
MOST_CHARS = 220
LEAST_CHARS = 6
CANDIDATES = 16
"""Sentences of one scene that are compared by meaning: those with the weightiest words."""
DIFFERENCE = 0.4
_ENDS = "。！？!?…\n"
_STOPS = _ENDS + ".．;；:：,，、~～—-”’\"')]）」』》】"
_OPENS = '“「『《（("['
_CLOSES = {"”": "“", "」": "「", "』": "『", "》": "《", "）": "（", ")": "(", "]": "["}
_SPACED_END = re.compile(r"[.!?][\"”’)]*\s")

Embed = Callable[[Sequence[str]], "NDArray[np.floating[Any]]"]
"""Unit rows (n, d) of texts, of either precision."""


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, in order. An end mark inside quotes or brackets ends no sentence. Cost: O(n)."""
    found: list[str] = []
    start, depth, straight = 0, 0, False
    for at, mark in enumerate(text):
        if mark == '"':
            straight = not straight
        elif mark in _OPENS:
            depth += 1
        elif mark in _CLOSES:
            depth = max(0, depth - 1)
        ends = mark in _ENDS or (mark == "." and _is_full_stop(text, at))
        if mark == "\n":
            depth, straight, ends = 0, False, True
        if (ends and not depth and not straight and not _goes_on(text, at)) or (
            mark in _CLOSES and not depth and at and text[at - 1] in _ENDS and not _goes_on(text, at)
        ):
            found.append(text[start : at + 1])
            start = at + 1
    found.append(text[start:])
    return [stripped for each in found if (stripped := " ".join(each.split()))]


def _is_full_stop(text: str, at: int) -> bool:
    """A point that ends a sentence: white space follows, and what stands before is no initial or number."""
    after = text[at + 1 : at + 2]
    before = re.search(r"(\w+)$", text[:at])
    short = (
        before is None
        or (len(before[1]) == 1 and before[1].isupper())
        or before[1] in {"Mr", "Mrs", "Dr", "St"}
    )
    return (not after or after.isspace() or after in '"”’)') and not short


def _goes_on(text: str, at: int) -> bool:
    """Whether more end marks or a closing quote follow."""
    after = text[at + 1 : at + 2]
    return bool(after) and (after in "。！？!?…" or after in "”」』）)")


def weights_of(documents: Sequence[Sequence[str]]) -> dict[str, float]:
    """Rarity of each word among lists of words; function words weigh nothing."""
    held = Counter(word for words in documents for word in set(words))
    size = max(1, len(documents))
    return {
        word: 0.0 if word in function_words() else math.log(1.0 + size / count)
        for word, count in held.items()
    }


def summary(
    texts: Sequence[str],
    weights: dict[str, float],
    embed: Embed | None = None,
    *,
    wanted: int = SENTENCES,
    most_chars: int = MOST_CHARS,
) -> str:
    """At most `wanted` sentences of the texts in their order, together not longer than `most_chars` (one may be).

    Without `embed` the sentences are compared by their words.
    """
    listed = [each for text in texts for each in sentences_of(text) if len(each) >= LEAST_CHARS]
    listed = list(dict.fromkeys(each for each in listed if len(each) <= 2 * most_chars)) or [
        each[:most_chars] for each in listed[:1]
    ]
    if not listed:
        return " ".join(" ".join(texts).split())[:most_chars]
    words = [search_tokens(each) for each in listed]
    heavy = np.array([_weight(each, weights) for each in words])
    kept = sorted(np.argsort(-heavy, kind="stable")[:CANDIDATES].tolist())
    shown = [listed[at] for at in kept]
    rows = _by_words([words[at] for at in kept], weights) if embed is None else embed(shown)
    return joined([shown[at] for at in choose_sentences(shown, rows, most_chars, wanted=wanted)])


def choose_sentences(
    listed: Sequence[str], vectors: NDArray[np.floating[Any]], limit: int, *, wanted: int | None = None
) -> list[int]:
    """Places of the sentences that say most and differ, in order, together at most `limit` characters (one may be more).

    Shapes: vectors (n, d) unit rows. Cost: O(n (d + wanted)).
    """
    if not listed:
        return []
    rows = np.asarray(vectors, dtype=np.float64)
    centre = rows.sum(axis=0)
    length = float(np.linalg.norm(centre))
    scores: Floats = rows @ (centre / length) if length else np.ones(len(listed))
    picks = mmr(np.maximum(scores, 0.0), rows @ rows.T, wanted or len(listed), DIFFERENCE).chosen
    return _fitting(picks, [len(each) for each in listed], limit)


def word_vectors(listed: Sequence[str]) -> Matrix:
    """Unit rows (n, words) of sentences by their words, rare ones weigh more: what there is without an embedder."""
    words = [search_tokens(each) for each in listed]
    return _by_words(words, weights_of(words))


def _weight(words: Sequence[str], weights: dict[str, float]) -> float:
    """How much a sentence says: its different words by rarity, damped by length."""
    unique = set(words)
    return sum(weights.get(word, 0.0) for word in unique) / math.sqrt(5.0 + len(words))


def _by_words(words: Sequence[Sequence[str]], weights: dict[str, float]) -> Matrix:
    """Unit rows over the words of these sentences, by rarity."""
    places = {word: at for at, word in enumerate(dict.fromkeys(word for each in words for word in each))}
    rows = np.zeros((len(words), max(1, len(places))))
    for at, each in enumerate(words):
        for word in each:
            rows[at, places[word]] = weights.get(word, 0.0)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Matrix = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit


def _fitting(picks: Sequence[int], lengths: Sequence[int], most_chars: int) -> list[int]:
    """The picks that fit together, in the order of the text; the first one always does."""
    taken: list[int] = []
    room = most_chars
    for pick in picks:
        if not taken or lengths[pick] <= room:
            taken.append(pick)
            room -= lengths[pick]
    return sorted(taken)


def joined(parts: Sequence[str]) -> str:
    """Sentences as one text: Chinese ones stand together, others with a blank between.

    One that has no mark at its end gets a full stop when another follows.
    """
    text = ""
    for part in parts:
        latin = part[:1].isascii()
        if text and text[-1] not in _STOPS:
            text += "." if latin and text[-1].isascii() else "。"
        text += (" " if text and latin else "") + part
    return text
