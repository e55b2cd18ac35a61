"""The graph as GraphML, which Gephi, yEd, Cytoscape and networkx read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

from core.domain.graph import LAYERS, NEVER, STATUSES, GraphData, time_of

SPACE = "http://graphml.graphdrawing.org/xmlns"
NODE_KEYS = {
    "label": "string",
    "type": "string",
    "layer": "string",
    "status": "string",
    "folder": "string",
    "importance": "double",
    "recalls": "int",
    "floor": "int",
    "created": "string",
    "locked": "boolean",
    "x": "double",
    "y": "double",
}
EDGE_KEYS = {
    "relation": "string",
    "weight": "double",
    "inhibits": "boolean",
    "live": "boolean",
    "from": "string",
    "until": "string",
}


def write_graphml(
    path: Path,
    data: GraphData,
    positions: NDArray[np.float32],
    titles: Mapping[int, str],
    folders: Mapping[int, str],
) -> None:
    """Write the graph to a file; the old one stays until the new one is whole. Errors: OSError."""
    ET.register_namespace("", SPACE)
    root = ET.Element(_tag("graphml"))
    for owner, keys in (("node", NODE_KEYS), ("edge", EDGE_KEYS)):
        for name, kind in keys.items():
            values = {"id": f"{owner}.{name}", "for": owner, "attr.name": name, "attr.type": kind}
            ET.SubElement(root, _tag("key"), values)
    graph = ET.SubElement(root, _tag("graph"), {"id": "memories", "edgedefault": "directed"})
    _add_nodes(graph, data, positions, titles, folders)
    _add_edges(graph, data)
    beside = path.with_name(f"{path.name}.new")
    ET.ElementTree(root).write(beside, encoding="utf-8", xml_declaration=True)
    beside.replace(path)


def _tag(name: str) -> str:
    return f"{{{SPACE}}}{name}"


def _put(parent: ET.Element, owner: str, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        element = ET.SubElement(parent, _tag("data"), {"key": f"{owner}.{name}"})
        element.text = str(value).lower() if isinstance(value, bool) else _clean(str(value))


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n\r")


def _add_nodes(
    graph: ET.Element,
    data: GraphData,
    positions: NDArray[np.float32],
    titles: Mapping[int, str],
    folders: Mapping[int, str],
) -> None:
    nodes = data.nodes
    for at, pk in enumerate(nodes.pks.tolist()):
        element = ET.SubElement(graph, _tag("node"), {"id": f"n{pk}"})
        values: dict[str, object] = {
            "label": titles.get(pk, ""),
            "type": data.types[nodes.type[at]],
            "layer": LAYERS[nodes.layer[at]].value,
            "status": STATUSES[nodes.status[at]].value,
            "folder": folders.get(data.folders[nodes.folder[at]], ""),
            "importance": float(nodes.importance[at]),
            "recalls": int(nodes.activation_count[at]),
            "created": time_of(int(nodes.created_at[at])).isoformat(),
            "locked": bool(nodes.locked[at]),
        }
        if nodes.seq[at] >= 0:
            values["floor"] = int(nodes.seq[at])
        if np.isfinite(positions[at]).all():
            values |= {"x": float(positions[at, 0]), "y": float(positions[at, 1])}
        _put(element, "node", values)


def _add_edges(graph: ET.Element, data: GraphData) -> None:
    edges, pks = data.edges, data.nodes.pks
    for at, pk in enumerate(edges.pks.tolist()):
        ends = {"source": f"n{pks[edges.source[at]]}", "target": f"n{pks[edges.target[at]]}"}
        element = ET.SubElement(graph, _tag("edge"), {"id": f"e{pk}", **ends})
        values: dict[str, object] = {
            "relation": data.relations[edges.relation[at]],
            "weight": round(float(edges.strength[at]), 6),
            "inhibits": bool(edges.inhibits[at]),
            "live": bool(edges.live[at]),
        }
        begins = int(edges.valid_from[at])
        ends_at = min(int(edges.invalid_from[at]), int(edges.expired_at[at]))
        if begins > -NEVER:
            values["from"] = time_of(begins).isoformat()
        if ends_at < NEVER:
            values["until"] = time_of(ends_at).isoformat()
        _put(element, "edge", values)
