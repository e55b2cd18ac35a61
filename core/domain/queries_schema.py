"""Queries of the Types page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.queries import Query
from core.domain.results import Problem
from core.domain.schema import MemoryType, RelationType


@dataclass(frozen=True, slots=True)
class Use:
    """Numbers of memories by type and of relations by kind, in the trash too."""

    types: Mapping[str, int]
    relations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SchemaUse(Query[Use]):
    """What the types and relation types are used by."""


@dataclass(frozen=True, slots=True)
class CheckMemoryType(Query[Problem | None]):
    """What stands against saving a type as it is now; `new`: its id must be free."""

    type: MemoryType
    new: bool = False


@dataclass(frozen=True, slots=True)
class CheckRelationType(Query[Problem | None]):
    """The same for a relation type."""

    relation: RelationType
    new: bool = False
