"""Documents as files again: their text as it was read, under a name made of their title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from core.domain.document import MEDIA_TYPES, DocumentKind
from core.domain.errors import UserError
from core.domain.folder import Document
from core.domain.memory import Memory
from core.domain.queries import MemoryFilter, Sort, SortKey
from core.domain.queries_documents import ExportDocuments
from core.ports.store import Reader, Store
from core.services.documents import document_of

_FORBIDDEN = re.compile(r"[\x00-\x1f<>:\"/\\|?*\u202a-\u202e]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_NAME_CHARS = 80
_ENDINGS = {MEDIA_TYPES[DocumentKind.MARKDOWN]: ".md", MEDIA_TYPES[DocumentKind.JSON]: ".json"}


def export_documents(store: Store, query: ExportDocuments) -> tuple[Path, ...]:
    """Write the texts of documents; see ExportDocuments."""
    with store.read() as reader:
        documents = [document_of(reader, pk) for pk in dict.fromkeys(query.documents)]
        texts = [document.text or _from_pieces(reader, document) for document in documents]
    paths = _paths(documents, query.directory)
    try:
        query.directory.mkdir(parents=True, exist_ok=True)
        if not query.overwrite:
            there = next((path for path in paths if path.exists()), None)
            if there is not None:
                raise UserError("error.export.exists", name=there.name)
        for path, text in zip(paths, texts, strict=True):
            beside = path.with_name(path.name + ".part")
            beside.write_text(text, encoding="utf-8", newline="\n")
            beside.replace(path)
    except OSError as error:
        raise UserError("error.export.cannot_write", path=str(query.directory), details=str(error)) from error
    return tuple(paths)


def _from_pieces(reader: Reader, document: Document) -> str:
    """The text of a document that came without one (from Booku): its pieces in order, headings between them."""
    where = MemoryFilter(document=document.pk)
    pieces = reader.records(Memory, reader.memory_ids(where, Sort(SortKey.CREATED, descending=False)))
    return "\n\n".join(f"## {piece.title}\n\n{piece.body}" if piece.title else piece.body for piece in pieces)


def _paths(documents: Sequence[Document], directory: Path) -> list[Path]:
    taken: set[str] = set()
    paths: list[Path] = []
    for document in documents:
        stem = _FORBIDDEN.sub("_", document.title).strip(" .")[:_NAME_CHARS].rstrip(" .") or document.id
        stem = f"_{stem}" if _RESERVED.fullmatch(stem) else stem
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(name.casefold())
        paths.append(
            directory / (name + _ENDINGS.get(document.media_type, ".md" if not document.text else ".txt"))
        )
    return paths
