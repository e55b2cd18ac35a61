"""How much each memory has to do with a text by itself: words, meaning, names, tags.

Every part is a contribution to the score, already weighted. Sources: MODELS.md (gate, weights of words against
meaning), spec/BOOKU §2.9 (tags), spec/STBME §4.5 (anchors).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.algos.fusion import above_usual, gated_words
from core.services.recall.corpus import Floats
from core.services.recall.evidence import Evidence
from core.services.recall.frame import Frame
from core.services.recall.words import score_words

MEANING_POOL = 200
"""So many of the nearest by meaning come in by it."""
SAME_NAME_MOST = 8
"""A name that more memories bear is no anchor: like the names of who took part, it only lifts them."""


@dataclass(frozen=True, slots=True)
class Relevance:
    """Parts of the score by name, shape (n,) each, and the rows that are named (anchors)."""

    parts: dict[str, Floats]
    anchors: tuple[int, ...] = ()

    @property
    def total(self) -> Floats:
        """The sum of the parts."""
        return np.asarray(np.sum(list(self.parts.values()), axis=0))


def relevance(frame: Frame, evidence: Evidence) -> Relevance:
    """Relevance of the usable memories to a text; all others have 0."""
    lexical = frame.values.number("lexical_weight") * _by_words(frame, evidence)
    vector = frame.values.number("vector_weight") * _by_meaning(frame, evidence)
    anchors, shared = _named(frame, evidence)
    anchor = frame.values.number("named_weight") * _linked_to(frame, anchors)
    anchor[list(anchors)] = frame.values.number("anchor_weight")
    speaker = np.zeros(frame.corpus.size)
    speaker[[*shared, *evidence.cast(frame.usable)]] = frame.values.number("speaker_weight")
    return Relevance({"lexical": lexical, "vector": vector, "anchor": anchor, "speaker": speaker}, anchors)


def strongest(one: Relevance, others: Iterable[Relevance]) -> Relevance:
    """For each memory and part the largest: a message of several questions needs each answered."""
    parts, anchors = dict(one.parts), dict.fromkeys(one.anchors)
    for other in others:
        parts = {name: np.maximum(values, other.parts[name]) for name, values in parts.items()}
        anchors |= dict.fromkeys(other.anchors)
    return Relevance(parts, tuple(anchors))


def _by_words(frame: Frame, evidence: Evidence) -> Floats:
    """BM25 through the gate, which only keeps words from drowning meaning: without a vector it is open."""
    found = score_words(frame.corpus, evidence.words, frame.usable, frame.values.number("common_share"))
    gate = 0.0 if evidence.vector is None else frame.values.number("lexical_gate")
    return gated_words(found.scores, found.shares, gate)


def _by_meaning(frame: Frame, evidence: Evidence) -> Floats:
    """How far the cosines of the nearest stand above the usual one. In [0, 1]."""
    return above_usual(evidence.cosines, frame.usable, evidence.related, MEANING_POOL)


def _named(frame: Frame, evidence: Evidence) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Usable memories that the text names; and those whose name too many bear."""
    anchors: dict[int, None] = {}
    shared: dict[int, None] = {}
    named = evidence.named(frame.usable)
    if frame.names:
        named = frame.corpus.name_index.with_names(frame.names).named_in(evidence.text, frame.usable)
    for rows in named.values():
        (anchors if len(rows) <= SAME_NAME_MOST else shared).update(dict.fromkeys(rows))
    return tuple(anchors), tuple(shared)


def _linked_to(frame: Frame, anchors: Iterable[int]) -> Floats:
    """Strength of the strongest relation to a named memory, not lessened by how many others it has."""
    linked = np.zeros(frame.corpus.size)
    network = frame.network()
    for row in anchors:
        first, last = network.links.starts[row], network.links.starts[row + 1]
        ends = network.links.targets[first:last]
        np.maximum.at(
            linked,
            ends,
            np.where(network.links.inhibits[first:last], 0.0, network.links.strengths[first:last]),
        )
    return linked
