"""Scopes kept in memory between recalls, brought up to date by what ops have touched since."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TypeVar

from core.domain.ids import OpId
from core.domain.schema import Schema
from core.ports.recall_store import Folders, RecallStore, StoredEdge, StoredMemory, StoredScope
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
    """A scope with the records from which its corpus is made."""

    def __init__(self, store: RecallStore, folders: Folders) -> None:
        self._folders = folders
        self.state: OpId = store.state()
        self.changed: set[int] = set()
        self._schema: Schema = store.schema()
        scope = store.load(folders)
        self._memories: dict[int, StoredMemory] = {memory.pk: memory for memory in scope.memories}
        self._edges: dict[int, StoredEdge] = {edge.pk: edge for edge in scope.edges}
        self._aliases = _grouped((alias.memory, alias.value) for alias in scope.aliases)
        self._tags = _grouped((tag.memory, (tag.kind, tag.value)) for tag in scope.tags)
        self.corpus = self._made()

    def _made(self) -> Corpus:
        memories = [self._memories[pk] for pk in sorted(self._memories)]
        return Corpus(
            memories, tuple(self._edges.values()), dict(self._aliases), dict(self._tags), self._schema
        )

    def refresh(self, store: RecallStore) -> bool:
        """Take over what was written since; False when the scope has to be read anew."""
        touched = store.touched_since(self.state)
        if touched.memories is None:
            return False
        changed = self.changed | touched.memories
        self.changed = set()
        if len(changed) > max(100, RELOAD_SHARE * len(self._memories)):
            return False
        self.state = touched.state
        if changed:
            before = self.corpus
            same_edges = self._take(store.load(self._folders, changed), changed)
            self.corpus = self._made()
            self.corpus.take_over(before, changed, same_edges=same_edges)
        return True

    def _take(self, scope: StoredScope, changed: Collection[int]) -> bool:
        """Put in what was read anew. Returns whether all relations are as they were."""
        gone = set(changed)
        edges = self._edges
        for pk in gone:
            self._memories.pop(pk, None)
            self._aliases.pop(pk, None)
            self._tags.pop(pk, None)
        self._edges = {
            pk: edge
            for pk, edge in self._edges.items()
            if edge.source not in gone and edge.target not in gone
        }
        self._memories.update((memory.pk, memory) for memory in scope.memories)
        self._edges.update((edge.pk, edge) for edge in scope.edges)
        self._aliases.update(_grouped((alias.memory, alias.value) for alias in scope.aliases))
        self._tags.update(_grouped((tag.memory, (tag.kind, tag.value)) for tag in scope.tags))
        if edges == self._edges:
            self._edges = edges
            return True
        return False


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: Mapping[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}
