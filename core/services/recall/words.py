"""Which memories share words with a message: its terms, looked up in the store; BM25 is core.algos.bm25.

Function words are dropped, and so are terms that more than a tenth of a large library holds (DESIGN §4).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.algos import bm25, stems
from core.algos.function_words import content_words
from core.algos.lexical import search_tokens
from core.ports.recall_store import RecallStore
from core.services.recall.corpus import Corpus, Flags, Floats

MOST_TERMS = 64
"""A long message is searched for by its rarest terms."""
COMMON_IN_LIBRARY = 0.1
FEWEST_TERMS = 3
"""When all terms are common, so many of the rarest are looked for all the same."""
_SHORTEST_START = 3
_PAIR = 2
_WORD = re.compile("[a-z]+")
_LATIN_END = "\u024f"


@dataclass(frozen=True, slots=True)
class Words:
    """Terms of a message and where they stand in a scope.

    `texts` are the terms; `unknown` counts those that the library does not know (pairs of characters less).
    """

    texts: tuple[str, ...]
    places: bm25.Places
    unknown: float

    @classmethod
    def none(cls) -> Words:
        """Of a text without words."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), bm25.Places(nothing, nothing, np.zeros(0)), 0.0)


@dataclass(frozen=True, slots=True)
class WordScores:
    """BM25 of each memory, and the share of the message's weight that its terms carry. Shapes: (n,), (n,)."""

    scores: Floats
    shares: Floats


def find_words(corpus: Corpus, store: RecallStore, message: str) -> Words:
    """Look up the terms of a message. Cost: two statements and the places of its rarest terms."""
    tokens = content_words(map(_as_indexed, search_tokens(message)))
    if not tokens:
        return Words.none()
    wanted = dict.fromkeys(map(stems.stem, tokens))
    known = store.spellings(*_spellings(tokens))
    spelled: dict[str, list[str]] = defaultdict(list)
    for term in known:
        if (group := stems.stem(term)) in wanted:
            spelled[group].append(term)
    counts = {group: sum(known[term] for term in terms) for group, terms in spelled.items()}
    limit = max(bm25.NEVER_COMMON, COMMON_IN_LIBRARY * store.size())
    by_count = sorted(counts, key=lambda group: counts[group])
    rare = [group for group in by_count if counts[group] <= limit] or by_count[:FEWEST_TERMS]
    unknown = sum(_unknown_count(group) for group in wanted if group not in counts)
    return Words(tuple(rare[:MOST_TERMS]), _places(corpus, store, rare[:MOST_TERMS], spelled), unknown)


def _spellings(tokens: Iterable[str]) -> tuple[list[str], set[str]]:
    """What to look up for these tokens: terms as they stand, and beginnings of English words."""
    exact: set[str] = set()
    starts: set[str] = set()
    for token in tokens:
        exact.update(stems.irregular_forms(token))
        group = stems.stem(token)
        if len(group) >= _SHORTEST_START and _WORD.fullmatch(group):
            starts.add(stems.beginning(group))
        else:
            exact |= {token, group}
    return sorted(exact), starts


def _unknown_count(group: str) -> float:
    return 1.0 if _WORD.fullmatch(group) or len(group) != _PAIR else bm25.UNKNOWN_PAIR


def _places(
    corpus: Corpus, store: RecallStore, chosen: Sequence[str], spelled: dict[str, list[str]]
) -> bm25.Places:
    number = {term: at for at, group in enumerate(chosen) for term in spelled[group]}
    postings = store.postings(list(number)) if number else ()
    rows = corpus.rows_of(np.array([memory for _, memory, _ in postings], dtype=np.int64))
    terms = np.array([number[term] for term, _, _ in postings], dtype=np.int64)
    times = np.array([count for _, _, count in postings], dtype=np.float64)
    inside = rows >= 0
    width = max(1, corpus.size)
    unique, at = np.unique(terms[inside] * width + rows[inside], return_inverse=True)
    summed = np.bincount(at, weights=times[inside], minlength=len(unique)).astype(np.float64)
    return bm25.Places(unique // width, unique % width, summed)


def score_words(corpus: Corpus, words: Words, usable: Flags, common_share: float) -> WordScores:
    """BM25 over the usable memories only: what only hidden ones hold counts as unknown. Cost: O(n + places)."""
    size, terms = int(usable.sum()), len(words.texts)
    places = words.places.among(usable)
    weights = bm25.term_weights(places, terms, size, common_share)
    held = np.bincount(places.terms, minlength=terms)
    nobody = words.unknown + sum(
        _unknown_count(text) for text, count in zip(words.texts, held, strict=True) if not count
    )
    average = float(corpus.terms[usable].mean()) if size else 1.0
    missing = nobody * float(bm25.rarity(0, size))
    return WordScores(
        bm25.scores(places, weights, corpus.terms, average),
        bm25.covered(places, weights, corpus.size, missing),
    )


def _as_indexed(token: str) -> str:
    """The token as the full-text index writes it: Latin letters without their accents."""
    if token.isascii():
        return token
    letters: Iterable[str] = (
        "".join(part for part in unicodedata.normalize("NFD", char) if not unicodedata.combining(part))
        if char <= _LATIN_END
        else char
        for char in token
    )
    return "".join(letters)
