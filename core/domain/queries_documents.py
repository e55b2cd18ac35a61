"""Queries on documents, their pieces and the queue of files."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from core.domain.commands_documents import NewDocument
from core.domain.document import CutSettings, DocumentRow, FoundFiles, QueueRow, ReadDocument
from core.domain.folder import Document
from core.domain.ids import DocumentPk, FolderPk
from core.domain.memory import Memory
from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class Documents(Query[tuple[DocumentRow, ...]]):
    """Documents of a folder (None = of all), oldest first."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class DocumentOf(Query[Document]):
    """A document with its whole text. Errors: NotFound."""

    pk: DocumentPk


@dataclass(frozen=True, slots=True)
class PiecesOf(Query[tuple[Memory, ...]]):
    """The pieces of a document outside the trash, in the order of the text."""

    document: DocumentPk


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file as it was read, and as it would be written."""

    read: ReadDocument
    new: NewDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareFile(Query[Prepared]):
    """Read and cut a file; nothing is written. A text whose hash is in `unless` is not cut (no pieces).

    Errors: EncodingQuestion, PasswordQuestion, BadFile, Invalid for sizes that make no sense, Cancelled.
    """

    path: Path
    title: str = ""
    encoding: str = ""
    password: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)
    unless: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareText(Query[Prepared]):
    """Cut a typed or pasted text; nothing is written. `plain`: lines with `#` in it are no headings.

    Errors: BadFile when it is blank, Invalid.
    """

    text: str
    plain: bool = False
    title: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)


@dataclass(frozen=True, slots=True)
class FindDocuments(Query[FoundFiles]):
    """Files at some paths and below them that an ingest would take, each once. Errors: Cancelled."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Queued:
    """What was put into the queue (keys of its rows), and what was found."""

    rows: tuple[int, ...]
    found: FoundFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFiles(Query[Queued]):
    """Put files, and what lies below directories, into the queue, which survives the program.

    A file that waits there already is not put in twice. `title` only for a single file. Errors: Cancelled.
    """

    WRITES: ClassVar[bool] = True

    paths: tuple[Path, ...]
    folder: str
    title: str = ""
    encoding: str = ""
    source: str = ""
    settings: CutSettings = field(default_factory=CutSettings)


@dataclass(frozen=True, slots=True)
class QueueRows(Query[tuple[QueueRow, ...]]):
    """The queue, oldest first: what waits, what is done, what failed and why."""


@dataclass(frozen=True, slots=True)
class RunQueue(Query[int]):
    """Work on the queue until nothing waits; answers how many files were looked at.

    One program at a time does that: beside another one it answers 0 at once. Each file is an op of its own.
    Errors: Cancelled; the file that was being worked on waits again.
    """

    WRITES: ClassVar[bool] = True


class QueueAction(StrEnum):
    """What can be done with rows of the queue."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    """Failed and cancelled ones, and questions, wait again."""
    CLEAR = "clear"
    """Forget those that are done, there already, or cancelled."""


@dataclass(frozen=True, slots=True)
class ChangeQueue(Query[int]):
    """Do something with rows of the queue (None = with all that it fits); answers how many it was done to."""

    WRITES: ClassVar[bool] = True

    action: QueueAction
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQueue(Query[bool]):
    """Answer the question of a row (or choose another encoding); it waits again then. False = it is gone.

    A password is kept in memory only. `confirmed`: a memory file with something odd about it comes in all the same.
    """

    WRITES: ClassVar[bool] = True

    row: int
    encoding: str = ""
    password: str = ""
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportDocuments(Query[tuple[Path, ...]]):
    """Write the texts of documents to a directory, one UTF-8 file each; answers the files.

    A document that came without its text is put together from its pieces. Errors: NotFound, UserError when a file
    is there and `overwrite` is not set, or cannot be written.
    """

    documents: tuple[DocumentPk, ...]
    directory: Path
    overwrite: bool = False
