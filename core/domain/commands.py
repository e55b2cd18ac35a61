"""Commands: every change a person or a program can ask for. `engine.run(command)` makes it one op.

A command is plain data. Sequences of memories are surrogate keys (`MemoryPk`); doors translate
public or foreign ids first (query `ResolveMemories`). Here: the base, and commands on memories; each
other family has a module of its own (`commands_<family>.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from core.domain.enums import Layer, Status, StatusReason, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.memory import DEFAULT_IMPORTANCE, TagSet


@dataclass(frozen=True, slots=True)
class Command:
    """Base of all commands. `LABEL` is the text key under which history names the op.

    `ERASES`: what it removes must not be readable in the file of the library afterwards.
    """

    LABEL: ClassVar[str] = "op.change"
    UNDOABLE: ClassVar[bool] = True
    ERASES: ClassVar[bool] = False


class Unset(StrEnum):
    """The value of a patch field that is not to be touched."""

    UNSET = "unset"


UNSET = Unset.UNSET


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
    ERASES: ClassVar[bool] = True
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePermanently(Command):
    """Delete memories for ever, trashed or not. Cannot be undone."""

    LABEL: ClassVar[str] = "op.memory.delete"
    UNDOABLE: ClassVar[bool] = False
    ERASES: ClassVar[bool] = True
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

    `whole_words`: not inside a longer word, where a script writes spaces. `keep_replaced`: where a text already
    says the replacement, what is looked for in it is left alone (not with `regex`).
    Errors: Invalid for a bad pattern or replacement, or a pattern that runs too long.
    """

    LABEL: ClassVar[str] = "op.memory.replace"
    memories: tuple[MemoryPk, ...]
    pattern: str
    replacement: str
    regex: bool = False
    match_case: bool = True
    places: frozenset[TextPlace] = frozenset({TextPlace.TITLE, TextPlace.BODY, TextPlace.FIELDS})
    whole_words: bool = False
    keep_replaced: bool = False
