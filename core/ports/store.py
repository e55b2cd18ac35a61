"""The store as services see it: readers that ask, one unit of work that writes.

Rows are the frozen records of core.domain (`Memory`, `Tag`, `Edge` ...): a record's `KIND` names its
table, its field names are the column names. Everything a unit of work writes is journaled, so every
op can be undone; derived columns (search text, full text, outbox) follow by themselves.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from core.domain.api import Cancel, Drafts
from core.domain.document import DocumentRow
from core.domain.edge import Edge, EdgeEnds
from core.domain.enums import ActorKind, Kind, OpRole, TagKind
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.health import Fault, Faulty
from core.domain.ids import DocumentPk, FolderPk, MemoryPk, OpId, RelationId, TypeId
from core.domain.memory import Alias, Memory, MemoryState, Tag, TagSet
from core.domain.merge import MergeRecord
from core.domain.pin import Pin
from core.domain.proposal import Decision, Proposal, ProposalKind, ProposalRow
from core.domain.queries import MemoryFilter, Sort
from core.domain.queries_chat import FloorCounts
from core.domain.queries_drop import DocumentVersion
from core.domain.queries_history import OpFilter
from core.domain.recall import RecallCase
from core.domain.results import (
    Actor,
    Changes,
    Facets,
    FolderNode,
    HistoryEntry,
    LibraryCounts,
    MemoryRow,
    OpInfo,
    RowDiff,
    RowVersion,
    UndoConflict,
    UndoPreview,
    UndoState,
)
from core.domain.saved_search import SavedSearch
from core.domain.sayings import SaidChange
from core.domain.schema import MemoryType, RelationType, Schema
from core.ports.progress import Progress, ignore_progress

T = TypeVar("T")

Record = (
    Memory
    | Tag
    | Alias
    | Edge
    | Folder
    | Message
    | Document
    | Memo
    | MemoryType
    | RelationType
    | NotDuplicate
    | Pin
    | RecallCase
    | SavedSearch
    | MergeRecord
    | Decision
)
R = TypeVar(
    "R",
    Memory,
    Tag,
    Alias,
    Edge,
    Folder,
    Message,
    Document,
    Memo,
    MemoryType,
    RelationType,
    NotDuplicate,
    Pin,
    RecallCase,
    SavedSearch,
    MergeRecord,
    Decision,
)


class Reader(Protocol):
    """Typed reads in one consistent view (inside a unit of work: with what it wrote so far).

    Lists of pks may be of any length; unknown pks are left out of answers.
    """

    def records(self, kind: type[R], pks: Iterable[int]) -> list[R]:
        """Records in the order asked."""

    def states(self, pks: Iterable[int]) -> list[MemoryState]:
        """States of memories in the order asked, trashed ones too; unknown pks are left out."""

    def changed_since(self, memory: MemoryPk, revision: int) -> bool:
        """Whether a memory was changed since it had that revision; what was taken back since is no change."""

    def all_records(self, kind: type[R]) -> list[R]:
        """All records of a small table (folders, types, relation types, memos), by pk."""

    def memory_ids(self, where: MemoryFilter, sort: Sort) -> array[int]:
        """Pks of the memories that pass the filter, in order."""

    def memory_rows(self, pks: Sequence[int]) -> list[MemoryRow]:
        """Rows for the table, in the order asked."""

    def facets(self, where: MemoryFilter) -> Facets:
        """Counts under a filter."""

    def memories_in(self, folder: FolderPk) -> array[int]:
        """All memories of a folder, trashed ones too, by pk."""

    def resolve(self, ids: Sequence[str], folder: FolderPk | None) -> dict[str, list[MemoryPk]]:
        """Pks by public or foreign id; several when a foreign id stands in several folders."""

    def children_of(self, parents: Iterable[MemoryPk]) -> array[int]:
        """Memories whose `parent` is one of these, by pk."""

    def said_at(self, memories: Sequence[MemoryPk]) -> dict[MemoryPk, OpId]:
        """The change by which each of the memories came to say what it says (a move or a lock is none)."""

    def said_changes(self, memory: MemoryPk, limit: int) -> list[SaidChange]:
        """Changes of what a memory says that stand, newest first; its making is none."""

    def pks_naming(self, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
        """Memories outside the trash, of folders (None = of all), in whose words one of the names stands, newest first.

        Names are found as the word search finds phrases, in tags and other names too.
        """

    def pks_called(self, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
        """Memories outside the trash, of folders (None = of all), whose title or other name is one of the names.

        Newest first; case, width and traditional characters do not matter.
        """

    def naming_by_floor(
        self,
        names: Sequence[str],
        folders: Collection[FolderPk] | None,
        also: Sequence[MemoryPk],
        type_id: TypeId,
        limit: int,
    ) -> tuple[list[MemoryPk], int]:
        """As `pks_naming`, and those among `also`, but only of a type: the last floors first; and their number."""

    def tags_of(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, list[Tag]]:
        """Tag rows by memory, in order of group and position; memories without tags are absent."""

    def tag_sets(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, TagSet]:
        """The same as TagSet; every memory asked for is present."""

    def tag_names(self, kind: TagKind | None, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Tags in use with counts, most used first."""

    def aliases_of(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, list[Alias]]:
        """Alias rows by memory, in order; memories without aliases are absent."""

    def edges_touching(self, memories: Iterable[MemoryPk]) -> list[Edge]:
        """Edges with at least one end among these, by pk."""

    def beside(self, memories: Sequence[MemoryPk], at: datetime) -> array[int]:
        """Other memories one living relation away from one of these, those with most relations to them first."""

    def neighbours(
        self,
        memories: Sequence[MemoryPk],
        relations: Collection[RelationId],
        *,
        outward: bool,
        inward: bool,
        at: datetime | None,
    ) -> array[int]:
        """Memories at the other end of relations of these, by pk, trashed ones too.

        `relations` empty = of all types; `outward`: from these, `inward`: to these; `at`: living then (None = past
        ones too).
        """

    def edge_ends(self, memory: MemoryPk, at: datetime) -> list[EdgeEnds]:
        """All relations of a memory, by pk, without what only their records have; whether they live at a time."""

    def edges_between(self, source: MemoryPk, target: MemoryPk) -> list[Edge]:
        """Edges of exactly this direction, by pk."""

    def edges_in(self, folder: FolderPk) -> list[Edge]:
        """Edges whose source lies in the folder, by pk."""

    def pins_of(self, place: str) -> list[Pin]:
        """Pins of one picture of the graph, by memory."""

    def pins_on(self, memories: Iterable[MemoryPk]) -> list[Pin]:
        """Pins of these memories in all pictures, by pk."""

    def not_duplicates_of(self, memories: Iterable[MemoryPk]) -> list[NotDuplicate]:
        """Pairs told to be different in which one of these stands, by pk."""

    def merges(
        self, *, survivors: Iterable[MemoryPk] = (), losers: Iterable[MemoryPk] = ()
    ) -> list[MergeRecord]:
        """What was merged into one of the survivors, or is one of the losers, by pk."""

    def proposal(self, pk: int) -> Proposal | None:
        """One proposal with its parts in order and what was decided about them."""

    def proposal_rows(self, kind: ProposalKind | None, folder: FolderPk | None) -> list[ProposalRow]:
        """Proposals with numbers of parts, newest first; those of removed folders are left out."""

    def last_recalled(self, folder: FolderPk) -> tuple[MemoryPk, ...] | None:
        """What a recall handed out last for the folder; None when none has."""

    def folder_named(self, name: str) -> Folder | None:
        """The folder of that name."""

    def folder_nodes(self) -> list[FolderNode]:
        """Folders with counts, by name."""

    def messages_of(self, folder: FolderPk, start: int = 0, stop: int | None = None) -> list[Message]:
        """Chat lines of a folder by floor."""

    def messages_from(self, folder: FolderPk, start: int, limit: int) -> list[Message]:
        """At most so many chat lines of a folder from a floor on, by floor."""

    def floor_counts(self) -> dict[FolderPk, FloorCounts]:
        """Sizes of all folders that hold chat lines; those of a branch are its own."""

    def floor_numbers(self, folder: FolderPk, start: int = 0, stop: int | None = None) -> array[int]:
        """Numbers of the floors of a folder from `start` to before `stop`, ascending."""

    def floors_with(self, folder: FolderPk, text: str, start: int = 0, stop: int | None = None) -> array[int]:
        """Numbers of those of the floors whose text or speaker holds a text (case does not matter)."""

    def floor_spans(self, folder: FolderPk) -> dict[MemoryPk, tuple[int, int]]:
        """First and last floor of each memory of a folder, outside the trash."""

    def with_extra(self, folder: FolderPk, key: str) -> list[MemoryPk]:
        """Memories of a folder, outside the trash, whose `extra` has a key (a plain name), by pk."""

    def documents_of(self, folder: FolderPk) -> list[Document]:
        """Documents of a folder, by pk."""

    def document_rows(self, folder: FolderPk | None) -> list[DocumentRow]:
        """Documents of a folder (None = of all) with the number of their pieces, by pk; without their texts."""

    def documents_like(self, folder: FolderPk, content_hash: str, path: str, title: str) -> list[Document]:
        """Documents of a folder with that text, that path ("" = none) or that title, by pk."""

    def depended_on(self, memories: Iterable[MemoryPk]) -> set[int]:
        """Those of the memories to which others refer: relations, children, merged ones, pins, told doubles."""

    def memos_of(self, folder: FolderPk) -> list[Memo]:
        """Memos of a folder, by pk."""

    def keys_of(self, kind: Kind, ids: Sequence[str]) -> dict[str, int]:
        """Keys of memories, relations, documents or memos by their public id; unknown ids are absent."""

    def vector_groups(self, memories: Sequence[MemoryPk] | None) -> list[tuple[str, int, int]]:
        """Model, bytes of a vector and number of the memories (None = of all, trashed ones too) that have one."""

    def stored_vectors(
        self, model_key: str, size: int, memories: Sequence[MemoryPk]
    ) -> list[tuple[str, str, bytes]]:
        """Id, text hash and vector (float32 bytes) of those of the memories that have one of that size, by pk."""

    def schema(self) -> Schema:
        """Memory types and relation types."""

    def faulty(self, fault: Fault, now: datetime) -> list[Faulty]:
        """Rows with a fault of those that are found in rows, each with what would put it right."""

    def types_in_use(self) -> dict[str, int]:
        """Number of memories (trashed too) by type."""

    def relations_in_use(self) -> dict[str, int]:
        """Number of edges by relation."""

    def counts(self, *, journal: bool = True) -> LibraryCounts:
        """Sizes; that of the journal is 0 when it is not asked for (Cost: it reads all of the journal)."""


class UnitOfWork(Reader, Protocol):
    """One op being written. Made by the engine; services only use it."""

    @property
    def now(self) -> datetime:
        """Time of the op: the same for all its rows."""

    @property
    def by_program(self) -> bool:
        """Whether a program (not a person at a window) writes."""

    def insert(self, records: Sequence[R]) -> list[int]:
        """Store new records (all of one kind); their `pk` is ignored. Returns the new pks in order."""

    def bring_back(self, records: Sequence[R]) -> None:
        """Store records (all of one kind) again under the keys that they had."""

    def update(self, kind: Kind, pks: Iterable[int], values: Mapping[str, object]) -> int:
        """Set the same values on many rows; rows that have them already are untouched.

        Values have the types of the record's fields. A changed memory's `updated_at` and
        `revision` follow by themselves. Returns how many rows changed.
        """

    def update_each(self, kind: Kind, values: Mapping[int, Mapping[str, object]]) -> int:
        """Set different values on many rows. Returns how many rows changed."""

    def delete(self, kind: Kind, pks: Iterable[int]) -> int:
        """Delete rows (journaled: undo brings them back with the same pk)."""

    def erase(self, memories: Iterable[MemoryPk]) -> int:
        """Delete memories for ever: text, tags, aliases, edges, vectors and all journal images."""

    def replace_tags(self, tags: Mapping[MemoryPk, TagSet]) -> int:
        """Make these the tags of the memories. Returns how many memories changed."""

    def replace_aliases(self, aliases: Mapping[MemoryPk, Sequence[str]]) -> int:
        """Make these the aliases of the memories. Returns how many memories changed."""

    def keep_vectors(self, model_key: str, vectors: Sequence[tuple[MemoryPk, bytes]]) -> None:
        """Store vectors that came with an import (float32 bytes), so they need no embedding."""

    def keep_hashed_vectors(self, model_key: str, vectors: Sequence[tuple[str, bytes]]) -> int:
        """Store vectors (text hash, float32 bytes) whose text a memory has; how many these are."""

    def checkpoint(self, done: int, total: int) -> None:
        """Call between chunks of <= 500 rows: reports progress, looks at cancel, and commits what
        is written when the transaction is older than about 200 ms (under the same op).

        Errors: Cancelled; the op is then rolled back by the journal.
        """

    def label(self, **args: object) -> None:
        """Arguments for the op's name in the history (count, title, folder ...)."""


@dataclass(slots=True)
class OpDraft:
    """The op as it will be recorded. `pk` is 0 until something is written."""

    label: str
    actor: Actor
    undoable: bool = True
    role: OpRole = OpRole.CHANGE
    of: OpId | None = None
    args: dict[str, Any] = field(default_factory=dict)
    pk: int = 0


class Store(Protocol):
    """The library's SQL store."""

    @property
    def drafts(self) -> Drafts:
        """Unsaved edits."""

    def read(self, cancel: Cancel | None = None) -> AbstractContextManager[Reader]:
        """A reader with a consistent view; its calls end when they are cancelled. Errors: Cancelled."""

    def write(
        self,
        draft: OpDraft,
        work: Callable[[UnitOfWork], T],
        progress: Progress = ignore_progress,
        cancel: Cancel | None = None,
    ) -> tuple[T, Changes | None]:
        """Run `work` as one op; when it raises, the op is rolled back as a whole.

        Returns what `work` returned and the changes (None when nothing was written).
        Errors: those of `work`; Unavailable("store").
        """

    def undo(
        self,
        actor: Actor,
        op: OpId | None,
        *,
        partly: bool = False,
        redo: bool = False,
        progress: Progress = ignore_progress,
        cancel: Cancel | None = None,
    ) -> tuple[OpInfo, int, tuple[UndoConflict, ...], Changes]:
        """Undo an op, or with `redo` the actor's newest undo: the op undone, rows restored,
        conflicts, changes. Errors: see core.domain.api.EngineApi.undo."""

    def preview_undo(self, actor: Actor, op: OpId | None) -> UndoPreview:
        """What undoing would do; nothing is written."""

    def undo_state(self, actor: Actor) -> UndoState:
        """What undo and redo would take now."""

    def history(self, limit: int, before: OpId | None) -> list[HistoryEntry]:
        """Ops, newest first."""

    def ops(self, wanted: OpFilter) -> list[HistoryEntry]:
        """Ops under a filter, newest first."""

    def writers(self) -> list[tuple[ActorKind, str]]:
        """Who has written: the person first."""

    def op_diff(self, op: OpId, limit: int) -> list[RowDiff]:
        """What an op did, row by row. Errors: NotFound."""

    def changed_since(
        self, folders: Collection[FolderPk], after: OpId, skip: Collection[OpId], limit: int
    ) -> tuple[list[tuple[RowDiff, tuple[OpId, ...]]], int]:
        """What is another one in the folders than after an op, with the ops that made it so, newest first; how many rows.

        Only the first `limit` rows; ops of `skip` do not count, and what was undone is no change.
        """

    def versions(self, memory: MemoryPk) -> list[RowVersion]:
        """What changed on a memory, newest first."""

    def document_versions(self, document: DocumentPk) -> list[DocumentVersion]:
        """Changes of a document's text, newest first."""

    def last_op(self) -> OpId:
        """Highest op id."""

    def changes_after(self, op: OpId) -> list[Changes]:
        """Complete ops newer than one, with what they touched, marked as foreign."""

    def scrub(self) -> None:
        """Make nothing of erased text readable in the file."""

    def close(self) -> None:
        """End all connections."""
