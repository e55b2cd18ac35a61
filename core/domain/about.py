"""Everything that is known about a name: who bears it, what became of it, its events, relations and mentions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.domain.ids import MemoryPk, OpId, RelationId
from core.domain.memory import Memory
from core.domain.results import EdgeView, MemoryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One change of state: a column with its values before and after.

    `floor` None = not told (a person's edit). `event`: the update event that recorded it; `op`: the change itself.
    """

    column: str
    before: str
    after: str
    at: datetime
    floor: int | None = None
    event: MemoryPk | None = None
    op: OpId | None = None


@dataclass(frozen=True, slots=True)
class RelationGroup:
    """Relations of one type: those that live, and past ones; `total` counts those that are not listed too."""

    relation: RelationId
    live: tuple[EdgeView, ...]
    past: tuple[EdgeView, ...]
    total: int


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The first memories of a longer list. `exact`: `total` counts only what was looked at one by one."""

    rows: tuple[MemoryRow, ...] = ()
    total: int = 0
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Everything about a name. `memory`: the one that bears it (None = nobody does); `bearers`: all who do, it first.

    `names`: title and other names, under which texts are looked through; `former`: titles that it had before.
    `condition` oldest first, `events` in the order of the story, `mentions` newest first.
    """

    name: str
    memory: Memory | None = None
    folder_name: str = ""
    bearers: tuple[MemoryRow, ...] = ()
    names: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    condition: tuple[Condition, ...] = ()
    events: FoundRows = FoundRows()
    relations: tuple[RelationGroup, ...] = ()
    mentions: FoundRows = FoundRows()
