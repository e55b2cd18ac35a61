"""Relations between memories, and the one rule that says whether a relation lives."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple

from core.domain.enums import Kind
from core.domain.ids import UNSAVED_EDGE, EdgePk, MemoryPk, RelationId
from core.domain.json_types import JsonObject

DEFAULT_STRENGTH = 0.8
DEFAULT_RELATION = RelationId("related")
_FIRST_TIME = datetime.min.replace(tzinfo=UTC)
_LAST_TIME = datetime.max.replace(tzinfo=UTC)


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


class EdgeEnds(NamedTuple):
    """As much of a relation as sorts it: `floor` -1 = not told, `made` orders those of one floor."""

    pk: EdgePk
    source: MemoryPk
    target: MemoryPk
    relation: RelationId
    floor: int
    made: int
    live: bool


def lives(edge: Edge, at: datetime) -> bool:
    """Whether the edge is live at `at`: the one rule, used everywhere (DESIGN §4)."""
    begins, ends = edge.valid_from or _FIRST_TIME, edge.invalid_from or _LAST_TIME
    return bool(alive(begins, ends, edge.expired_at or _LAST_TIME, at))


def alive(valid_from: Any, invalid_from: Any, expired_at: Any, at: Any) -> Any:
    """The one live rule itself, for times, floors, or numpy arrays of them. No end = the last value there is.

    Shapes: scalars or (m,), `at` a scalar -> bool or (m,).
    """
    return (valid_from <= at) & (invalid_from > at) & (expired_at > at)
