"""An ST-BME graph of any version as an import plan: version 3 exactly, 1 to 9 and beyond tolerantly.

Whatever our records cannot hold is kept in their `extra` and goes out again at export.
Source: spec/STBME §1, spec/FORMATS §4; DESIGN §5 where the original lost data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.formats.kept import differences
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_columns import Columns, all_columns
from core.adapters.formats.stbme_edges import MERGED, REJECTIONS, EdgeReader, ReadEdge
from core.adapters.formats.stbme_find import FoundGraph, find_graph
from core.adapters.formats.stbme_form import (
    EXTRA_KEY,
    Place,
    columns_for,
    edge_of,
    node_of,
    set_mark,
    time_lists,
)
from core.adapters.formats.stbme_nodes import NodeReader, ReadNode, earliest_time, extra_of
from core.adapters.formats.values import clean, number, text, whole
from core.domain.enums import FolderKind, Status
from core.domain.errors import Invalid
from core.domain.folder import MAX_FOLDER_CHARS, clean_folder_name
from core.domain.json_types import Json
from core.domain.schema import Schema
from core.domain.transfer import Format, ImportPlan, PlannedEdge, PlannedFolder, PlannedMemory

VERSION = 3
NEWEST_VERSION = 9
UPDATED_AT_VERSION = 8
FOLDER_KEY = "graph"
_TOP_KEYS = ("version", "lastProcessedSeq", "nodes", "edges", "lastRecallResult")
_SIGNS_OF_VERSION = (
    (9, "summaryState"),
    (8, "timelineState"),
    (7, "knowledgeState"),
    (7, "regionState"),
    (7, "maintenanceJournal"),
    (4, "historyState"),
    (4, "vectorIndexState"),
)


def read_stbme(path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan:
    """The dry run of an import of a graph file, or a chat's metadata. Errors: BadFile, see find_graph."""
    return read_graph(find_graph(path, partly=partly), schema, path)


def read_graph(found: FoundGraph, schema: Schema, path: Path) -> ImportPlan:
    """The same of a graph that was found in a file."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return plan_of(found, schema, name=path.name, fallback_time=changed)


def plan_of(found: FoundGraph, schema: Schema, *, name: str, fallback_time: datetime) -> ImportPlan:
    """The plan of a graph. `fallback_time` is used only where no node has a time at all."""
    problems = found.problems
    graph, escaped = clean(found.graph) if found.suspect else (found.graph, False)
    assert isinstance(graph, dict)
    if escaped:
        problems.add("import.problem.escaped", severity=INFO)
    version, sure = _version(graph, problems)
    raw_nodes, raw_edges = (_list_of(graph, key, problems) for key in ("nodes", "edges"))
    earliest = earliest_time(raw_nodes, fallback_time)
    nodes = NodeReader(schema, FOLDER_KEY, earliest, problems).read(raw_nodes)
    if not nodes:
        problems.add("import.problem.no_memories")
    memories = _finished_nodes(nodes, schema, version, problems)
    edges = EdgeReader(schema, {memory.key: memory for memory in memories}, problems).read(raw_edges)
    folder = _folder(found, graph, version, name, memories)
    return ImportPlan(
        format=Format.STBME,
        source_name=name,
        folders=(folder,),
        memories=memories,
        edges=tuple(_finished_edge(edge) for edge in edges),
        problems=problems.all(),
        counts=_counts(memories, len(edges), problems, version),
        needs_confirmation=not sure or not nodes,
    )


def _version(graph: Mapping[str, Json], problems: Problems) -> tuple[int, bool]:
    """Version of a graph and whether it is beyond doubt."""
    raw = number(graph.get("version"))
    if raw is None or raw < 1:
        version = _looks_like(graph)
        problems.add("import.problem.no_version", looks_like=version)
        return version, False
    version = int(raw)
    if version > NEWEST_VERSION:
        problems.add("import.problem.newer_version", version=version, newest=NEWEST_VERSION)
        return version, False
    return version, True


def _looks_like(graph: Mapping[str, Json]) -> int:
    for version, key in _SIGNS_OF_VERSION:
        if key in graph:
            return version
    nodes = [node for node in _plain_list(graph.get("nodes")) if isinstance(node, dict)]
    edges = [edge for edge in _plain_list(graph.get("edges")) if isinstance(edge, dict)]
    if any("storyTime" in node or "storyTimeSpan" in node for node in nodes):
        return 8
    if any("scope" in item for item in [*nodes, *edges]):
        return 6
    if edges and all("validAt" not in edge for edge in edges):
        return 1
    if nodes and all("seqRange" not in node for node in nodes):
        return 2
    return VERSION


def _plain_list(raw: Json) -> Sequence[Json]:
    return raw if isinstance(raw, list) else []


def _list_of(graph: Mapping[str, Json], key: str, problems: Problems) -> Sequence[Json]:
    raw = graph.get(key)
    if isinstance(raw, dict):  # objects by id, as some tools write them
        problems.add("import.problem.not_a_list", part=key)
        return [{"id": item_id} | item if isinstance(item, dict) else item for item_id, item in raw.items()]
    if raw is not None and not isinstance(raw, list):
        problems.add("import.problem.not_a_list", part=key)
    return _plain_list(raw)


def _finished_nodes(
    nodes: Sequence[ReadNode], schema: Schema, version: int, problems: Problems
) -> tuple[PlannedMemory, ...]:
    """The planned memories, with everything in `extra` that brings the same node out again."""
    children: dict[str, list[str]] = {}
    for node in nodes:
        if node.memory.parent:
            children.setdefault(node.memory.parent, []).append(node.memory.key)
    lists = time_lists((node.memory.key, node.memory) for node in nodes)
    references = _References(lists.keys(), problems)
    columns = all_columns(schema)
    return tuple(
        _finished_node(
            node,
            position,
            Place(
                id=node.memory.key,
                parent=node.memory.parent,
                children=tuple(children.get(node.memory.key, ())),
                previous=lists[node.memory.key][0],
                next=lists[node.memory.key][1],
            ),
            columns,
            references,
            updated=version >= UPDATED_AT_VERSION,
        )
        for position, node in enumerate(nodes)
    )


class _References:
    """References of nodes to nodes that exist; the others are noted and dropped."""

    def __init__(self, ids: Collection[str], problems: Problems) -> None:
        self._ids = ids
        self._problems = problems

    def mend(self, node: ReadNode) -> dict[str, Json]:
        """The raw node with its dangling prevId, nextId and childIds taken out."""
        raw = dict(node.raw)
        for key in ("prevId", "nextId"):
            if raw.get(key) is not None and text(raw[key]) not in self._ids:
                self._problems.add("import.problem.link_missing", node.memory.key)
                node.repaired.add(key)
        child_ids = raw.get("childIds")
        if isinstance(child_ids, list):
            there = [item for item in child_ids if text(item) in self._ids]
            if len(there) < len(child_ids):
                self._problems.add("import.problem.child_missing", node.memory.key)
                raw["childIds"] = there
        return raw


def _finished_node(
    node: ReadNode,
    position: int,
    place: Place,
    columns: Mapping[str, Columns],
    references: _References,
    *,
    updated: bool,
) -> PlannedMemory:
    memory = node.memory
    raw = references.mend(node)
    own: dict[str, Json] = {"at": position}
    if node.columns is not None:
        own["columns"] = list[Json](node.columns)
    written = node_of(
        memory, place, memory.tags.general, columns_for(memory.type, own, columns), updated=updated
    )
    rest = {key: value for key, value in raw.items() if key not in written}
    kept = differences(written, {key: raw[key] for key in raw if key in written}, {"fields", *node.repaired})
    if "embedding" in raw:
        kept.pop("embedding", None)
    own |= _kept_fields(written, raw, node)
    own |= {"rest": rest} if rest else {}
    own |= {"kept": kept} if kept else {}
    order = [key for key in raw if key in written or key in rest]
    if order != [key for key in [*written, *rest] if key in raw]:
        own["order"] = list[Json](order)
    return replace(memory, extra={EXTRA_KEY: own} | extra_of(node))


def _kept_fields(written: Mapping[str, Json], raw: Mapping[str, Json], node: ReadNode) -> dict[str, Json]:
    """What brings the same `fields` object out again: differing values, and the order of its keys."""
    fields, raw_fields = written["fields"], raw.get("fields")
    assert isinstance(fields, dict)
    if "fields" in node.repaired:
        return {}
    if not isinstance(raw_fields, dict):
        return {"no_fields": [raw_fields] if "fields" in raw else []}
    found: dict[str, Json] = {}
    if kept := differences(fields, raw_fields):
        found["kept_fields"] = kept
    if [key for key in fields if key in raw_fields] != list(raw_fields):
        found["fields_order"] = list[Json](raw_fields)
    return found


def _finished_edge(read: ReadEdge) -> PlannedEdge:
    edge = read.edge
    written = edge_of(edge, edge.foreign_id or "", edge.source, edge.target)
    rest = {key: value for key, value in read.raw.items() if key not in written}
    kept = differences(written, {key: read.raw[key] for key in read.raw if key in written}, read.repaired)
    own: dict[str, Json] = {}
    own |= {"rest": rest} if rest else {}
    own |= {"kept": kept} if kept else {}
    own |= {"joined": list[Json](read.joined)} if read.joined else {}
    if [key for key in read.raw if key in written] != [key for key in written if key in read.raw]:
        own["order"] = list[Json](read.raw)
    return replace(edge, extra={EXTRA_KEY: own}) if own else edge


def _folder(
    found: FoundGraph,
    graph: Mapping[str, Json],
    version: int,
    name: str,
    memories: Sequence[PlannedMemory],
) -> PlannedFolder:
    stem = Path(name).stem
    try:
        shown = clean_folder_name(stem.replace("/", " ")[:MAX_FOLDER_CHARS])
    except Invalid:
        shown = "ST-BME"
    last = whole(graph.get("lastProcessedSeq", -1), -1, -1)
    top: dict[str, Json] = {"version": version}
    written: dict[str, Json] = {
        "lastProcessedSeq": last.value,
        "lastRecallResult": graph.get("lastRecallResult"),
    }
    raw = {key: graph[key] for key in written if key in graph}
    top["lastRecallResult"] = written["lastRecallResult"]
    leave_out = {"lastProcessedSeq"} if last.repaired and "lastProcessedSeq" in graph else set()
    if kept := differences(written, raw, leave_out):
        top["kept"] = kept
    if rest := {key: value for key, value in graph.items() if key not in _TOP_KEYS}:
        top["rest"] = rest
    if [key for key in graph if key in _TOP_KEYS] != [key for key in _TOP_KEYS if key in graph] or rest:
        top["order"] = list[Json](graph)
    top["nodes"] = set_mark(memory.key for memory in memories)
    return PlannedFolder(
        key=FOLDER_KEY,
        name=shown,
        kind=FolderKind.CHAT,
        character=found.character,
        last_processed_seq=last.value,
        origin={"format": Format.STBME.value, "file": name, "version": version},
        extra={EXTRA_KEY: top},
    )


def _counts(
    memories: Sequence[PlannedMemory], edges: int, problems: Problems, version: int
) -> dict[str, int]:
    kinds = Counter(memory.type for memory in memories)
    return {
        "folders": 1,
        "memories": len(memories),
        "edges": edges,
        "archived": sum(memory.status is Status.ARCHIVED for memory in memories),
        "tags": sum(len(memory.tags.general) for memory in memories),
        "rejected_edges": sum(problems.count(key) for key in REJECTIONS),
        "merged_edges": problems.count(MERGED),
        "version": version,
    } | {f"type.{type_id}": number for type_id, number in sorted(kinds.items())}
