"""What an import will write, and what an export wrote: values between format adapters and services.

A format adapter reads a file into an ImportPlan (no database touched: that is the dry run). The
transfer service writes the plan as one op. Records in a plan refer to each other by `key`, a name
that is unique inside the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.domain.edge import Edge
from core.domain.enums import FolderKind, Layer, Role, Status, StatusReason
from core.domain.folder import Document, Folder, Memo, Message
from core.domain.ids import DocumentPk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import JsonObject
from core.domain.memory import DEFAULT_IMPORTANCE, Memory, TagSet
from core.domain.package import Collision, PackageContent
from core.domain.results import Problem

NAME_GIVEN = "name_given"
"""Key in `Folder.origin`: the name that the import gave the folder (another one = it was renamed since)."""


class Format(StrEnum):
    """File formats that can be read and written."""

    STBME = "stbme"
    BOOKU = "booku"
    SAMPLE = "sample"
    CHAT = "chat"
    FOREIGN_CHAT = "foreign_chat"
    WORLDINFO = "worldinfo"
    LOREBOOK = "lorebook"
    CARD = "card"
    GRAPHML = "graphml"
    MCZ = "mcz"
    MEM0 = "mem0"
    MARKDOWN = "markdown"


CHATS_BROKEN = "error.file.chats_broken"
"""The error of an export that breaks off after some of its chats."""
DATABASE_BROKEN = "error.file.sqlite_damaged_partly"
"""The error of a database of which some rows can still be read."""
READABLE_ERRORS = frozenset({"error.file.json_broken", CHATS_BROKEN, DATABASE_BROKEN})
"""Errors that come with a part that can be read."""
CONTENT_FORMATS = frozenset({Format.MCZ, Format.MEM0, Format.MARKDOWN})
"""Formats that hold a content (core.domain.package): the whole library, folders, or any memories."""
SELECTION_FORMATS = CONTENT_FORMATS | {Format.WORLDINFO, Format.LOREBOOK}
"""Formats that take any memories; the others hold whole folders."""


@dataclass(frozen=True, slots=True)
class PlannedBranch:
    """A chat that went another way from some floor on: its first `shared` floors are those of `parent`."""

    parent: FolderPk
    shared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFolder:
    """A folder to create, or to fill when one of that name exists and the plan says so.

    `into`: the folder that already holds this file's chat, lorebook or card; messages there are brought up to
    date, memories there are left as they are. `also_reads`: other folders of the plan that recall reads too.
    `branch`: floors that are not stored again, because they are the parent's.
    """

    key: str
    name: str
    kind: FolderKind = FolderKind.PLAIN
    character: str = ""
    last_processed_seq: int = -1
    origin: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)
    into: FolderPk | None = None
    also_reads: tuple[str, ...] = ()
    branch: PlannedBranch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMemory:
    """A memory to create. `vector` (float32 bytes) only with the plan's `vector_model` known."""

    key: str
    folder: str
    foreign_id: str | None
    type: TypeId
    layer: Layer = Layer.MEMORY
    status: Status = Status.ACTIVE
    status_reason: StatusReason | None = None
    title: str = ""
    body: str = ""
    fields: JsonObject = field(default_factory=dict)
    importance: float = DEFAULT_IMPORTANCE
    novelty: float = 1.0
    activation_count: int = 0
    last_activated_at: datetime | None = None
    seq: int | None = None
    seq_start: int | None = None
    seq_end: int | None = None
    level: int = 0
    parent: str | None = None
    merged_into: str | None = None
    visibility: tuple[str, ...] = ()
    locked: bool = False
    source: str = ""
    document: str | None = None
    span_start: int | None = None
    span_end: int | None = None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None
    tags: TagSet = field(default_factory=TagSet)
    aliases: tuple[str, ...] = ()
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEdge:
    """A relation to create; `source` and `target` are memory keys."""

    foreign_id: str | None = None
    source: str
    target: str
    relation: RelationId
    strength: float = 0.8
    inhibits: bool = False
    created_at: datetime
    valid_from: datetime | None = None
    invalid_from: datetime | None = None
    expired_at: datetime | None = None
    from_seq: int | None = None
    ended_seq: int | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMessage:
    """A chat line to create."""

    folder: str
    seq: int
    role: Role
    name: str = ""
    text: str = ""
    hidden: bool = False
    sent_at: datetime | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDocument:
    """A document to create."""

    key: str
    folder: str
    title: str
    path: str = ""
    media_type: str = ""
    content_hash: str = ""
    text: str = ""
    created_at: datetime
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedMemo:
    """A memo to create."""

    folder: str
    id: str
    stream_id: str = ""
    content: str
    expires_at: datetime
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedVector:
    """A vector that came with the file: float32 little-endian bytes of `dims` numbers."""

    memory: str
    dims: int
    data: bytes


@dataclass(frozen=True, slots=True)
class PlannedUpdate:
    """A memory that is here already and that the file says otherwise. `edited`: a person changed it meanwhile."""

    pk: MemoryPk
    memory: PlannedMemory
    edited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """The result of a dry run. `counts` are named numbers for the summary.

    `into_existing`: fill an existing folder of the same name instead of taking a free name.
    `updates`: entries of a lorebook that changed in its file; those that a person edited here stay, unless
    `collision` says otherwise. `content`: the file is a package or plain files; its records are in there, read as they are written, and
    `folders` says only what the folders are to be called. `collision`: what becomes of those that are here already.
    """

    format: Format
    source_name: str
    folders: tuple[PlannedFolder, ...]
    memories: tuple[PlannedMemory, ...]
    edges: tuple[PlannedEdge, ...] = ()
    messages: Sequence[PlannedMessage] = ()
    documents: tuple[PlannedDocument, ...] = ()
    memos: tuple[PlannedMemo, ...] = ()
    vectors: tuple[PlannedVector, ...] = ()
    vector_model: str | None = None
    problems: tuple[Problem, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    needs_confirmation: bool = False
    into_existing: bool = False
    updates: tuple[PlannedUpdate, ...] = ()
    content: PackageContent | None = None
    collision: Collision = Collision.MINE


def only_folders(plan: ImportPlan, keys: AbstractSet[str]) -> ImportPlan:
    """The plan with some of its folders; messages of others stay in it, and have no folder there."""
    memories = tuple(each for each in plan.memories if each.folder in keys)
    kept = {each.key for each in memories}
    return replace(
        plan,
        folders=tuple(each for each in plan.folders if each.key in keys),
        memories=memories,
        edges=tuple(each for each in plan.edges if each.source in kept and each.target in kept),
        documents=tuple(each for each in plan.documents if each.folder in keys),
        memos=tuple(each for each in plan.memos if each.folder in keys),
        vectors=tuple(each for each in plan.vectors if each.memory in kept),
        updates=tuple(each for each in plan.updates if each.memory.folder in keys),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport:
    """What an export wrote. `counts` are named numbers, `problems` what the format cannot hold.

    `ids`: under which id memories stand in the file that did not bring one from there.
    """

    format: Format
    path: Path
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    ids: Mapping[MemoryPk, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderBundle:
    """All of one folder, as an export writes it: trashed memories too, edges by their source.

    `tags` has every memory. `outside` are the public ids of memories of other folders to which edges lead.
    `last_recalled`: what a recall handed out last, None when none has since the folder was made.
    `places`: where memories stand in a picture of the graph.
    """

    folder: Folder
    memories: tuple[Memory, ...]
    tags: Mapping[MemoryPk, TagSet]
    aliases: Mapping[MemoryPk, tuple[str, ...]] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    messages: tuple[Message, ...] = ()
    documents: Mapping[DocumentPk, Document] = field(default_factory=dict)
    memos: tuple[Memo, ...] = ()
    outside: Mapping[MemoryPk, str] = field(default_factory=dict)
    last_recalled: tuple[MemoryPk, ...] | None = None
    places: Mapping[MemoryPk, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """A file that a search for importable ones lists: `counts` as in ImportPlan, or why it cannot be read."""

    path: Path
    format: Format | None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: Problem | None = None
