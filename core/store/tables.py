"""The tables of a library, typed. Times are integers (UTC microseconds), JSON is canonical text.

Rows that ops change (`Kind`) have one record class each in core.domain; the others (vectors, outbox,
journal, runs, drafts ...) are the store's own and are never journaled.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Metadata of all tables."""


def _reference(target: str) -> ForeignKey:
    """A reference that is checked when the transaction ends, so that rows may come in any order."""
    return ForeignKey(target, deferrable=True, initially="DEFERRED")


class FolderTable(Base):
    """Scopes."""

    __tablename__ = "folder"
    pk: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    character: Mapped[str]
    last_processed_seq: Mapped[int]
    also_reads: Mapped[str]
    settings: Mapped[str]
    origin: Mapped[str]
    created_at: Mapped[int]
    extra: Mapped[str]


class DocumentTable(Base):
    """Dropped-in files."""

    __tablename__ = "document"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    folder: Mapped[int] = mapped_column(_reference("folder.pk"), index=True)
    title: Mapped[str]
    path: Mapped[str]
    media_type: Mapped[str]
    content_hash: Mapped[str]
    text: Mapped[str]
    version: Mapped[int]
    created_at: Mapped[int]
    extra: Mapped[str]


class MemoryTable(Base):
    """Memories. `search_text` and `text_hash` are derived: never journaled, never compared."""

    __tablename__ = "memory"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    foreign_id: Mapped[str | None]
    folder: Mapped[int] = mapped_column(_reference("folder.pk"))
    type: Mapped[str]
    layer: Mapped[str]
    status: Mapped[str]
    status_reason: Mapped[str | None]
    title: Mapped[str]
    body: Mapped[str]
    fields: Mapped[str]
    importance: Mapped[float]
    novelty: Mapped[float]
    activation_count: Mapped[int]
    last_activated_at: Mapped[int | None]
    seq: Mapped[int | None]
    seq_start: Mapped[int | None]
    seq_end: Mapped[int | None]
    level: Mapped[int]
    parent: Mapped[int | None] = mapped_column(_reference("memory.pk"), index=True)
    merged_into: Mapped[int | None] = mapped_column(_reference("memory.pk"), index=True)
    visibility: Mapped[str]
    locked: Mapped[bool]
    source: Mapped[str]
    document: Mapped[int | None] = mapped_column(_reference("document.pk"), index=True)
    span_start: Mapped[int | None]
    span_end: Mapped[int | None]
    created_at: Mapped[int]
    updated_at: Mapped[int]
    revision: Mapped[int]
    deleted_at: Mapped[int | None]
    extra: Mapped[str]
    search_text: Mapped[str] = mapped_column(server_default="")
    text_hash: Mapped[str] = mapped_column(server_default="")


# The list outside the trash is the everyday one: its sort orders are partial covering indexes.
_LIVE = MemoryTable.deleted_at.is_(None)
for _column in ("created_at", "importance", "seq", "last_activated_at"):
    Index(f"ix_memory_live_{_column}", getattr(MemoryTable, _column), sqlite_where=_LIVE)
# Holds every column that a list is filtered by, so that a filter reads no row (rows are wide).
Index(
    "ix_memory_list",
    *(
        getattr(MemoryTable, _column)
        for _column in (
            "updated_at",
            "pk",
            "folder",
            "type",
            "layer",
            "status",
            "level",
            "activation_count",
            "importance",
            "locked",
            "seq",
            "seq_start",
            "seq_end",
        )
    ),
    sqlite_where=_LIVE,
)
Index("ix_memory_live_title", MemoryTable.title.collate("NOCASE"), sqlite_where=_LIVE)
Index("ix_memory_live_folder", MemoryTable.folder, MemoryTable.updated_at, sqlite_where=_LIVE)
Index("ix_memory_live_type", MemoryTable.type, MemoryTable.layer, MemoryTable.status, sqlite_where=_LIVE)
Index("ix_memory_folder_foreign", MemoryTable.folder, MemoryTable.foreign_id, unique=True)
Index("ix_memory_foreign", MemoryTable.foreign_id)
Index("ix_memory_trash", MemoryTable.deleted_at, sqlite_where=MemoryTable.deleted_at.is_not(None))
Index("ix_memory_text_hash", MemoryTable.text_hash)


class TagTable(Base):
    """Tags of memories: general ones and the three groups of the triple."""

    __tablename__ = "tag"
    pk: Mapped[int] = mapped_column(primary_key=True)
    memory: Mapped[int] = mapped_column(_reference("memory.pk"))
    kind: Mapped[str]
    value: Mapped[str]
    position: Mapped[int]
    __table_args__ = (Index("ix_tag_memory", "memory", "kind", "position"),)


Index("ix_tag_value", TagTable.value.collate("NOCASE"), TagTable.kind, TagTable.memory)


class AliasTable(Base):
    """Other names of memories."""

    __tablename__ = "alias"
    pk: Mapped[int] = mapped_column(primary_key=True)
    memory: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    value: Mapped[str] = mapped_column(index=True)
    position: Mapped[int]


class EdgeTable(Base):
    """Relations."""

    __tablename__ = "edge"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    foreign_id: Mapped[str | None]
    source: Mapped[int] = mapped_column(_reference("memory.pk"))
    target: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    relation: Mapped[str]
    strength: Mapped[float]
    inhibits: Mapped[bool]
    created_at: Mapped[int]
    valid_from: Mapped[int | None]
    invalid_from: Mapped[int | None]
    expired_at: Mapped[int | None]
    from_seq: Mapped[int | None]
    ended_seq: Mapped[int | None]
    extra: Mapped[str]
    __table_args__ = (Index("ix_edge_ends", "source", "target", "relation"),)


class MessageTable(Base):
    """Chat lines by folder and floor."""

    __tablename__ = "message"
    pk: Mapped[int] = mapped_column(primary_key=True)
    folder: Mapped[int] = mapped_column(_reference("folder.pk"))
    seq: Mapped[int]
    role: Mapped[str]
    name: Mapped[str]
    text: Mapped[str]
    hidden: Mapped[bool]
    sent_at: Mapped[int | None]
    extra: Mapped[str]
    __table_args__ = (Index("ix_message_floor", "folder", "seq"),)


class MemoTable(Base):
    """Short-lived notes."""

    __tablename__ = "memo"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    folder: Mapped[int] = mapped_column(_reference("folder.pk"), index=True)
    stream_id: Mapped[str]
    content: Mapped[str]
    expires_at: Mapped[int]
    created_at: Mapped[int]
    updated_at: Mapped[int]


class MemoryTypeTable(Base):
    """The type schema."""

    __tablename__ = "memory_type"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    labels: Mapped[str]
    table_name: Mapped[str] = mapped_column(unique=True)
    columns: Mapped[str]
    always_inject: Mapped[bool]
    latest_only: Mapped[bool]
    force_update: Mapped[bool]
    key_column: Mapped[str | None]
    compression: Mapped[str]
    color: Mapped[str]
    color_dark: Mapped[str]
    icon: Mapped[str]
    position: Mapped[int]
    built_in: Mapped[bool]


class RelationTypeTable(Base):
    """Kinds of relations."""

    __tablename__ = "relation_type"
    pk: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    labels: Mapped[str]
    inverse: Mapped[str]
    inhibits: Mapped[bool]
    color: Mapped[str]
    position: Mapped[int]
    built_in: Mapped[bool]


class NotDuplicateTable(Base):
    """Pairs that a person said are different."""

    __tablename__ = "not_duplicate"
    pk: Mapped[int] = mapped_column(primary_key=True)
    a: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    b: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    about: Mapped[str]
    created_at: Mapped[int]
    __table_args__ = (UniqueConstraint("a", "b", "about"),)


class PinTable(Base):
    """Memories pinned in the graph's picture."""

    __tablename__ = "pin"
    pk: Mapped[int] = mapped_column(primary_key=True)
    place: Mapped[str]
    memory: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    x: Mapped[float]
    y: Mapped[float]
    __table_args__ = (UniqueConstraint("place", "memory"),)


class MergeTable(Base):
    """Memories that went into others, with what was moved."""

    __tablename__ = "merge_record"
    pk: Mapped[int] = mapped_column(primary_key=True)
    batch: Mapped[str]
    survivor: Mapped[int] = mapped_column(_reference("memory.pk"), index=True)
    loser: Mapped[int] = mapped_column(_reference("memory.pk"), unique=True)
    moved: Mapped[str]
    image: Mapped[str]
    created_at: Mapped[int]


class DecisionTable(Base):
    """What an op decided about a part of a proposal."""

    __tablename__ = "decision"
    pk: Mapped[int] = mapped_column(primary_key=True)
    proposal: Mapped[int]
    part: Mapped[str]
    verdict: Mapped[str]
    memory: Mapped[int | None] = mapped_column(_reference("memory.pk"), index=True)
    created_at: Mapped[int]
    __table_args__ = (UniqueConstraint("proposal", "part"),)


# --- the store's own tables ------------------------------------------------------------------


class OpTable(Base):
    """One named change. `args` fill the places of its label."""

    __tablename__ = "op"
    pk: Mapped[int] = mapped_column(primary_key=True)
    label: Mapped[str]
    args: Mapped[str]
    actor_kind: Mapped[str]
    actor_name: Mapped[str]
    session: Mapped[str]
    pid: Mapped[int]
    at: Mapped[int]
    role: Mapped[str]
    state: Mapped[str]
    undoable: Mapped[bool]
    of_op: Mapped[int | None] = mapped_column(index=True)
    undone_by: Mapped[int | None]
    rows: Mapped[int]
    memories: Mapped[int]
    __table_args__ = (Index("ix_op_actor", "actor_kind", "actor_name", "role", "pk"),)


class JournalTable(Base):
    """One touched row of one op: changed columns before and after.

    `action` i(nsert): `digest` of the row, no image. u(pdate): both images. d(elete): the whole row
    before. `memory`, `other` = the memories the row is about (for versions and for erasing).
    """

    __tablename__ = "journal"
    pk: Mapped[int] = mapped_column(primary_key=True)
    op: Mapped[int] = mapped_column(_reference("op.pk"), index=True)
    kind: Mapped[str]
    row_pk: Mapped[int]
    action: Mapped[str]
    before: Mapped[str | None]
    after: Mapped[str | None]
    digest: Mapped[str | None]
    memory: Mapped[int | None] = mapped_column(index=True)
    other: Mapped[int | None]


Index("ix_journal_other", JournalTable.other, sqlite_where=JournalTable.other.is_not(None))


class SequenceTable(Base):
    """Next free key of each kind: keys are never used twice, since the journal names them."""

    __tablename__ = "sequence"
    kind: Mapped[str] = mapped_column(primary_key=True)
    next: Mapped[int]


class OutboxTable(Base):
    """Memories that the index has not seen yet, one row a memory. `id` outlives an erased row."""

    __tablename__ = "outbox"
    memory: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    id: Mapped[str]
    version: Mapped[int]


class VectorTable(Base):
    """Vectors by model and hash of the embedded text: undo and re-import never embed twice."""

    __tablename__ = "vector"
    model_key: Mapped[str] = mapped_column(primary_key=True)
    text_hash: Mapped[str] = mapped_column(primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    __table_args__ = ({"sqlite_with_rowid": False},)


class DraftTable(Base):
    """Unsaved edits."""

    __tablename__ = "draft"
    key: Mapped[str] = mapped_column(primary_key=True)
    data: Mapped[str]
    updated_at: Mapped[int]


class JobTable(Base):
    """Background work that survives the program: a queue item with its state."""

    __tablename__ = "job"
    pk: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(index=True)
    state: Mapped[str] = mapped_column(index=True)
    data: Mapped[str]
    done: Mapped[int]
    total: Mapped[int]
    error: Mapped[str]
    created_at: Mapped[int]
    updated_at: Mapped[int]


class ManualRequestTable(Base):
    """A request that a person carries to a model by hand. `rest`: the work that goes on with its reply."""

    __tablename__ = "manual_request"
    pk: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    task: Mapped[str]
    work: Mapped[str] = mapped_column(index=True)
    rest: Mapped[str]
    text: Mapped[str]
    reply: Mapped[str | None]
    used: Mapped[bool]
    created_at: Mapped[int]
    updated_at: Mapped[int]
    __table_args__ = ({"sqlite_autoincrement": True},)


class ProposalTable(Base):
    """Changes waiting for a person: what they are, without their parts."""

    __tablename__ = "proposal"
    pk: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    folder: Mapped[int | None]
    source: Mapped[str]
    data: Mapped[str]
    request_tokens: Mapped[int]
    reply_tokens: Mapped[int]
    created_at: Mapped[int]
    updated_at: Mapped[int]


class ProposalPartTable(Base):
    """One part of a proposal. `memory`: the memory that is there already and that it is about."""

    __tablename__ = "proposal_part"
    pk: Mapped[int] = mapped_column(primary_key=True)
    proposal: Mapped[int] = mapped_column(_reference("proposal.pk"))
    key: Mapped[str]
    part_group: Mapped[str]
    kind: Mapped[str]
    ticked: Mapped[bool]
    memory: Mapped[int | None] = mapped_column(index=True)
    data: Mapped[str]
    __table_args__ = (UniqueConstraint("proposal", "key"),)


class RecallRunTable(Base):
    """One recall that was handed out. `injected`: the memories whose text stands in the injection."""

    __tablename__ = "recall_run"
    pk: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[int]
    folder: Mapped[int | None] = mapped_column(index=True)
    viewer: Mapped[str]
    message: Mapped[str]
    recipe: Mapped[str]
    selected: Mapped[str]
    scores: Mapped[str]
    injection: Mapped[str]
    injected: Mapped[str]
    tokens: Mapped[int]
    mode: Mapped[str]
    caller: Mapped[str]


class RecallCaseTable(Base):
    """Saved expectations: this message should recall these memories."""

    __tablename__ = "recall_case"
    pk: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    folder: Mapped[int | None] = mapped_column(_reference("folder.pk"), index=True)
    message: Mapped[str]
    viewer: Mapped[str]
    recipe: Mapped[str]
    settings: Mapped[str]
    expected: Mapped[str]
    created_at: Mapped[int]


class SavedSearchTable(Base):
    """Searches kept under a name, in canonical text."""

    __tablename__ = "saved_search"
    pk: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    text: Mapped[str]
    position: Mapped[int]
    created_at: Mapped[int]


class EvaluationTable(Base):
    """Figures of a run over the saved expectations, to compare the next one with."""

    __tablename__ = "evaluation"
    pk: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[int]
    folder: Mapped[int | None]
    figures: Mapped[str]
    passed: Mapped[str]


class PictureTable(Base):
    """Where a layout put the nodes of one picture: keys (int64) and x, y (float32), little-endian."""

    __tablename__ = "picture"
    place: Mapped[str] = mapped_column(primary_key=True)
    pks: Mapped[bytes] = mapped_column(LargeBinary)
    positions: Mapped[bytes] = mapped_column(LargeBinary)


class StateTable(Base):
    """Small facts about the library itself: schema version, active index collection."""

    __tablename__ = "state"
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
