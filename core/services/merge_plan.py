"""What a merge would make, to be looked at before; and what was merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.domain.commands import Unset
from core.domain.commands_merge import MergeMemories
from core.domain.edge import Edge, lives
from core.domain.errors import Invalid
from core.domain.folder import Folder
from core.domain.ids import MemoryPk, RelationId
from core.domain.memory import Memory
from core.domain.queries_merge import (
    MergedMemory,
    MergeMember,
    MergePlan,
    MergesOf,
    PlanMerge,
    RelationChange,
    RelationFate,
)
from core.ports.clock import system_clock
from core.ports.store import Reader
from core.services.content import is_empty
from core.services.edge_views import edge_views
from core.services.lookup import check_not_trashed, states_of
from core.services.merge import chosen, members_of, result_of
from core.services.merge_values import Member, narrower

_COMPARED = ("type", "folder", "layer", "importance")


def plan(reader: Reader, query: PlanMerge) -> MergePlan:
    """The plan. Errors: NotFound, Invalid."""
    command = query.command
    pks = chosen(reader, command.survivor, command.losers)
    check_not_trashed(states_of(reader, pks))
    members = members_of(reader, pks)
    open_audience = isinstance(command.visibility, Unset) and _audience_open(members)
    if open_audience:
        command = replace(command, visibility=members[0].memory.visibility)
    result = result_of(reader, members, command)
    folders = {
        folder.pk: folder.name for folder in reader.records(Folder, {m.memory.folder for m in members})
    }
    columns = result.columns
    return MergePlan(
        members=tuple(
            MergeMember(member.memory, folders.get(member.memory.folder, ""), member.tags, member.aliases)
            for member in members
        ),
        title=columns["title"],
        body=columns["body"],
        fields=columns["fields"],
        type=columns["type"],
        importance=columns["importance"],
        activation_count=columns["activation_count"],
        visibility=columns["visibility"],
        audience_open=open_audience,
        tags=result.tags,
        aliases=result.aliases,
        conflicts=conflicts([member.memory for member in members]),
        relations=_relations(reader, pks),
        children=len([pk for pk in reader.children_of(pks[1:]) if pk not in pks]),
        locked=tuple(member.memory.pk for member in members if member.memory.locked),
    )


def _audience_open(members: Sequence[Member]) -> bool:
    try:
        narrower([member.memory for member in members])
    except Invalid:
        return True
    return False


def conflicts(memories: Sequence[Memory]) -> tuple[str, ...]:
    """Columns in which the memories say different things; empty ones say nothing. Columns come by their names."""
    found = []
    for name in dict.fromkeys(name for memory in memories for name in memory.fields):
        values = [memory.fields.get(name) for memory in memories]
        said = [value for value in values if not is_empty(value)]
        if any(value != said[0] for value in said[1:]):
            found.append(name)
    texts = [name for name in ("title", "body") if len({t for m in memories if (t := getattr(m, name))}) > 1]
    places = [name for name in _COMPARED if len({getattr(m, name) for m in memories}) > 1]
    return (*texts, *found, *places)


def _relations(reader: Reader, pks: Sequence[MemoryPk]) -> tuple[RelationChange, ...]:
    survivor, losers = pks[0], set(pks[1:])
    now = system_clock()
    edges = reader.edges_touching(pks)
    own = {_key(e, losers, survivor) for e in edges if not losers & {e.source, e.target} and lives(e, now)}
    fates = []
    for edge in edges:
        key = _key(edge, losers, survivor)
        if not losers & {edge.source, edge.target}:
            fates.append(RelationFate.STAYS)
        elif key[0] == key[1]:
            fates.append(RelationFate.DROPS)
        elif lives(edge, now) and key in own:
            fates.append(RelationFate.JOINS)
        else:
            fates.append(RelationFate.MOVES)
            if lives(edge, now):
                own.add(key)
    views = edge_views(reader, edges)
    return tuple(RelationChange(view, fate) for view, fate in zip(views, fates, strict=True))


def _key(edge: Edge, losers: set[MemoryPk], survivor: MemoryPk) -> tuple[MemoryPk, MemoryPk, RelationId]:
    source, target = (survivor if end in losers else end for end in (edge.source, edge.target))
    return source, target, edge.relation


def merges_of(reader: Reader, query: MergesOf) -> tuple[MergedMemory, ...]:
    """What went into a memory; a merged memory stands first itself."""
    records = reader.merges(survivors=[query.memory], losers=[query.memory])
    pks = [pk for record in records for pk in (record.loser, record.survivor)]
    titles = {memory.pk: memory.named for memory in reader.records(Memory, sorted(set(pks)))}
    rows = {row.pk: row for row in reader.memory_rows([record.loser for record in records])}
    found = [
        MergedMemory(rows[record.loser], record.created_at, record.survivor, titles.get(record.survivor, ""))
        for record in reversed(records)
        if record.loser in rows
    ]
    return tuple(sorted(found, key=lambda each: each.row.pk != query.memory))


def merge_command(members: Sequence[MemoryPk]) -> MergeMemories:
    """The plainest merge: all into the first."""
    return MergeMemories(survivor=members[0], losers=tuple(members[1:]))
