"""The recipe of Booku (EPA): a first look gives the evidence that bends the query, a second one the memories.

Source: spec/BOOKU §2.11. DESIGN §5 and spec/BOOKU §8 say where we differ: the result is in order of score
(`residual` by name), archived memories only when asked for, documents once, no trashed or hidden vector takes a
place or counts as evidence, words and pairs of characters stand in for tags (never for the opposing group), and
without vectors words still find something.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.algos import reshape
from core.algos.dedupe import select_diverse
from core.algos.lexical import search_tokens
from core.algos.vectors import EPS, Vector, cosine, normalise
from core.domain.enums import Layer
from core.domain.recall import Source, Stage
from core.ports.recall_store import NEVER
from core.services.recall.corpus import LAYER_CODES, Floats, folded_tags
from core.services.recall.frame import Frame
from core.services.recall.stages import best_first, cut, only, remember
from core.services.recall.words import score_words


@dataclass(slots=True)
class Numbers:
    """What the recipe says about the message as a whole."""

    logic_depth: float | None = None
    resonance: bool | None = None
    beta: float | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The tag groups of the query and the words that stand in for them."""

    tags: reshape.TagGroups
    words: frozenset[str]
    weights: reshape.TagWeights

    def stored(self, groups: reshape.TagGroups) -> reshape.TagGroups:
        """Tags of a memory to compare with: words never stand in for the opposing group."""
        return groups if self.tags.opposing else replace(groups, opposing=frozenset())

    def hits(self, groups: reshape.TagGroups) -> tuple[int, int, int]:
        """How many tags of each group are shared."""
        stored = self.stored(groups)
        return (
            len((self.tags.core or self.words) & stored.core),
            len((self.tags.diffusion or self.words) & stored.diffusion),
            len(self.tags.opposing & stored.opposing),
        )


def run(frame: Frame, numbers: Numbers) -> list[int]:
    """Rows that are recalled, best first (or in order of picking). Errors: Cancelled."""
    evidence = frame.evidence(_text(frame))
    asked = _asked(frame, evidence.text)
    vectors: dict[int, Vector] = {}
    numbers.resonance = reshape.resonates(evidence.text, asked.tags)
    if evidence.vector is None:
        rows = _by_words(frame)
        numbers.logic_depth, numbers.beta = 0.0, _beta(frame, 0.0, resonant=numbers.resonance)
    else:
        rows, vectors = _by_vectors(frame, evidence.vector.astype(np.float64), asked, numbers)
        frame.trace.notes += evidence.lacking(frame.usable)
    frame.trace.notes += evidence.notes
    frame.check()
    _score(frame, rows, asked, numbers.beta or 0.0)
    order = best_first(frame.trace.scores, rows)
    frame.trace.rank(Stage.SCORE, order)
    frame.trace.count(Stage.SCORE, len(rows), len(order))
    picked = _without_twins(frame, order, vectors)
    chosen = cut(frame, Stage.LIMIT, picked, frame.top_k)
    return [*chosen, *remember(frame, chosen)]


def _text(frame: Frame) -> str:
    """The message; of a blank one with tags, the tags."""
    if not frame.message.blank:
        return frame.request.message
    tags = frame.request.tags
    return " ".join((*tags.core, *tags.diffusion, *tags.opposing)) or frame.request.message


def _asked(frame: Frame, text: str) -> _Asked:
    values, tags = frame.values, frame.request.tags
    groups = folded_tags(tags)
    words = frozenset(search_tokens(text)) if values.flag("word_tags") else frozenset()
    low, high = sorted((values.number("core_boost_min"), values.number("core_boost_max")))
    weights = reshape.TagWeights(
        low, high, values.number("diffusion_boost"), values.number("opposing_penalty")
    )
    return _Asked(groups, words, weights)


def _beta(frame: Frame, depth: float, *, resonant: bool) -> float:
    base, scale = frame.values.number("base_beta"), frame.values.number("logic_depth_scale")
    return reshape.beta(depth, resonant, base=base, depth_scale=scale)


# --- with vectors ---------------------------------------------------------------------------


def _by_vectors(
    frame: Frame, query: Vector, asked: _Asked, numbers: Numbers
) -> tuple[list[int], dict[int, Vector]]:
    """Rows near the bent query with their vectors; sets parts and numbers."""
    near = frame.evidence(_text(frame)).cosines
    first = _nearest(frame, near, max(frame.top_k, frame.values.whole("first_pass")))
    vectors = _vectors(frame, first)
    numbers.logic_depth = reshape.logic_depth(query, list(vectors.values()))
    numbers.beta = _beta(frame, numbers.logic_depth, resonant=bool(numbers.resonance))
    bent = _bent(frame, query, vectors, asked, numbers.beta)
    near = _similar(frame, bent)
    rows = _nearest(frame, near, frame.top_k)
    known = _vectors(frame, rows)
    for row, vector in known.items():
        near[row] = cosine(bent, vector)
    near = np.where(frame.usable, np.nan_to_num(near), 0.0)
    frame.trace.parts["vector"] = near
    frame.trace.scores = near.copy()
    last = min((float(near[row]) for row in rows), default=0.0)
    frame.trace.came_by(Source.VECTOR, rows)
    frame.trace.drop(Stage.CANDIDATES, ~only(frame.corpus.size, rows), near, last)
    frame.trace.rank(Stage.CANDIDATES, best_first(near, rows))
    frame.trace.count(Stage.CANDIDATES, int(frame.usable.sum()), len(rows))
    return rows, known


def _similar(frame: Frame, query: Vector) -> Floats:
    """Cosine of every memory; NaN without a sound vector."""
    index = frame.message.index
    if index is None:
        return np.full(frame.corpus.size, np.nan)
    return index.cosines(normalise(query).astype(np.float32), frame.corpus.pks)


def _nearest(frame: Frame, near: Floats, limit: int) -> list[int]:
    """The nearest of each collection: the folders' memories one after the other, then the documents."""
    corpus = frame.corpus
    documents = corpus.layers == LAYER_CODES[Layer.KNOWLEDGE]
    sound = np.flatnonzero(frame.usable & ~np.isnan(near))
    collections = np.where(documents[sound], NEVER, corpus.folders[sound])
    order = np.lexsort((-near[sound], collections))
    _, starts, numbers = np.unique(collections[order], return_index=True, return_inverse=True)
    place = np.arange(len(order)) - starts[numbers]
    return [int(row) for row in sound[order][place < limit]]


def _vectors(frame: Frame, rows: Sequence[int]) -> dict[int, Vector]:
    """Sound vectors in the order of the rows."""
    index = frame.message.index
    if index is None:
        return {}
    pks = [int(frame.corpus.pks[row]) for row in rows]
    found = index.vectors(pks)
    vectors = {row: found[pk].astype(np.float64) for row, pk in zip(rows, pks, strict=True) if pk in found}
    return {row: vector for row, vector in vectors.items() if np.isfinite(vector).all() and vector.any()}


def _bent(frame: Frame, query: Vector, vectors: dict[int, Vector], asked: _Asked, bend: float) -> Vector:
    """The query drawn to memories that share tags with it (spec/BOOKU §2.11 step 7, 8)."""
    lists: tuple[list[reshape.Weighted], ...] = ([], [], [])
    weights = (asked.weights.core_boost, asked.weights.diffusion_boost, asked.weights.opposing_penalty)
    for row, vector in vectors.items():
        near = max(0.0, cosine(query, vector))
        if near <= EPS:
            continue
        for group, weight, hits in zip(lists, weights, asked.hits(frame.corpus.tag_groups(row)), strict=True):
            if hits:
                group.append((vector, near * weight * hits))
    core, diffusion, opposing = lists
    cutoff = frame.values.number("energy_cutoff")
    bent = reshape.reshape_query(
        query, bend, core=core, diffusion=diffusion, opposing=opposing, energy_cutoff=cutoff
    )
    return bent if float(bent @ bent) > EPS else query


# --- without vectors ------------------------------------------------------------------------


def _by_words(frame: Frame) -> list[int]:
    """Rows that share rare words with the message; BM25 against the best stands for the cosine."""
    evidence = frame.evidence(_text(frame))
    found = score_words(frame.corpus, evidence.words, frame.usable, common_share=1.0).scores
    best = float(found.max()) if found.size else 0.0
    near = found / best if best > 0 else found
    rows = best_first(near, np.flatnonzero(near > 0).tolist())
    frame.trace.parts["lexical"] = near
    frame.trace.scores = near.copy()
    frame.trace.came_by(Source.LEXICAL, rows)
    frame.trace.drop(Stage.CANDIDATES, ~only(frame.corpus.size, rows), 0.0, 0.0)
    frame.trace.rank(Stage.CANDIDATES, rows)
    frame.trace.count(Stage.CANDIDATES, int(frame.usable.sum()), len(rows))
    return rows


# --- score and choice -----------------------------------------------------------------------


def _score(frame: Frame, rows: Sequence[int], asked: _Asked, bend: float) -> None:
    """Similarity moved by shared tags (spec/BOOKU §2.9)."""
    tags = np.zeros(frame.corpus.size)
    for row in rows:
        stored = asked.stored(frame.corpus.tag_groups(row))
        tags[row] = reshape.tag_score(0.0, bend, asked.tags, stored, asked.weights, words=asked.words)
    frame.trace.parts["tags"] = tags
    frame.trace.scores = frame.trace.scores + tags
    frame.trace.came_by(Source.TAGS, np.flatnonzero(tags > 0))


def _without_twins(frame: Frame, order: list[int], vectors: dict[int, Vector]) -> list[int]:
    """The order without memories that say the same as a better one."""
    threshold = frame.values.number("dedup_threshold")
    if frame.values.text("order") == "residual" and vectors:
        picks = select_diverse(
            [vectors.get(row, np.zeros(0)) for row in order],
            [float(frame.trace.scores[row]) for row in order],
            frame.top_k,
            threshold,
        )
        picked = [order[at] for at in picks]
        frame.trace.drop(
            Stage.DIVERSITY, only(frame.corpus.size, set(order) - set(picked)), np.nan, threshold
        )
    else:
        picked = _greedy(frame, order, vectors, threshold)
    frame.trace.rank(Stage.DIVERSITY, picked)
    frame.trace.count(Stage.DIVERSITY, len(order), len(picked))
    return picked


def _greedy(frame: Frame, order: list[int], vectors: dict[int, Vector], threshold: float) -> list[int]:
    picked: list[int] = []
    numbers = np.full(frame.corpus.size, np.nan)
    for row in order:
        vector = vectors.get(row)
        near = (
            []
            if vector is None
            else [(cosine(vector, vectors[pick]), pick) for pick in picked if pick in vectors]
        )
        nearest, twin = max(near, default=(-1.0, -1))
        if nearest >= threshold:
            numbers[row] = nearest
            frame.trace.twins[row] = twin
        else:
            picked.append(row)
    frame.trace.drop(Stage.DIVERSITY, only(frame.corpus.size, set(order) - set(picked)), numbers, threshold)
    return picked
