"""A folder as an ST-BME graph: what came in goes out as it came, what was changed in its changed form."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence

from core.adapters.formats.kept import give_back, in_order
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.stbme_columns import all_columns
from core.adapters.formats.stbme_form import (
    Place,
    columns_for,
    edge_of,
    node_of,
    own_extra,
    set_mark,
    time_lists,
)
from core.adapters.formats.stbme_read import UPDATED_AT_VERSION, VERSION
from core.domain.edge import Edge
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.schema import Schema
from core.domain.transfer import FolderBundle

_UUID_NAMESPACE = uuid.UUID("7b0e4bb0-3f52-4b3c-9a55-5d9a2c3c8f01")
_LINK_KEYS = ("prevId", "nextId")


def graph_of(bundle: FolderBundle, schema: Schema, problems: Problems | None = None) -> dict[str, Json]:
    """The graph of a folder; what lies in the trash is left out, and so are edges that lead out of it.

    Tag groups, aliases and relations that the format has no place for are counted in `problems`.
    """
    problems = problems if problems is not None else Problems()
    top = own_extra(bundle.folder.extra)
    version = top.get("version", VERSION)
    assert isinstance(version, int)
    memories = sorted((memory for memory in bundle.memories if memory.deleted_at is None), key=_storage_order)
    ids = _file_ids(memories)
    unchanged = top.get("nodes") == set_mark(ids.values())
    graph: dict[str, Json] = {
        "version": version,
        "lastProcessedSeq": bundle.folder.last_processed_seq,
        "nodes": list[Json](_nodes(memories, ids, bundle, schema, version, with_links=unchanged)),
        "edges": list[Json](_edges(bundle.edges, ids, problems)),
        "lastRecallResult": _recall(top.get("lastRecallResult"), None if unchanged else set(ids.values())),
    }
    rest = top.get("rest")
    if isinstance(rest, Mapping):
        graph |= rest
    give_back(graph, top.get("kept"))
    if bundle.last_recalled is not None:
        graph["lastRecallResult"] = [ids[pk] for pk in bundle.last_recalled if pk in ids]
    _note_losses(memories, bundle, problems)
    return in_order(graph, top.get("order"))


def graph_text(graph: Mapping[str, Json]) -> str:
    """The text of an export file: two spaces, as the original writes it."""
    return json.dumps(graph, ensure_ascii=False, indent=2, allow_nan=False)


def uuid_of(own_id: str) -> str:
    """A stable UUID for a record that has no id of the format: the hex digits of our own id, when it has them."""
    digits = own_id.rpartition("-")[2]
    try:
        return str(uuid.UUID(hex=digits))
    except ValueError:
        return str(uuid.uuid5(_UUID_NAMESPACE, own_id))


def _storage_order(memory: Memory) -> tuple[bool, int, int]:
    position = own_extra(memory.extra).get("at")
    known = isinstance(position, int) and memory.foreign_id is not None
    return (not known, position if known and isinstance(position, int) else 0, memory.pk)


def given_ids(bundle: FolderBundle) -> dict[MemoryPk, str]:
    """Ids in the file of memories that brought none."""
    return {
        memory.pk: uuid_of(memory.id)
        for memory in bundle.memories
        if memory.foreign_id is None and memory.deleted_at is None
    }


def _file_ids(memories: Sequence[Memory]) -> dict[MemoryPk, str]:
    return {memory.pk: memory.foreign_id or uuid_of(memory.id) for memory in memories}


def _nodes(
    memories: Sequence[Memory],
    ids: Mapping[MemoryPk, str],
    bundle: FolderBundle,
    schema: Schema,
    version: int,
    *,
    with_links: bool,
) -> list[dict[str, Json]]:
    children: dict[MemoryPk, list[str]] = {}
    for memory in memories:
        if memory.parent is not None and memory.parent in ids:
            children.setdefault(memory.parent, []).append(ids[memory.pk])
    lists = time_lists((ids[memory.pk], memory) for memory in memories)
    columns = all_columns(schema)
    nodes = []
    for memory in memories:
        node_id = ids[memory.pk]
        place = Place(
            id=node_id,
            parent=ids.get(memory.parent) if memory.parent is not None else None,
            children=tuple(children.get(memory.pk, ())),
            previous=lists[node_id][0],
            next=lists[node_id][1],
        )
        own = own_extra(memory.extra)
        node = node_of(
            memory,
            place,
            bundle.tags[memory.pk].general,
            columns_for(memory.type, own, columns),
            updated=version >= UPDATED_AT_VERSION,
        )
        nodes.append(_as_imported(node, own, with_links=with_links))
    return nodes


def _as_imported(node: dict[str, Json], own: Mapping[str, Json], *, with_links: bool) -> dict[str, Json]:
    fields = node["fields"]
    assert isinstance(fields, dict)
    give_back(fields, own.get("kept_fields"))
    node["fields"] = in_order(fields, own.get("fields_order"))
    no_fields = own.get("no_fields")
    if not fields and isinstance(no_fields, list):
        if no_fields:
            node["fields"] = no_fields[0]
        else:
            del node["fields"]
    rest = own.get("rest")
    if isinstance(rest, Mapping):
        node |= rest
    kept = own.get("kept")
    if isinstance(kept, Mapping) and not with_links:
        kept = {key: entry for key, entry in kept.items() if key not in _LINK_KEYS}
    give_back(node, kept)
    return in_order(node, own.get("order"))


def _edges(edges: Sequence[Edge], ids: Mapping[MemoryPk, str], problems: Problems) -> list[dict[str, Json]]:
    written = []
    for edge in edges:
        if edge.source not in ids or edge.target not in ids:
            problems.add("export.problem.edge_leads_out", edge.id, severity=INFO)
            continue
        edge_id = edge.foreign_id or uuid_of(edge.id)
        item = edge_of(edge, edge_id, ids[edge.source], ids[edge.target])
        own = own_extra(edge.extra)
        rest = own.get("rest")
        if isinstance(rest, Mapping):
            item |= rest
        give_back(item, own.get("kept"))
        written.append(in_order(item, own.get("order")))
    return written


def _recall(raw: Json, ids: set[str] | None) -> Json:
    """The last recall result; `ids` are the nodes of the file where those changed since the import."""
    if not isinstance(raw, list) or ids is None:
        return raw
    return [item for item in raw if not isinstance(item, str) or item in ids]


def _note_losses(memories: Sequence[Memory], bundle: FolderBundle, problems: Problems) -> None:
    """Name what the format has no place for."""
    for memory in memories:
        if bundle.tags[memory.pk].has_triple:
            problems.add("export.problem.tag_groups", memory.id, severity=INFO)
        if bundle.aliases.get(memory.pk):
            problems.add("export.problem.aliases", memory.id, severity=INFO)
    trashed = len(bundle.memories) - len(memories)
    if trashed:
        problems.add("export.problem.trashed", severity=INFO, trashed=trashed)
