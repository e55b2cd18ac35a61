"""ST-BME's read path on a graph value: candidates, spreading, scores, scene, result.

Source: spec/STBME §4. We differ (DESIGN §5, visibility and diffusion): archived and hidden nodes take part in
nothing: no energy passes through them, no scene brings them back, core does not show them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.algos import diffusion, scene, stbme_graph
from core.algos.anchors import ANCHOR_ENERGY, contained_names
from core.algos.decay import reinforced
from core.algos.injection import Bucket, bucket_of
from core.algos.js_values import is_finite_number, number, truthy
from core.algos.scoring import ScoreWeights, hybrid_score
from core.algos.stbme_graph import Graph, Node
from core.algos.vectors import as_vector, most_similar
from core.algos.visibility import original_sees

SMALL_GRAPH = 20
"""Below this number of nodes all are scored, without vectors and spreading."""
BIG_GRAPH = 200
"""Above this number (and below the small one) a model chooses."""
MODEL_CANDIDATES = 30
CROSS_ENERGY = 1.5
SCENE_EXTRA = 6
DAY_MS = 86_400_000
_PROBABILITY = (0.01, 0.5)
_LUCKY_CANDIDATES = 3
_LUCKY_IMPORTANCE = 6.0
_NEVER_LUCKY = frozenset({"synopsis", "rule"})

Scored = list[tuple[Node, float]]


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Options of a recall with the original's defaults."""

    top_k: int = 15
    max_nodes: int = 8
    ask_model: bool = True
    weights: ScoreWeights = field(default_factory=ScoreWeights)
    viewer: str = ""
    """Whose view; "" = nothing is hidden."""
    cross_recall: bool = False
    lucky_chance: float = 0.0
    """Chance of a probabilistic recall, 0 = off."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """What a recall may ask: `embed` gives a vector or None, `choose` ids from the candidates or None."""

    embed: Callable[[str], Sequence[float] | None] | None = None
    choose: Callable[[Scored], Iterable[object] | None] | None = None
    random: Callable[[], float] = lambda: 1.0


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Ids chosen (in order), core and recalled nodes (newest first), the latter by part too."""

    selected: list[str]
    core: list[Node]
    recalled: list[Node]
    buckets: dict[Bucket, list[Node]]
    active: int


def visible_nodes(graph: Graph, viewer: str) -> list[Node]:
    """Active nodes with a usable floor range that the viewer may know, in storage order."""
    return [node for node in stbme_graph.active_nodes(graph) if _has_range(node) and _sees(node, viewer)]


def _has_range(node: Node) -> bool:
    span = node.get("seqRange")
    return isinstance(span, list) and len(span) > 1 and is_finite_number(span[1])


def _sees(node: Node, viewer: str) -> bool:
    return original_sees((node.get("fields") or {}).get("visibility"), viewer)


def retrieve(
    graph: Graph, message: str, always: Iterable[str], options: RecallOptions, helpers: Helpers, now_ms: int
) -> RecallResult:
    """Recall for a message; `always` are the types that are always injected.

    Changes the graph: reinforces what was recalled, sets `lastRecallResult`.
    """
    nodes = visible_nodes(graph, options.viewer)
    selected = _selected(graph, nodes, message, options, helpers, now_ms) if nodes else []
    for node_id in selected:
        _reinforce(stbme_graph.find_node(graph, node_id), now_ms)
    selected += _lucky(nodes, selected, options.lucky_chance, helpers.random)
    result = build_result(graph, selected, always, options.viewer)
    graph["lastRecallResult"] = list(result.selected)
    return result


def _selected(
    graph: Graph, nodes: list[Node], message: str, options: RecallOptions, helpers: Helpers, now_ms: int
) -> list[str]:
    small = len(nodes) < SMALL_GRAPH
    if small:
        similar: dict[str, float] = {}
        energies: dict[str, float] = {}
    else:
        similar = _similar(nodes, message, options.top_k, helpers)
        energies = _energies(graph, nodes, _seeds(graph, nodes, message, similar, options), now_ms)
    hits = dict.fromkeys([*similar, *energies])
    by_id = {node["id"]: node for node in nodes}
    candidates = nodes if small else [by_id[node_id] for node_id in hits]
    scored = _score(candidates, similar, energies, options.weights, now_ms)
    chosen = _choose(scored, options, helpers, asked=small or len(nodes) > BIG_GRAPH)
    return scene_ids(graph, chosen, options.top_k + SCENE_EXTRA, options.viewer)


def _similar(nodes: list[Node], message: str, top_k: int, helpers: Helpers) -> dict[str, float]:
    vector = helpers.embed(message) if helpers.embed is not None else None
    rows = [as_vector(node.get("embedding")) for node in nodes]
    return {nodes[at]["id"]: score for at, score in most_similar(as_vector(vector), rows, top_k)}


def _seeds(
    graph: Graph, nodes: list[Node], message: str, similar: Mapping[str, float], options: RecallOptions
) -> dict[str, float]:
    fields = [node.get("fields") or {} for node in nodes]
    named = contained_names(message, [(row.get("name"), row.get("title")) for row in fields])
    seeds = [(nodes[at]["id"], ANCHOR_ENERGY) for at, _ in named]
    anchors = [node_id for node_id, _ in seeds]
    seeds += similar.items()
    if options.cross_recall:
        seeds += _linked_events(graph, nodes, anchors)
    energies: dict[str, float] = {}
    for node_id, energy in seeds:
        if energy > max(0.0, energies.get(node_id, 0.0)):
            energies[node_id] = energy
    return energies


def _linked_events(graph: Graph, nodes: list[Node], anchors: list[str]) -> list[tuple[str, float]]:
    events = {node["id"] for node in nodes if node["type"] == "event"}
    return [
        (other, CROSS_ENERGY * number(edge.get("strength")))
        for anchor in anchors
        for edge in stbme_graph.touching(graph, anchor)
        if not truthy(edge.get("invalidAt")) and (other := stbme_graph.other_end(edge, anchor)) in events
    ]


def _energies(graph: Graph, nodes: list[Node], seeds: Mapping[str, float], now_ms: int) -> dict[str, float]:
    """Positive energies after spreading, strongest first, of equal ones by id."""
    ids = [node["id"] for node in nodes]
    place = {node_id: at for at, node_id in enumerate(ids)}
    edges = [
        edge
        for edge in stbme_graph.active_edges(graph, now_ms)
        if edge.get("fromId") in place and edge.get("toId") in place
    ]
    links = diffusion.Links.build(
        len(ids),
        [place[edge["fromId"]] for edge in edges],
        [place[edge["toId"]] for edge in edges],
        [number(edge.get("strength")) for edge in edges],
        [edge.get("edgeType") == stbme_graph.INHIBITORY for edge in edges],
        both_ways=True,
    )
    energies = diffusion.spread(links, [(place[node_id], energy) for node_id, energy in seeds.items()])
    ties = np.argsort(np.argsort(np.array(ids, dtype=object), kind="stable"))
    return {ids[at]: float(energies[at]) for at in diffusion.ranked(energies, ties).tolist()}


def _score(
    nodes: list[Node],
    similar: Mapping[str, float],
    energies: Mapping[str, float],
    weights: ScoreWeights,
    now_ms: int,
) -> Scored:
    """The nodes with their scores, best first."""
    scores = hybrid_score(
        [energies.get(node["id"], 0.0) for node in nodes],
        [similar.get(node["id"], 0.0) for node in nodes],
        [_importance(node) for node in nodes],
        [(now_ms - number(node.get("createdTime", now_ms))) / DAY_MS for node in nodes],
        weights,
    )
    return sorted(zip(nodes, scores.tolist(), strict=True), key=lambda pair: -pair[1])


def _importance(node: Node) -> float:
    value = node.get("importance")
    return stbme_graph.DEFAULT_IMPORTANCE if value is None else number(value)


def _choose(scored: Scored, options: RecallOptions, helpers: Helpers, *, asked: bool) -> list[str]:
    if not (asked and options.ask_model and scored):
        return [node["id"] for node, _ in scored[: options.top_k]]
    candidates = scored[:MODEL_CANDIDATES]
    offered = {node["id"] for node, _ in candidates}
    chosen = helpers.choose(candidates) if helpers.choose is not None else None
    if chosen is None:
        return [node["id"] for node, _ in candidates[: options.max_nodes]]
    return [node_id for node_id in chosen if isinstance(node_id, str) and node_id in offered]


def scene_ids(graph: Graph, seeds: Iterable[str], limit: int, viewer: str = "") -> list[str]:
    """Ids of the scenes around the seeds (see `scene.reconstruct`); unknown seeds are left out."""
    nodes: list[Node] = graph["nodes"]
    place = {node["id"]: at for at, node in enumerate(nodes)}
    linked: dict[int, list[int]] = {}
    for edge in filter(stbme_graph.is_open, graph["edges"]):
        start, end = place.get(edge.get("fromId")), place.get(edge.get("toId"))
        if start is not None and end is not None:
            linked.setdefault(start, []).append(end)
            linked.setdefault(end, []).append(start)
    actors = [
        scene.Actor(
            kind=scene.SCENE_KINDS.get(node["type"], scene.SceneKind.OTHER),
            seq=number(node.get("seq")),
            end_seq=stbme_graph.range_end(node),
            importance=_importance(node),
            usable=not node.get("archived") and _sees(node, viewer),
        )
        for node in nodes
    ]
    known = [place[seed] for seed in seeds if seed in place]
    return [nodes[at]["id"] for at in scene.reconstruct(actors, known, lambda at: linked.get(at, ()), limit)]


def _reinforce(node: Node | None, now_ms: int) -> None:
    if node is not None:
        node["accessCount"] = number(node.get("accessCount") or 0) + 1
        node["importance"] = reinforced(node.get("importance"))
        node["lastAccessTime"] = now_ms


def _lucky(
    nodes: list[Node], selected: Sequence[str], chance: float, random: Callable[[], float]
) -> list[str]:
    """Up to three important nodes that chance adds."""
    if not chance > 0:
        return []
    low, high = _PROBABILITY
    probability = min(high, max(low, chance))
    passed_over = [
        node
        for node in nodes
        if node["id"] not in selected
        and _importance(node) >= _LUCKY_IMPORTANCE
        and node["type"] not in _NEVER_LUCKY
    ]
    best = sorted(passed_over, key=lambda node: -_importance(node))[:_LUCKY_CANDIDATES]
    return [node["id"] for node in best if random() < probability]


def build_result(
    graph: Graph, selected: Sequence[str], always: Iterable[str], viewer: str = ""
) -> RecallResult:
    """Core (every active node of an always type) and recalled nodes (selected, of other types), newest first."""
    types = set(always)
    usable: list[Node] = [node for node in stbme_graph.active_nodes(graph) if _sees(node, viewer)]
    by_id = {node["id"]: node for node in usable}
    distinct = list(dict.fromkeys(selected))
    picked = [by_id[node_id] for node_id in distinct if node_id in by_id]
    recalled = stbme_graph.newest_first(node for node in picked if node["type"] not in types)
    buckets: dict[Bucket, list[Node]] = {bucket: [] for bucket in Bucket}
    for node in recalled:
        buckets[bucket_of(node["type"])].append(node)
    core = stbme_graph.newest_first(node for node in usable if node["type"] in types)
    return RecallResult(distinct, core, recalled, buckets, len(stbme_graph.active_nodes(graph)))


def statistics(result: RecallResult) -> dict[str, Any]:
    """Counts of a result by part."""
    counts = {name: len(result.buckets[bucket]) for name, bucket in _COUNTED.items()}
    return {
        "totalActive": result.active,
        "coreCount": len(result.core),
        "recallCount": len(result.recalled),
        **counts,
    }


_COUNTED = {
    "episodicCount": Bucket.EPISODIC,
    "stateCount": Bucket.STATE,
    "reflectiveCount": Bucket.REFLECTIVE,
    "ruleCount": Bucket.RULE,
}
