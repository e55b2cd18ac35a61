"""ST-BME's write path on a graph value: conflict check, operations of a reply, vectors.

Source: spec/STBME §3.5-3.7. Model and embedding service are functions given by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.algos import stbme_graph
from core.algos.changes import change_summary
from core.algos.js_values import is_finite_number, number, text, truthy
from core.algos.stbme_graph import Edge, Graph, NewId, Node
from core.algos.vectors import as_vector, most_similar

RELATIONS = frozenset(
    {
        "related",
        "involved_in",
        "occurred_at",
        "advances",
        "updates",
        "contradicts",
        "evolves",
        "temporal_update",
    }
)
CONTRADICTS = "contradicts"
UPDATES = "updates"
TEMPORAL_UPDATE = "temporal_update"
CONFLICT_THRESHOLD = 0.85
_CONFLICT_NEIGHBOURS = 3
_TEMPORAL_STRENGTH = 0.95
_UPDATE_STRENGTH = 0.9
_EVENT_IMPORTANCE = (4.0, 8.0)
_TITLE_FIELDS = ("summary", "name", "title")
_VECTOR_FIELDS = (*_TITLE_FIELDS, "traits", "state", "constraint")
_UPDATE_TEXT = "{type} 状态更新：{changes}"

Operation = dict[str, Any]
Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding service: each function gives None when it does not answer."""

    one: Callable[[str], Vector | None]
    many: Callable[[list[str]], Sequence[Vector] | None]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A new node that is very like an old one; the model decides which it is."""

    operation: Operation
    text: str
    node: Node
    similarity: float


@dataclass(slots=True)
class Outcome:
    """What a batch of operations did; `broken` are the places of operations that could not be read to the end."""

    new_nodes: int = 0
    updated_nodes: int = 0
    new_edges: int = 0
    new_ids: list[str] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)


# --- Conflict check (§3.5) --------------------------------------------------------------------------------


def resolve_conflicts(
    graph: Graph,
    operations: Sequence[Operation],
    end_seq: int,
    embed: Callable[[str], Vector | None],
    judge: Callable[[Conflict], Mapping[str, Any] | None],
    threshold: float = CONFLICT_THRESHOLD,
) -> list[Operation]:
    """The operations with each create that doubles an old node turned into an update or left out, as judged."""
    known = [node for node in stbme_graph.active_nodes(graph) if _has_vector(node)]
    if not known:
        return list(operations)
    resolved = (_resolved(operation, known, end_seq, embed, judge, threshold) for operation in operations)
    return [operation for operation in resolved if operation is not None]


def _has_vector(node: Node) -> bool:
    return isinstance(node.get("embedding"), list) and bool(node["embedding"])


def _first_text(fields: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((fields[name] for name in names if truthy(fields.get(name))), None)


def _resolved(
    operation: Operation,
    known: list[Node],
    end_seq: int,
    embed: Callable[[str], Vector | None],
    judge: Callable[[Conflict], Mapping[str, Any] | None],
    threshold: float,
) -> Operation | None:
    fields = operation.get("fields") or {}
    own = _first_text(fields, _TITLE_FIELDS)
    if operation.get("action") != "create" or own is None:
        return operation
    vector = embed(text(own))
    rows = [as_vector(node["embedding"]) for node in known]
    near = most_similar(as_vector(vector), rows, _CONFLICT_NEIGHBOURS)
    if not near or near[0][1] <= threshold:
        return operation
    best = known[near[0][0]]
    verdict = judge(Conflict(operation, text(own), best, near[0][1])) or {}
    if verdict.get("action") == "skip":
        return None
    if verdict.get("action") != "update" or not truthy(verdict.get("targetId")):
        return operation
    return {
        **operation,
        "action": "update",
        "nodeId": verdict["targetId"],
        "sourceNodeId": operation.get("sourceNodeId") or best["id"],
        "seq": operation["seq"] if is_finite_number(operation.get("seq")) else end_seq,
        "fields": {**fields, **(verdict.get("mergedFields") or {})},
    }


# --- Operations (§3.6) ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Execution:
    """Carries out operations one after the other on `graph`; `seq` is the floor of the batch."""

    graph: Graph
    types: Mapping[str, Mapping[str, Any]]
    seq: int
    now_ms: int
    new_id: NewId
    outcome: Outcome = field(default_factory=Outcome)
    _refs: dict[str, str] = field(default_factory=dict)

    def run(self, operations: Sequence[object]) -> Outcome:
        """Carry out all operations; unknown ones are left out, after a broken one the next goes on."""
        for at, operation in enumerate(operations):
            try:
                if isinstance(operation, dict):
                    self._carry_out(operation)
            except (TypeError, ValueError, KeyError, AttributeError):  # a model's reply holds anything
                self.outcome.broken.append(at)
        return self.outcome

    def _carry_out(self, operation: Operation) -> None:
        match operation.get("action"):
            case "create":
                self._create(operation)
            case "update":
                self._update(operation)
            case "delete":
                self._delete(operation)

    def _create(self, operation: Operation) -> None:
        kind = self.types.get(operation.get("type", ""))
        if kind is None:
            return
        fields = dict(operation.get("fields") or {})
        name = fields.get("name")
        old = None
        if kind.get("latestOnly") and truthy(name):
            old = stbme_graph.find_latest(self.graph, operation["type"], name)
        if old is not None:
            stbme_graph.update_node(self.graph, old["id"], {"fields": fields, "seq": self.seq})
            self.outcome.updated_nodes += 1
            node = old
        else:
            params = {key: operation.get(key) for key in ("type", "importance", "clusters")}
            node = self._add({**params, "fields": fields, "seq": self.seq})
            self.outcome.new_ids.append(node["id"])
        if truthy(operation.get("ref")):
            self._refs[operation["ref"]] = node["id"]
        self._link(node, operation.get("links") or [])

    def _add(self, params: Mapping[str, Any]) -> Node:
        self.outcome.new_nodes += 1
        return stbme_graph.add_node(self.graph, stbme_graph.new_node(self.new_id(), params, self.now_ms))

    def _link(self, node: Node, links: Sequence[object]) -> None:
        for link in links:
            if not isinstance(link, dict):
                continue
            target = link.get("targetNodeId") or self._refs.get(link.get("targetRef") or "")
            if truthy(target):
                self._connect(node["id"], target, _relation(link.get("relation")), link.get("strength"))

    def _connect(self, start: str, end: object, relation: str, strength: object) -> None:
        kind = stbme_graph.INHIBITORY if relation == CONTRADICTS else 0
        params = {"fromId": start, "toId": end, "relation": relation, "strength": strength, "edgeType": kind}
        edge = stbme_graph.new_edge(self.new_id(), params, self.now_ms)
        if stbme_graph.add_edge(self.graph, edge) is not None:
            self.outcome.new_edges += 1

    def _update(self, operation: Operation) -> None:
        node = stbme_graph.find_node(self.graph, operation.get("nodeId"))
        if node is None or not truthy(operation.get("nodeId")):
            return
        before = dict(node.get("fields") or {})
        seq = operation["seq"] if is_finite_number(operation.get("seq")) else self.seq
        span = stbme_graph.floors(node)
        updates = {
            "fields": operation.get("fields") or {},
            "seq": max(node["seq"], seq),
            "seqRange": [min(span[0], seq), max(span[1], seq)],
            "embedding": None,
        }
        stbme_graph.update_node(self.graph, node["id"], updates)
        self.outcome.updated_nodes += 1
        self._supersede(node["id"], operation)
        summary = change_summary(before, node["fields"])
        if summary:
            self._record(node, summary, operation, seq)

    def _supersede(self, node_id: str, operation: Operation) -> None:
        """End the edges of earlier updates; connect the source that brought this one."""
        source = operation.get("sourceNodeId")
        for edge in self.graph["edges"]:
            if edge.get("toId") == node_id and _is_earlier_update(edge, source):
                stbme_graph.invalidate_edge(edge, self.now_ms)
        if truthy(source) and source != node_id:
            strength = operation.get("temporalStrength")
            self._connect(
                str(source), node_id, TEMPORAL_UPDATE, _TEMPORAL_STRENGTH if strength is None else strength
            )

    def _record(self, node: Node, summary: str, operation: Operation, seq: int) -> None:
        """Add an event that says what changed."""
        low, high = _EVENT_IMPORTANCE
        given = (operation.get("importance"), node.get("importance"), stbme_graph.DEFAULT_IMPORTANCE)
        importance = next(number(value) for value in given if value is not None)
        name = _first_text(node["fields"], ("name", "title")) or node["id"]
        fields = {
            "summary": _UPDATE_TEXT.format(type=node["type"], changes=summary),
            "participants": name,
            "status": "resolved",
        }
        clamped = min(high, max(low, importance))
        event = self._add({"type": "event", "fields": fields, "seq": seq, "importance": clamped})
        self._connect(event["id"], node["id"], UPDATES, _UPDATE_STRENGTH)

    def _delete(self, operation: Operation) -> None:
        node = stbme_graph.find_node(self.graph, operation.get("nodeId"))
        if node is not None:
            node["archived"] = True


def _relation(named: object) -> str:
    """The relation, or `related` for anything that is none."""
    return named if isinstance(named, str) and named in RELATIONS else stbme_graph.DEFAULT_RELATION


def _is_earlier_update(edge: Edge, source: object) -> bool:
    relation = edge.get("relation")
    return relation == UPDATES or (
        relation == TEMPORAL_UPDATE and truthy(source) and edge.get("fromId") == source
    )


# --- Vectors (§3.7) ---------------------------------------------------------------------------------------


def embedded_text(node: Node) -> str:
    """The text whose vector a node carries: its main fields joined by bars, or its type."""
    fields = node.get("fields") or {}
    parts = [text(fields[name]) for name in _VECTOR_FIELDS if truthy(fields.get(name))]
    return " | ".join(parts) or text(node.get("type"))


def fill_vectors(graph: Graph, embed: Callable[[list[str]], Sequence[Vector] | None]) -> None:
    """Give every active node without a vector one, in one request; none when it fails."""
    missing = [node for node in stbme_graph.active_nodes(graph) if not _has_vector(node)]
    vectors = embed([embedded_text(node) for node in missing]) if missing else None
    if vectors is not None:
        for node, vector in zip(missing, vectors, strict=True):
            node["embedding"] = list(vector)
