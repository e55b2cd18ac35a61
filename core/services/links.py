"""The relations that a memory is written with: what it is related to, and who was involved."""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.edge import DEFAULT_RELATION, Edge, lives
from core.domain.enums import Kind
from core.domain.ids import MemoryPk, RelationId, new_edge_id
from core.ports.store import UnitOfWork
from core.services.lookup import check_not_trashed, follow_merged, relation_of, states_of

RELATED = DEFAULT_RELATION
INVOLVED_IN = RelationId("involved_in")


def set_links(
    uow: UnitOfWork, pk: MemoryPk, relation_id: RelationId, targets: Iterable[MemoryPk], *, keep: bool = False
) -> int:
    """Make these the ends of the memory's live relations of that kind; with `keep` the others stay.

    Errors: NotFound (an end), Invalid (one lies in the trash). A memory is never related to itself.
    Returns how many relations were added or removed.
    """
    ends = follow_merged(uow, targets)
    wanted = [end for end in dict.fromkeys(ends.values()) if end != pk]
    check_not_trashed(states_of(uow, wanted))
    there = [
        edge
        for edge in uow.edges_touching([pk])
        if edge.source == pk and edge.relation == relation_id and lives(edge, uow.now)
    ]
    known = {edge.target for edge in there}
    relation = relation_of(uow, relation_id)
    made = [
        Edge(
            id=new_edge_id(),
            source=pk,
            target=target,
            relation=relation.id,
            inhibits=relation.inhibits,
            created_at=uow.now,
            valid_from=uow.now,
        )
        for target in wanted
        if target not in known
    ]
    if made:
        uow.insert(made)
    gone = [] if keep else [edge.pk for edge in there if edge.target not in wanted]
    return len(made) + (uow.delete(Kind.EDGE, gone) if gone else 0)
