"""What commands and queries answer with: plain values for windows and doors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.domain.edge import Edge
from core.domain.enums import ActorKind, Kind, Layer, OpRole, OpState, Status
from core.domain.folder import Folder
from core.domain.ids import DocumentPk, EdgePk, FolderPk, MemoryId, MemoryPk, OpId, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import Memory, TagSet


@dataclass(frozen=True, slots=True)
class Actor:
    """Who writes. `session` tells one window or program run from another."""

    kind: ActorKind
    name: str
    session: str


@dataclass(frozen=True, slots=True)
class OpInfo:
    """One op as history names it: `label` is a text key, `args` fills its places."""

    id: OpId
    label: str
    args: JsonObject
    actor: Actor
    at: datetime
    role: OpRole
    state: OpState
    undoable: bool
    of: OpId | None = None
    undone_by: OpId | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """Sent once after each commit: which rows of which kinds were touched, and by whom.

    `memories` are the memories touched in any way (their tags, aliases and edges count).
    `foreign`: noticed by polling; written by another program.
    """

    op: OpInfo
    touched: Mapping[Kind, frozenset[int]]
    memories: frozenset[MemoryPk] = frozenset()
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class OpResult:
    """What a command did. `counts` are named numbers for the message (see op.* texts)."""

    op: OpInfo | None
    changed: int = 0
    created: tuple[MemoryPk, ...] = ()
    created_folder: FolderPk | None = None
    created_edge: EdgePk | None = None
    created_memo: int | None = None
    document: DocumentPk | None = None
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UndoConflict:
    """A row that was changed after the op that is to be undone."""

    kind: Kind
    pk: int
    columns: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What an undo would do: rows that go back, and rows in conflict."""

    op: OpInfo
    restorable: int
    conflicts: tuple[UndoConflict, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo or redo did; `op` is the new op."""

    op: OpInfo
    of: OpInfo
    restored: int
    conflicts: tuple[UndoConflict, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoState:
    """Names of what undo and redo would do now, None where there is nothing."""

    undo: OpInfo | None
    redo: OpInfo | None


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An op in the history list with the number of rows it touched."""

    op: OpInfo
    rows: int
    memories: int


@dataclass(frozen=True, slots=True)
class RowVersion:
    """One change of one memory: columns before and after (tags and aliases as lists)."""

    op: OpInfo
    before: Mapping[str, Json]
    after: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class RowDiff:
    """What an op did to one row. `action`: created, changed or removed; columns as in RowVersion.

    `title` names the row, `memory` is the memory it is about; a created row has no columns (but tags and other
    names). `type`: that a memory has now, "" for other rows.
    """

    kind: Kind
    pk: int
    action: str
    title: str
    memory: MemoryPk | None
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    type: str = ""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One row of the memory table. `snippet` = start of the body, one line."""

    pk: MemoryPk
    id: MemoryId
    type: TypeId
    folder: FolderPk
    folder_name: str
    title: str
    snippet: str
    layer: Layer
    status: Status
    importance: float
    activation_count: int
    last_activated_at: datetime | None
    created_at: datetime
    updated_at: datetime
    seq: int | None
    level: int
    locked: bool
    trashed: bool
    revision: int


@dataclass(frozen=True, slots=True)
class EdgeView:
    """A relation as listed: the edge, both titles and types, and whether it lives now."""

    edge: Edge
    source_title: str
    source_type: TypeId
    target_title: str
    target_type: TypeId
    live: bool


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """Everything about one memory that the detail view shows."""

    memory: Memory
    folder: Folder
    tags: TagSet
    aliases: tuple[str, ...]
    edges: tuple[EdgeView, ...]
    parent: MemoryRow | None
    children: tuple[MemoryRow, ...]
    document_title: str | None = None


@dataclass(frozen=True, slots=True)
class FolderNode:
    """A folder with its counts (memories outside the trash)."""

    folder: Folder
    memories: int
    archived: int
    trashed: int
    messages: int
    documents: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts under a filter."""

    total: int
    types: Mapping[str, int]
    layers: Mapping[str, int]
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReplaceChange:
    """One text that find-and-replace would change."""

    memory: MemoryPk
    title: str
    place: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReplacePreview:
    """All changes (cut at the limit asked for) and the full count."""

    changes: tuple[ReplaceChange, ...]
    total: int


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """Sizes and what waits for the index. `journal_bytes` = text size of the journal."""

    memories: int
    archived: int
    trashed: int
    edges: int
    folders: int
    messages: int
    documents: int
    waiting_for_index: int
    ops: int
    journal_bytes: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something an import or a check-up found: text key, arguments, and which rows it is about."""

    key: str
    args: JsonObject = field(default_factory=dict)
    severity: str = "warning"
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Result of comparing SQL with the index. Zero everywhere and no problem = healthy."""

    checked: int
    missing_in_index: tuple[MemoryPk, ...]
    extra_in_index: tuple[str, ...]
    differing: tuple[MemoryPk, ...]
    self_query_failed: tuple[MemoryPk, ...]
    without_vector: int
    waiting: int
    problems: tuple[Problem, ...] = ()
    index: str = "numpy"

    @property
    def healthy(self) -> bool:
        """Whether nothing was found."""
        return not (
            self.missing_in_index
            or self.extra_in_index
            or self.differing
            or self.self_query_failed
            or self.problems
        )


@dataclass(frozen=True, slots=True)
class WholeMemory:
    """A memory with what hangs on it, as doors give it out.

    `related`: memories it points to with `related`, `people`: those with `involved_in` (live relations only).
    """

    memory: Memory
    folder_name: str
    tags: TagSet
    aliases: tuple[str, ...] = ()
    related: tuple[MemoryId, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory near a text, with its cosine."""

    pk: MemoryPk
    cosine: float
    locked: bool = False
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoveltyReport:
    """How new a text is among the memories of its folder (spec/BOOKU §2.3).

    `novelty` 0..1 is the share of it that its nearest neighbours do not span. `merges`: novelty is below the
    cut-off and the nearest memory says nearly the same, so the two can be merged.
    """

    novelty: float
    neighbours: tuple[Neighbour, ...] = ()
    cutoff: float = 0.1
    same_text: float = 1.0

    @property
    def merges(self) -> bool:
        """Whether the text counts as one that is there (DESIGN §5, upsert)."""
        return bool(self.neighbours) and (
            self.novelty < self.cutoff and self.neighbours[0].cosine >= self.same_text
        )


class Verdict(StrEnum):
    """What to do with a memory that is on trial."""

    PROMOTE = "promote"
    ARCHIVE = "archive"
    KEEP = "keep"
    TRASH = "trash"


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A memory on trial with the numbers that speak for a verdict. `suggested`: what the rule says."""

    pk: MemoryPk
    id: MemoryId
    title: str
    folder: FolderPk
    created_at: datetime
    last_activated_at: datetime | None
    activation_count: int
    days: float
    suggested: Verdict
