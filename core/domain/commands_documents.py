"""Commands on documents and their pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from core.domain.commands import Command
from core.domain.document import Cutting, DocumentPiece
from core.domain.ids import DocumentPk
from core.domain.json_types import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document with its pieces, ready to be written. `path` "" = typed or pasted.

    `content_hash`: SHA-256 of the text; by it the same content is known again, also under another name.
    """

    title: str
    text: str
    content_hash: str
    pieces: tuple[DocumentPiece, ...]
    cutting: Cutting = Cutting.DEFAULT
    path: str = ""
    media_type: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    details: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IngestDocument(Command):
    """Take a document in; its pieces become memories of layer knowledge. The folder is made when it is missing.

    The same text in the folder: nothing is written (count `same`). The same path (or, of a typed text, the same
    title) with another text: a new version in place of the old pieces (count `replaced`). `counts` also holds
    `pieces`, `kept`, `removed`, `trashed`. Result: `document`, `created`. Errors: Invalid without pieces.
    `group` names what came in together, so that it can be undone together.
    """

    LABEL: ClassVar[str] = "op.document.ingest"
    folder: str
    document: NewDocument
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceDocument(Command):
    """Another text for a document: a new version in place of the old pieces, whatever its path.

    Pieces that say the same are kept with all that hangs on them. Others go: locked ones stay, those that were
    changed by hand or that something refers to go to the trash. Errors: NotFound, Invalid without pieces.
    """

    LABEL: ClassVar[str] = "op.document.replace"
    document: DocumentPk
    new: NewDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteDocuments(Command):
    """Remove documents; their pieces go to the trash, from where they can be restored. Errors: NotFound."""

    LABEL: ClassVar[str] = "op.document.delete"
    documents: tuple[DocumentPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameDocument(Command):
    """Another title for a document. Errors: NotFound, Invalid for a blank one."""

    LABEL: ClassVar[str] = "op.document.rename"
    document: DocumentPk
    title: str
