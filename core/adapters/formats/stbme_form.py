"""The form in which ST-BME writes nodes and edges, made from our records (spec/STBME §1.2, §1.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.adapters.formats.stbme_columns import Columns, join_fields
from core.adapters.formats.values import epoch_ms, shortest
from core.domain.enums import Status
from core.domain.json_types import Json, JsonObject

EXTRA_KEY = "stbme"
"""Where our records keep what only this format has (`Memory.extra`, `Edge.extra`, `Folder.extra`)."""
INHIBITS = 255


class NodeLike(Protocol):
    """What a planned and a stored memory have in common, as far as a node shows it."""

    @property
    def type(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def fields(self) -> JsonObject: ...
    @property
    def importance(self) -> float: ...
    @property
    def activation_count(self) -> int: ...
    @property
    def last_activated_at(self) -> datetime | None: ...
    @property
    def seq(self) -> int | None: ...
    @property
    def seq_start(self) -> int | None: ...
    @property
    def seq_end(self) -> int | None: ...
    @property
    def level(self) -> int: ...
    @property
    def visibility(self) -> tuple[str, ...]: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def updated_at(self) -> datetime: ...


class EdgeLike(Protocol):
    """What a planned and a stored edge have in common, as far as a graph shows it."""

    @property
    def relation(self) -> str: ...
    @property
    def strength(self) -> float: ...
    @property
    def inhibits(self) -> bool: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def valid_from(self) -> datetime | None: ...
    @property
    def invalid_from(self) -> datetime | None: ...
    @property
    def expired_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a node stands among the others, in ids of the file."""

    id: str
    parent: str | None = None
    children: tuple[str, ...] = ()
    previous: str | None = None
    next: str | None = None


def columns_for(type_id: str, extra: JsonObject, columns: Mapping[str, Columns]) -> Columns:
    """Columns of a memory's type; of an unknown type those that were found at import."""
    known = columns.get(type_id)
    if known is not None:
        return known
    guessed = extra.get("columns")
    if isinstance(guessed, Sequence) and not isinstance(guessed, str) and len(guessed) == 2:
        return Columns(str(guessed[0]), str(guessed[1]))
    return Columns()


def node_of(
    memory: NodeLike, place: Place, tags: Iterable[str], columns: Columns, *, updated: bool
) -> dict[str, Json]:
    """A node, keys in the original's order. `updated`: with `updatedAt`, as newer versions write it."""
    seq = memory.seq or 0
    start = memory.seq_start if memory.seq_start is not None else seq
    end = memory.seq_end if memory.seq_end is not None else seq
    node: dict[str, Json] = {
        "id": place.id,
        "type": memory.type,
        "level": memory.level,
        "parentId": place.parent,
        "childIds": list(place.children),
        "seq": seq,
        "seqRange": [start, end],
        "archived": memory.status is not Status.ACTIVE,
        "fields": join_fields(memory.title, memory.body, memory.fields, memory.visibility, columns),
        "embedding": None,
        "importance": shortest(memory.importance),
        "accessCount": memory.activation_count,
        "lastAccessTime": epoch_ms(memory.last_activated_at or memory.created_at),
        "createdTime": epoch_ms(memory.created_at),
        "prevId": place.previous,
        "nextId": place.next,
        "clusters": list(tags),
    }
    if updated:
        node["updatedAt"] = epoch_ms(memory.updated_at)
    return node


def edge_of(edge: EdgeLike, edge_id: str, source: str, target: str) -> dict[str, Json]:
    """An edge, keys in the original's order."""
    return {
        "id": edge_id,
        "fromId": source,
        "toId": target,
        "relation": edge.relation,
        "strength": shortest(edge.strength),
        "edgeType": INHIBITS if edge.inhibits else 0,
        "createdTime": epoch_ms(edge.created_at),
        "validAt": epoch_ms(edge.valid_from or edge.created_at),
        "invalidAt": None if edge.invalid_from is None else epoch_ms(edge.invalid_from),
        "expiredAt": None if edge.expired_at is None else epoch_ms(edge.expired_at),
    }


def time_lists(nodes: Iterable[tuple[str, NodeLike]]) -> dict[str, tuple[str | None, str | None]]:
    """(previous, next) of every node: each is linked behind the newest of its type that was there before it.

    "Newest" is the highest floor, the later one of equals, among nodes of level 0 (spec/STBME §1.4).
    """
    newest: dict[str, tuple[int, str]] = {}
    previous: dict[str, str | None] = {}
    following: dict[str, str] = {}
    for node_id, node in nodes:
        before = newest.get(node.type)
        previous[node_id] = before[1] if before else None
        if before:
            following[before[1]] = node_id
        seq = node.seq or 0
        if node.level == 0 and (before is None or seq >= before[0]):
            newest[node.type] = (seq, node_id)
    return {node_id: (found, following.get(node_id)) for node_id, found in previous.items()}


def set_mark(ids: Iterable[str]) -> str:
    """A digest of a set of node ids: equal as long as no node came or went."""
    return hashlib.sha256("\n".join(sorted(ids)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def own_extra(extra: JsonObject) -> Mapping[str, Json]:
    """What this format kept in the `extra` of a record."""
    found = extra.get(EXTRA_KEY)
    return found if isinstance(found, Mapping) else {}
