"""ST-BME's graph file as a plain value: reading every version, writing it, and its operations.

Source: spec/STBME §1. Our own store is not made of this; importer, exporter and the compatible procedures are.
We differ: text that is no graph is an error, never a silent empty graph (§8.1, DESIGN §5 import).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from core.algos.js_values import is_finite_number, json_text, number, truthy
from core.domain.json_types import Json

Node: TypeAlias = dict[str, Any]
Edge: TypeAlias = dict[str, Any]
Graph: TypeAlias = dict[str, Any]
NewId: TypeAlias = Callable[[], str]

VERSION = 3
DEFAULT_IMPORTANCE = 5.0
DEFAULT_STRENGTH = 0.8
DEFAULT_RELATION = "related"
INHIBITORY = 255


class BrokenGraph(ValueError):
    """Text or data that is no graph; `reason` is `not_json`, `not_an_object` or `no_version`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def empty_graph() -> Graph:
    """A new graph of version 3."""
    return {"version": VERSION, "lastProcessedSeq": -1, "nodes": [], "edges": [], "lastRecallResult": None}


def read_graph(data: object, now_ms: int) -> Graph:
    """The graph of a file of any version (text or parsed) with the defaults of its keys; unknown keys stay.

    Newer versions are read as they are. Nodes and edges that are no objects are left out. Checks nothing else:
    double ids and loose edges are the importer's business. Errors: BrokenGraph.
    """
    raw = _parsed(data)
    version = number(raw["version"])
    graph: Graph = dict(raw)
    nodes, edges = _objects(raw.get("nodes")), _objects(raw.get("edges"))
    if version < VERSION:
        graph["version"] = VERSION
    graph["nodes"] = [_node_defaults(node, now_ms) for node in nodes]
    graph["edges"] = [_edge_defaults(edge, now_ms) for edge in edges]
    if not is_finite_number(raw.get("lastProcessedSeq")):
        graph["lastProcessedSeq"] = -1
    recalled = raw.get("lastRecallResult")
    graph["lastRecallResult"] = recalled if isinstance(recalled, list) else None
    return graph


def _parsed(data: object) -> Mapping[str, Any]:
    if isinstance(data, str):
        try:
            data = json.loads(data.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise BrokenGraph("not_json") from error
    if not isinstance(data, Mapping):
        raise BrokenGraph("not_an_object")
    if data.get("version") is None:
        raise BrokenGraph("no_version")
    return data


def _objects(items: object) -> list[dict[str, Any]]:
    return [dict(item) for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _seq(node: Node) -> int | float:
    value: int | float = node["seq"] if is_finite_number(node.get("seq")) else 0
    return value


def _with_range(node: Node) -> Node:
    if not isinstance(node.get("seqRange"), list):
        node["seqRange"] = [_seq(node), _seq(node)]
    return node


def _first_true(*values: object) -> object:
    return next((value for value in values if truthy(value)), None)


def _node_defaults(node: Node, now_ms: int) -> Node:
    defaults: Node = {
        "level": 0,
        "parentId": None,
        "childIds": [],
        "accessCount": 0,
        "lastAccessTime": _first_true(node.get("createdTime"), now_ms),
        "prevId": None,
        "nextId": None,
        "clusters": [],
    }
    return _with_range({**defaults, **node, "seq": _seq(node)})


def _edge_defaults(edge: Edge, now_ms: int) -> Edge:
    created = _first_true(edge.get("createdTime"), now_ms)
    return {"createdTime": now_ms, "validAt": created, "invalidAt": None, "expiredAt": None, **edge}


def write_graph(graph: Mapping[str, Any], *, indent: int | None = None) -> str:
    """The graph as JSON text exactly as JavaScript writes it; indented, it is the text of an exported file."""
    return json_text(graph, indent)


def without_vectors(graph: Graph) -> Graph:
    """The graph as it is exported and imported: `embedding` null on every node, all else the same."""
    return {**graph, "nodes": [{**node, "embedding": None} for node in graph["nodes"]]}


# --- Nodes ------------------------------------------------------------------------------------------------


def new_node(node_id: str, params: Mapping[str, Any], now_ms: int) -> Node:
    """A node with the defaults of creation; importance is clamped to 0..10 only here."""
    seq = params["seq"] if params.get("seq") is not None else 0
    importance = params.get("importance")
    clamped = min(10.0, max(0.0, number(DEFAULT_IMPORTANCE if importance is None else importance)))
    return {
        "id": node_id,
        "type": params.get("type"),
        "level": 0,
        "parentId": None,
        "childIds": [],
        "seq": seq,
        "seqRange": params.get("seqRange") or [seq, seq],
        "archived": False,
        "fields": params.get("fields") or {},
        "embedding": None,
        "importance": clamped,
        "accessCount": 0,
        "lastAccessTime": now_ms,
        "createdTime": now_ms,
        "prevId": None,
        "nextId": None,
        "clusters": params.get("clusters") or [],
    }


def find_node(graph: Graph, node_id: object) -> Node | None:
    """The node of that id."""
    return next((node for node in graph["nodes"] if node.get("id") == node_id), None)


def active_nodes(graph: Graph, node_type: str | None = None) -> list[Node]:
    """Nodes that are not archived, in storage order."""
    return [
        node
        for node in graph["nodes"]
        if not node.get("archived") and (node_type is None or node.get("type") == node_type)
    ]


def add_node(graph: Graph, node: Node) -> Node:
    """Append the node and link it after the active level-0 node of its type with the highest seq.

    Kept as in the original, also for older nodes that arrive late: its files say so, ours derive order from seq.
    """
    tail: Node | None = None
    for other in active_nodes(graph, node["type"]):
        if other.get("level") == 0 and (tail is None or other["seq"] >= tail["seq"]):
            tail = other
    if tail is not None:
        tail["nextId"], node["prevId"] = node["id"], tail["id"]
    graph["nodes"].append(node)
    return node


def update_node(graph: Graph, node_id: str, updates: Mapping[str, Any]) -> bool:
    """Merge `fields` and overwrite the other keys; False when there is no such node."""
    node = find_node(graph, node_id)
    if node is None:
        return False
    fields = {**(node.get("fields") or {}), **(updates.get("fields") or {})}
    node.update(updates)
    node["fields"] = fields
    return True


def remove_node(graph: Graph, node_id: str) -> bool:
    """Remove a node with its children and edges, join its neighbours; False when there is no such node."""
    node = find_node(graph, node_id)
    if node is None:
        return False
    graph["nodes"].remove(node)  # first, so that a circle of children ends
    before, after = find_node(graph, node.get("prevId")), find_node(graph, node.get("nextId"))
    if before is not None:
        before["nextId"] = node.get("nextId")
    if after is not None:
        after["prevId"] = node.get("prevId")
    for child in list(node.get("childIds") or []):
        remove_node(graph, child)
    parent = find_node(graph, node.get("parentId"))
    if parent is not None:
        parent["childIds"] = [child for child in parent.get("childIds") or [] if child != node_id]
    graph["edges"] = [
        edge for edge in graph["edges"] if node_id not in (edge.get("fromId"), edge.get("toId"))
    ]
    return True


def find_latest(graph: Graph, node_type: str, value: object, field: str = "name") -> Node | None:
    """The active node of the type with exactly that field value and the highest seq."""
    found = [node for node in active_nodes(graph, node_type) if _strictly(node, field, value)]
    return max(found, key=lambda node: number(node["seq"]), default=None)


def _strictly(node: Node, field: str, value: object) -> bool:
    own = (node.get("fields") or {}).get(field)
    return isinstance(own, bool) == isinstance(value, bool) and own == value


# --- Edges ------------------------------------------------------------------------------------------------


def new_edge(edge_id: str, params: Mapping[str, Any], now_ms: int) -> Edge:
    """An edge with the defaults of creation; strength is clamped to 0..1 only here."""
    strength = params.get("strength")
    return {
        "id": edge_id,
        "fromId": params.get("fromId"),
        "toId": params.get("toId"),
        "relation": params["relation"] if params.get("relation") is not None else DEFAULT_RELATION,
        "strength": min(1.0, max(0.0, number(DEFAULT_STRENGTH if strength is None else strength))),
        "edgeType": params["edgeType"] if params.get("edgeType") is not None else 0,
        "createdTime": now_ms,
        "validAt": now_ms,
        "invalidAt": None,
        "expiredAt": None,
    }


def is_open(edge: Edge) -> bool:
    """Whether the edge carries no end time at all (a future one counts as ended here)."""
    return not truthy(edge.get("invalidAt")) and not truthy(edge.get("expiredAt"))


def add_edge(graph: Graph, edge: Edge) -> Edge | None:
    """The edge in the graph: the new one, or an open one of the same ends and relation, strengthened.

    None when an end does not exist or both ends are the same node.
    """
    ends = (edge["fromId"], edge["toId"])
    if ends[0] == ends[1] or any(find_node(graph, end) is None for end in ends):
        return None
    for old in graph["edges"]:
        if (
            (old.get("fromId"), old.get("toId")) == ends
            and old.get("relation") == edge["relation"]
            and is_open(old)
        ):
            old["strength"] = max(number(old.get("strength")), edge["strength"])
            old["validAt"] = max(number(old.get("validAt")), number(edge.get("validAt")))
            old.update({key: edge[key] for key in ("invalidAt", "expiredAt") if truthy(edge.get(key))})
            strengthened: Edge = old
            return strengthened
    graph["edges"].append(edge)
    return edge


def invalidate_edge(edge: Edge, now_ms: int) -> None:
    """End the edge now unless it has an end already."""
    if not truthy(edge.get("invalidAt")):
        edge["invalidAt"] = now_ms


def remove_edge(graph: Graph, edge_id: str) -> bool:
    """Remove the edge; False when there is none of that id."""
    kept = [edge for edge in graph["edges"] if edge.get("id") != edge_id]
    removed = len(kept) < len(graph["edges"])
    graph["edges"] = kept
    return removed


def touching(graph: Graph, node_id: str) -> Iterator[Edge]:
    """Edges that begin or end at the node, in storage order."""
    return (edge for edge in graph["edges"] if node_id in (edge.get("fromId"), edge.get("toId")))


def other_end(edge: Edge, node_id: str) -> Any:
    """The end of the edge that is not the node."""
    return edge.get("toId") if edge.get("fromId") == node_id else edge.get("fromId")


def active_edges(graph: Graph, now_ms: int) -> list[Edge]:
    """Edges whose end times, if any, are still to come (start times are not looked at, spec/STBME §1.5)."""
    return [edge for edge in graph["edges"] if not any(_is_past(edge.get(key), now_ms) for key in _END_TIMES)]


_END_TIMES = ("invalidAt", "expiredAt")


def _is_past(time: object, now_ms: int) -> bool:
    return truthy(time) and number(time) <= now_ms


def adjacency(graph: Graph, now_ms: int) -> dict[str, list[dict[str, Any]]]:
    """Neighbours over active edges in storage order, both ways; parallel edges stay apart."""
    neighbours: dict[str, list[dict[str, Any]]] = {}
    for edge in active_edges(graph, now_ms):
        for start, end in ((edge["fromId"], edge["toId"]), (edge["toId"], edge["fromId"])):
            carried: dict[str, Any] = {key: edge[key] for key in ("strength", "edgeType") if key in edge}
            neighbours.setdefault(start, []).append({"targetId": end, **carried})
    return neighbours


def statistics(graph: Graph) -> dict[str, Json]:
    """Counts: all and active nodes, edges, active nodes of each type, and the last processed floor."""
    active = active_nodes(graph)
    types: dict[str, Json] = {}
    for node in active:
        types[node["type"]] = number(types.get(node["type"], 0)) + 1
    return {
        "totalNodes": len(graph["nodes"]),
        "activeNodes": len(active),
        "archivedNodes": len(graph["nodes"]) - len(active),
        "totalEdges": len(graph["edges"]),
        "lastProcessedSeq": graph["lastProcessedSeq"],
        "typeCounts": types,
    }


def floors(node: Node) -> list[Any]:
    """First and last floor of the node; its seq twice without a usable range."""
    span = node.get("seqRange")
    return span[:2] if isinstance(span, list) and len(span) > 1 else [_seq(node), _seq(node)]


def range_end(node: Node) -> float:
    """End of the node's floors, or its seq."""
    span = node.get("seqRange")
    end = span[1] if isinstance(span, list) and len(span) > 1 else None
    return number(end if is_finite_number(end) else node.get("seq"))


def newest_first(nodes: Iterable[Node]) -> list[Node]:
    """Nodes by the end of their floors, newest first; of equal ones the more important."""
    return sorted(nodes, key=lambda node: (-range_end(node), -number(node.get("importance"))))
