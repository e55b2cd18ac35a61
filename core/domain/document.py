"""A document that was read: its text, what it is made of, and the pieces that it is cut into.

Spans are character positions in `ReadDocument.text`. Blocks tile the text: the first one begins at 0, each one
begins where the one before ends, the last one ends with the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.domain.ids import DocumentPk, FolderPk
from core.domain.json_types import Json, JsonObject
from core.domain.results import Problem

PATH_JOINT = " > "
"""Between the headings of a path, from the top."""


class DocumentKind(StrEnum):
    """What a file is, by its content."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    EPUB = "epub"
    TABLE = "table"
    JSON = "json"
    LOG = "log"
    CODE = "code"
    RTF = "rtf"
    ODT = "odt"
    PPTX = "pptx"
    XLSX = "xlsx"


MEDIA_TYPES: Mapping[DocumentKind, str] = {
    DocumentKind.TEXT: "text/plain",
    DocumentKind.MARKDOWN: "text/markdown",
    DocumentKind.HTML: "text/html",
    DocumentKind.PDF: "application/pdf",
    DocumentKind.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    DocumentKind.EPUB: "application/epub+zip",
    DocumentKind.TABLE: "text/csv",
    DocumentKind.JSON: "application/json",
    DocumentKind.LOG: "text/x-log",
    DocumentKind.CODE: "text/x-source",
    DocumentKind.RTF: "application/rtf",
    DocumentKind.ODT: "application/vnd.oasis.opendocument.text",
    DocumentKind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    DocumentKind.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class BlockKind(StrEnum):
    """What a part of a document is; it decides where the part may be cut."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One part of a document. `path`: the headings above it and its own; `page` from 1, 0 = there are none.

    `context`: the header of a table, for pieces that begin below it.
    """

    start: int
    end: int
    kind: BlockKind = BlockKind.TEXT
    path: tuple[str, ...] = ()
    page: int = 0
    context: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """A document as a reader gives it. `title` is what the document says itself ("" = nothing).

    `pages` 0 = the format has none; `text_pages` those that hold text. `encoding` "" = the format fixes it.
    `file_hash`: SHA-256 of the file's bytes.
    """

    kind: DocumentKind
    text: str
    blocks: tuple[Block, ...] = ()
    title: str = ""
    tags: tuple[str, ...] = ()
    encoding: str = ""
    pages: int = 0
    text_pages: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()
    properties: JsonObject = field(default_factory=dict)
    file_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPiece:
    """A piece as it will be stored: `body` is `text[start:end]` of the document.

    Only Booku's cutting joins parts that do not lie beside each other as they stand: then `exact` is off.
    """

    title: str
    body: str
    start: int
    end: int
    path: tuple[str, ...] = ()
    page: int = 0
    exact: bool = True


class Cutting(StrEnum):
    """How documents are cut."""

    DEFAULT = "default"
    """By structure, then by sentences."""
    COMPAT = "compat"
    """As Booku does (spec/BOOKU §5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutSettings:
    """Sizes in characters. `max_chars` and `overlap_chars` None = the cutting's own: 500 and 60, or Booku's 900 and 120."""

    cutting: Cutting = Cutting.DEFAULT
    max_chars: int | None = None
    overlap_chars: int | None = None

    @property
    def limit(self) -> int:
        """No piece is longer."""
        if self.max_chars is not None:
            return self.max_chars
        return 500 if self.cutting is Cutting.DEFAULT else 900

    @property
    def overlap(self) -> int:
        """How much of a piece the next one repeats at most."""
        if self.overlap_chars is not None:
            return self.overlap_chars
        return 60 if self.cutting is Cutting.DEFAULT else 120


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """A document as lists show it. `pieces` outside the trash, `characters` of its text.

    `waiting`: pieces that have no place in the vector index yet.
    """

    pk: DocumentPk
    id: str
    folder: FolderPk
    folder_name: str
    title: str
    path: str
    media_type: str
    version: int
    pieces: int
    characters: int
    waiting: int = 0
    content_hash: str = ""
    created_at: datetime | None = None
    details: Mapping[str, Json] = field(default_factory=dict)


class FileState(StrEnum):
    """Where a file of the queue is on its way."""

    WAITING = "waiting"
    READING = "reading"
    WRITING = "writing"
    PAUSED = "paused"
    DONE = "done"
    SAME = "same"
    """Nothing to do: the same content is there already."""
    SKIPPED = "skipped"
    """Dropped with others, and neither a document nor a memory file; the error says why."""
    QUESTION = "question"
    """Waits for an answer: encoding or password."""
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """Whether there is something left to do without a person."""
        return self in {FileState.WAITING, FileState.READING, FileState.WRITING}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedFile:
    """A file that is to come in. `shown` is its name for people (bytes that are no text are replaced).

    `title`, `encoding`: what the person chose ("" = found by itself). `batch` names what came in together: its
    changes carry it as their group. `imports`: a memory file, whose folders are made below `folder` ("" = at the
    top); `confirmed`: a person said that it is to come in in spite of what is odd about it.
    """

    path: Path
    shown: str
    folder: str
    title: str = ""
    encoding: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)
    batch: str = ""
    imports: bool = False
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """A file of the queue with its state. `result` is `created`, `replaced`, `same`, `moved` or `imported` once done.

    `moved`: its document was there and follows it to another name. `counts`: named numbers of what was imported.
    `error` names the text of what went wrong, or of the question; `choices` are encodings with a preview each.
    """

    pk: int
    file: QueuedFile
    state: FileState
    done: int = 0
    total: int = 0
    result: str = ""
    document: DocumentPk | None = None
    document_title: str = ""
    encoding: str = ""
    pages: int = 0
    text_pages: int = 0
    problems: tuple[Problem, ...] = ()
    error: Problem | None = None
    choices: tuple[tuple[str, str], ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFiles:
    """What lies below dropped paths: files to read, each once; what is left out, with its reason."""

    files: tuple[Path, ...] = ()
    left_out: tuple[Problem, ...] = ()
    hidden: int = 0
    same_file: int = 0
