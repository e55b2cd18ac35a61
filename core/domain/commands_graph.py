"""Commands on relations, and on places and groups of the graph."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from core.domain.commands import UNSET, Command, Unset
from core.domain.ids import EdgePk, MemoryPk, RelationId


@dataclass(frozen=True, slots=True, kw_only=True)
class AddEdge(Command):
    """Add a relation. A live one with the same ends and relation is strengthened instead."""

    LABEL: ClassVar[str] = "op.edge.add"
    source: MemoryPk
    target: MemoryPk
    relation: RelationId
    strength: float = 0.8
    valid_from: datetime | None = None
    from_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditEdge(Command):
    """Change a relation; `reverse` swaps its ends."""

    LABEL: ClassVar[str] = "op.edge.edit"
    edge: EdgePk
    relation: RelationId | Unset = UNSET
    strength: float | Unset = UNSET
    valid_from: datetime | None | Unset = UNSET
    invalid_from: datetime | None | Unset = UNSET
    from_seq: int | None | Unset = UNSET
    ended_seq: int | None | Unset = UNSET
    reverse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEdges(Command):
    """End relations at a time (None = now), with the floor where known."""

    LABEL: ClassVar[str] = "op.edge.end"
    edges: tuple[EdgePk, ...]
    at: datetime | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveEdges(Command):
    """Remove relations as if they had never been."""

    LABEL: ClassVar[str] = "op.edge.remove"
    edges: tuple[EdgePk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinMemories(Command):
    """Pin memories where a person put them in the graph's picture; pinned ones are moved.

    `key` names the picture (core.domain.graph.place_key), `places` are (memory, x, y).
    Errors: NotFound, Invalid for a place that is no number.
    """

    LABEL: ClassVar[str] = "op.graph.pin"
    key: str
    places: tuple[tuple[MemoryPk, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpinMemories(Command):
    """Let pinned memories go again; those that are not pinned are left alone."""

    LABEL: ClassVar[str] = "op.graph.unpin"
    key: str
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMemories(Command):
    """Put memories into a group: they get the same general tag, so that lists and exports know it too.

    Errors: NotFound, Invalid for a blank name.
    """

    LABEL: ClassVar[str] = "op.graph.group"
    memories: tuple[MemoryPk, ...]
    name: str
