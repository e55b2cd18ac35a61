"""The graph of folders as GraphML, for Gephi, yEd, Cytoscape and networkx.

Nodes are memories outside the trash under their public ids, edges their relations, past ones too (key
`live` tells them), with their places where a picture was exported. Source: GraphML 1.0 (graphml.graphdrawing.org/specification).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from core.adapters.formats.problems import Problems
from core.domain.edge import Edge, lives
from core.domain.memory import Memory
from core.domain.transfer import FolderBundle

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    ' xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns'
    ' http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold in any way."""

Value = str | int | float | bool | datetime | None

NODE_KEYS: tuple[tuple[str, str, Callable[[Memory], Value]], ...] = (
    ("label", "string", lambda memory: memory.shown_title),
    ("body", "string", lambda memory: memory.body or None),
    ("type", "string", lambda memory: memory.type),
    ("layer", "string", lambda memory: memory.layer.value),
    ("status", "string", lambda memory: memory.status.value),
    ("importance", "double", lambda memory: memory.importance),
    ("recalls", "int", lambda memory: memory.activation_count),
    ("floor", "int", lambda memory: memory.seq),
    ("level", "int", lambda memory: memory.level),
    ("locked", "boolean", lambda memory: memory.locked),
    ("created_at", "string", lambda memory: memory.created_at),
    ("updated_at", "string", lambda memory: memory.updated_at),
)
MORE_NODE_KEYS = (("folder", "string"), ("tags", "string"), ("x", "double"), ("y", "double"))
EDGE_KEYS: tuple[tuple[str, str, Callable[[Edge], Value]], ...] = (
    ("relation", "string", lambda edge: edge.relation),
    ("weight", "double", lambda edge: edge.strength),
    ("inhibits", "boolean", lambda edge: edge.inhibits),
    ("valid_from", "string", lambda edge: edge.valid_from),
    ("invalid_from", "string", lambda edge: edge.invalid_from),
    ("expired_at", "string", lambda edge: edge.expired_at),
    ("from_floor", "int", lambda edge: edge.from_seq),
    ("ended_floor", "int", lambda edge: edge.ended_seq),
)


def write_graphml(
    path: Path, bundles: Sequence[FolderBundle], problems: Problems, now: datetime
) -> tuple[int, int]:
    """Writes the file; returns how many nodes and edges it has. `now` decides which relations live."""
    ids = {
        memory.pk: memory.id for bundle in bundles for memory in bundle.memories if memory.deleted_at is None
    }
    nodes = edges = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(HEAD)
        file.writelines(_declarations())
        file.write(' <graph id="memories" edgedefault="directed">\n')
        for bundle in bundles:
            for memory in bundle.memories:
                if memory.pk in ids:
                    _write_node(file, memory, bundle)
                    nodes += 1
        for bundle in bundles:
            for edge in bundle.edges:
                if edge.source in ids and edge.target in ids:
                    _write_edge(file, edge, (ids[edge.source], ids[edge.target]), now)
                    edges += 1
                elif edge.source in ids and edge.target in bundle.outside:
                    problems.add("export.problem.edge_leads_out", edge.id)
        file.write(" </graph>\n</graphml>\n")
    trashed = sum(len(bundle.memories) for bundle in bundles) - nodes
    if trashed:
        problems.add("export.problem.trashed", trashed=trashed)
    return nodes, edges


def _declarations() -> Iterator[str]:
    node = [*((name, kind) for name, kind, _ in NODE_KEYS), *MORE_NODE_KEYS]
    edge = [*((name, kind) for name, kind, _ in EDGE_KEYS), ("live", "boolean")]
    for of, keys in (("node", node), ("edge", edge)):
        for name, kind in keys:
            yield f' <key id="{of[0]}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>\n'


def _write_node(file: TextIO, memory: Memory, bundle: FolderBundle) -> None:
    values: list[tuple[str, Value]] = [(name, value(memory)) for name, _, value in NODE_KEYS]
    values += [("folder", bundle.folder.name), ("tags", "; ".join(bundle.tags[memory.pk].general) or None)]
    if memory.pk in bundle.places:
        values += zip("xy", bundle.places[memory.pk], strict=True)
    file.write(f"  <node id={_quoted(memory.id)}>{''.join(_data('n', values))}</node>\n")


def _write_edge(file: TextIO, edge: Edge, ends: tuple[str, str], now: datetime) -> None:
    values: list[tuple[str, Value]] = [(name, value(edge)) for name, _, value in EDGE_KEYS]
    values.append(("live", lives(edge, now)))
    named = f"id={_quoted(edge.id)} source={_quoted(ends[0])} target={_quoted(ends[1])}"
    file.write(f"  <edge {named}>{''.join(_data('e', values))}</edge>\n")


def _data(of: str, values: Iterable[tuple[str, Value]]) -> Iterator[str]:
    """The values that are there; times in ISO 8601."""
    for name, value in values:
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if isinstance(value, datetime):
            text = value.isoformat()
        yield f'<data key="{of}_{name}">{escape(_holdable(text), {chr(13): "&#13;"})}</data>'


def _quoted(text: str) -> str:
    return quoteattr(_holdable(text))


def _holdable(text: str) -> str:
    """The text with a replacement character for what XML cannot hold."""
    return NOT_XML.sub("\ufffd", text)
