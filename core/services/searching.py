"""What a person typed in the search language, read into a filter; search by meaning beside words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from core.algos.search_keys import vocabulary
from core.algos.search_language import is_plain, parse, render
from core.domain import queries as q
from core.domain import queries_search as qs
from core.domain.api import Cancel
from core.domain.folder import Folder
from core.domain.ids import MemoryPk
from core.domain.results import Facets
from core.domain.search import All, Condition, Either, Listed, Meaning, Not, Pattern, Term, Word
from core.ports.clock import Clock, system_clock
from core.ports.store import Reader, Store
from core.services.checkup import problem_memories

MEANING_HITS = 200
"""So many nearest memories are listed."""
MEANING_LEAST = 0.35
"""Of the best cosine's height above zero: farther ones are no answer."""

FOUND_SECONDS = 3.0
"""So long what a search by meaning or a regular expression found is used again: for the counts beside the list."""
_PROBLEM = Condition("has", ":", "problem")

ByMeaning = Callable[[str, int, set[int] | None], Sequence[tuple[int, float]]]


def _term(reader: Reader, text: str) -> Term:
    return parse(text, vocabulary(reader.schema(), reader.all_records(Folder)))


def canonical(reader: Reader, query: qs.CanonicalSearch) -> str:
    """The search as it is stored: keys and values by their own names. Errors: Invalid."""
    return render(_term(reader, query.text))


Problems = Callable[[Reader], Iterable[int]]
"""The memories of `has:problem`."""


def read_filter(reader: Reader, where: q.MemoryFilter, problems: Problems | None = None) -> q.MemoryFilter:
    """The filter with its text read: `text` = words that all must hold, `where` the rest. Errors: Invalid."""
    if not where.language:
        return where
    if is_plain(where.text):
        return replace(where, language=False)
    term = _term(reader, where.text)
    if _asks_problems(term):
        found = _found_problems(reader) if problems is None else problems(reader)
        term = _with_problems(term, Listed(render(_PROBLEM), tuple(sorted(found))))
    terms = term.terms if isinstance(term, All) else (term,)
    narrowed = any(isinstance(each, Condition) and each.key == "in" for each in terms)
    words = [] if narrowed else [each for each in terms if _is_word(each)]
    meaning = [each.text for each in terms if isinstance(each, Meaning)]
    rest = tuple(each for each in terms if each not in words and not isinstance(each, Meaning))
    both = where.trash is q.TrashScope.OUTSIDE and _asks_trash(term)
    return replace(
        where,
        language=False,
        text=" ".join(map(render, words)),
        meaning=" ".join(meaning),
        where=All(rest) if rest else None,
        trash=q.TrashScope.BOTH if both else where.trash,
    )


def _asks_problems(term: Term) -> bool:
    return any(_asks_problems(each) for each in _below(term)) or term == _PROBLEM


def _with_problems(term: Term, problems: Listed) -> Term:
    match term:
        case Condition() if term == _PROBLEM:
            return problems
        case Not(inner):
            return Not(_with_problems(inner, problems))
        case All(terms):
            return All(tuple(_with_problems(each, problems) for each in terms))
        case Either(terms):
            return Either(tuple(_with_problems(each, problems) for each in terms))
    return term


def _below(term: Term) -> tuple[Term, ...]:
    match term:
        case Not(inner):
            return (inner,)
        case All(terms) | Either(terms):
            return terms
    return ()


def _found_problems(reader: Reader) -> Iterable[int]:
    return problem_memories(reader, system_clock())


def _takes_long(where: q.MemoryFilter) -> bool:
    return bool(where.meaning) or (where.where is not None and _asks_pattern(where.where))


def _asks_pattern(term: Term) -> bool:
    return isinstance(term, Pattern) or any(map(_asks_pattern, _below(term)))


def _is_word(term: Term) -> bool:
    return isinstance(term, Word) or (isinstance(term, Not) and isinstance(term.term, Word))


def _asks_trash(term: Term) -> bool:
    match term:
        case Condition(key="is", value="trash" | "merged"):
            return True
    return any(map(_asks_trash, _below(term)))


class Searching:
    """Lists and counts under a filter, by meaning too. A search by meaning is made once for list and counts."""

    def __init__(self, store: Store, by_meaning: ByMeaning, clock: Clock = system_clock) -> None:
        self._store, self._by_meaning, self._clock = store, by_meaning, clock
        self._lock = Lock()
        self._problems: tuple[int, set[MemoryPk]] = (-1, set())
        self._finding = Lock()
        self._found: tuple[object, q.MemoryFilter, float] = (None, q.MemoryFilter(), 0.0)

    def list(self, query: q.ListMemories, cancel: Cancel | None) -> Sequence[int]:
        """Pks in order. Errors: Invalid, Unavailable(embedder)."""
        with self._store.read(cancel) as reader:
            where = read_filter(reader, query.filter, self._problem_memories(cancel))
            if not _takes_long(where):
                return reader.memory_ids(where, query.sort)
        where = self._looked_up(where, cancel)
        with self._store.read(cancel) as reader:
            return reader.memory_ids(where, query.sort)

    def with_related(self, query: qs.ListWithRelated, cancel: Cancel | None) -> qs.Hits:
        """Hits, and behind them what is related. Errors: Invalid, Unavailable(embedder)."""
        hits = self.list(q.ListMemories(query.filter, query.sort), cancel)
        first = [MemoryPk(pk) for pk in hits[: qs.RELATED_OF]]
        with self._store.read(cancel) as reader:
            known = {*hits}
            near = tuple(MemoryPk(pk) for pk in reader.beside(first, self._clock()) if pk not in known)
            related = reader.memory_ids(q.MemoryFilter(among=near), query.sort)
        return qs.Hits([*hits, *related], len(hits), limited=len(hits) > qs.RELATED_OF)

    def facets(self, query: q.FacetCounts, cancel: Cancel | None) -> Facets:
        """Counts. Errors: Invalid, Unavailable(embedder)."""
        with self._store.read(cancel) as reader:
            where = read_filter(reader, query.filter, self._problem_memories(cancel))
            if not _takes_long(where):
                return reader.facets(where)
        where = self._looked_up(where, cancel)
        with self._store.read(cancel) as reader:
            return reader.facets(where)

    def _looked_up(self, where: q.MemoryFilter, cancel: Cancel | None) -> q.MemoryFilter:
        """The filter with what takes long found: list and counts ask for the same one after the other."""
        with self._finding:
            key, now = (self._store.last_op(), where), time.monotonic()
            known, found, at = self._found
            if known != key or now - at > FOUND_SECONDS:
                found = (
                    self.with_meaning(where, cancel) if where.meaning else self._with_pattern(where, cancel)
                )
                self._found = (key, found, time.monotonic())
            return found

    def _with_pattern(self, where: q.MemoryFilter, cancel: Cancel | None) -> q.MemoryFilter:
        with self._store.read(cancel) as reader:
            pks = reader.memory_ids(where, q.Sort(q.SortKey.RELEVANCE))
        return q.MemoryFilter(among=tuple(MemoryPk(pk) for pk in pks), trash=where.trash)

    def _problem_memories(self, cancel: Cancel | None) -> Problems:
        """What the check-up finds, looked for once after each change."""

        def find(reader: Reader) -> Iterable[int]:
            with self._lock:
                op = self._store.last_op()
                if op != self._problems[0]:
                    self._problems = (op, problem_memories(reader, self._clock(), cancel))
                return self._problems[1]

        return find

    def with_meaning(self, where: q.MemoryFilter, cancel: Cancel | None = None) -> q.MemoryFilter:
        """The filter with `meaning` looked up: the nearest, together with what holds the words."""
        rest = replace(where, text="", meaning="")
        with self._store.read(cancel) as reader:
            allowed = None if rest == q.MemoryFilter() else {*reader.memory_ids(rest, q.Sort())}
            found = replace(where, meaning="")
            words = reader.memory_ids(found, q.Sort(q.SortKey.RELEVANCE)) if where.text else ()
        near = self._by_meaning(where.meaning, MEANING_HITS, allowed)
        return replace(rest, among=tuple(MemoryPk(pk) for pk in fused(words, near)))

    def answers(self) -> dict[type[q.Query[Any]], Callable[[Any, Cancel | None], Any]]:
        """For the engine."""
        return {
            q.ListMemories: self.list,
            q.FacetCounts: self.facets,
            qs.ListWithRelated: self.with_related,
        }


def fused(words: Iterable[int], near: Sequence[tuple[int, float]]) -> list[int]:
    """Hits of words and of meaning, best first: both count up to 1, meaning against the best of it.

    The first word hit counts 1, later ones less by their place. Source: core.algos.fusion (sum of normalised scores).
    """
    best = max((score for _, score in near), default=0.0)
    scores: dict[int, float] = {}
    for place, pk in enumerate(words):
        scores[pk] = 1 / (1 + place / 20)
    for pk, score in near:
        if score > 0 and score >= MEANING_LEAST * best:
            scores[pk] = scores.get(pk, 0.0) + score / best
    return sorted(scores, key=lambda pk: (-scores[pk], pk))
