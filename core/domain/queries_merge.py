"""Queries about merging: what a merge would make, what was merged, which memories are doubles or contradict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.domain.api import Report
from core.domain.commands_merge import MergeMemories
from core.domain.ids import EdgePk, FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json
from core.domain.memory import Memory, TagSet
from core.domain.queries import Query
from core.domain.results import EdgeView, MemoryRow

# --- merging ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MergeMember:
    """One of the memories to be merged, with all that a person compares."""

    memory: Memory
    folder_name: str
    tags: TagSet
    aliases: tuple[str, ...]


class RelationFate(StrEnum):
    """What becomes of a relation when memories are merged."""

    STAYS = "stays"
    MOVES = "moves"
    JOINS = "joins"
    DROPS = "drops"


@dataclass(frozen=True, slots=True)
class RelationChange:
    """A relation of one of the members, and what becomes of it."""

    view: EdgeView
    fate: RelationFate


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """What a merge would make. `conflicts`: columns in which members say different things (not the survivor's
    text, which a person sees anyway). `audience_open`: nobody may see all of them; a person must choose."""

    members: tuple[MergeMember, ...]
    title: str
    body: str
    fields: Mapping[str, Json]
    type: TypeId
    importance: float
    activation_count: int
    visibility: tuple[str, ...]
    audience_open: bool
    tags: TagSet
    aliases: tuple[str, ...]
    conflicts: tuple[str, ...]
    relations: tuple[RelationChange, ...]
    children: int
    locked: tuple[MemoryPk, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanMerge(Query[MergePlan]):
    """What a merge would make; nothing is written. Merged memories stand for their survivors.

    Errors: NotFound, Invalid (one memory only, trash, a value).
    """

    command: MergeMemories


@dataclass(frozen=True, slots=True)
class MergedMemory:
    """One memory that went into another."""

    row: MemoryRow
    at: datetime
    into: MemoryPk
    into_title: str


@dataclass(frozen=True, slots=True)
class MergesOf(Query[tuple[MergedMemory, ...]]):
    """What was merged into a memory, newest first; and, when it was merged itself, the memory itself."""

    memory: MemoryPk


@dataclass(frozen=True, slots=True)
class MergedIds(Query[tuple[MemoryPk, ...]]):
    """Memories by public or foreign id, merged ones as themselves (ResolveMemories gives their survivors).

    Errors: NotFound, naming unknown or ambiguous ids.
    """

    ids: tuple[str, ...]
    folder: FolderPk | None = None


# --- duplicates and contradictions ------------------------------------------------------------


class Verdict(StrEnum):
    """How surely two memories say the same."""

    SURE = "sure"
    LIKELY = "likely"
    MAYBE = "maybe"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, as a text key with what fills it."""

    key: str
    args: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two memories (a < b) that may say the same. `score` 0..1 orders pairs of one verdict."""

    a: MemoryPk
    b: MemoryPk
    verdict: Verdict
    score: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories that belong together: joined by pairs that are sure or likely, or one pair that may be.

    `rows` begin with the one to keep: most recalled, then most important, then longest, then oldest.
    """

    verdict: Verdict
    rows: tuple[MemoryRow, ...]
    pairs: tuple[DuplicatePair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindDuplicates(Query[tuple[DuplicateGroup, ...]]):
    """Groups of memories that may say the same, surest first; archived and trashed ones are left out.

    `folder` None = all; `across`: also pairs that lie in different folders; `types`: only these. Pairs told
    apart are left out. `memories`: only among these. Without vectors words decide alone. `progress` is called with
    thousandths. Errors: Cancelled.
    """

    folder: FolderPk | None = None
    across: bool = False
    types: frozenset[TypeId] = frozenset()
    memories: frozenset[MemoryPk] = frozenset()
    progress: Report | None = field(default=None, compare=False)


class ContradictionKind(StrEnum):
    """How a contradiction was found."""

    RELATION = "relation"
    KEY = "key"
    NEGATION = "negation"
    NUMBER = "number"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two memories that cannot both be true. `later`: the one said later, where that is known."""

    a: MemoryRow
    b: MemoryRow
    kind: ContradictionKind
    reasons: tuple[Reason, ...]
    later: MemoryPk | None = None
    edge: EdgePk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindContradictions(Query[tuple[Contradiction, ...]]):
    """Pairs that contradict each other; pairs of which a person said that both are true are left out.

    Errors: Cancelled.
    """

    folder: FolderPk | None = None
    across: bool = False
    types: frozenset[TypeId] = frozenset()
    progress: Report | None = field(default=None, compare=False)


class OpinionVerdict(StrEnum):
    """What a model thinks of a pair."""

    CONTRADICT = "contradict"
    REPLACED = "replaced"
    COMPATIBLE = "compatible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a model thinks of a pair, and why. `holds`: the one that it thinks is true now, where the texts show it."""

    a: MemoryPk
    b: MemoryPk
    verdict: OpinionVerdict
    holds: MemoryPk | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAboutContradictions(Query[tuple[Opinion, ...]]):
    """Ask the model that compares memories about pairs; nothing is changed, and pairs it says nothing of are left out.

    `progress` is called with pairs. Errors: Invalid without a model, Unavailable("model"), Cancelled, WaitsForReply.
    """

    pairs: tuple[tuple[MemoryPk, MemoryPk], ...]
    progress: Report | None = field(default=None, compare=False)
