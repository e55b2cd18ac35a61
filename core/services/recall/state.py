"""What is kept between recalls of one state of a scope: evidence of messages, networks, records."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import replace

from core.ports.recall_store import RecallStore
from core.services.recall.corpus import Corpus
from core.services.recall.evidence import Evidence, FindEmbedder
from core.services.recall.frame import NetworkKey
from core.services.recall.injecting import Loaded
from core.services.recall.network import Network

KEPT_TEXTS = 16
KEPT_STATES = 3


class ScopeState:
    """The corpus of a scope and what was found out about it. Goes as a whole when the library changes."""

    def __init__(self, corpus: Corpus, store: RecallStore, embedder: FindEmbedder) -> None:
        self.corpus = corpus
        self.networks: dict[NetworkKey, Network] = {}
        self.loaded: Loaded = {}
        self._store = store
        self._embedder = embedder
        self._texts: OrderedDict[str, Evidence] = OrderedDict()
        self._lock = threading.Lock()

    def try_again(self) -> None:
        """Let texts for which the embedder was away ask it anew."""
        with self._lock:
            for known in self._texts.values():
                known.try_again()

    def evidence(self, text: str) -> Evidence:
        """Evidence of a text, found once."""
        with self._lock:
            known = self._texts.get(text)
            if known is None:
                known = Evidence(self.corpus, text, self._store, self._embedder)
                self._texts[text] = known
            self._texts.move_to_end(text)
            while len(self._texts) > KEPT_TEXTS:
                self._texts.popitem(last=False)
            return known


class ScopeStates:
    """The states of the scopes used last, by corpus."""

    def __init__(self, store: RecallStore, embedder: FindEmbedder) -> None:
        self._store = store
        self._embedder = embedder
        self._lock = threading.Lock()
        self._states: OrderedDict[int, ScopeState] = OrderedDict()

    def of(self, corpus: Corpus) -> ScopeState:
        """The state of that corpus (kept by identity: a changed library makes a new corpus)."""
        with self._lock:
            state = self._states.get(id(corpus))
            if state is None or state.corpus is not corpus:
                state = ScopeState(corpus, self._store, self._embedder)
                state.networks = self._still_right(corpus)
                self._states[id(corpus)] = state
            self._states.move_to_end(id(corpus))
            while len(self._states) > KEPT_STATES:
                self._states.popitem(last=False)
            return state

    def _still_right(self, corpus: Corpus) -> dict[NetworkKey, Network]:
        """Networks of an earlier state with the very same relations between the same rows."""
        edges = corpus.__dict__.get(
            "edges"
        )  # only where they were taken over: else nothing is known of them yet
        for state in reversed(self._states.values()):
            if edges is not None and state.corpus.__dict__.get("edges") is edges:
                return {key: replace(each, corpus=corpus) for key, each in tuple(state.networks.items())}
        return {}
