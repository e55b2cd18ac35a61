"""Commands: every change a person or a program can ask for. `engine.run(command)` makes it one op.

A command is plain data. Sequences of memories are surrogate keys (`MemoryPk`); doors translate
public or foreign ids first (query `ResolveMemories`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from core.domain.document import Cutting, DocumentPiece
from core.domain.enums import FolderKind, Layer, Status, StatusReason, TagKind
from core.domain.ids import DocumentPk, EdgePk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import DEFAULT_IMPORTANCE, TagSet
from core.domain.recall import RecallCase
from core.domain.schema import MemoryType, RelationType

if TYPE_CHECKING:
    from core.domain.transfer import ImportPlan


@dataclass(frozen=True, slots=True)
class Command:
    """Base of all commands. `LABEL` is the text key under which history names the op."""

    LABEL: ClassVar[str] = "op.change"
    UNDOABLE: ClassVar[bool] = True


class Unset(StrEnum):
    """The value of a patch field that is not to be touched."""

    UNSET = "unset"


UNSET = Unset.UNSET


# --- memories ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """What a new memory is made of. `layer` None = the writer's default (person: memory,
    program: emergent). `related` and `people` get a relation from it: related, and involved_in."""

    folder: FolderPk
    type: TypeId
    title: str = ""
    body: str = ""
    fields: JsonObject = field(default_factory=dict)
    layer: Layer | None = None
    importance: float = DEFAULT_IMPORTANCE
    seq: int | None = None
    seq_start: int | None = None
    seq_end: int | None = None
    visibility: tuple[str, ...] = ()
    source: str = ""
    tags: TagSet = field(default_factory=TagSet)
    aliases: tuple[str, ...] = ()
    status: Status = Status.ACTIVE
    novelty: float = 1.0
    related: tuple[MemoryPk, ...] = ()
    people: tuple[MemoryPk, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateMemory(Command):
    """Create one memory. Never merges. Result: `created` holds its pk."""

    LABEL: ClassVar[str] = "op.memory.create"
    memory: NewMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class EditMemory(Command):
    """Change what a memory says. `fields`: only the keys that change; a value None removes a key.

    `tags`, `aliases`, `related`, `people` replace as a whole when given. `may_empty`: required columns may be
    emptied too (Booku's service allows it). `expected_revision`: Conflict when the row
    was changed since.
    """

    LABEL: ClassVar[str] = "op.memory.edit"
    memory: MemoryPk
    title: str | Unset = UNSET
    body: str | Unset = UNSET
    fields: Mapping[str, Json] | Unset = UNSET
    type: TypeId | Unset = UNSET
    importance: float | Unset = UNSET
    layer: Layer | Unset = UNSET
    seq: int | None | Unset = UNSET
    seq_start: int | None | Unset = UNSET
    seq_end: int | None | Unset = UNSET
    visibility: tuple[str, ...] | Unset = UNSET
    tags: TagSet | Unset = UNSET
    aliases: tuple[str, ...] | Unset = UNSET
    status: Status | Unset = UNSET
    related: tuple[MemoryPk, ...] | Unset = UNSET
    people: tuple[MemoryPk, ...] | Unset = UNSET
    may_empty: bool = False
    expected_revision: int | None = None


class MergePolicy(StrEnum):
    """What happens when a text is nearly the same as one that is there (DESIGN §5)."""

    UNION = "union"
    """The new text takes the place of the old one (a version); tags, aliases and relations are united."""
    ASK = "ask"
    """Nothing is written; a person decides."""
    OVERWRITE = "overwrite"
    """Everything the old one said is replaced, as the original did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeIntoMemory(Command):
    """Put a new text into a memory that says nearly the same. `policy` is union or overwrite.

    `expected_revision`: Conflict when the memory was changed since it was compared.
    """

    LABEL: ClassVar[str] = "op.memory.merge_into"
    target: MemoryPk
    memory: NewMemory
    policy: MergePolicy = MergePolicy.UNION
    expected_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPromotion(Command):
    """Carry out the verdicts on memories that are on trial, as one op (DESIGN §5, promote).

    `promote`: to long-term, still in recall; `archive`: kept, out of default recall; `trash`: restorable.
    Errors: Invalid when one is not on trial any more.
    """

    LABEL: ClassVar[str] = "op.memory.promote"
    promote: tuple[MemoryPk, ...] = ()
    archive: tuple[MemoryPk, ...] = ()
    trash: tuple[MemoryPk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTags(Command):
    """Add and remove tags of one group on many memories (bulk). The triple rule is checked after."""

    LABEL: ClassVar[str] = "op.memory.tags"
    memories: tuple[MemoryPk, ...]
    kind: TagKind = TagKind.GENERAL
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTags(Command):
    """Replace all tags of many memories (empty clears)."""

    LABEL: ClassVar[str] = "op.memory.tags"
    memories: tuple[MemoryPk, ...]
    tags: TagSet


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAliases(Command):
    """Replace the aliases of one memory."""

    LABEL: ClassVar[str] = "op.memory.aliases"
    memory: MemoryPk
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetImportance(Command):
    """Importance 0..10 of many memories."""

    LABEL: ClassVar[str] = "op.memory.importance"
    memories: tuple[MemoryPk, ...]
    importance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLayer(Command):
    """Layer of many memories."""

    LABEL: ClassVar[str] = "op.memory.layer"
    memories: tuple[MemoryPk, ...]
    layer: Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class SetType(Command):
    """Type of many memories; fields that the new type does not know are kept."""

    LABEL: ClassVar[str] = "op.memory.type"
    memories: tuple[MemoryPk, ...]
    type: TypeId


@dataclass(frozen=True, slots=True, kw_only=True)
class SetStatus(Command):
    """Status of many memories with its reason (active takes none)."""

    LABEL: ClassVar[str] = "op.memory.status"
    memories: tuple[MemoryPk, ...]
    status: Status
    reason: StatusReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVisibility(Command):
    """Who may recall the memories (empty = everyone)."""

    LABEL: ClassVar[str] = "op.memory.visibility"
    memories: tuple[MemoryPk, ...]
    visibility: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLocked(Command):
    """Lock or unlock: a locked memory is never changed by automatic upkeep."""

    LABEL: ClassVar[str] = "op.memory.lock"
    memories: tuple[MemoryPk, ...]
    locked: bool


class Border(StrEnum):
    """What happens to relations that would cross the border of a move or copy."""

    LEAVE = "leave"
    """Keep them: they then cross folders."""
    MOVE_TOO = "move_too"
    """Take the directly related memories along."""
    CUT = "cut"
    """Remove them (undoable like everything)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveMemories(Command):
    """Move memories to a folder, and with that to a layer or into a status when one is given."""

    LABEL: ClassVar[str] = "op.memory.move"
    memories: tuple[MemoryPk, ...]
    folder: FolderPk
    border: Border = Border.LEAVE
    layer: Layer | None = None
    status: Status | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyMemories(Command):
    """Copy memories to a folder; relations among them are copied, the origin is recorded."""

    LABEL: ClassVar[str] = "op.memory.copy"
    memories: tuple[MemoryPk, ...]
    folder: FolderPk


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveMemories(Command):
    """Archive: kept, but out of default recall. Works for every layer."""

    LABEL: ClassVar[str] = "op.memory.archive"
    memories: tuple[MemoryPk, ...]
    reason: StatusReason = StatusReason.BY_HAND


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreMemories(Command):
    """Back to active from archived or expired."""

    LABEL: ClassVar[str] = "op.memory.restore"
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashMemories(Command):
    """Into the trash, with tags and relations kept for the way back."""

    LABEL: ClassVar[str] = "op.memory.trash"
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UntrashMemories(Command):
    """Back out of the trash."""

    LABEL: ClassVar[str] = "op.memory.untrash"
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class EmptyTrash(Command):
    """Delete for ever what lies in the trash (of one folder, or of all): text, vector, tags,
    relations and journal images. Cannot be undone."""

    LABEL: ClassVar[str] = "op.trash.empty"
    UNDOABLE: ClassVar[bool] = False
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePermanently(Command):
    """Delete memories for ever, trashed or not. Cannot be undone."""

    LABEL: ClassVar[str] = "op.memory.delete"
    UNDOABLE: ClassVar[bool] = False
    memories: tuple[MemoryPk, ...]


class TextPlace(StrEnum):
    """Where find-and-replace looks."""

    TITLE = "title"
    BODY = "body"
    FIELDS = "fields"
    TAGS = "tags"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindAndReplace(Command):
    """Replace text in many memories. With `regex`, `replacement` may use \\1 and \\g<name>.

    Errors: Invalid for a bad pattern or replacement, or a pattern that runs too long.
    """

    LABEL: ClassVar[str] = "op.memory.replace"
    memories: tuple[MemoryPk, ...]
    pattern: str
    replacement: str
    regex: bool = False
    match_case: bool = True
    places: frozenset[TextPlace] = frozenset({TextPlace.TITLE, TextPlace.BODY, TextPlace.FIELDS})


# --- folders ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateFolder(Command):
    """Create a folder. Result: `created_folder`."""

    LABEL: ClassVar[str] = "op.folder.create"
    name: str
    kind: FolderKind = FolderKind.PLAIN
    character: str = ""


@dataclass(frozen=True, slots=True)
class RenameFolder(Command):
    """Rename a folder; folders below it (name/...) follow."""

    LABEL: ClassVar[str] = "op.folder.rename"
    folder: FolderPk
    name: str


@dataclass(frozen=True, slots=True)
class MergeFolders(Command):
    """Move all that `source` holds to `target` and remove `source`."""

    LABEL: ClassVar[str] = "op.folder.merge"
    source: FolderPk
    target: FolderPk


@dataclass(frozen=True, slots=True)
class DeleteFolder(Command):
    """Remove a folder. Its memories go to the trash in the default folder, so that they can be
    restored; messages and documents of it go with it (undo brings all back)."""

    LABEL: ClassVar[str] = "op.folder.delete"
    folder: FolderPk


@dataclass(frozen=True, slots=True)
class SetAlsoReads(Command):
    """Folders whose memories this one reads too."""

    LABEL: ClassVar[str] = "op.folder.also_reads"
    folder: FolderPk
    others: tuple[FolderPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditFolder(Command):
    """Character, kind, pointer and settings of a folder."""

    LABEL: ClassVar[str] = "op.folder.edit"
    folder: FolderPk
    character: str | Unset = UNSET
    kind: FolderKind | Unset = UNSET
    last_processed_seq: int | Unset = UNSET
    settings: JsonObject | Unset = UNSET


# --- relations --------------------------------------------------------------------------------


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


# --- the graph's picture -------------------------------------------------------------------------


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


# --- memos -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepMemo(Command):
    """Keep a short-lived note; the same text in the same stream lives on instead of standing twice.

    Memos that have expired are removed on the way. Result: `created_memo`, and `refreshed` among the counts.
    Errors: Invalid for a blank text or a time that is not positive.
    """

    LABEL: ClassVar[str] = "op.memo.keep"
    folder: FolderPk
    content: str
    stream_id: str = ""
    hours: float = 2.0


@dataclass(frozen=True, slots=True)
class RemoveMemos(Command):
    """Remove memos."""

    LABEL: ClassVar[str] = "op.memo.remove"
    memos: tuple[int, ...]


# --- schema -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SaveMemoryType(Command):
    """Create or change a memory type (matched by id)."""

    LABEL: ClassVar[str] = "op.schema.type"
    type: MemoryType


@dataclass(frozen=True, slots=True)
class RemoveMemoryType(Command):
    """Remove a type that no memory uses."""

    LABEL: ClassVar[str] = "op.schema.type_remove"
    type: TypeId


@dataclass(frozen=True, slots=True)
class SaveRelationType(Command):
    """Create or change a relation type (matched by id)."""

    LABEL: ClassVar[str] = "op.schema.relation"
    relation: RelationType


@dataclass(frozen=True, slots=True)
class RemoveRelationType(Command):
    """Remove a relation type that no relation uses."""

    LABEL: ClassVar[str] = "op.schema.relation_remove"
    relation: RelationId


# --- documents --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document with its pieces, ready to be written. `path` "" = typed or pasted.

    `content_hash`: SHA-256 of the text; by it the same content is known again, also under another name.
    """

    title: str
    text: str
    content_hash: str
    pieces: tuple[DocumentPiece, ...]
    cutting: Cutting = Cutting.DEFAULT
    path: str = ""
    media_type: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    details: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IngestDocument(Command):
    """Take a document in; its pieces become memories of layer knowledge. The folder is made when it is missing.

    The same text in the folder: nothing is written (count `same`). The same path (or, of a typed text, the same
    title) with another text: a new version in place of the old pieces (count `replaced`). `counts` also holds
    `pieces`, `kept`, `removed`, `trashed`. Result: `document`, `created`. Errors: Invalid without pieces.
    `group` names what came in together, so that it can be undone together.
    """

    LABEL: ClassVar[str] = "op.document.ingest"
    folder: str
    document: NewDocument
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceDocument(Command):
    """Another text for a document: a new version in place of the old pieces, whatever its path.

    Pieces that say the same are kept with all that hangs on them. Others go: locked ones stay, those that were
    changed by hand or that something refers to go to the trash. Errors: NotFound, Invalid without pieces.
    """

    LABEL: ClassVar[str] = "op.document.replace"
    document: DocumentPk
    new: NewDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteDocuments(Command):
    """Remove documents; their pieces go to the trash, from where they can be restored. Errors: NotFound."""

    LABEL: ClassVar[str] = "op.document.delete"
    documents: tuple[DocumentPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameDocument(Command):
    """Another title for a document. Errors: NotFound, Invalid for a blank one."""

    LABEL: ClassVar[str] = "op.document.rename"
    document: DocumentPk
    title: str


# --- transfer ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ApplyImport(Command):
    """Write what an import plan (the result of a dry run) holds, as one op. `group`: see IngestDocument."""

    LABEL: ClassVar[str] = "op.import"
    plan: ImportPlan
    group: str = ""


# --- recall tests ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SaveRecallCases(Command):
    """Save expectations: new ones (pk 0), or in place of the saved ones with their pks.

    Errors: Invalid without a message or an expected memory, or for a setting that its recipe has not;
    NotFound for a folder, a memory or a case that is not there.
    """

    LABEL: ClassVar[str] = "op.recall.save_cases"
    cases: tuple[RecallCase, ...]


@dataclass(frozen=True, slots=True)
class RemoveRecallCases(Command):
    """Remove saved expectations; those that are gone already are left alone."""

    LABEL: ClassVar[str] = "op.recall.remove_cases"
    cases: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImportRecallCases(Command):
    """Save expectations from JSON lines, as ExportRecallCases gives them, as one op.

    Counts of the result: `created`, `same` (there already) and `missing` (left out, because their folder or one
    of their memories is not there). Errors: BadFile, naming the line, for what is no such line; nothing is
    saved then.
    """

    LABEL: ClassVar[str] = "op.recall.import_cases"
    text: str
