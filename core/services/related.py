"""What is related to a selection: over relations, step by step, and by mentions of its names."""

from __future__ import annotations

from collections.abc import Sequence

from core.algos.mentions import folded_names
from core.domain.errors import Invalid
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory
from core.domain.queries_related import MOST_HOPS, Direction, RelatedMemories
from core.ports.clock import system_clock
from core.ports.store import Reader
from core.services.about import names_it
from core.services.lookup import chunks, states_of
from core.services.old_texts import read_together

MOST_NAMES = 200
"""So many names are looked for at once; the word index takes them as one question."""


def related(reader: Reader, query: RelatedMemories) -> tuple[MemoryPk, ...]:
    """See RelatedMemories. Cost: the relations on the way; with mentions the texts that hold a name."""
    if not 0 <= query.hops <= MOST_HOPS:
        raise Invalid("error.related.hops", hops=query.hops, most=MOST_HOPS)
    given = {state.pk for state in states_of(reader, query.memories)}
    seen, edge_of = set(given), set(given)
    now = None if query.past else system_clock()
    for _ in range(query.hops):
        found = reader.neighbours(
            sorted(edge_of),
            query.relations,
            outward=query.direction is not Direction.IN,
            inward=query.direction is not Direction.OUT,
            at=now,
        )
        edge_of = {MemoryPk(pk) for pk in found} - seen
        seen |= edge_of
        if not edge_of:
            break
    if query.mentions:
        seen.update(_naming(reader, sorted(given)))
    return _within(reader, sorted(seen - given), query)


def _within(reader: Reader, found: Sequence[MemoryPk], query: RelatedMemories) -> tuple[MemoryPk, ...]:
    states = reader.states(found)
    return tuple(
        state.pk
        for state in states
        if not state.trashed and (not query.folders or state.folder in query.folders)
    )


def _naming(reader: Reader, memories: Sequence[MemoryPk]) -> set[MemoryPk]:
    """Memories whose injected text names one of these, in folders that are read together with it."""
    schema, found = reader.schema(), set[MemoryPk]()
    scopes: dict[FolderPk, frozenset[FolderPk]] = {}
    for part in chunks(memories):
        aliases = reader.aliases_of(part)
        for memory in reader.records(Memory, part):
            own = [memory.title, *(alias.value for alias in aliases.get(memory.pk, ()))]
            folded = folded_names(own)[:MOST_NAMES]
            if not folded:
                continue
            if memory.folder not in scopes:
                scopes[memory.folder] = read_together(reader, memory.folder)
            named = reader.pks_naming(folded, scopes[memory.folder])
            for other in chunks([pk for pk in named if pk != memory.pk and pk not in found]):
                found.update(
                    each.pk for each in reader.records(Memory, other) if names_it(each, schema, folded)
                )
    return found
