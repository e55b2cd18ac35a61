"""Commands that make one memory of several, take them apart again, and tell pairs apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from core.domain.commands import UNSET, Command, Unset
from core.domain.enums import Apart, Layer
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json
from core.domain.memory import TagSet


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeMemories(Command):
    """Make one memory of several. What is not given follows from all of them (core.services.merge_values).

    The losers are archived with reason merged and lead to the survivor; their relations, children, pins, recall
    tests and pairs told apart are taken over. `fields`: values by column, None removes one. `losers_titles`:
    their titles become other names of the survivor. `expected_revisions`: Conflict when a memory was changed.
    Counts of the result: `relations` taken over, `joined` (doubles that became one), `dropped` (between them).
    Errors: NotFound; Invalid (trash, one memory only, nobody left who may see it, a value); UserError (locked).
    """

    LABEL: ClassVar[str] = "op.memory.merge"
    survivor: MemoryPk
    losers: tuple[MemoryPk, ...]
    title: str | Unset = UNSET
    body: str | Unset = UNSET
    fields: Mapping[str, Json] | Unset = UNSET
    type: TypeId | Unset = UNSET
    folder: FolderPk | Unset = UNSET
    layer: Layer | Unset = UNSET
    importance: float | Unset = UNSET
    visibility: tuple[str, ...] | Unset = UNSET
    tags: TagSet | Unset = UNSET
    aliases: tuple[str, ...] | Unset = UNSET
    losers_titles: bool = True
    expected_revisions: Mapping[MemoryPk, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmergeMemories(Command):
    """Take merged memories out of their survivor again, as they were, with what the merge took from them.

    What was changed on the survivor since stays (count `kept`: columns that stay; `gone`: relations and others
    that are there no more). Errors: NotFound; Invalid for one that was not merged, or lies in the trash;
    UserError (locked).
    """

    LABEL: ClassVar[str] = "op.memory.unmerge"
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkNotDuplicate(Command):
    """Remember that pairs are no duplicates, or (`about`) that they do not contradict each other.

    The latter ends live `contradicts` relations between them. Errors: NotFound, Invalid for a pair of one.
    """

    LABEL: ClassVar[str] = "op.memory.told_apart"
    pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
    about: Apart = Apart.DUPLICATE


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmarkNotDuplicate(Command):
    """Forget what was said of pairs; those of which nothing was said are left alone."""

    LABEL: ClassVar[str] = "op.memory.told_apart_not"
    pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
    about: Apart = Apart.DUPLICATE


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleContradiction(Command):
    """Of two memories that contradict each other one holds: the other expires and is marked as updated by it.

    Live `contradicts` relations between them end. Errors: NotFound, Invalid (itself, trash), UserError (locked).
    """

    LABEL: ClassVar[str] = "op.memory.settle"
    keep: MemoryPk
    other: MemoryPk
