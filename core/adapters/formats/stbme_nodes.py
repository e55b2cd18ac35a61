"""Nodes of an ST-BME graph as planned memories; every fault is put right and noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import NamedTuple

from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.scope import clean_scope
from core.adapters.formats.stbme_columns import VISIBILITY, all_columns, guess_columns, split_fields
from core.adapters.formats.values import clamped, moment, names, text, whole
from core.domain.enums import Status, StatusReason
from core.domain.ids import TypeId
from core.domain.json_types import Json
from core.domain.memory import DEFAULT_IMPORTANCE, IMPORTANCE_RANGE, TagSet
from core.domain.schema import Schema
from core.domain.transfer import PlannedMemory

MS = 0.001
_UNTYPED = "event"


@dataclass(slots=True, kw_only=True)
class ReadNode:
    """A node on its way in. `repaired` are the keys whose raw value is not written back."""

    memory: PlannedMemory
    raw: dict[str, Json]
    repaired: set[str] = field(default_factory=set)
    columns: tuple[str, str] | None = None


class _Text(NamedTuple):
    """What a node says: its type and words. `guessed` = the columns found in a node of an unknown type."""

    type: TypeId
    title: str
    body: str
    fields: dict[str, Json]
    visibility: tuple[str, ...]
    guessed: tuple[str, str] | None


class _Numbers(NamedTuple):
    importance: float
    accesses: int
    level: int
    seq: int
    start: int
    end: int


class _Times(NamedTuple):
    created: datetime
    updated: datetime
    used: datetime | None


class NodeReader:
    """Reads the nodes of one graph."""

    def __init__(self, schema: Schema, folder: str, fallback_time: datetime, problems: Problems) -> None:
        self._columns = all_columns(schema)
        self._folder = folder
        self._fallback_time = fallback_time
        self._problems = problems

    def read(self, raw_nodes: Sequence[Json]) -> list[ReadNode]:
        """All nodes that are one, in storage order; ids are unique, parents exist and make no circle."""
        nodes: list[ReadNode] = []
        by_id: dict[str, ReadNode] = {}
        for index, raw in enumerate(raw_nodes):
            if not isinstance(raw, dict):
                self._problems.add("import.problem.node_not_object", f"#{index}")
                continue
            node = self._node(raw, index)
            twin = by_id.get(node.memory.foreign_id or "")
            if twin is not None:
                if twin.raw == raw:
                    self._problems.add("import.problem.node_twice", twin.memory.key)
                    continue
                self._problems.add("import.problem.id_twice", twin.memory.key)
                key = f"{node.memory.key}#{index}"
                node.memory = replace(node.memory, key=key, foreign_id=None)
                node.repaired.add("id")
            by_id[node.memory.key] = node
            nodes.append(node)
        self._settle_parents(nodes, by_id)
        return nodes

    def _node(self, raw: dict[str, Json], index: int) -> ReadNode:
        node_id = text(raw.get("id")).strip()
        key = node_id or f"#{index}"
        repaired: set[str] = set()
        if not node_id:
            self._problems.add("import.problem.node_without_id", key)
            repaired.add("id")
        said = self._text(raw, key, repaired)
        numbers = self._numbers(raw, key, repaired)
        times = self._times(raw, key, numbers.accesses, repaired)
        archived = _true(raw.get("archived"))
        memory = PlannedMemory(
            key=key,
            folder=self._folder,
            foreign_id=node_id or None,
            type=said.type,
            status=Status.ARCHIVED if archived else Status.ACTIVE,
            status_reason=StatusReason.IMPORTED if archived else None,
            title=said.title,
            body=said.body,
            fields=said.fields,
            visibility=said.visibility,
            importance=numbers.importance,
            activation_count=numbers.accesses,
            level=numbers.level,
            seq=numbers.seq,
            seq_start=numbers.start,
            seq_end=numbers.end,
            created_at=times.created,
            updated_at=times.updated,
            last_activated_at=times.used,
            tags=TagSet(general=_clusters(raw.get("clusters"))),
        )
        return ReadNode(memory=memory, raw=raw, repaired=repaired, columns=said.guessed)

    def _text(self, raw: Mapping[str, Json], key: str, repaired: set[str]) -> _Text:
        type_id = text(raw.get("type")).strip()
        if not type_id:
            self._problems.add("import.problem.node_without_type", key)
            type_id = _UNTYPED
        raw_fields = raw.get("fields")
        if raw_fields is not None and not isinstance(raw_fields, dict):
            self._problems.add("import.problem.bad_fields", key)
            raw_fields = {"summary": text(raw_fields)} if text(raw_fields) else {}
            repaired.add("fields")
        fields = raw_fields or {}
        columns, guessed = self._columns.get(type_id), None
        if columns is None:
            self._problems.add("import.problem.unknown_type", key, severity=INFO)
            columns = guess_columns(fields)
            guessed = (columns.title, columns.body)
        title, body, rest = split_fields(fields, columns)
        seen_by = fields.get(VISIBILITY)
        if seen_by is not None and not isinstance(seen_by, str | list):
            self._problems.add("import.problem.bad_visibility", key)
        return _Text(TypeId(type_id), title, body, rest, names(seen_by), guessed)

    def _numbers(self, raw: Mapping[str, Json], key: str, repaired: set[str]) -> _Numbers:
        importance = clamped(raw.get("importance"), *IMPORTANCE_RANGE, DEFAULT_IMPORTANCE)
        accesses, level = whole(raw.get("accessCount")), whole(raw.get("level"))
        seq = whole(raw.get("seq"))
        start, end, bad_range = _seq_range(raw.get("seqRange"), seq.value)
        for name, column, bad in (
            ("importance", "importance", importance.repaired),
            ("access_count", "accessCount", accesses.repaired),
            ("level", "level", level.repaired),
            ("seq", "seq", seq.repaired),
            ("seq_range", "seqRange", bad_range),
        ):
            if bad and column in raw:
                repaired.add(column)
                self._problems.add(f"import.problem.bad_{name}", key)
        return _Numbers(importance.value, accesses.value, level.value, seq.value, start, end)

    def _times(self, raw: Mapping[str, Json], key: str, accesses: int, repaired: set[str]) -> _Times:
        created, used = moment(raw.get("createdTime"), MS), moment(raw.get("lastAccessTime"), MS)
        updated = moment(raw.get("updatedAt"), MS)
        for column, time in (("createdTime", created), ("lastAccessTime", used), ("updatedAt", updated)):
            if time.repaired:
                repaired.add(column)
                self._problems.add("import.problem.bad_time", key)
        created_at = created.value or updated.value or used.value or self._fallback_time
        recalled = accesses > 0 or used.value not in (None, created_at)
        return _Times(created_at, updated.value or created_at, used.value if recalled else None)

    def _settle_parents(self, nodes: Sequence[ReadNode], by_id: Mapping[str, ReadNode]) -> None:
        parents = {node.memory.key: self._parent(node, by_id) for node in nodes}
        circles = _in_circles(parents)
        for node in nodes:
            key = node.memory.key
            if key in circles:
                self._problems.add("import.problem.parent_circle", key)
                node.repaired.add("parentId")
                continue
            if parent := parents[key]:
                node.memory = replace(node.memory, parent=parent)
                if node.memory.status is Status.ARCHIVED:
                    node.memory = replace(node.memory, status_reason=StatusReason.COMPRESSED)

    def _parent(self, node: ReadNode, by_id: Mapping[str, ReadNode]) -> str | None:
        parent = text(node.raw.get("parentId")).strip()
        if parent and parent not in by_id:
            self._problems.add("import.problem.parent_missing", node.memory.key)
            node.repaired.add("parentId")
            return None
        return parent or None


def _true(raw: Json) -> bool:
    return raw.strip().lower() in ("true", "1") if isinstance(raw, str) else bool(raw)


def _in_circles(parents: Mapping[str, str | None]) -> set[str]:
    """The keys from which following the parents leads back to themselves. Cost: O(n)."""
    found: set[str] = set()
    done: set[str] = set()
    for key in parents:
        way: dict[str, None] = {}
        above: str | None = key
        while above is not None and above not in done and above not in way:
            way[above] = None
            above = parents.get(above)
        if above in way:
            walked = list(way)
            found.update(walked[walked.index(above) :])
        done.update(way)
    return found


def _seq_range(raw: Json, seq: int) -> tuple[int, int, bool]:
    if not isinstance(raw, list) or len(raw) < 2:
        return seq, seq, raw is not None
    start, end = whole(raw[0], seq, None), whole(raw[1], seq, None)
    low, high = sorted((start.value, end.value))
    return low, high, start.repaired or end.repaired or low != start.value


def _clusters(raw: Json) -> tuple[str, ...]:
    if isinstance(raw, str):
        return names(raw)
    if not isinstance(raw, list):
        return ()
    return tuple(dict.fromkeys(tag for item in raw if (tag := text(item).strip())))


def earliest_time(raw_nodes: Sequence[Json], fallback: datetime) -> datetime:
    """The earliest time of creation in the graph: stands in where a node has none, the same at every import."""
    times = (moment(raw.get("createdTime"), MS).value for raw in raw_nodes if isinstance(raw, dict))
    return min((time for time in times if time), default=fallback.astimezone(UTC))


def extra_of(node: ReadNode) -> dict[str, Json]:
    """The cleaned scope of a node, beside what the format keeps."""
    scope = clean_scope(node.raw.get("scope"))
    return {"scope": scope} if scope else {}
