"""Pairs that a person told apart, and contradictions that a person settled."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.commands_merge import MarkNotDuplicate, SettleContradiction, UnmarkNotDuplicate
from core.domain.edge import Edge, lives
from core.domain.enums import Apart, Kind, Status, StatusReason
from core.domain.errors import Invalid
from core.domain.folder import NotDuplicate
from core.domain.ids import MemoryPk, RelationId, new_edge_id
from core.domain.lifecycle import LifeState, Verb, apply
from core.ports.store import UnitOfWork
from core.services.attributes import label_memories
from core.services.lookup import (
    changeable,
    follow_merged,
    memories_of,
    op_title,
    relation_of,
    states_of,
)
from core.services.outcome import Outcome

CONTRADICTS = RelationId("contradicts")
UPDATES = RelationId("updates")

Pair = tuple[MemoryPk, MemoryPk]


def mark(uow: UnitOfWork, command: MarkNotDuplicate) -> Outcome:
    """Remember. Errors: NotFound, Invalid for a pair of one memory."""
    pairs = _pairs(uow, command.pairs)
    memories = sorted({pk for pair in pairs for pk in pair})
    known = {(each.a, each.b) for each in uow.not_duplicates_of(memories) if each.about is command.about}
    new = [
        NotDuplicate(a=a, b=b, about=command.about, created_at=uow.now)
        for a, b in pairs
        if (a, b) not in known
    ]
    uow.insert(new)
    ended = _end_contradictions(uow, pairs) if command.about is Apart.CONTRADICTION else 0
    label_memories(uow, memories, len(memories))
    return Outcome(changed=len(new), counts={"ended": ended} if ended else {})


def unmark(uow: UnitOfWork, command: UnmarkNotDuplicate) -> Outcome:
    """Forget. Errors: NotFound."""
    pairs = set(_pairs(uow, command.pairs))
    memories = sorted({pk for pair in pairs for pk in pair})
    found = [
        each.pk
        for each in uow.not_duplicates_of(memories)
        if each.about is command.about and (each.a, each.b) in pairs
    ]
    label_memories(uow, memories, len(memories))
    return Outcome(changed=uow.delete(Kind.NOT_DUPLICATE, found))


def _pairs(uow: UnitOfWork, pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs as they are kept: each once, the lower key first, merged memories as their survivors."""
    listed = list(pairs)
    ends = follow_merged(uow, {pk for pair in listed for pk in pair})
    kept = []
    for one, other in listed:
        a, b = sorted((ends[one], ends[other]))
        if a == b:
            raise Invalid("error.merge.one")
        kept.append((a, b))
    return list(dict.fromkeys(kept))


def _end_contradictions(uow: UnitOfWork, pairs: Iterable[Pair]) -> int:
    wanted = {frozenset(pair) for pair in pairs}
    memories = {pk for pair in wanted for pk in pair}
    edges = [
        edge.pk
        for edge in uow.edges_touching(memories)
        if edge.relation == CONTRADICTS
        and frozenset((edge.source, edge.target)) in wanted
        and lives(edge, uow.now)
    ]
    return uow.update(Kind.EDGE, edges, {"invalid_from": uow.now})


def settle(uow: UnitOfWork, command: SettleContradiction) -> Outcome:
    """The other one expires. Errors: see SettleContradiction."""
    ends = follow_merged(uow, [command.keep, command.other])
    keep, other = ends[command.keep], ends[command.other]
    if keep == other:
        raise Invalid("error.merge.one")
    changeable(uow, [keep, other])
    state = states_of(uow, [other])[0]
    after = apply(
        LifeState(state.layer, state.status, state.status_reason), Verb.EXPIRE, reason=StatusReason.BY_HAND
    )
    changed = 0
    if state.status is not Status.EXPIRED:
        changed = uow.update(Kind.MEMORY, [other], {"status": after.status, "status_reason": after.reason})
    _end_contradictions(uow, [(keep, other)])
    there = [e for e in uow.edges_between(keep, other) if e.relation == UPDATES and lives(e, uow.now)]
    if not there:
        relation = relation_of(uow, UPDATES)
        edge = Edge(
            id=new_edge_id(),
            source=keep,
            target=other,
            relation=relation.id,
            inhibits=relation.inhibits,
            created_at=uow.now,
            valid_from=uow.now,
        )
        uow.insert([edge])
    uow.label(count=1, title=op_title(memories_of(uow, [keep])[0]))
    return Outcome(changed=max(changed, 1))
