"""Our own recipe, the default: words behind a gate, meaning and names; then relations and what was near in time.

Order of the stages: relevance -> spreading over live relations, neighbours in time, sessions -> score -> (choice by
a model) -> diversity -> limit -> scene -> (chance). Formulas with their sources: docs/RECALL.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.algos.decay import MOST_IMPORTANT, OLDEST_SHARE, time_decay
from core.algos.diffusion import Spread
from core.algos.neighbours import Passed
from core.algos.reshape import TagGroups, TagWeights, tag_score
from core.algos.scoring import FULL_ENERGY
from core.domain.ids import MemoryPk
from core.domain.recall import PathStep, Source, Stage
from core.services.recall.corpus import Floats, folded_tags
from core.services.recall.diversity import diverse
from core.services.recall.frame import Frame
from core.services.recall.network import Flow
from core.services.recall.relevance import Relevance, relevance, strongest
from core.services.recall.stages import (
    best_first,
    choose_by_model,
    cut,
    lucky,
    only,
    remember,
    scene_after,
)

MOST_INTENTS = 4
CROSS_ENERGY = 1.5
EVENT = ("event",)
_INTENTS = re.compile(
    r"[。！？!?；;\n]+|\b(?:and then|and also|as well as|also|besides|versus|vs)\b|以及|并且|同时|另外|还有|顺便|对比",
    re.IGNORECASE,
)
_SHORTEST_INTENT = 2
_SOURCES = (Source.ANCHOR, Source.LEXICAL, Source.VECTOR, Source.TAGS, Source.DIFFUSION)


def run(frame: Frame) -> list[int]:
    """Rows that are recalled, best first; what a scene or chance adds comes last. Errors: Cancelled."""
    relevant = _relevance(frame)
    frame.check()
    parts = {**relevant.parts, "tags": _tags(frame)}
    base = np.sum([values for name, values in parts.items() if name != "speaker"], axis=0)
    parts |= _passed_on(frame, relevant, base)
    candidates = _candidates(frame, parts)
    order = _scored(frame, parts, candidates)
    frame.check()
    if frame.values.flag("rerank"):
        order = choose_by_model(
            frame, order, frame.values.whole("rerank_candidates"), frame.values.whole("rerank_keep")
        )
        chosen = cut(frame, Stage.LIMIT, order, frame.top_k)
    else:
        order = diverse(frame, order)
        chosen = cut(frame, Stage.LIMIT, order, frame.top_k)
    if frame.values.flag("scene"):
        chosen = scene_after(frame, chosen, frame.values.whole("scene_extra"))
    chosen += lucky(frame, chosen)
    return chosen + remember(frame, chosen)


# --- relevance ------------------------------------------------------------------------------


def intents(message: str) -> list[str]:
    """The questions of a message, at most four: cut at sentence ends and connecting words (ST-BME 6.3.0)."""
    parts = [part.strip() for part in _INTENTS.split(message)]
    found = [part for part in parts if len(part) >= _SHORTEST_INTENT]
    return found[:MOST_INTENTS] if len(found) > 1 else []


def _relevance(frame: Frame) -> Relevance:
    evidence = frame.message
    found = relevance(frame, evidence)
    if frame.values.flag("multi_intent"):
        found = strongest(found, [relevance(frame, frame.evidence(part)) for part in intents(evidence.text)])
    weight = frame.values.number("context_weight")
    if weight > 0 and frame.request.context:
        around = relevance(frame, frame.evidence("\n".join(frame.request.context)))
        parts = {name: values + weight * around.parts[name] for name, values in found.parts.items()}
        found = Relevance(parts, found.anchors)
    if evidence.blank:
        frame.trace.note("recall.note.nothing_to_search")
    else:
        frame.trace.notes += evidence.lacking(frame.usable)
        frame.trace.notes += evidence.notes
    return found


def _tags(frame: Frame) -> Floats:
    """Shared tags of the triple, where the request has them (spec/BOOKU §2.9, with beta 1)."""
    found, values, tags = np.zeros(frame.corpus.size), frame.values, frame.request.tags
    if not tags.has_triple:
        return found
    asked: TagGroups = folded_tags(tags)
    low, high = sorted((values.number("core_boost_min"), values.number("core_boost_max")))
    weights = TagWeights(low, high, values.number("diffusion_boost"), values.number("opposing_penalty"))
    for row, stored in frame.corpus.tags.items():
        if frame.usable[row]:
            found[row] = tag_score(0.0, 1.0, asked, stored, weights, words=frozenset())
    return np.asarray(values.number("tag_weight") * found)


# --- what others pass on --------------------------------------------------------------------


def _passed_on(frame: Frame, relevant: Relevance, base: Floats) -> dict[str, Floats]:
    """Parts that come over relations, from neighbours in time and from the session."""
    flow = _flow(frame, relevant, base)
    timeline = frame.corpus.timeline(frame.values.whole("session_gap_minutes")).among(frame.usable)
    worth = np.maximum(base, 0.0)
    near, answer = timeline.near(worth), timeline.answers(worth, frame.corpus.asks)
    hubs = timeline.hubs(worth, max(1, frame.values.whole("session_best")))
    received = _received(flow)
    frame.trace.path_to = _Ways(flow, {"answer": answer, "near": near, "session": hubs}).path_to
    return {
        "graph": frame.values.number("graph_weight") * received / FULL_ENERGY,
        "near": frame.values.number("near_weight") * near.given,
        "answer": frame.values.number("answer_weight") * answer.given,
        "session": frame.values.number("session_weight") * hubs.given,
    }


def _flow(frame: Frame, relevant: Relevance, base: Floats) -> Flow:
    """Energy from the most relevant memories over the live relations."""
    values = frame.values
    network = frame.network(normalisation=values.number("degree_normalisation"))
    best = float(base.max(initial=0.0))
    rows = best_first(base, np.flatnonzero(base > 0).tolist())[: values.whole("seeds")]
    seeds = {row: FULL_ENERGY * float(base[row]) / best for row in rows}
    seeds |= dict.fromkeys(relevant.anchors, FULL_ENERGY)
    origins = {row: _main_source(relevant.parts, row) for row in seeds}
    if values.flag("cross_recall"):
        events = frame.corpus.is_type(EVENT) & frame.usable
        plain = frame.network()
        for anchor in relevant.anchors:
            for link in range(int(plain.links.starts[anchor]), int(plain.links.starts[anchor + 1])):
                row = int(plain.links.targets[link])
                energy = CROSS_ENERGY * float(plain.links.strengths[link])
                if events[row] and energy > seeds.get(row, 0.0):
                    seeds[row] = energy
                    origins[row] = Source.CROSS
    how = Spread(
        steps=values.whole("diffusion_steps"),
        decay=values.number("diffusion_decay"),
        keep=values.whole("diffusion_keep"),
        teleport=values.number("teleport"),
    )
    return Flow.run(network, list(seeds.items()), how, origins)


def _main_source(parts: dict[str, Floats], row: int) -> str:
    names = {"anchor": Source.ANCHOR, "lexical": Source.LEXICAL, "vector": Source.VECTOR}
    return max(names, key=lambda name: parts[name][row]) if names.keys() <= parts.keys() else ""


def _received(flow: Flow) -> Floats:
    """The strongest energy that came from others at any step; a seed's own does not count twice."""
    received = np.zeros(flow.network.corpus.size)
    for nodes, energies in flow.spreading.steps[1:]:
        arrived = energies[nodes]
        stronger = np.abs(arrived) > np.abs(received[nodes])
        received[nodes[stronger]] = arrived[stronger]
    return received


class _Ways:
    """How a memory was reached: over relations, else from a neighbour in time, else from its session."""

    def __init__(self, flow: Flow, other: dict[str, Passed]) -> None:
        self._flow = flow
        self._other = other

    def path_to(self, row: int) -> tuple[PathStep, ...]:
        """See PathStep."""
        if path := self._flow.path_to(row):
            return path
        pks = self._flow.network.corpus.pks
        for via, passed in self._other.items():
            sender = int(passed.senders[row])
            if passed.given[row] > 0 and sender >= 0 and sender != row:
                return (PathStep(MemoryPk(int(pks[sender])), None, float(passed.given[row]), via),)
        return ()


# --- score ----------------------------------------------------------------------------------


def _candidates(frame: Frame, parts: dict[str, Floats]) -> list[int]:
    """Usable memories that anything speaks for."""
    columns = [parts["anchor"], parts["lexical"], parts["vector"], parts["tags"]]
    columns.append(parts["graph"] + parts["near"] + parts["answer"] + parts["session"])
    table = np.stack(columns)
    for code in np.argsort(-table.max(axis=1, initial=0.0), kind="stable"):
        main = (table.argmax(axis=0) == code) & (table[code] > 0)
        frame.trace.came_by(_SOURCES[code], main)
    spoken_for = frame.usable & (table.max(axis=0) > 0)
    frame.trace.drop(Stage.CANDIDATES, ~spoken_for, 0.0, 0.0)
    rows = [int(row) for row in np.flatnonzero(spoken_for)]
    frame.trace.count(Stage.CANDIDATES, int(frame.usable.sum()), len(rows))
    return rows


def _scored(frame: Frame, parts: dict[str, Floats], candidates: Sequence[int]) -> list[int]:
    """Candidates by score, without those that fall below the cut-off (a share of the best score)."""
    corpus, values, trace = frame.corpus, frame.values, frame.trace
    parts["importance"] = values.number("importance_weight") * corpus.importance / MOST_IMPORTANT
    fresh = (time_decay(corpus.age_days(frame.now_us)) - OLDEST_SHARE) / (1.0 - OLDEST_SHARE)
    decay = 1.0 - values.number("recency") * (1.0 - fresh)
    trace.scores = np.sum(list(parts.values()), axis=0) * decay
    trace.parts = {**parts, "decay": decay}
    order = best_first(trace.scores, candidates)
    limit = values.number("cutoff") * float(trace.scores[order[0]]) if order else 0.0
    kept = [row for row in order if trace.scores[row] >= max(limit, 0.0)]
    trace.drop(Stage.SCORE, only(corpus.size, order[len(kept) :]), trace.scores, limit)
    trace.rank(Stage.SCORE, order)
    trace.count(Stage.SCORE, len(order), len(kept))
    return kept
