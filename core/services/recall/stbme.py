"""The recipe of ST-BME (spec/STBME §4): strategy by size, seeds, spreading, score, choice, scene, chance.

`stbme-compat` gives the original's selection and text for the same graph. We differ where DESIGN §5 says so, in
both recipes: archived and hidden memories take part in nothing.
"""

from __future__ import annotations

import numpy as np

from core.algos.anchors import ANCHOR_ENERGY, contained_names
from core.algos.decay import MOST_IMPORTANT, time_decay
from core.algos.diffusion import Spread, ranked
from core.algos.scoring import FULL_ENERGY
from core.domain.recall import Source, Stage
from core.services.recall.corpus import Floats
from core.services.recall.frame import Frame
from core.services.recall.network import Flow
from core.services.recall.stages import best_first, choose_by_model, complete_scene, cut, lucky, only

SMALL = 20
"""Below this number of memories all are scored, without vectors and spreading."""
BIG = 200
"""Above this number (and below the small one) a model chooses."""
OFFERED = 30
CROSS_ENERGY = 1.5
SCENE_EXTRA = 6
EVENT = ("event",)


def run(frame: Frame) -> list[int]:
    """Rows that are recalled, in the original's order. Errors: Cancelled."""
    usable = int(frame.usable.sum())
    if not usable or not frame.values.flag("enabled"):
        frame.trace.drop(Stage.CANDIDATES, frame.usable)
        return []
    candidates = _candidates(frame, usable)
    frame.check()
    _score(frame)
    order = best_first(frame.trace.scores, candidates)
    frame.trace.rank(Stage.SCORE, order)
    frame.trace.count(Stage.SCORE, len(candidates), len(order))
    order = _choose(frame, order, asked=usable < SMALL or usable > BIG)
    frame.check()
    scene = complete_scene(frame, order, frame.top_k + SCENE_EXTRA, linked=~frame.corpus.edges.closed)
    _reinforce(frame, scene)
    return [*scene, *lucky(frame, scene)]


def _reinforce(frame: Frame, rows: list[int]) -> None:
    """The original counts a recall before it sorts what it shows, so its text already has the new importance."""
    frame.importance = frame.corpus.importance.copy()
    raised = frame.importance[rows] + frame.values.number("reinforcement")
    frame.importance[rows] = np.minimum(MOST_IMPORTANT, raised)


def _candidates(frame: Frame, usable: int) -> list[int]:
    """Rows that are scored: vector hits by cosine, then energy hits by energy; all of a small library."""
    corpus, trace = frame.corpus, frame.trace
    similar, energies = np.zeros(corpus.size), np.zeros(corpus.size)
    rows = np.flatnonzero(frame.usable).tolist()
    if usable >= SMALL:
        hits = _similar(frame)
        for row, score in hits.items():
            similar[row] = score
        flow = _flow(frame, hits)
        trace.path_to = flow.path_to
        energies = np.maximum(0.0, flow.energies)
        reached = ranked(flow.energies, corpus.origin_ranks).tolist()
        rows = list(dict.fromkeys([*hits, *reached]))
        trace.came_by(Source.DIFFUSION, reached)
    trace.parts |= {"vector": similar, "graph": energies}
    trace.drop(Stage.CANDIDATES, ~only(corpus.size, rows), np.maximum(similar, energies), 0.0)
    trace.rank(Stage.CANDIDATES, rows)
    trace.count(Stage.CANDIDATES, usable, len(rows))
    return rows


def _similar(frame: Frame) -> dict[int, float]:
    """The nearest by meaning, best first; only cosines above 0."""
    evidence = frame.message
    vector, index = evidence.vector, evidence.index
    found: dict[int, float] = {}
    if vector is not None and index is not None:
        allowed = frame.corpus.pks[frame.usable].tolist()
        hits = [hit for hit in index.search(vector, frame.top_k, allowed) if hit.score > 0]
        rows = frame.corpus.rows_of([hit.pk for hit in hits])
        found = {int(row): hit.score for row, hit in zip(rows, hits, strict=True) if row >= 0}
        frame.trace.notes += evidence.lacking(frame.usable)
    frame.trace.notes += evidence.notes
    frame.trace.came_by(Source.VECTOR, list(found))
    return found


def _flow(frame: Frame, similar: dict[int, float]) -> Flow:
    """Energy from whoever the message names, from what is near by meaning, and across from the named ones."""
    origins: dict[int, str] = {}
    seeds: dict[int, float] = {}

    def seed(row: int, energy: float, origin: str) -> None:
        if energy > max(0.0, seeds.get(row, 0.0)):
            seeds[row] = energy
            origins[row] = origin

    anchors = _anchors(frame)
    for row in anchors:
        seed(row, ANCHOR_ENERGY, Source.ANCHOR)
    for row, score in similar.items():
        seed(row, score, Source.VECTOR)
    if frame.values.flag("cross_recall"):
        crossed = _crossed(frame, anchors)
        for row, strength in crossed:
            seed(row, CROSS_ENERGY * strength, Source.CROSS)
        frame.trace.came_by(Source.CROSS, [row for row, _ in crossed])
    return Flow.run(frame.network(), list(seeds.items()), Spread(), origins)


def _anchors(frame: Frame) -> list[int]:
    """Memories whose name or title the message holds, in storage order."""
    rows = np.flatnonzero(frame.usable).tolist()
    stored = frame.corpus.stored
    names = [(stored[row].title, stored[row].second_name) for row in rows]
    found = [rows[at] for at, _ in contained_names(frame.request.message, names)]
    frame.trace.came_by(Source.ANCHOR, found)
    return found


def _crossed(frame: Frame, anchors: list[int]) -> list[tuple[int, float]]:
    """Events at the other end of an anchor's edges, with the strength; edges with any end set do not count."""
    corpus, edges = frame.corpus, frame.corpus.edges
    events = corpus.is_type(EVENT) & frame.usable
    found: list[tuple[int, float]] = []
    for anchor in anchors:
        touching = np.flatnonzero(((edges.source == anchor) | (edges.target == anchor)) & ~edges.invalid)
        for at in touching.tolist():
            other = int(edges.target[at] if edges.source[at] == anchor else edges.source[at])
            if events[other]:
                found.append((other, float(edges.strength[at])))
    return found


def _score(frame: Frame) -> None:
    """The hybrid score of spec/STBME §4.6 for every row, with its parts."""
    corpus, trace, values = frame.corpus, frame.trace, frame.values
    raw: dict[str, Floats] = {
        "graph": trace.parts["graph"] / FULL_ENERGY,
        "vector": trace.parts["vector"],
        "importance": corpus.importance / MOST_IMPORTANT,
    }
    parts = {name: values.number(f"{name}_weight") * np.clip(value, 0.0, 1.0) for name, value in raw.items()}
    decay = time_decay(corpus.age_days(frame.now_us))
    trace.scores = (parts["graph"] + parts["vector"] + parts["importance"]) * decay
    trace.parts = {**parts, "decay": decay}


def _choose(frame: Frame, order: list[int], *, asked: bool) -> list[int]:
    if asked and frame.values.flag("rerank") and order and frame.tools.model() is not None:
        return choose_by_model(frame, order, OFFERED, frame.values.whole("rerank_keep"))
    if asked and frame.values.flag("rerank") and order:
        frame.trace.note("recall.note.rerank_skipped")
    return cut(frame, Stage.LIMIT, order, frame.top_k)
