"""Scopes kept in memory between recalls, brought up to date by what ops have touched since."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

import numpy as np

from core.domain.ids import OpId
from core.domain.schema import Schema
from core.ports.recall_store import Folders, RecallStore, StoredScope
from core.services.recall.columns import Ints, MemoryColumns
from core.services.recall.corpus import Corpus

KEPT_SCOPES = 3
RELOAD_SHARE = 0.2
"""With a larger share of the scope touched, reading it anew is quicker."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class CorpusCache:
    """Gives the corpus of a scope as the library is now. Calls may come from any thread."""

    def __init__(self, store: RecallStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: OrderedDict[Folders, _Held] = OrderedDict()
        self._counted: set[int] = set()

    def corpus(self, folders: Folders) -> Corpus:
        """The scope at the newest complete state. Cost: one statement when nothing was written since."""
        with self._lock:
            held = self._held.get(folders)
            if held is None or not held.refresh(self._store):
                held = _Held(self._store, folders)
            self._held[folders] = held
            self._held.move_to_end(folders)
            while len(self._held) > KEPT_SCOPES:
                self._held.popitem(last=False)
            return held.corpus

    def counted(self, memories: Collection[int]) -> None:
        """Activations or importance of these changed outside the journal."""
        with self._lock:
            for held in self._held.values():
                held.changed.update(memories)


class _Held:
    """A scope with what its corpus is made of."""

    def __init__(self, store: RecallStore, folders: Folders) -> None:
        self._folders = folders
        self.state: OpId = store.state()
        self.changed: set[int] = set()
        self._schema: Schema = store.schema()
        scope = store.load(folders)
        self._edges = scope.edges
        self._aliases = _grouped((alias.memory, alias.value) for alias in scope.aliases)
        self._tags = _grouped((tag.memory, (tag.kind, tag.value)) for tag in scope.tags)
        self.corpus = self._made(MemoryColumns.of(scope.memories))

    def _made(self, columns: MemoryColumns) -> Corpus:
        return Corpus(columns, self._edges, dict(self._aliases), dict(self._tags), self._schema)

    def refresh(self, store: RecallStore) -> bool:
        """Take over what was written since; False when the scope has to be read anew."""
        touched = store.touched_since(self.state)
        if touched.memories is None:
            return False
        changed = self.changed | touched.memories
        self.changed = set()
        if len(changed) > max(100, RELOAD_SHARE * self.corpus.size):
            return False
        self.state = touched.state
        if changed:
            before = self.corpus
            scope = store.load(self._folders, changed)
            pks = np.fromiter(changed, dtype=np.int64)
            same_edges = self._take(scope, pks)
            columns, former = before.columns.replaced(pks, MemoryColumns.of(scope.memories))
            self.corpus = self._made(columns)
            self.corpus.take_over(before, former, changed, same_edges=same_edges)
        return True

    def _take(self, scope: StoredScope, changed: Ints) -> bool:
        """Put in what was read anew beside the memories. Returns whether all relations are as they were."""
        for pk in changed.tolist():
            self._aliases.pop(pk, None)
            self._tags.pop(pk, None)
        self._aliases.update(_grouped((alias.memory, alias.value) for alias in scope.aliases))
        self._tags.update(_grouped((tag.memory, (tag.kind, tag.value)) for tag in scope.tags))
        edges = self._edges
        touching = np.isin(edges["source"], changed) | np.isin(edges["target"], changed)
        if np.array_equal(edges[touching], scope.edges):
            return True
        edges = np.concatenate([edges[~touching], scope.edges])
        self._edges = edges[np.argsort(edges["pk"], kind="stable")]
        return False


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: Mapping[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}
