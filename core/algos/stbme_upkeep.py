"""What ST-BME does with a graph after an extraction: evolution, synopsis, reflection, forgetting, compression.

Source: spec/STBME §3.8. The model is a function given by the caller that answers an object or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.algos import stbme_graph
from core.algos.compression import GroupingRule, Member, group_sizes, inherit
from core.algos.decay import FORGET_THRESHOLD, is_forgettable, retention
from core.algos.js_values import number, truthy
from core.algos.stbme_graph import Edge, Graph, NewId, Node
from core.algos.vectors import as_vector, most_similar

HOUR_MS = 3_600_000
NEIGHBOURS = 5
_EVOLUTION_STRENGTH = 0.7
_EVOLVES_STRENGTH = 0.75
_CONTEXT_FIELDS = ("state", "summary", "core_note")
_SYNOPSIS_EVENTS = 3
_SYNOPSIS_IMPORTANCE = 9
_SYNOPSIS_SCOPE = "楼 1 ~ {seq}"
_REFLECTION_EVENTS = 6
_REFLECTION_LEAST_EVENTS = 2
_REFLECTION_CHARACTERS = 5
_REFLECTION_THREADS = 4
_REFLECTION_CONTRADICTIONS = 5
_REFLECTION_LINKS = 3
_REFLECTION_DEFAULT = 7
_REFLECTION_IMPORTANCE = (5.0, 10.0)

Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Making:
    """What new nodes and edges need: present time and ids."""

    now_ms: int
    new_id: NewId

    def node(self, graph: Graph, params: Mapping[str, Any]) -> Node:
        """Add a node."""
        return stbme_graph.add_node(graph, stbme_graph.new_node(self.new_id(), params, self.now_ms))

    def edge(self, graph: Graph, start: str, end: object, relation: str, strength: float) -> Edge | None:
        """Add an edge, None when it is refused."""
        params = {"fromId": start, "toId": end, "relation": relation, "strength": strength}
        return stbme_graph.add_edge(graph, stbme_graph.new_edge(self.new_id(), params, self.now_ms))


def _by_seq(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: number(node.get("seq")))


# --- Evolution --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Evolution:
    """Counts of an evolution."""

    evolved: int = 0
    connections: int = 0
    updates: int = 0


def evolve(
    graph: Graph,
    new_ids: Iterable[str],
    ask: Callable[[Node, list[Node]], Reply | None],
    making: Making,
    neighbours: int = NEIGHBOURS,
) -> Evolution:
    """Let new nodes change what their nearest neighbours say; `ask` gets the node and its neighbours."""
    done = Evolution()
    active = stbme_graph.active_nodes(graph)
    if len(active) < 2:
        return done
    for node_id in new_ids:
        node = next((node for node in active if node["id"] == node_id), None)
        others = [other for other in active if other is not node]
        near = [] if node is None else _neighbours(node, others, neighbours)
        reply = ask(node, near) if node is not None and near else None
        if node is not None and reply is not None and reply.get("should_evolve"):
            done.evolved += 1
            _apply_evolution(graph, node, reply, making, done)
    return done


def _neighbours(node: Node, others: list[Node], limit: int) -> list[Node]:
    rows = [as_vector(other.get("embedding")) for other in others]
    return [others[at] for at, _ in most_similar(as_vector(node.get("embedding")), rows, limit)]


def _apply_evolution(graph: Graph, node: Node, reply: Reply, making: Making, done: Evolution) -> None:
    for target in reply.get("suggested_connections") or []:
        known = stbme_graph.find_node(graph, target) is not None
        edge = making.edge(graph, node["id"], target, "related", _EVOLUTION_STRENGTH) if known else None
        done.connections += edge is not None
    for update in reply.get("neighbor_updates") or []:
        target_node = (
            stbme_graph.find_node(graph, update.get("nodeId")) if isinstance(update, Mapping) else None
        )
        if target_node is not None and _rewrite(target_node, update):
            target_node["embedding"] = None
            entry = {
                "triggeredBy": node["id"],
                "timestamp": making.now_ms,
                "reason": reply.get("reason") or "",
            }
            target_node["_evolutionHistory"] = [*(target_node.get("_evolutionHistory") or []), entry]
            done.updates += 1


def _rewrite(node: Node, update: Mapping[str, Any]) -> bool:
    """Put the new text into the first context field the node has, and the new tags; whether anything changed."""
    changed = False
    context, tags = update.get("newContext"), update.get("newTags")
    key = next((name for name in _CONTEXT_FIELDS if name in (node.get("fields") or {})), None)
    if isinstance(context, str) and context and key is not None:
        node["fields"][key] = context
        changed = True
    if isinstance(tags, list):
        node["clusters"] = list(tags)
        changed = True
    return changed


# --- Synopsis and reflection --------------------------------------------------------------------------------


def update_synopsis(
    graph: Graph, ask: Callable[[list[Node]], Reply | None], seq: int, making: Making
) -> Node | None:
    """Write the story so far into the synopsis; None with fewer than three events or no usable reply."""
    events = _by_seq(stbme_graph.active_nodes(graph, "event"))
    reply = ask(events) if len(events) >= _SYNOPSIS_EVENTS else None
    if reply is None or not truthy(reply.get("summary")):
        return None
    fields = {"summary": reply["summary"], "scope": _SYNOPSIS_SCOPE.format(seq=seq)}
    old = next(iter(stbme_graph.active_nodes(graph, "synopsis")), None)
    if old is None:
        params = {"type": "synopsis", "fields": fields, "seq": seq, "importance": _SYNOPSIS_IMPORTANCE}
        return making.node(graph, params)
    span = stbme_graph.floors(old)
    updates = {
        "fields": fields,
        "seq": max(old["seq"], seq),
        "seqRange": [min(span[0], seq), max(span[1], seq)],
        "embedding": None,
    }
    stbme_graph.update_node(graph, old["id"], updates)
    return old


@dataclass(frozen=True, slots=True)
class ReflectionInput:
    """What a reflection looks at: newest events in order, newest characters and threads, open contradictions."""

    events: list[Node]
    characters: list[Node]
    threads: list[Node]
    contradictions: list[Edge]


def reflection_input(graph: Graph) -> ReflectionInput:
    """The part of the graph that a reflection looks at."""
    contradictions = [
        edge
        for edge in graph["edges"]
        if edge.get("relation") == "contradicts" and not truthy(edge.get("invalidAt"))
    ]
    newest = {
        kind: _by_seq(stbme_graph.active_nodes(graph, kind)) for kind in ("event", "character", "thread")
    }
    return ReflectionInput(
        newest["event"][-_REFLECTION_EVENTS:],
        newest["character"][-_REFLECTION_CHARACTERS:],
        newest["thread"][-_REFLECTION_THREADS:],
        contradictions[-_REFLECTION_CONTRADICTIONS:],
    )


def reflect(
    graph: Graph, ask: Callable[[ReflectionInput], Reply | None], seq: int, making: Making
) -> Node | None:
    """Add a reflection on the newest events; None with fewer than two or no usable reply."""
    seen = reflection_input(graph)
    reply = ask(seen) if len(seen.events) >= _REFLECTION_LEAST_EVENTS else None
    if reply is None or not truthy(reply.get("insight")):
        return None
    low, high = _REFLECTION_IMPORTANCE
    given = reply.get("importance")
    newest = seen.events[-1].get("fields") or {}
    fields = {
        "insight": reply["insight"],
        "trigger": reply.get("trigger") or newest.get("summary") or "",
        "suggestion": reply.get("suggestion") or "",
    }
    importance = min(high, max(low, number(given) if given is not None else _REFLECTION_DEFAULT))
    node = making.node(graph, {"type": "reflection", "fields": fields, "seq": seq, "importance": importance})
    for event in seen.events[-_REFLECTION_LINKS:]:
        making.edge(graph, node["id"], event["id"], "evolves", _EVOLVES_STRENGTH)
    return node


# --- Forgetting -------------------------------------------------------------------------------------------


def node_retention(node: Node, now_ms: int) -> float:
    """Retention value of a node, exempt or not."""
    return float(retention(_importance(node), _age_hours(node, now_ms), number(node.get("accessCount") or 0)))


def _importance(node: Node) -> float:
    value = node.get("importance")
    return stbme_graph.DEFAULT_IMPORTANCE if value is None else number(value)


def _age_hours(node: Node, now_ms: int) -> float:
    return (now_ms - number(node.get("createdTime", now_ms))) / HOUR_MS


def forget(graph: Graph, now_ms: int, threshold: float = FORGET_THRESHOLD) -> list[Node]:
    """Archive the active nodes whose retention is below the threshold; gives them back."""
    forgotten = [
        node
        for node in stbme_graph.active_nodes(graph)
        if is_forgettable(node["type"], _importance(node), _age_hours(node, now_ms))
        and node_retention(node, now_ms) < threshold
    ]
    for node in forgotten:
        node["archived"] = True
    return forgotten


# --- Compression ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Compressed:
    """Counts of a compression."""

    created: int = 0
    archived: int = 0


def compress_type(
    graph: Graph,
    node_type: str,
    rule: GroupingRule,
    ask: Callable[[list[Node]], Reply | None],
    embed: Callable[[str], Sequence[float] | None] | None,
    making: Making,
    *,
    forced: bool = False,
) -> Compressed:
    """Sum up nodes of the type level by level, up to the first level at which there is nothing to do.

    A group without a reply is left alone; so is one whose reply has no fields (DESIGN §5; the original made an
    empty node of it). What a forced compression brings to the levels above follows the original's rule: there,
    exactly fan-in nodes stay apart.
    """
    done = Compressed()
    for level in range(rule.max_depth):
        made = _compress_level(graph, node_type, level, rule, ask, embed, making, forced=forced)
        done.created += made.created
        done.archived += made.archived
        if not made.created:
            break
    return done


def _compress_level(
    graph: Graph,
    node_type: str,
    level: int,
    rule: GroupingRule,
    ask: Callable[[list[Node]], Reply | None],
    embed: Callable[[str], Sequence[float] | None] | None,
    making: Making,
    *,
    forced: bool,
) -> Compressed:
    done = Compressed()
    nodes = _by_seq(
        node for node in stbme_graph.active_nodes(graph, node_type) if (node.get("level") or 0) == level
    )
    if forced and level > 0 and len(nodes) <= rule.fan_in:
        return done
    start = 0
    for size in group_sizes(len(nodes), rule, forced=forced):
        group = nodes[start : start + size]
        start += size
        reply = ask(group) or {}
        fields = reply.get("fields")
        if not isinstance(fields, Mapping) or not fields:
            continue
        _sum_up(graph, group, dict(fields), level + 1, embed, making)
        done.created += 1
        done.archived += len(group)
    return done


def _sum_up(
    graph: Graph,
    group: list[Node],
    fields: dict[str, Any],
    level: int,
    embed: Callable[[str], Sequence[float] | None] | None,
    making: Making,
) -> None:
    place = inherit([_member(node) for node in group])
    params = {
        "type": group[0]["type"],
        "fields": fields,
        "seq": place.seq,
        "seqRange": [place.start, place.end],
        "importance": place.importance,
    }
    node = stbme_graph.new_node(making.new_id(), params, making.now_ms)
    node["level"] = level
    node["childIds"] = [child["id"] for child in group]
    summary = fields.get("summary")
    vector = embed(str(summary)) if embed is not None and truthy(summary) else None
    node["embedding"] = None if vector is None else list(vector)
    stbme_graph.add_node(graph, node)
    for child in group:
        child["archived"] = True
        child["parentId"] = node["id"]


def _member(node: Node) -> Member:
    span = stbme_graph.floors(node)
    return Member(node["seq"], span[0], span[1], _importance(node))
