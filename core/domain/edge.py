"""Relations between memories, and the one rule that says whether a relation lives."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from core.domain.enums import Kind
from core.domain.ids import UNSAVED_EDGE, EdgePk, MemoryPk, RelationId
from core.domain.json_types import JsonObject

DEFAULT_STRENGTH = 0.8
DEFAULT_RELATION = RelationId("related")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A typed, directed, timed relation from `source` to `target`.

    `strength` is in 0..1. `from_seq` and `ended_seq` are floors, where known.
    """

    KIND: ClassVar[Kind] = Kind.EDGE

    pk: EdgePk = UNSAVED_EDGE
    id: str
    foreign_id: str | None = None
    source: MemoryPk
    target: MemoryPk
    relation: RelationId = DEFAULT_RELATION
    strength: float = DEFAULT_STRENGTH
    inhibits: bool = False
    created_at: datetime
    valid_from: datetime | None = None
    invalid_from: datetime | None = None
    expired_at: datetime | None = None
    from_seq: int | None = None
    ended_seq: int | None = None
    extra: JsonObject = field(default_factory=dict)


def lives(edge: Edge, at: datetime) -> bool:
    """Whether the edge is live at `at`: the one rule, used everywhere (DESIGN §4)."""
    return (
        (edge.valid_from is None or edge.valid_from <= at)
        and not (edge.invalid_from is not None and edge.invalid_from <= at)
        and not (edge.expired_at is not None and edge.expired_at <= at)
    )
