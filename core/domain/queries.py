"""Queries: everything that can be asked. `engine.ask(query)` answers with the type in brackets.

Here: the base, and queries on memories, folders and the library; each other family has a module of its own
(`queries_<family>.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from core.domain.commands import FindAndReplace
from core.domain.enums import Layer, Status, TagKind
from core.domain.folder import Folder, Message
from core.domain.ids import EdgePk, FolderPk, MemoryPk, TypeId
from core.domain.memory import Memory
from core.domain.results import (
    EdgeView,
    Facets,
    FolderNode,
    LibraryCounts,
    MemoryDetail,
    MemoryRow,
    NoveltyReport,
    ReplacePreview,
)
from core.domain.schema import Schema
from core.domain.search import Term

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Query(Generic[T_co]):
    """Base of all queries; `T_co` is the type of the answer. `WRITES`: it leaves something in the library."""

    WRITES: ClassVar[bool] = False

    @property
    def writes(self) -> bool:
        """Whether this one leaves something in the library."""
        return self.WRITES


class SortKey(StrEnum):
    """Columns by which memories can be sorted; INDEXED_SORTS have an index."""

    CREATED = "created"
    UPDATED = "updated"
    TITLE = "title"
    TYPE = "type"
    LAYER = "layer"
    STATUS = "status"
    FOLDER = "folder"
    IMPORTANCE = "importance"
    ACTIVATIONS = "activations"
    LAST_USED = "last_used"
    SEQ = "seq"
    LEVEL = "level"
    RELEVANCE = "relevance"


class TrashScope(StrEnum):
    """Which side of the trash a list shows."""

    OUTSIDE = "outside"
    INSIDE = "inside"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What a list shows. Empty sets do not filter. `text` = plain search words.

    `with_subfolders`: folders below the named ones (by `/`) too. `language`: `text` is in the search language
    (docs/SEARCH.md), read by the engine into `text`, `where` and `meaning`. `among`: only these memories,
    in this order where the list is sorted by relevance.
    """

    text: str = ""
    folders: frozenset[FolderPk] = frozenset()
    with_subfolders: bool = False
    types: frozenset[TypeId] = frozenset()
    layers: frozenset[Layer] = frozenset()
    statuses: frozenset[Status] = frozenset()
    tags: tuple[tuple[TagKind | None, str], ...] = ()
    importance_min: float | None = None
    importance_max: float | None = None
    seq_min: int | None = None
    seq_max: int | None = None
    level_min: int | None = None
    never_recalled: bool = False
    locked: bool | None = None
    document: int | None = None
    trash: TrashScope = TrashScope.OUTSIDE
    language: bool = False
    where: Term | None = None
    meaning: str = ""
    among: tuple[MemoryPk, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sort:
    """Order of a list; ties by pk."""

    key: SortKey = SortKey.UPDATED
    descending: bool = True


@dataclass(frozen=True, slots=True)
class ListMemories(Query[Sequence[int]]):
    """Pks of all memories that pass the filter, in order (a compact array)."""

    filter: MemoryFilter = field(default_factory=MemoryFilter)
    sort: Sort = field(default_factory=Sort)


@dataclass(frozen=True, slots=True)
class MemoryRows(Query[tuple[MemoryRow, ...]]):
    """What the table shows of these memories, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class Memories(Query[tuple[Memory, ...]]):
    """Whole records, in the order asked; missing ones are left out."""

    pks: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class MemoryDetailOf(Query[MemoryDetail]):
    """All that the detail view shows of one memory. Errors: NotFound."""

    pk: MemoryPk


@dataclass(frozen=True, slots=True)
class ResolveMemories(Query[tuple[MemoryPk, ...]]):
    """Pks of public or foreign ids, in order; ids of merged memories follow to the survivor.

    Errors: NotFound naming the ids that are unknown or, without a folder, ambiguous.
    """

    ids: tuple[str, ...]
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class FacetCounts(Query[Facets]):
    """Counts by type, layer, status and tag under a filter."""

    filter: MemoryFilter = field(default_factory=MemoryFilter)


@dataclass(frozen=True, slots=True)
class Folders(Query[tuple[FolderNode, ...]]):
    """All folders with their counts, by name."""


@dataclass(frozen=True, slots=True)
class FolderByName(Query[Folder | None]):
    """The folder of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class CrossingEdges(Query[tuple[EdgeView, ...]]):
    """Relations with exactly one end among these memories (what a move would cut or stretch)."""

    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class LibrarySchema(Query[Schema]):
    """Memory types and relation types of the library."""


@dataclass(frozen=True, slots=True)
class TagNames(Query[tuple[tuple[str, int], ...]]):
    """Tags in use with their counts, most used first; `prefix` narrows."""

    kind: TagKind | None = None
    prefix: str = ""
    limit: int = 200


@dataclass(frozen=True, slots=True)
class MessagesOf(Query[tuple[Message, ...]]):
    """Floors `start` .. `stop`-1 of a folder's chat."""

    folder: FolderPk
    start: int = 0
    stop: int | None = None


@dataclass(frozen=True, slots=True)
class PreviewReplace(Query[ReplacePreview]):
    """Every change that a find-and-replace would make."""

    command: FindAndReplace
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class Counts(Query[LibraryCounts]):
    """Size of the library and what waits for the index.

    `journal`: sum up the journal's text too, which reads all of it; without, `journal_bytes` is 0.
    """

    journal: bool = True


@dataclass(frozen=True, slots=True)
class LibraryPath(Query[Path]):
    """Directory of the library."""


@dataclass(frozen=True, slots=True)
class LiveEdges(Query[tuple[EdgeView, ...]]):
    """Relations of a memory; `at` None = all, past ones too."""

    memory: MemoryPk
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Edges(Query[tuple[EdgeView, ...]]):
    """These relations with titles of their ends, in the order asked; missing ones are left out."""

    pks: tuple[EdgePk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoveltyOf(Query[NoveltyReport]):
    """How new a text is among the memories of its folder (documents: among all documents).

    Texts that have no vector yet are embedded first. Errors: Unavailable(embedder).
    """

    folder: FolderPk | None
    title: str
    body: str
    layer: Layer = Layer.MEMORY
    neighbours: int = 8
    cutoff: float = 0.1
