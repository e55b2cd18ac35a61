"""Answers to the queries for doubles and contradictions; the container joins them to the engine.

Loads neither numpy nor vectors before the first of them is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from core.domain.api import Cancel
from core.domain.queries import Query
from core.domain.queries_merge import FindContradictions, FindDuplicates
from core.ports.store import Store

if TYPE_CHECKING:
    from core.ports.embedder import Embedder
    from core.ports.index_queue import IndexQueue
    from core.ports.progress import CancelToken
    from core.services.duplicates import DuplicateSearch

Answer = Callable[[Any, "Cancel | None"], Any]


def duplicate_answers(
    store: Store, queue: Callable[[], IndexQueue], embedder: Callable[[], Embedder | None]
) -> Mapping[type[Query[Any]], Answer]:
    """One function for each of the two. `embedder` None: words decide alone."""

    def search() -> DuplicateSearch:
        from core.services.duplicates import DuplicateSearch

        found = embedder()
        if found is None:
            return DuplicateSearch(store)
        key = found.identity.key
        return DuplicateSearch(store, lambda pks: queue().matrix_rows(key, pks), found.thresholds)

    def contradictions(query: FindContradictions, cancel: Cancel | None) -> Any:
        from core.services.contradictions import ContradictionSearch

        return ContradictionSearch(store, search()).find(query, cast("CancelToken | None", cancel))

    return {
        FindDuplicates: lambda query, cancel: search().find(query, cast("CancelToken | None", cancel)),
        FindContradictions: contradictions,
    }
