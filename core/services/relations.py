"""Relations between memories: add, edit, end, remove."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from core.domain.commands import Unset
from core.domain.commands_graph import AddEdge, EditEdge, EndEdges, RemoveEdges
from core.domain.edge import Edge, lives
from core.domain.enums import Kind
from core.domain.errors import Invalid, NotFound
from core.domain.ids import EdgePk, MemoryPk, RelationId, new_edge_id
from core.domain.memory import Memory
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import (
    CHUNK,
    check_not_trashed,
    edge_of,
    follow_merged,
    op_title,
    relation_of,
    states_of,
)
from core.services.outcome import Outcome


def add(uow: UnitOfWork, command: AddEdge) -> Outcome:
    """A new relation, or the live one of the same ends and kind made as strong (spec/STBME §1.4).

    Errors: NotFound (an end), Invalid (itself, trash, unknown relation, strength).
    """
    relation = relation_of(uow, command.relation)
    strength = _checked_strength(command.strength)
    ends = follow_merged(uow, [command.source, command.target])
    source, target = ends[command.source], ends[command.target]
    if source == target:
        raise Invalid("error.edge.self")
    check_not_trashed(states_of(uow, [source, target]))
    _label(uow, source)
    same = _live_between(uow, source, target, relation.id)
    if same is not None:
        changed = uow.update(Kind.EDGE, [same.pk], {"strength": max(same.strength, strength)})
        return Outcome(changed=changed, created_edge=same.pk, counts={"strengthened": 1})
    edge = Edge(
        id=new_edge_id(),
        source=source,
        target=target,
        relation=relation.id,
        strength=strength,
        inhibits=relation.inhibits,
        created_at=uow.now,
        valid_from=command.valid_from or uow.now,
        from_seq=_checked_floor(command.from_seq),
    )
    return Outcome(changed=1, created_edge=EdgePk(uow.insert([edge])[0]))


def edit(uow: UnitOfWork, command: EditEdge) -> Outcome:
    """Change or reverse a relation. Errors: NotFound, Invalid (values, or the same one exists already)."""
    edge = edge_of(uow, command.edge)
    values: dict[str, Any] = {}
    if not isinstance(command.relation, Unset):
        relation = relation_of(uow, command.relation)
        values |= {"relation": relation.id, "inhibits": relation.inhibits}
    if not isinstance(command.strength, Unset):
        values["strength"] = _checked_strength(command.strength)
    if command.reverse:
        values |= {"source": edge.target, "target": edge.source}
    values |= _times_and_floors(command)
    after = replace(edge, **values)
    _check_order(after.valid_from, after.invalid_from)
    if lives(after, uow.now) and (_sameness(after) != _sameness(edge) or not lives(edge, uow.now)):
        same = _live_between(uow, after.source, after.target, after.relation)
        if same is not None and same.pk != edge.pk:
            raise Invalid("error.edge.exists")
    changed = uow.update(Kind.EDGE, [edge.pk], values) if values else 0
    _label(uow, after.source)
    return Outcome(changed=changed)


def _sameness(edge: Edge) -> tuple[MemoryPk, MemoryPk, RelationId]:
    return edge.source, edge.target, edge.relation


def _times_and_floors(command: EditEdge) -> dict[str, object]:
    names = ("valid_from", "invalid_from", "from_seq", "ended_seq")
    values = {name: value for name in names if not isinstance(value := getattr(command, name), Unset)}
    for name in ("from_seq", "ended_seq"):
        _checked_floor(values.get(name))
    return values


def end(uow: UnitOfWork, command: EndEdges) -> Outcome:
    """End relations at a time; those that have ended by then are left alone.

    Errors: NotFound, Invalid when one would end before it begins.
    """
    at = command.at or uow.now
    _checked_floor(command.seq)
    edges = [edge for edge in _all(uow, command.edges) if lives(edge, at) or _begins_later(edge, at)]
    for edge in edges:
        _check_order(edge.valid_from, at)
    values: dict[str, object] = {"invalid_from": at}
    if command.seq is not None:
        values["ended_seq"] = command.seq
    changed = _in_chunks(uow, [edge.pk for edge in edges], values)
    uow.label(count=changed)
    return Outcome(changed=changed)


def _begins_later(edge: Edge, at: datetime) -> bool:
    return edge.valid_from is not None and edge.valid_from > at


def _in_chunks(uow: UnitOfWork, pks: list[EdgePk], values: dict[str, object]) -> int:
    changed = 0
    for start in range(0, len(pks), CHUNK):
        changed += uow.update(Kind.EDGE, pks[start : start + CHUNK], values)
        uow.checkpoint(start, len(pks))
    return changed


def remove(uow: UnitOfWork, command: RemoveEdges) -> Outcome:
    """Remove relations as if they had never been. Errors: NotFound."""
    pks = [edge.pk for edge in _all(uow, command.edges)]
    removed = 0
    for start in range(0, len(pks), CHUNK):
        removed += uow.delete(Kind.EDGE, pks[start : start + CHUNK])
        uow.checkpoint(start, len(pks))
    uow.label(count=removed)
    return Outcome(changed=removed)


def _all(reader: Reader, pks: Iterable[EdgePk]) -> list[Edge]:
    wanted = list(dict.fromkeys(pks))
    found = reader.records(Edge, wanted)
    if len(found) < len(wanted):
        raise NotFound("error.edge.missing", count=len(wanted) - len(found))
    return found


def _live_between(uow: UnitOfWork, source: MemoryPk, target: MemoryPk, relation: RelationId) -> Edge | None:
    return next(
        (
            edge
            for edge in uow.edges_between(source, target)
            if edge.relation == relation and lives(edge, uow.now)
        ),
        None,
    )


def _checked_strength(value: float) -> float:
    if not math.isfinite(value) or not 0 <= value <= 1:
        raise Invalid("error.edge.strength")
    return float(value)


def _checked_floor(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or value < 0:
        raise Invalid("error.memory.floor_negative")
    return value


def _check_order(valid_from: datetime | None, until: datetime | None) -> None:
    if valid_from is not None and until is not None and until < valid_from:
        raise Invalid("error.edge.times")


def _label(uow: UnitOfWork, source: MemoryPk) -> None:
    titles = {memory.pk: op_title(memory) for memory in uow.records(Memory, [source])}
    uow.label(count=1, title=titles.get(source, ""))
