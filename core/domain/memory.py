"""The memory record and what hangs directly on it: tags and aliases."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from core.domain.enums import Kind, Layer, Status, StatusReason, TagKind
from core.domain.ids import (
    UNSAVED_MEMORY,
    DocumentPk,
    FolderPk,
    MemoryId,
    MemoryPk,
    TypeId,
)
from core.domain.json_types import JsonObject, texts_of

DEFAULT_IMPORTANCE = 5.0
IMPORTANCE_RANGE = (0.0, 10.0)
TITLE_FROM_BODY_CHARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory: a Booku record and an ST-BME node at once (DESIGN §4).

    `pk` 0 = not stored yet. Times are aware UTC datetimes. `seq` and its range are floors
    (chat message indexes from 0), None where the memory has no place in a chat.
    """

    KIND: ClassVar[Kind] = Kind.MEMORY

    pk: MemoryPk = UNSAVED_MEMORY
    id: MemoryId
    foreign_id: str | None = None
    folder: FolderPk
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
    parent: MemoryPk | None = None
    merged_into: MemoryPk | None = None
    visibility: tuple[str, ...] = ()
    locked: bool = False
    source: str = ""
    document: DocumentPk | None = None
    span_start: int | None = None
    span_end: int | None = None
    created_at: datetime
    updated_at: datetime
    revision: int = 1
    deleted_at: datetime | None = None
    extra: JsonObject = field(default_factory=dict)

    @property
    def shown_title(self) -> str:
        """The title, or the first characters of the body where a type has no title column."""
        return self.title or title_of_body(self.body)

    @property
    def named(self) -> str:
        """The title for a person: what goes on ends with an ellipsis."""
        return self.title or cut_title(
            next((line for line in map(str.strip, self.body.splitlines()) if line), "")
        )


def texts_in(memory: Memory) -> tuple[str, ...]:
    """Title, body and every text in the fields of a memory."""
    return (memory.title, memory.body, *texts_of(dict(memory.fields)))


def cut_title(line: str) -> str:
    """The beginning of a line that stands for a title; an ellipsis where it goes on."""
    return line if len(line) <= TITLE_FROM_BODY_CHARS else line[:TITLE_FROM_BODY_CHARS].rstrip() + "…"


def title_of_body(body: str) -> str:
    """What stands for a title where there is none: the beginning of the first line that says anything."""
    first = next((stripped for line in body.splitlines() if (stripped := line.strip())), "")
    return first[:TITLE_FROM_BODY_CHARS]


@dataclass(frozen=True, slots=True)
class MemoryState:
    """What the rules of a bulk change look at: no text, so that ten thousand are read quickly."""

    pk: MemoryPk
    id: MemoryId
    foreign_id: str | None
    folder: FolderPk
    type: TypeId
    layer: Layer
    status: Status
    status_reason: StatusReason | None
    locked: bool
    trashed: bool
    merged_into: MemoryPk | None


def visible_to(memory: Memory, viewer: str) -> bool:
    """Whether that character may know of the memory: nobody named means everyone. Case counts."""
    return not memory.visibility or viewer in memory.visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """One tag of one memory. `position` is its place within its group."""

    KIND: ClassVar[Kind] = Kind.TAG

    pk: int = 0
    memory: MemoryPk
    kind: TagKind
    value: str
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of a memory (Booku's relation_aliases, lorebook keys)."""

    KIND: ClassVar[Kind] = Kind.ALIAS

    pk: int = 0
    memory: MemoryPk
    value: str
    position: int = 0


@dataclass(frozen=True, slots=True)
class TagSet:
    """All tags of a memory: general ones and the triple (all three groups or none)."""

    general: tuple[str, ...] = ()
    core: tuple[str, ...] = ()
    diffusion: tuple[str, ...] = ()
    opposing: tuple[str, ...] = ()

    def group(self, kind: TagKind) -> tuple[str, ...]:
        """The values of one group, in order."""
        match kind:
            case TagKind.GENERAL:
                return self.general
            case TagKind.CORE:
                return self.core
            case TagKind.DIFFUSION:
                return self.diffusion
            case TagKind.OPPOSING:
                return self.opposing

    @property
    def has_triple(self) -> bool:
        """Whether any of the three groups is filled."""
        return bool(self.core or self.diffusion or self.opposing)
