"""Edges of an ST-BME graph as planned edges: broken ones left out and named, doubles joined."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.adapters.formats.kept import mark
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.scope import clean_scope
from core.adapters.formats.stbme_form import INHIBITS
from core.adapters.formats.stbme_nodes import MS
from core.adapters.formats.values import EPOCH, Read, clamped, moment, number, text
from core.domain.edge import DEFAULT_RELATION, DEFAULT_STRENGTH
from core.domain.ids import RelationId
from core.domain.json_types import Json
from core.domain.schema import Schema
from core.domain.transfer import PlannedEdge, PlannedMemory

DANGLING = "import.problem.edge_dangling"
SELF = "import.problem.edge_self"
HALF = "import.problem.edge_half"
MERGED = "import.problem.edge_merged"
_TIMES = ("createdTime", "validAt", "invalidAt", "expiredAt")
_FIRST_DATE_S = 86_400.0 * 365
_ENDS = frozenset({"invalidAt", "expiredAt"})
REJECTIONS = (DANGLING, SELF, HALF)


@dataclass(slots=True, kw_only=True)
class ReadEdge:
    """An edge on its way in. `repaired` are the keys whose raw value is not written back."""

    edge: PlannedEdge
    name: str
    raw: dict[str, Json]
    repaired: set[str] = field(default_factory=set)
    joined: list[str] = field(default_factory=list)


class EdgeReader:
    """Reads the edges of one graph."""

    def __init__(self, schema: Schema, memories: Mapping[str, PlannedMemory], problems: Problems) -> None:
        self._schema = schema
        self._memories = memories
        self._problems = problems

    def read(self, raw_edges: Sequence[Json]) -> list[ReadEdge]:
        """All edges that stand, in storage order."""
        edges: list[ReadEdge] = []
        current: dict[tuple[str, str, str, str], ReadEdge] = {}
        ids: set[str] = set()
        for index, raw in enumerate(raw_edges):
            if not isinstance(raw, dict):
                self._problems.add(HALF, f"#{index}")
                continue
            edge = self._edge(raw, index, ids)
            if edge is None:
                continue
            planned = edge.edge
            if planned.invalid_from is None and planned.expired_at is None:
                key = (
                    planned.source,
                    planned.target,
                    _relation_text(raw),
                    mark(clean_scope(raw.get("scope"))),
                )
                first = current.setdefault(key, edge)
                if first is not edge:
                    self._join(first, edge)
                    continue
            ids.add(edge.edge.foreign_id or "")
            edges.append(edge)
        return edges

    def _edge(self, raw: dict[str, Json], index: int, ids: Collection[str]) -> ReadEdge | None:
        edge_id = text(raw.get("id")).strip()
        name = edge_id or f"#{index}"
        source, target = text(raw.get("fromId")).strip(), text(raw.get("toId")).strip()
        if not source or not target:
            self._problems.add(HALF, name)
            return None
        if source == target:
            self._problems.add(SELF, name)
            return None
        if source not in self._memories or target not in self._memories:
            self._problems.add(DANGLING, name)
            return None
        repaired: set[str] = set()
        if taken := not edge_id or edge_id in ids:
            self._problems.add("import.problem.edge_id", name)
            repaired.add("id")
        times = self._times(raw, name, repaired)
        created = times[0] or times[1] or self._memories[source].created_at
        edge = PlannedEdge(
            foreign_id=None if taken else edge_id,
            source=source,
            target=target,
            relation=self._relation(raw, name),
            strength=self._strength(raw, name, repaired),
            inhibits=number(raw.get("edgeType")) == INHIBITS,
            created_at=created,
            valid_from=times[1] or created,
            invalid_from=times[2],
            expired_at=times[3],
        )
        return ReadEdge(edge=edge, name=name, raw=raw, repaired=repaired)

    def _relation(self, raw: Mapping[str, Json], name: str) -> RelationId:
        found = _relation_text(raw)
        if self._schema.relation(found) is not None:
            return RelationId(found)
        tidy = re.sub(r"[\s-]+", "_", found.strip().lower())
        if self._schema.relation(tidy) is not None:
            return RelationId(tidy)
        if found:
            self._problems.add("import.problem.unknown_relation", name, severity=INFO)
        return DEFAULT_RELATION

    def _strength(self, raw: Mapping[str, Json], name: str, repaired: set[str]) -> float:
        strength = clamped(raw.get("strength"), 0.0, 1.0, DEFAULT_STRENGTH)
        if strength.repaired and "strength" in raw:
            repaired.add("strength")
            self._problems.add("import.problem.bad_strength", name)
        return strength.value

    def _times(self, raw: Mapping[str, Json], name: str, repaired: set[str]) -> list[datetime | None]:
        """createdTime, validAt, invalidAt, expiredAt."""
        times = []
        for key in _TIMES:
            time = moment(raw.get(key), MS)
            if key in _ENDS and time.value is None and (end := _long_ago(raw.get(key))) is not None:
                time = end
            elif time.repaired:
                repaired.add(key)
                self._problems.add("import.problem.bad_time", name)
            times.append(time.value)
        return times

    def _join(self, first: ReadEdge, double: ReadEdge) -> None:
        """Join a double of a current edge: the larger strength, the earlier start (the original took the later)."""
        starts = [edge.valid_from for edge in (first.edge, double.edge) if edge.valid_from is not None]
        first.edge = replace(
            first.edge,
            strength=max(first.edge.strength, double.edge.strength),
            created_at=min(first.edge.created_at, double.edge.created_at),
            valid_from=min(starts, default=None),
            inhibits=first.edge.inhibits or double.edge.inhibits,
        )
        first.repaired |= {"strength", "createdTime", "validAt", "edgeType"}
        first.joined.append(double.name)
        self._problems.add(MERGED, double.name)
        self._problems.append(MERGED, "pairs", [double.name, first.name])


def _relation_text(raw: Mapping[str, Json]) -> str:
    return text(raw.get("relation")) or DEFAULT_RELATION


def _long_ago(raw: Json) -> Read[datetime | None] | None:
    """An end that is no date but lies before every date (`invalidAt: 1`): the relation has ended (the live rule)."""
    value = number(int(raw) if isinstance(raw, bool) else raw)
    if not value or value * MS >= _FIRST_DATE_S:
        return None
    exact = not isinstance(raw, str | bool) and value > 0 and value == int(value)
    return Read(EPOCH + timedelta(milliseconds=max(0.0, value)), repaired=not exact)
