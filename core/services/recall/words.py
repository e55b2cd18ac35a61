"""Which memories share rare words with a message: BM25 over the store's postings, with a gate.

Sources: BM25 (k1 1.2, b 0.75, Robertson and Walker); the gate and the cut of common terms from DESIGN §4 and
MODELS.md: terms in more than a tenth of the memories are dropped, and a memory counts only when the terms it
shares carry a share of what the message's terms weigh.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.algos import stems
from core.algos.lexical import search_tokens
from core.ports.recall_store import RecallStore
from core.services.recall.corpus import Corpus, Flags, Floats, Ints

K1 = 1.2
B = 0.75
MOST_TERMS = 64
"""A long message is searched for by its rarest terms."""
NEVER_COMMON = 5
"""A term in so few memories is never common, however small the scope is."""
COMMON_IN_LIBRARY = 0.1
_LATIN_END = "\u024f"


@dataclass(frozen=True, slots=True)
class Words:
    """Terms of a message and where they stand in a scope: entry i says that `rows[i]` holds term `terms[i]`.

    `texts` are the terms, `unknown` how many the library does not know.
    """

    texts: tuple[str, ...]
    terms: Ints
    rows: Ints
    times: Floats
    unknown: int


@dataclass(frozen=True, slots=True)
class WordScores:
    """BM25 of each memory, and the share of the message's weight that its terms carry. Shapes: (n,), (n,)."""

    scores: Floats
    shares: Floats
    weights: Floats
    """Weight (idf) of each term, 0 for common ones."""


def find_words(corpus: Corpus, store: RecallStore, message: str) -> Words:
    """Look up the terms of a message. Cost: two statements and the places of its rarest terms."""
    tokens = list(dict.fromkeys(map(_as_indexed, search_tokens(message))))
    groups: dict[str, str] = {token: stems.stem(token) for token in tokens}
    if not groups:
        return Words((), _none(), _none(), np.zeros(0), 0)
    exact = [token for token in tokens if not stems.is_english(token)]
    starts = {stems.beginning(group) for token, group in groups.items() if stems.is_english(token)}
    known = store.spellings(exact, starts)
    wanted = set(groups.values())
    spelled: dict[str, list[str]] = defaultdict(list)
    for term in known:
        if (group := stems.stem(term)) in wanted:
            spelled[group].append(term)
    counts = {group: sum(known[term] for term in terms) for group, terms in spelled.items()}
    limit = max(NEVER_COMMON, COMMON_IN_LIBRARY * store.size())
    rare = sorted(
        (group for group, count in counts.items() if count <= limit), key=lambda group: counts[group]
    )
    chosen = rare[:MOST_TERMS]
    return _places(corpus, store, chosen, spelled, unknown=len(wanted) - len(counts))


def _places(
    corpus: Corpus, store: RecallStore, chosen: Sequence[str], spelled: dict[str, list[str]], unknown: int
) -> Words:
    number = {term: at for at, group in enumerate(chosen) for term in spelled[group]}
    postings = store.postings(list(number)) if number else ()
    rows = corpus.rows_of(np.fromiter((posting.memory for posting in postings), dtype=np.int64))
    terms = np.fromiter((number[posting.term] for posting in postings), dtype=np.int64)
    times = np.fromiter((posting.times for posting in postings), dtype=np.float64)
    inside = rows >= 0
    keys = terms[inside] * max(1, corpus.size) + rows[inside]
    unique, at = np.unique(keys, return_inverse=True)
    summed = np.bincount(at, weights=times[inside], minlength=len(unique)).astype(np.float64)
    width = max(1, corpus.size)
    return Words(tuple(chosen), unique // width, unique % width, summed, unknown)


def score_words(corpus: Corpus, words: Words, usable: Flags, common_share: float) -> WordScores:
    """BM25 over the usable memories only: hidden ones weigh nothing. Cost: O(n + places)."""
    size, terms = int(usable.sum()), len(words.texts)
    kept = usable[words.rows] if len(words.rows) else np.zeros(0, dtype=np.bool_)
    rows, numbers, times = words.rows[kept], words.terms[kept], words.times[kept]
    held = np.bincount(numbers, minlength=terms)
    weights = np.log1p((size - held + 0.5) / (held + 0.5))
    weights[(held == 0) | (held > max(NEVER_COMMON, common_share * size))] = 0.0
    lengths = corpus.terms[rows]
    average = max(1.0, float(corpus.terms[usable].mean())) if size else 1.0
    parts = weights[numbers] * times * (K1 + 1) / (times + K1 * (1 - B + B * lengths / average))
    scores = np.bincount(rows, weights=parts, minlength=corpus.size).astype(np.float64)
    carried = np.bincount(rows, weights=weights[numbers], minlength=corpus.size).astype(np.float64)
    total = float(weights.sum())
    return WordScores(scores, carried / total if total > 0 else carried, weights)


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


def _none() -> Ints:
    return np.zeros(0, dtype=np.int64)
