"""Queries on what memories have to do with each other: for a selection, what is related to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from core.domain.ids import FolderPk, MemoryPk, RelationId
from core.domain.queries import Query

MOST_HOPS = 3


class Direction(StrEnum):
    """Which way relations are followed."""

    BOTH = "both"
    OUT = "out"
    IN = "in"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedMemories(Query[tuple[MemoryPk, ...]]):
    """Memories outside the trash that are related to some, by pk; these themselves are none of them.

    `hops`: over so many relations (1..3, 0 = by mentions alone). `relations`: only of these types (empty = of all).
    `past`: relations that ended too. `mentions`: also those whose injected text names one of the given memories by
    its title or another name. `folders`: only of these (empty = of all); the way may lead through others.
    Errors: NotFound; Invalid for hops out of range.
    """

    memories: tuple[MemoryPk, ...]
    hops: int = 1
    relations: frozenset[RelationId] = frozenset()
    direction: Direction = Direction.BOTH
    past: bool = False
    mentions: bool = False
    folders: frozenset[FolderPk] = field(default_factory=frozenset)
