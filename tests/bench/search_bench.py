"""Figures of the search language: conditions, what is related, suggestions (docs/SEARCH.md).

CPU time of the call that a window makes, the best of three, on a library from tests.bench.library.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from core.domain.queries import FacetCounts, ListMemories, MemoryFilter, Sort, SortKey
from core.domain.queries_search import CompleteSearch, ListWithRelated
from core.domain.schema_data import default_schema
from core.services.completing import Completing
from core.services.searching import Searching
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.bench.library import cached, words
from tests.bench.report import Row

SMALL, LARGE = 10_000, 100_000
REPEATS = 3
CONDITIONS = {
    "type:event": "<= 100",
    "type:event importance>7": "<= 100",
    "-has:duplicate": "<= 250",
    "has:duplicate": "<= 250",
    "created:2025-12": "<= 100",
    "created>2025-06": "<= 250",
    "never:recalled importance>5": "<= 100",
    "is:outdated": "<= 250",
    "relation:related": "<= 250",
}


def run(full: bool) -> list[Row]:
    """All figures: on 100,000 memories with `full`, else on 10,000 (same targets)."""
    big = cached(LARGE if full else SMALL)
    size = f"{big.memories:,} memories, {big.edges:,} relations"
    store = SqlStore(LibraryFiles(big.root), default_schema())
    try:
        searching = Searching(store, lambda _text, _limit, _allowed: ())
        return [*_conditions(searching, size), *_related(searching, size), *_suggestions(store, size)]
    finally:
        store.close()


def _best_ms(call: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return 1000 * min(times)


def _conditions(searching: Searching, size: str) -> Iterator[Row]:
    for text, target in CONDITIONS.items():
        where = MemoryFilter(text=text, language=True)
        hits = searching.list(ListMemories(where), None)
        for name, call in (
            (f"list of {len(hits):,}", partial(searching.list, ListMemories(where, Sort()), None)),
            ("counts", partial(searching.facets, FacetCounts(where), None)),
        ):
            yield Row(f"search {text}: {name} (CPU)", _best_ms(call), "ms", target, size)


def _related(searching: Searching, size: str) -> Iterator[Row]:
    for text in (f"tag:{words(False)[200]}", "type:person"):
        query = ListWithRelated(MemoryFilter(text=text, language=True), Sort(SortKey.UPDATED))
        found = searching.with_related(query, None)
        name = f"show related: {found.found:,} hits, {len(found.pks) - found.found:,} related (CPU)"
        yield Row(name, _best_ms(partial(searching.with_related, query, None)), "ms", "<= 250", size)


def _suggestions(store: SqlStore, size: str) -> Iterator[Row]:
    for text in ("ty", "type:", "tag:", "tag:ba", "person:ba", "related:ba", "folder:"):
        query = CompleteSearch(text, len(text))
        first = Completing(store, lambda: store.search)
        started = time.process_time()
        first.complete(query, None)
        once = 1000 * (time.process_time() - started)
        yield Row(f"suggestions for {text}: after a change (CPU)", once, "ms", "<= 250", size)
        again = _best_ms(partial(first.complete, query, None))
        yield Row(f"suggestions for {text}: while typing (CPU)", again, "ms", "<= 50", size)
