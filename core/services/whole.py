"""Memories with all that hangs on them, read in bulk."""

from __future__ import annotations

from collections import defaultdict

from core.domain import queries_booku as qb
from core.domain.edge import lives
from core.domain.folder import Folder
from core.domain.ids import MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.results import WholeMemory
from core.ports.clock import system_clock
from core.ports.store import Reader
from core.services.content import PERSON, PERSON_ID
from core.services.links import INVOLVED_IN, RELATED


def whole_memories(reader: Reader, query: qb.WholeMemories) -> tuple[WholeMemory, ...]:
    """The memories asked for. Cost: six reads, whatever their number."""
    found = reader.records(Memory, query.pks)
    pks = [memory.pk for memory in found]
    tags, aliases = reader.tag_sets(pks), reader.aliases_of(pks)
    folders = {item.pk: item.name for item in reader.records(Folder, {memory.folder for memory in found})}
    now, own = system_clock(), set(pks)
    edges = [edge for edge in reader.edges_touching(pks) if edge.source in own and lives(edge, now)]
    ends = {state.pk: state.id for state in reader.states({edge.target for edge in edges})}
    people = {edge.target for edge in edges if edge.relation == INVOLVED_IN}
    names = {memory.pk: memory.shown_title for memory in reader.records(Memory, people)}
    return tuple(
        WholeMemory(
            memory=memory,
            folder_name=folders.get(memory.folder, ""),
            tags=tags[memory.pk],
            aliases=tuple(alias.value for alias in aliases.get(memory.pk, ())),
            related=tuple(
                ends[edge.target]
                for edge in edges
                if edge.source == memory.pk and edge.relation == RELATED and edge.target in ends
            ),
            people=tuple(
                names[edge.target]
                for edge in edges
                if edge.source == memory.pk and edge.relation == INVOLVED_IN and edge.target in names
            ),
        )
        for memory in found
    )


def find_memories(reader: Reader, query: qb.FindMemories) -> tuple[tuple[str, tuple[MemoryPk, ...]], ...]:
    """Pks by id; an id of a merged memory gives that memory itself."""
    found = reader.resolve(query.ids, query.folder)
    return tuple((each, tuple(found.get(each, ()))) for each in query.ids)


def person_memories(reader: Reader, query: qb.PersonMemories) -> tuple[MemoryPk, ...]:
    """Persons with that account. Cost: reads all memories of type person."""
    where = MemoryFilter(types=frozenset({TypeId(PERSON)}))
    pks = reader.memory_ids(where, Sort(SortKey.LAST_USED))
    wanted = query.person_id.strip()
    return tuple(m.pk for m in reader.records(Memory, pks) if m.fields.get(PERSON_ID) == wanted)


def people_named(reader: Reader, query: qb.PeopleNamed) -> tuple[tuple[str, tuple[MemoryPk, ...]], ...]:
    """Persons by name. Cost: reads all memories of type person."""
    people = reader.records(
        Memory, reader.memory_ids(MemoryFilter(types=frozenset({TypeId(PERSON)})), Sort())
    )
    aliases = reader.aliases_of(memory.pk for memory in people)
    found: defaultdict[str, set[MemoryPk]] = defaultdict(set)
    for memory in people:
        known = [alias.value for alias in aliases.get(memory.pk, ())]
        for name in (memory.fields.get(PERSON_ID), memory.title, *known):
            if isinstance(name, str) and name.strip():
                found[name.strip().casefold()].add(memory.pk)
    return tuple((name, tuple(sorted(found[name.strip().casefold()]))) for name in query.names)
