"""Queries about chats: which there are, their floors, and which memories came from which floors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.folder import Folder, Message
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class FloorCounts:
    """Sizes of a chat. `waiting`: answers after the pointer that nothing was made of yet."""

    floors: int = 0
    hidden: int = 0
    last_seq: int = -1
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat in the list. `shared`: so many first floors are those of `parent` (0 = no branch)."""

    folder: Folder
    counts: FloorCounts
    memories: int
    parent: FolderPk | None = None
    parent_name: str = ""
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Chats(Query[tuple[ChatRow, ...]]):
    """All folders that hold floors, by name. Cost: one pass over the index of floors."""


@dataclass(frozen=True, slots=True)
class FloorNumbers(Query[Sequence[int]]):
    """The numbers of all floors of a chat, ascending; those that a branch shares with its parent too.

    Errors: NotFound.
    """

    folder: FolderPk


@dataclass(frozen=True, slots=True)
class FloorsOf(Query[tuple[Message, ...]]):
    """Floors `start` to before `stop` of a chat; those of a branch's parent have its `folder`. Errors: NotFound."""

    folder: FolderPk
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class FindFloors(Query[Sequence[int]]):
    """Numbers of the floors whose text or speaker holds a text, ascending; case does not matter.

    Errors: NotFound. Cost: reads the chat.
    """

    folder: FolderPk
    text: str


@dataclass(frozen=True, slots=True)
class FloorProposal:
    """A group of a proposal that waits, with the floors it was made from."""

    proposal: int
    start: int
    end: int
    waiting: int


@dataclass(frozen=True, slots=True)
class FloorMarks:
    """What came from the floors of a chat.

    `spans`: first and last floor of each memory outside the trash; `changed`: memories whose floors were edited
    or removed since; `proposed`: what waits for a person, newest first.
    """

    spans: Mapping[MemoryPk, tuple[int, int]] = field(default_factory=dict)
    changed: tuple[MemoryPk, ...] = ()
    proposed: tuple[FloorProposal, ...] = ()


@dataclass(frozen=True, slots=True)
class FloorMarksOf(Query[FloorMarks]):
    """Which memories of a chat's folder came from which floors. Errors: NotFound."""

    folder: FolderPk
