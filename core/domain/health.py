"""How a library is: what a check-up finds, what can be put right, and what the Health page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.domain.enums import Kind
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import JsonObject


class Severity(StrEnum):
    """How bad a finding is: damage, something that should be put right, something to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Fault(StrEnum):
    """Everything a check-up looks for. The texts are `check.<fault>`, those of the repairs `repair.<fault>`."""

    STORE = "store_damaged"
    REFERENCES = "references"
    UNREADABLE = "unreadable"
    EDGE_ENDS = "edge_ends"
    ORPHANS = "orphans"
    LOST_FOLDER = "lost_folder"
    DOCUMENT = "document_gone"
    PARENT = "parent_gone"
    PARENT_LOOP = "parent_loop"
    MERGED = "merged_gone"
    MERGED_LOOP = "merged_loop"
    EDGE_TIMES = "edge_times"
    TIMES = "times"
    FLOORS = "floors"
    POINTER = "pointer"
    TYPES = "types"
    RELATIONS = "relations"
    REQUIRED = "required"
    FIELDS = "fields"
    PERSON = "person_id"
    TRIPLE = "triple"
    FLOORS_CHANGED = "floors_changed"
    FULL_TEXT = "full_text"
    COUNTERS = "counters"
    INDEX = "index"
    INDEX_DAMAGED = "index_damaged"
    INDEX_UNREADABLE = "index_unreadable"
    UNFIT_VECTORS = "unfit_vectors"
    NO_VECTOR = "no_vector"
    SETTINGS = "settings"


class Cure(StrEnum):
    """What a repair is: a change with undo, work on something that can be made anew, or a person's work."""

    CHANGE = "change"
    REMAKE = "remake"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True)
class Treatment:
    """How a fault is treated. `safe`: nothing that a person wrote is lost or decided over."""

    severity: Severity
    cure: Cure
    safe: bool = True


_BY_HAND = Treatment(Severity.NOTE, Cure.BY_HAND, safe=False)

TREATMENTS: Mapping[Fault, Treatment] = {
    Fault.STORE: Treatment(Severity.ERROR, Cure.BY_HAND, safe=False),
    Fault.REFERENCES: Treatment(Severity.ERROR, Cure.BY_HAND, safe=False),
    Fault.UNREADABLE: Treatment(Severity.ERROR, Cure.CHANGE, safe=False),
    Fault.EDGE_ENDS: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.ORPHANS: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.LOST_FOLDER: Treatment(Severity.ERROR, Cure.CHANGE),
    Fault.DOCUMENT: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.PARENT: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.PARENT_LOOP: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.MERGED: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.MERGED_LOOP: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.EDGE_TIMES: Treatment(Severity.WARNING, Cure.CHANGE, safe=False),
    Fault.TIMES: Treatment(Severity.WARNING, Cure.CHANGE, safe=False),
    Fault.FLOORS: Treatment(Severity.WARNING, Cure.CHANGE, safe=False),
    Fault.POINTER: Treatment(Severity.WARNING, Cure.CHANGE),
    Fault.TYPES: Treatment(Severity.WARNING, Cure.CHANGE, safe=False),
    Fault.RELATIONS: Treatment(Severity.WARNING, Cure.CHANGE, safe=False),
    Fault.REQUIRED: _BY_HAND,
    Fault.FIELDS: Treatment(Severity.NOTE, Cure.CHANGE, safe=False),
    Fault.PERSON: _BY_HAND,
    Fault.TRIPLE: Treatment(Severity.NOTE, Cure.CHANGE, safe=False),
    Fault.FLOORS_CHANGED: Treatment(Severity.NOTE, Cure.CHANGE, safe=False),
    Fault.FULL_TEXT: Treatment(Severity.ERROR, Cure.REMAKE),
    Fault.COUNTERS: Treatment(Severity.WARNING, Cure.REMAKE),
    Fault.INDEX: Treatment(Severity.WARNING, Cure.REMAKE),
    Fault.INDEX_DAMAGED: Treatment(Severity.ERROR, Cure.REMAKE),
    Fault.INDEX_UNREADABLE: Treatment(Severity.ERROR, Cure.REMAKE),
    Fault.UNFIT_VECTORS: Treatment(Severity.WARNING, Cure.REMAKE),
    Fault.NO_VECTOR: Treatment(Severity.NOTE, Cure.REMAKE),
    Fault.SETTINGS: Treatment(Severity.WARNING, Cure.REMAKE),
}


@dataclass(frozen=True, slots=True)
class Faulty:
    """One row with a fault. `column` and `value`: what a repair sets; no column = the row goes.

    `memory`: the memory to look at, where there is one.
    """

    kind: Kind
    pk: int
    column: str = ""
    value: object = None
    memory: MemoryPk | None = None
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """One thing that a finding is about, in words; `memory` can be gone to."""

    ref: str
    text: str
    memory: MemoryPk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault with its full count and some examples. `args` fill the text `check.<fault>`."""

    fault: Fault
    count: int
    args: JsonObject = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def key(self) -> str:
        """Text key of what was found."""
        return f"check.{self.fault.value}"

    @property
    def repair_key(self) -> str:
        """Text key of what the repair would do."""
        return f"repair.{self.fault.value}"

    @property
    def treatment(self) -> Treatment:
        """Severity and cure."""
        return TREATMENTS[self.fault]

    @property
    def repairable(self) -> bool:
        """Whether the program can put it right."""
        return self.treatment.cure is not Cure.BY_HAND

    @property
    def memories(self) -> tuple[MemoryPk, ...]:
        """The memories among the examples."""
        return tuple(dict.fromkeys(each.memory for each in self.examples if each.memory is not None))


class Level(StrEnum):
    """Colour of the light in the status line."""

    GOOD = "good"
    LOOK = "look"
    BAD = "bad"


def level_of(severities: set[Severity]) -> Level:
    """Red for damage, amber for what should be put right; notes leave it green."""
    if Severity.ERROR in severities:
        return Level.BAD
    return Level.LOOK if Severity.WARNING in severities else Level.GOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check-up found. `index`: what was looked at (`none` and `elsewhere`: only the store)."""

    findings: tuple[Finding, ...]
    memories: int
    index: str
    waiting: int
    at: datetime

    @property
    def level(self) -> Level:
        """The worst of it."""
        return level_of({each.treatment.severity for each in self.findings})

    @property
    def safe_repairs(self) -> tuple[Fault, ...]:
        """What "repair all safe ones" takes."""
        return tuple(each.fault for each in self.findings if each.repairable and each.treatment.safe)

    def finding(self, fault: Fault) -> Finding | None:
        """The finding of a fault."""
        return next((each for each in self.findings if each.fault is fault), None)


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for the colour of the light: text key, its arguments, how bad."""

    key: str
    severity: Severity
    args: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndpointState:
    """A model or embedding endpoint in use: what it is for, its name, and what does not answer ("" = well)."""

    use: str
    name: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthState:
    """What can be said without a check-up, quickly. `reasons` are empty when all is well."""

    reasons: tuple[Reason, ...]
    store_bytes: int
    journal_bytes: int
    index_bytes: int
    backups_bytes: int
    memories: int
    ops: int
    waiting: int
    embedder: str
    dims: int
    endpoints: tuple[EndpointState, ...] = ()
    last_backup: datetime | None = None
    last_check: datetime | None = None

    @property
    def level(self) -> Level:
        """Colour of the light."""
        return level_of({reason.severity for reason in self.reasons})


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderCard:
    """Figures of a folder, or of the whole library (`folder` None)."""

    folder: FolderPk | None
    name: str
    active: int
    archived: int
    expired: int
    trashed: int
    live_edges: int
    past_edges: int
    types: Mapping[str, int]
    layers: Mapping[str, int]
    vectors: int
    messages: int
    last_floor: int | None
    processed: int
    documents: int


@dataclass(frozen=True, slots=True)
class Plots:
    """Numbers over memories and time: memories made by day (UTC), and memories by times recalled."""

    made: tuple[tuple[datetime, int], ...]
    recalled: tuple[tuple[int, int], ...]
    recalls: tuple[tuple[datetime, int], ...]


# --- backups -----------------------------------------------------------------------------------


class BackupReason(StrEnum):
    """Why a backup was made. The texts are `backup.reason.<reason>`."""

    BY_HAND = "by_hand"
    SCHEDULED = "scheduled"
    MIGRATION = "migration"
    BIG_CHANGE = "big_change"
    IMPORT = "import"
    EMPTY_TRASH = "empty_trash"
    RESTORE = "restore"


KEPT_FOR_EVER = frozenset({BackupReason.BY_HAND, BackupReason.RESTORE, BackupReason.MIGRATION})
"""Backups that only a person removes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """One copy of the library. `name` is that of its directory; `counts` as they were; `note` names the change."""

    name: str
    path: Path
    at: datetime
    reason: BackupReason
    bytes: int
    note: str = ""
    schema: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    sha256: str = ""
    last_op: int = 0


@dataclass(frozen=True, slots=True)
class BackupCheck:
    """Whether a backup can be trusted: `problems` are text keys, none = it is whole."""

    backup: Backup
    problems: tuple[str, ...]
    details: str = ""

    @property
    def whole(self) -> bool:
        """Nothing is wrong with it."""
        return not self.problems


# --- rebuilding --------------------------------------------------------------------------------


class RebuildScope(StrEnum):
    """Which vectors are made."""

    ALL = "all"
    FOLDER = "folder"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildEstimate:
    """What a rebuild would cost: texts to embed, their tokens, seconds at the speed measured on a few."""

    scope: RebuildScope
    folder: FolderPk | None
    memories: int
    texts: int
    characters: int
    tokens: int
    seconds: float
    model: str
    cases: int
    """Saved recall tests that will be run on both sets."""


class RebuildState(StrEnum):
    """Life of a rebuild; it survives the program."""

    RUNNING = "running"
    PAUSED = "paused"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildJob:
    """A rebuild under way or waiting for a decision. `old`, `new`: figures of the recall tests on both sets."""

    pk: int
    scope: RebuildScope
    folder: FolderPk | None
    state: RebuildState
    model: str
    done: int
    total: int
    failed: int = 0
    old: Mapping[str, float] = field(default_factory=dict)
    new: Mapping[str, float] = field(default_factory=dict)
    started: datetime
    error: str = ""


# --- the log -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line that the program logged."""

    at: datetime
    level: str
    source: str
    text: str
