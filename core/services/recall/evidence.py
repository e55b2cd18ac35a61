"""What a message brings to a scope before any setting is looked at: its words, its vector, whom it names.

Kept between recalls of the same message, so that a moved slider only ranks anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from core.algos.lexical import search_tokens, simplify
from core.domain.errors import Unavailable
from core.domain.recall import RecallNote
from core.ports.embedder import Embedder, Vectors
from core.ports.exact_index import ExactIndex
from core.ports.recall_store import RecallStore
from core.services.recall.corpus import Corpus, Flags, Floats
from core.services.recall.words import Words, find_words

EMBEDDED_CHARS = 2_000
"""Of a longer message the end is embedded."""
KEPT_NAMED = 4

_FAILURES = frozenset({"recall.note.no_embedder", "recall.note.embedder_failed"})

FindEmbedder = Callable[[], tuple[Embedder, ExactIndex] | None]
"""Gives the embedder with the vectors of its model, None where there is none. Errors: Unavailable."""


class Evidence:
    """Evidence of one text in one scope. Everything is found at first use."""

    def __init__(self, corpus: Corpus, text: str, store: RecallStore, embedder: FindEmbedder) -> None:
        self._corpus = corpus
        self._store = store
        self._find_embedder = embedder
        self.text = text
        self.notes: list[RecallNote] = []
        """Said in every recall that uses the vector."""
        self._cosines: Floats | None = None
        self._others: dict[tuple[int, ...], Mapping[str, int]] = {}
        self._named: dict[bytes, tuple[dict[str, list[int]], frozenset[int]]] = {}

    @cached_property
    def blank(self) -> bool:
        """Whether the text holds nothing to search for: no word and no sign with a meaning."""
        return not search_tokens(self.text)

    @cached_property
    def wordless(self) -> bool:
        """Whether it holds no word (signs such as emoji may be there): no vector would mean anything."""
        return not any(token.isalnum() for token in search_tokens(self.text))

    @cached_property
    def words(self) -> Words:
        """Its terms and where they stand."""
        return find_words(self._corpus, self._store, self.text)

    def named(self, usable: Flags) -> dict[str, list[int]]:
        """Names that it holds, with the usable memories that bear them."""
        return self._people(usable)[0]

    def cast(self, usable: Flags) -> frozenset[int]:
        """Usable memories in which somebody whom it names took part."""
        return self._people(usable)[1]

    def _people(self, usable: Flags) -> tuple[dict[str, list[int]], frozenset[int]]:
        """Who is named, kept for the newest few sets of usable memories."""
        key = usable.tobytes()
        known = self._named.get(key)
        if known is None:
            names = self._corpus.name_index.named_in(self.text, usable)
            cast = self._corpus.cast_index.named_in(self.text, usable)
            known = names, frozenset(row for rows in cast.values() for row in rows)
            if len(self._named) >= KEPT_NAMED:
                self._named.clear()
            self._named[key] = known
        return known

    @cached_property
    def _pair(self) -> tuple[Embedder, ExactIndex] | None:
        try:
            found = self._find_embedder()
        except Unavailable as error:
            self._note("recall.note.no_embedder", reason=error.reason)
            return None
        if found is None:
            self._note("recall.note.no_embedder", reason="")
        return found

    @property
    def index(self) -> ExactIndex | None:
        """The vectors of the library, where there is an embedder."""
        return None if self._pair is None else self._pair[1]

    @property
    def related(self) -> float:
        """The cosine from which on this embedder's texts are related; 0 without one."""
        return 0.0 if self._pair is None else self._pair[0].thresholds.related

    @cached_property
    def vector(self) -> Vectors | None:
        """The text as a vector; None without an embedder, without a text, or when it fails."""
        if self.wordless or self._pair is None:
            return None
        if len(self.text) > EMBEDDED_CHARS:
            self._note("recall.note.message_cut", limit=EMBEDDED_CHARS, length=len(self.text))
        try:
            vector = self._pair[0].embed_query(simplify(self.text[-EMBEDDED_CHARS:]))
        except Unavailable as error:
            self._note("recall.note.embedder_failed", reason=error.reason)
            return None
        dims = self._pair[0].identity.dims
        if vector.shape != (dims,) or not np.isfinite(vector).all() or not vector.any():
            self._note("recall.note.query_vector_damaged")
            return None
        return vector

    @property
    def cosines(self) -> Floats:
        """Cosine of every memory to the text; NaN without a sound vector, all NaN when the text has none.

        Looked up again while some are missing, since the indexer may have made them meanwhile.
        """
        vector, index = self.vector, self.index
        if vector is None or index is None:
            return np.full(self._corpus.size, np.nan)
        pks = self._corpus.pks
        cosines = self._cosines
        if cosines is None:
            self._cosines = cosines = index.cosines(vector, pks)
            if (missing := self._missing()).any():
                index.touch(pks[missing].tolist())  # another program may have made them
        if (missing := self._missing()).any():
            cosines = cosines.copy()
            cosines[missing] = index.cosines(vector, pks[missing])
            self._cosines = cosines
        return cosines

    def _missing(self) -> Flags:
        """Memories with a text and no sound vector."""
        if self._cosines is None:
            return self._corpus.embeds
        return np.asarray(np.isnan(self._cosines) & self._corpus.embeds)

    def lacking(self, usable: Flags) -> list[RecallNote]:
        """Usable memories without a sound vector of this model: how many, and of which model they have one."""
        if self.vector is None or self.index is None:
            return []
        looked_up = self.cosines
        missing = self._corpus.pks[np.isnan(looked_up) & self._corpus.embeds & usable].tolist()
        if not missing:
            return []
        key = self.index.model_key
        if (asked := tuple(missing)) not in self._others:
            self._others = {asked: self._store.other_vectors(key, missing)}
        others = self._others[asked]
        notes = [
            RecallNote("recall.note.other_model", {"count": count, "model": model, "current": key})
            for model, count in others.items()
        ]
        if (rest := len(missing) - max(others.values(), default=0)) > 0:
            notes.append(RecallNote("recall.note.vectors_missing", {"count": rest}))
        return notes

    def try_again(self) -> None:
        """Ask the embedder anew if it was away; the words stay known."""
        if any(note.key in _FAILURES for note in self.notes):
            self.notes = [note for note in self.notes if note.key not in _FAILURES]
            self._cosines = None
            for name in ("_pair", "vector"):
                self.__dict__.pop(name, None)

    def _note(self, key: str, **args: object) -> None:
        self.notes.append(RecallNote(key, args))
