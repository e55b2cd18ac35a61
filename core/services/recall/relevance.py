"""How much each memory has to do with a text by itself: words, meaning, names, tags.

Every part is a contribution to the score, already weighted. Sources: MODELS.md (gate, weights of words against
meaning), spec/BOOKU §2.9 (tags), spec/STBME §4.5 (anchors).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.algos.lexical import fold
from core.services.recall.corpus import Floats
from core.services.recall.evidence import Evidence
from core.services.recall.frame import Frame
from core.services.recall.words import score_words

MEANING_POOL = 200
"""So many of the nearest by meaning come in by it."""
SAME_NAME_MOST = 8
"""A name that more memories bear (a speaker's) is no anchor: it only lifts those who bear it."""


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
    anchor = np.zeros(frame.corpus.size)
    anchor[list(shared)] = frame.values.number("named_weight")
    linked = _linked_to(frame, anchors)
    anchor = np.maximum(anchor, frame.values.number("named_weight") * linked)
    anchor[list(anchors)] = frame.values.number("anchor_weight")
    return Relevance({"lexical": lexical, "vector": vector, "anchor": anchor}, anchors)


def strongest(one: Relevance, others: Iterable[Relevance]) -> Relevance:
    """For each memory and part the largest: a message of several questions needs each answered."""
    parts, anchors = dict(one.parts), dict.fromkeys(one.anchors)
    for other in others:
        parts = {name: np.maximum(values, other.parts[name]) for name, values in parts.items()}
        anchors |= dict.fromkeys(other.anchors)
    return Relevance(parts, tuple(anchors))


def _by_words(frame: Frame, evidence: Evidence) -> Floats:
    """BM25 against the best, where the shared terms carry enough of the text's weight. In [0, 1]."""
    found = score_words(frame.corpus, evidence.words, frame.usable, frame.values.number("common_share"))
    scores = np.where(found.shares >= frame.values.number("lexical_gate"), found.scores, 0.0)
    best = float(scores.max()) if scores.size else 0.0
    return scores / best if best > 0 else scores


def _by_meaning(frame: Frame, evidence: Evidence) -> Floats:
    """Cosines of the nearest against the best; a best one below "related" does not count as 1. In [0, 1]."""
    near = np.where(frame.usable, np.nan_to_num(evidence.cosines), 0.0)
    near = np.maximum(near, 0.0)
    if np.count_nonzero(near) > MEANING_POOL:
        near[near < np.partition(near, -MEANING_POOL)[-MEANING_POOL]] = 0.0
    best = max(float(near.max(initial=0.0)), evidence.related)
    return near / best if best > 0 else near


def _named(frame: Frame, evidence: Evidence) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Usable memories that the text names; and those whose name too many bear."""
    anchors: dict[int, None] = {}
    shared: dict[int, None] = {}
    for rows in evidence.named.values():
        usable = [row for row in rows if frame.usable[row]]
        (anchors if len(usable) <= SAME_NAME_MOST else shared).update(dict.fromkeys(usable))
    folded = fold(evidence.text)
    for row, names in frame.names.items():
        if frame.usable[row] and any(name and fold(name) in folded for name in names):
            anchors[row] = None
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
