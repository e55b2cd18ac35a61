"""Commands on types of memories and of relations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.ids import RelationId, TypeId
from core.domain.schema import MemoryType, RelationType


@dataclass(frozen=True, slots=True)
class SaveMemoryType(Command):
    """Create or change a memory type (matched by id)."""

    LABEL: ClassVar[str] = "op.schema.type"
    type: MemoryType


@dataclass(frozen=True, slots=True)
class RemoveMemoryType(Command):
    """Remove a type that no memory uses."""

    LABEL: ClassVar[str] = "op.schema.type_remove"
    type: TypeId


@dataclass(frozen=True, slots=True)
class SaveRelationType(Command):
    """Create or change a relation type (matched by id)."""

    LABEL: ClassVar[str] = "op.schema.relation"
    relation: RelationType


@dataclass(frozen=True, slots=True)
class RemoveRelationType(Command):
    """Remove a relation type that no relation uses."""

    LABEL: ClassVar[str] = "op.schema.relation_remove"
    relation: RelationId
