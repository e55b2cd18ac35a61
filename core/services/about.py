"""Everything about a name (UI.md): who bears it, its condition by floor, events, relations, and who names it.

A text counts as it would be injected: the columns of its type (core.services.inject.cells).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from core.algos.changes import EMPTY, JOINT
from core.algos.js_values import text as shown_text
from core.algos.mentions import folded_names, folded_text, holds_name
from core.domain.about import About, Condition, FoundRows, RelationGroup
from core.domain.edge import Edge, EdgeEnds
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json, canonical
from core.domain.memory import Memory
from core.domain.queries_sayings import EverythingAbout
from core.domain.sayings import SaidChange
from core.domain.schema import ColumnRole, Schema
from core.ports.clock import system_clock
from core.ports.store import Reader
from core.services.edge_views import edge_views
from core.services.inject.cells import shown_cells
from core.services.inject.sections import is_update_event
from core.services.lookup import folder_of, follow_merged, memory_of
from core.services.old_texts import read_together

EVENT, UPDATES = TypeId("event"), RelationId("updates")
MOST_LOOKED_AT = 500
"""So many texts are looked through one by one, or as many as are to be listed; then the word index is believed."""
MOST_CHANGES = 300
_FIRST_TYPES = ("character", "person", "location", "place", "asset", "thread")
_UPDATE = re.compile(r"\s*\S{1,80} 状态更新：(.*)", re.DOTALL)
_STEP = re.compile(r"\s*([^:：]{1,80}): (.*?) -> (.*)", re.DOTALL)


def about(reader: Reader, query: EverythingAbout) -> About:
    """See EverythingAbout."""
    memory, bearers, scope = _subject(reader, query)
    names = _names(reader, query.name, memory)
    folder_name = "" if memory is None else folder_of(reader, memory.folder).name
    candidates = [] if not names else reader.pks_naming(names, scope)
    own = {pk for pk in bearers if memory is not None and pk == memory.pk}
    others = [pk for pk in candidates if pk not in own]
    now = system_clock()
    edges = [] if memory is None else reader.edge_ends(memory.pk, now)
    schema = reader.schema()
    changes = [] if memory is None else reader.said_changes(memory.pk, MOST_CHANGES)
    updates = [] if memory is None else _update_events(reader, memory.pk, edges)
    near = {edge.target if edge.source in own else edge.source for edge in edges} - own
    return About(
        name=query.name.strip() or ("" if memory is None else memory.shown_title),
        memory=memory,
        folder_name=folder_name,
        bearers=tuple(reader.memory_rows(bearers)),
        names=tuple(names),
        former=_former(changes, names),
        condition=tuple(_condition(schema, memory, changes, updates)),
        events=_events(reader, schema, names, near, scope, query.limit),
        relations=_relations(reader, edges, now, query.limit),
        mentions=_mentions(reader, schema, names, others, query.limit),
    )


# --- who it is -----------------------------------------------------------------------------


def _subject(
    reader: Reader, query: EverythingAbout
) -> tuple[Memory | None, list[MemoryPk], frozenset[FolderPk] | None]:
    """The memory, all who bear its name (it first), and the folders that are looked through (None = all)."""
    if query.memory is not None:
        memory = memory_of(reader, follow_merged(reader, [query.memory])[query.memory])
        scope = _scope(reader, query, memory.folder)
        called = reader.pks_called([memory.title], scope) if memory.title else []
        return memory, [memory.pk, *(pk for pk in called if pk != memory.pk)], scope
    if not folded_names([query.name]):
        raise Invalid("error.about.no_name")
    scope = _scope(reader, query, None)
    called = reader.pks_called([query.name], scope)
    if not called:
        return None, [], scope
    ranked = sorted(reader.records(Memory, called), key=_rank)
    return ranked[0], [memory.pk for memory in ranked], scope


def _scope(reader: Reader, query: EverythingAbout, own: FolderPk | None) -> frozenset[FolderPk] | None:
    folder = own if query.folder is None else folder_of(reader, query.folder).pk
    return None if folder is None or query.everywhere else read_together(reader, folder)


def _rank(memory: Memory) -> tuple[bool, int, float, int]:
    """Those in use first, characters and places before events, important and old ones first."""
    place = _FIRST_TYPES.index(memory.type) if memory.type in _FIRST_TYPES else len(_FIRST_TYPES)
    return memory.status.value != "active", place, -memory.importance, memory.pk


def _names(reader: Reader, name: str, memory: Memory | None) -> list[str]:
    """The names under which texts are looked through, each once."""
    given = [name.strip()]
    if memory is not None:
        aliases = reader.aliases_of([memory.pk]).get(memory.pk, ())
        given += [memory.title, *(alias.value for alias in aliases)]
        given = [*given[1:], given[0]]
    seen: dict[str, str] = {}
    for each in given:
        for folded in folded_names([each]):
            seen.setdefault(folded, each)
    return list(seen.values())


def _former(changes: Sequence[SaidChange], names: Sequence[str]) -> tuple[str, ...]:
    own = set(folded_names(names))
    titles = (change.title_before for change in changes if change.title_before)
    return tuple(dict.fromkeys(title for title in titles if own.isdisjoint(folded_names([title]))))


# --- its condition -------------------------------------------------------------------------


def _update_events(reader: Reader, pk: MemoryPk, edges: Sequence[EdgeEnds]) -> list[Memory]:
    """Events that were written by themselves when it changed."""
    sources = [edge.source for edge in edges if edge.relation == UPDATES and edge.target == pk]
    found = reader.records(Memory, dict.fromkeys(sources))
    return [memory for memory in found if memory.deleted_at is None and is_update_event(memory)]


def _condition(
    schema: Schema, memory: Memory | None, changes: Sequence[SaidChange], updates: Sequence[Memory]
) -> list[Condition]:
    """Changes of state by floor; the record of a change and the change itself are one."""
    if memory is None:
        return []
    recorded = [step for event in updates for step in _steps(event)]
    known = {(step.column, step.before, step.after): at for at, step in enumerate(recorded)}
    found = list(recorded)
    for change in reversed(changes):
        for step in _differences(schema, memory, change):
            at = known.get((step.column, _said(step.before), _said(step.after)))
            if at is None:
                found.append(step)
            else:
                found[at] = Condition(
                    column=step.column,
                    before=step.before,
                    after=step.after,
                    at=recorded[at].at,
                    floor=recorded[at].floor,
                    event=recorded[at].event,
                    op=step.op,
                )
    return sorted(found, key=lambda step: (step.floor is None, step.floor or 0, step.at))


def _said(value: str) -> str:
    return value or EMPTY


def _steps(event: Memory) -> Iterator[Condition]:
    """`column: before -> after`, joined by a full-width semicolon (core.algos.changes)."""
    match = _UPDATE.match(event.body)
    for part in match[1].split(JOINT) if match else ():
        if step := _STEP.fullmatch(part):
            yield Condition(
                column=step[1].strip(),
                before=step[2].strip(),
                after=step[3].strip(),
                at=event.created_at,
                floor=event.seq if event.seq is not None else event.seq_end,
                event=event.pk,
            )


def _differences(schema: Schema, memory: Memory, change: SaidChange) -> Iterator[Condition]:
    kind = schema.type(memory.type)
    for role, before, after in (
        (ColumnRole.TITLE, change.title_before, change.title_after),
        (ColumnRole.BODY, change.body_before, change.body_after),
    ):
        column = None if kind is None else kind.column_of(role)
        if after is not None and (before or after):
            name = column.name if column is not None else role.value
            yield _step(name, before or "", after, change)
    old, new = change.fields_before, change.fields_after
    for name in dict.fromkeys([*old, *new]):
        before_value, after_value = _text(old.get(name)), _text(new.get(name))
        if before_value != after_value:
            yield _step(name, before_value, after_value, change)


def _step(column: str, before: str, after: str, change: SaidChange) -> Condition:
    return Condition(
        column=column, before=before, after=after, at=change.at, floor=change.floor, op=change.op
    )


def _text(value: Json) -> str:
    if isinstance(value, Mapping):
        return canonical(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(item) for item in value)
    return "" if value is None else shown_text(value)


# --- what it has to do with ----------------------------------------------------------------


def _events(
    reader: Reader,
    schema: Schema,
    names: Sequence[str],
    near: Collection[MemoryPk],
    scope: frozenset[FolderPk] | None,
    limit: int,
) -> FoundRows:
    """Events that are related to it or name it, in order; the last ones where there are too many."""
    most = max(limit, MOST_LOOKED_AT)
    latest, number = reader.naming_by_floor(names, scope, sorted(near), EVENT, most)
    looked_at = reader.records(Memory, latest)
    folded = folded_names(names)
    related = set(near)
    kept = [
        memory.pk
        for memory in looked_at
        if not is_update_event(memory) and (memory.pk in related or names_it(memory, schema, folded))
    ]
    exact = number <= most
    total = len(kept) if exact else number
    rows = reader.memory_rows(kept[:limit])
    return FoundRows(tuple(reversed(rows)), total, exact)


def _mentions(
    reader: Reader, schema: Schema, names: Sequence[str], candidates: Sequence[MemoryPk], limit: int
) -> FoundRows:
    """Memories whose injected text names it, newest first."""
    folded = folded_names(names)
    most = max(limit, MOST_LOOKED_AT)
    looked_at = reader.records(Memory, candidates[:most])
    kept = [memory.pk for memory in looked_at if names_it(memory, schema, folded)]
    unread = max(0, len(candidates) - most)
    return FoundRows(tuple(reader.memory_rows(kept[:limit])), len(kept) + unread, not unread)


def names_it(memory: Memory, schema: Schema, folded: Sequence[str]) -> bool:
    """Whether the text of a memory that would be injected holds one of the folded names."""
    cells = shown_cells(memory, schema.type(memory.type))
    return any(text and holds_name(folded_text(text), folded) for text in cells.values())


def _relations(
    reader: Reader, edges: Sequence[EdgeEnds], now: datetime, limit: int
) -> tuple[RelationGroup, ...]:
    """Relations by type, the most frequent type first; of each the living ones first, newest first."""
    groups: dict[RelationId, list[EdgeEnds]] = {}
    for edge in edges:
        groups.setdefault(edge.relation, []).append(edge)
    found = []
    for relation, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        first = sorted(members, key=lambda edge: (edge.live, edge.floor, edge.made, edge.pk), reverse=True)[
            :limit
        ]
        views = edge_views(reader, reader.records(Edge, [edge.pk for edge in first]), now)
        live, past = (tuple(view for view in views if view.live is lives) for lives in (True, False))
        found.append(RelationGroup(relation, live, past, len(members)))
    return tuple(found)
