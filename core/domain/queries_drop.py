"""Queries for files that are dropped in: what each is, the queue at a glance, cutting again, versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from core.domain.document import CutSettings, DocumentKind, FileState, QueueRow
from core.domain.ids import DocumentPk
from core.domain.queries import Query
from core.domain.queries_documents import Prepared
from core.domain.results import OpInfo, Problem
from core.domain.transfer import Format


class DropKind(StrEnum):
    """What becomes of a dropped file. The order is that of the sorting sheet."""

    DOCUMENTS = "documents"
    CHATS = "chats"
    GRAPHS = "graphs"
    DATABASES = "databases"
    LOREBOOKS = "lorebooks"
    CARDS = "cards"
    PACKAGES = "packages"
    SKIPPED = "skipped"

    @property
    def imports(self) -> bool:
        """Whether it is a memory file, to be imported."""
        return self not in (DropKind.DOCUMENTS, DropKind.SKIPPED)


SORT_OF: Mapping[Format, DropKind] = {
    Format.STBME: DropKind.GRAPHS,
    Format.BOOKU: DropKind.DATABASES,
    Format.CHAT: DropKind.CHATS,
    Format.FOREIGN_CHAT: DropKind.CHATS,
    Format.WORLDINFO: DropKind.LOREBOOKS,
    Format.LOREBOOK: DropKind.LOREBOOKS,
    Format.CARD: DropKind.CARDS,
    Format.MCZ: DropKind.PACKAGES,
    Format.MEM0: DropKind.PACKAGES,
    Format.MARKDOWN: DropKind.PACKAGES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedFile:
    """A dropped file: what it is by its content, and what stands in the way.

    `kind` of a document, `format` and `counts` of a memory file. `problem`: why it is skipped, or, for the others,
    the question that it will have (encoding, password, a part that can be read).
    """

    path: Path
    shown: str
    sort: DropKind
    kind: DocumentKind | None = None
    format: Format | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class SortFiles(Query[tuple[SortedFile, ...]]):
    """What each of these files is. Nothing is written. Cost: each file is read once. Errors: Cancelled."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToQueue:
    """A sorted file on its way into the queue; see QueuedFile."""

    path: Path
    folder: str
    imports: bool = False
    settings: CutSettings = field(default_factory=CutSettings)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A dropped file that nothing becomes of, and why."""

    path: Path
    problem: Problem


@dataclass(frozen=True, slots=True)
class QueueSorted(Query[tuple[int, ...]]):
    """Put files into the queue as one group; answers the keys of their rows.

    A file that waits there already for the same folder is not put in twice. `left_out` stand there too, with their
    reasons, until the list is cleared. Errors: Invalid for a folder name.
    """

    WRITES: ClassVar[bool] = True

    files: tuple[ToQueue, ...]
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class QueueView:
    """The queue at a glance: how many rows are in each state, and the first rows of each."""

    counts: Mapping[FileState, int]
    rows: tuple[QueueRow, ...]

    @property
    def open(self) -> int:
        """Files that are still to be worked on."""
        return sum(count for state, count in self.counts.items() if state.is_open)


@dataclass(frozen=True, slots=True)
class LookAtQueue(Query[QueueView]):
    """The queue, at most `limit` rows a state: questions and failures first, then work, then what is done.

    Done ones newest first, others oldest first. Cost: one counting query and `limit` rows a state.
    """

    limit: int = 200


@dataclass(frozen=True, slots=True)
class SetQueueCutting(Query[int]):
    """How files are to be cut that wait, are paused, failed or have a question; answers how many that are."""

    WRITES: ClassVar[bool] = True

    rows: tuple[int, ...]
    settings: CutSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareAgain(Query[Prepared]):
    """Cut a document of the library in another way; nothing is written.

    Its file is read again when it is there and says the same, so that pages and tables are known; else its stored
    text is cut. Errors: NotFound, Invalid for sizes that make no sense or a document that came without its text.
    """

    document: DocumentPk
    settings: CutSettings


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A change of a document's text: the op, the version it made, the text before and after it."""

    op: OpInfo
    version: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class DocumentVersions(Query[tuple[DocumentVersion, ...]]):
    """The versions of a document, newest first; undone ones too."""

    document: DocumentPk
