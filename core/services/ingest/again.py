"""A document of the library cut in another way: from its file when that still says the same, else from its text."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from core.domain.api import Cancel
from core.domain.document import DocumentKind, ReadDocument
from core.domain.errors import BadFile, Invalid
from core.domain.folder import Document
from core.domain.queries_documents import Prepared
from core.domain.queries_drop import PrepareAgain
from core.ports.document_reader import DocumentReader
from core.ports.store import Store
from core.services.documents import document_of
from core.services.ingest.preparing import Embed, prepared, text_hash


def prepare_again(
    store: Store, reader: DocumentReader, embed: Embed, query: PrepareAgain, cancel: Cancel | None
) -> Prepared:
    """See PrepareAgain."""
    with store.read() as reading:
        document = document_of(reading, query.document)
    if not document.text:
        raise Invalid("error.document.no_stored_text", title=document.title)
    read = _from_file(document, reader, cancel) or _from_text(document, reader)
    new = prepared(read, settings=query.settings, embed=embed, title=document.title, source=document.path)
    return Prepared(
        read,
        replace(
            new,
            text=document.text,
            content_hash=document.content_hash or new.content_hash,
            path=document.path,
            media_type=document.media_type,
            details={},
        ),
    )


def _from_file(document: Document, reader: DocumentReader, cancel: Cancel | None) -> ReadDocument | None:
    if not document.path:
        return None
    encoding = document.extra.get("encoding")
    try:
        path = Path(os.fsdecode(document.path.encode("utf-8", "surrogateescape")))
        read = reader.read(path, encoding=encoding if isinstance(encoding, str) else "", cancel=cancel)
    except BadFile:
        return None
    same = text_hash(read.text) == document.content_hash and read.text == document.text
    return read if same else None


def _from_text(document: Document, reader: DocumentReader) -> ReadDocument:
    kind = document.extra.get("kind")
    plain = isinstance(kind, str) and kind not in (
        DocumentKind.MARKDOWN,
        DocumentKind.HTML,
        DocumentKind.DOCX,
    )
    read = reader.of_text(document.text, document.title, plain=plain)
    return replace(read, text=document.text) if len(read.text) == len(document.text) else read
