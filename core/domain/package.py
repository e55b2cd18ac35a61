"""The content of a library, or of a part of it, without keys of the store: what packages hold.

Records refer to each other by names that mean the same in every library: folders by name, memories, relations
and documents by id. A service gives the content of a library in this form, a format adapter that of a file;
each is a stream, so that a hundred thousand memories are never held at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from core.domain.edge import Edge
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.ids import FolderPk, MemoryPk
from core.domain.memory import Memory, TagSet
from core.domain.recall import RecallCase
from core.domain.results import Problem
from core.domain.saved_search import SavedSearch
from core.domain.schema import MemoryType, RelationType

NO_FOLDER = FolderPk(0)
NO_MEMORY = MemoryPk(0)


class Collision(StrEnum):
    """What becomes of a thing that the library has already.

    MINE: the library's stays. THEIRS: the file's replaces it. BOTH: the file's comes in beside it.
    """

    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFolder:
    """A folder; `branch` = the chat whose first floors it shares, and how many."""

    folder: Folder
    also_reads: tuple[str, ...] = ()
    branch: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedDocument:
    """A document."""

    document: Document
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMemory:
    """A memory with its tags and aliases.

    `columns`: those that the file gives, None = all. Of the others a memory that is there keeps its own.
    """

    memory: Memory
    folder: str
    parent: str | None = None
    merged_into: str | None = None
    document: str | None = None
    tags: TagSet = field(default_factory=TagSet)
    aliases: tuple[str, ...] = ()
    columns: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedEdge:
    """A relation between memories of those ids."""

    edge: Edge
    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMessage:
    """A floor of a chat."""

    message: Message
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedMemo:
    """A memo."""

    memo: Memo
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPair:
    """Two memories that a person said are different."""

    pair: NotDuplicate
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedCase:
    """A recall test; `folder` None = the whole library."""

    case: RecallCase
    folder: str | None
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPin:
    """A memory pinned in the picture of some folders (none = of all)."""

    arrangement: str
    folders: tuple[str, ...]
    below: bool
    memory: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PackedVector:
    """The vector of a memory's text: little-endian float32. `text_hash` says of which text."""

    memory: str
    text_hash: str
    data: bytes


@dataclass(frozen=True, slots=True)
class VectorSet:
    """Vectors of one model and one length; `rows` gives exactly `count`, and can be asked for once."""

    model: str
    dims: int
    count: int
    rows: Iterator[PackedVector]


class PackageContent(Protocol):
    """All that a package holds. Each call begins anew. Errors of files: BadFile."""

    def types(self) -> Iterator[MemoryType]:
        """Memory types (`pk` 0)."""

    def relation_types(self) -> Iterator[RelationType]:
        """Kinds of relations (`pk` 0)."""

    def folders(self) -> Iterator[PackedFolder]:
        """Folders, by name."""

    def documents(self) -> Iterator[PackedDocument]:
        """Documents."""

    def memories(self) -> Iterator[PackedMemory]:
        """Memories, trashed ones too, in the order in which they came into the library."""

    def edges(self) -> Iterator[PackedEdge]:
        """Relations; an end may lie outside of the package."""

    def messages(self) -> Iterator[PackedMessage]:
        """Floors, folder by folder."""

    def memos(self) -> Iterator[PackedMemo]:
        """Memos."""

    def pairs(self) -> Iterator[PackedPair]:
        """Pairs that are no duplicates."""

    def cases(self) -> Iterator[PackedCase]:
        """Recall tests."""

    def pins(self) -> Iterator[PackedPin]:
        """Pins of the graph's pictures."""

    def searches(self) -> Iterator[SavedSearch]:
        """Saved searches, in their order (`pk` 0)."""

    def vectors(self) -> Iterator[VectorSet]:
        """Vectors, one set a model and length; a set must be read before the next is asked for."""


@dataclass(frozen=True, slots=True)
class PackageReport:
    """The check of a package: what it says of itself, and what is damaged (none = it is whole)."""

    path: Path
    version: int
    program: str
    scope: str
    counts: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing in it is damaged."""
        return not any(problem.severity == "error" for problem in self.problems)
