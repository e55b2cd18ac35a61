"""Proposals: changes that a model or a rule suggests and that wait for a person (DESIGN §3).

A proposal is a list of parts. Parts of one group belong together (one batch of floors, one group of a
compression) and can be applied while other groups still wait. Rows of proposals stand outside ops and undo; what
was decided about a part is written by the op that applied or dismissed it, so undo opens the part again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, TypeAlias

from core.domain.endpoints import Usage
from core.domain.enums import Kind, Layer, StatusReason
from core.domain.ids import EdgePk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import DEFAULT_IMPORTANCE, TagSet
from core.domain.results import Problem

BUILT_IN = "built-in"
"""`Proposal.source` of what was found without a language model."""
NAMES_GROUP = "names"
"""Key of the group of names that the built-in extraction counted."""


class ProposalKind(StrEnum):
    """Which task made a proposal."""

    EXTRACTION = "extraction"
    CONFLICT = "conflict"
    EVOLUTION = "evolution"
    SYNOPSIS = "synopsis"
    REFLECTION = "reflection"
    COMPRESSION = "compression"
    CONSOLIDATION = "consolidation"
    CONTRADICTION = "contradiction"


class ProposalState(StrEnum):
    """Open while a part waits; otherwise applied when any part was, else dismissed."""

    OPEN = "open"
    APPLIED = "applied"
    DISMISSED = "dismissed"


class PartVerdict(StrEnum):
    """What was decided about a part."""

    APPLIED = "applied"
    DISMISSED = "dismissed"


End: TypeAlias = "MemoryPk | str"
"""A memory: one that is there (its pk), or what a part of the same proposal makes or changes (that part's key)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBase:
    """What all parts have. `key` is unique in the proposal; `notes` say why, and what was repaired or refused."""

    key: str
    group: str = ""
    ticked: bool = True
    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePart(PartBase):
    """A new memory. `layer` None = the writer's default. Fields by column name, without title and body.

    `sums`: memories that it sums up; they are archived as compressed and become its children, and their live
    relations are lifted to it. `seen`: their revisions at that time, in that order (empty = not known).
    A type that keeps only the newest version merges by name when it is applied.
    """

    type: TypeId
    title: str = ""
    body: str = ""
    fields: JsonObject = field(default_factory=dict)
    layer: Layer | None = None
    importance: float = DEFAULT_IMPORTANCE
    tags: TagSet = field(default_factory=TagSet)
    aliases: tuple[str, ...] = ()
    seq: int | None = None
    seq_start: int | None = None
    seq_end: int | None = None
    visibility: tuple[str, ...] = ()
    level: int = 0
    sums: tuple[End, ...] = ()
    seen: tuple[int, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePart(PartBase):
    """Another text for a memory; None = untouched. `fields`: only keys that change, None removes a key.

    `visibility`: who may see it from then on. `revision`: what the memory's was when this was thought out. `floor`: the floor that says so; the memory's
    floors are widened to it. `update_event`: an event "field: before -> after" is written beside it, marked as
    automatic, and earlier ones end. `temporal_source`: the newer memory that replaces what this one said.
    """

    memory: End
    revision: int | None = None
    title: str | None = None
    body: str | None = None
    fields: Mapping[str, Json] = field(default_factory=dict)
    tags: TagSet | None = None
    aliases: tuple[str, ...] | None = None
    importance: float | None = None
    visibility: tuple[str, ...] | None = None
    floor: int | None = None
    update_event: bool = False
    temporal_source: End | None = None
    temporal_strength: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class RetirePart(PartBase):
    """A memory that is to be archived, with the reason. `into`: it is merged into that one (and can be taken apart)."""

    memory: End
    revision: int | None = None
    reason: StatusReason = StatusReason.REMOVED_BY_MODEL
    into: End | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPart(PartBase):
    """A relation; either end may be another part, also a later one."""

    source: End
    target: End
    relation: RelationId
    strength: float = 0.8
    floor: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndLinkPart(PartBase):
    """A relation that is over."""

    edge: EdgePk
    floor: int | None = None


Part: TypeAlias = "CreatePart | ChangePart | RetirePart | LinkPart | EndLinkPart"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an op decided about one part. `memory`: the memory that a create or change came to be."""

    KIND: ClassVar[Kind] = Kind.DECISION

    pk: int = 0
    proposal: int
    part: str
    verdict: PartVerdict
    memory: MemoryPk | None = None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PartGroup:
    """A group of parts with the floors it was made from. `through`: when the group is applied, the folder counts as
    read up to this floor (None = it says nothing about that). `runs`: it counts as so many extractions."""

    key: str
    start: int | None = None
    end: int | None = None
    through: int | None = None
    runs: int = 0
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProposal:
    """A proposal as a task hands it in. `args` fill the places of its title (`proposal.<kind>`)."""

    kind: ProposalKind
    folder: FolderPk | None
    source: str
    parts: tuple[Part, ...] = ()
    groups: tuple[PartGroup, ...] = ()
    args: JsonObject = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    used: Usage = field(default_factory=Usage)
    """What the model took for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(NewProposal):
    """A proposal as it is kept, with what was decided so far."""

    pk: int
    decided: Mapping[str, Decision] = field(default_factory=dict)
    created_at: datetime
    updated_at: datetime

    @property
    def waiting(self) -> tuple[Part, ...]:
        """Parts about which nothing is decided."""
        return tuple(part for part in self.parts if part.key not in self.decided)

    @property
    def state(self) -> ProposalState:
        """Where the proposal is."""
        if self.waiting:
            return ProposalState.OPEN
        applied = any(each.verdict is PartVerdict.APPLIED for each in self.decided.values())
        return ProposalState.APPLIED if applied or not self.parts else ProposalState.DISMISSED


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalRow:
    """A proposal as lists show it, with numbers of parts."""

    pk: int
    kind: ProposalKind
    state: ProposalState
    folder: FolderPk | None
    folder_name: str
    args: JsonObject
    source: str
    parts: int
    waiting: int
    applied: int
    groups: int
    problems: int
    used: Usage
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value before and after; `name` is `title`, `body`, `importance`, `tags`, `aliases`, `status`, or a column."""

    name: str
    before: Json
    after: Json


class Obstacle(StrEnum):
    """Why a part would not be applied now."""

    CHANGED = "changed"
    LOCKED = "locked"
    MISSING = "missing"
    END_LEFT_OUT = "end_left_out"
    """It is about a part that is not applied yet."""
    INVALID = "invalid"
    """It breaks a rule of the type: a required column is empty, a number is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A part for a difference view. `title`: of the memory it is about; `ends`: titles of a relation's ends.

    `memory`: the memory that is there now. `becomes_change`: a create that would be joined to a memory of that name.
    `changes`: values before and after (of a create: all of them, before None).
    """

    part: Part
    title: str
    type: TypeId | None = None
    memory: MemoryPk | None = None
    ends: tuple[str, str] | None = None
    becomes_change: bool = False
    changes: tuple[FieldChange, ...] = ()
    verdict: PartVerdict | None = None
    obstacle: Obstacle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A proposal with each part as it stands against the library now."""

    proposal: Proposal
    folder_name: str
    parts: tuple[PartView, ...]
