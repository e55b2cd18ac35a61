"""Queries that the services of Booku ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Query
from core.domain.results import WholeMemory


@dataclass(frozen=True, slots=True)
class WholeMemories(Query[tuple[WholeMemory, ...]]):
    """Memories with tags, aliases and relations, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class FindMemories(Query[tuple[tuple[str, tuple[MemoryPk, ...]], ...]]):
    """The memories of public or foreign ids, by id as asked; none where an id is unknown (see ResolveMemories)."""

    ids: tuple[str, ...]
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class PersonMemories(Query[tuple[MemoryPk, ...]]):
    """Memories of type person with that `platform:id`, outside the trash, the one used last first."""

    person_id: str


@dataclass(frozen=True, slots=True)
class PeopleNamed(Query[tuple[tuple[str, tuple[MemoryPk, ...]], ...]]):
    """Memories of type person whose id, title or alias is that name, by name; case does not count."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountUse(Query[int]):
    """Count the memories as recalled once more, outside the journal; answers how many there were."""

    WRITES: ClassVar[bool] = True

    memories: tuple[MemoryPk, ...]
