"""From a read document to one that can be written: title, pieces, hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.algos.cutting import cut_by_structure
from core.algos.titles import PIECE_MARK, document_title, one_line
from core.domain.commands_documents import NewDocument
from core.domain.document import (
    MEDIA_TYPES,
    BlockKind,
    CutSettings,
    Cutting,
    DocumentKind,
    DocumentPiece,
    ReadDocument,
)
from core.domain.errors import Invalid
from core.domain.json_types import Json

if TYPE_CHECKING:
    from core.algos.vectors import Matrix
    from core.ports.embedder import Vectors

Embed = Callable[[Sequence[str]], "Vectors"]
"""Texts to an (n, d) matrix; only Booku's cutting asks for it."""
MIN_CHARS, MAX_CHARS = 50, 3000
_TITLE_CHARS = 100


def text_hash(text: str) -> str:
    """By which the same text is known again; how it was broken into lines at the ends does not count."""
    return hashlib.sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()


def cut(document: ReadDocument, settings: CutSettings, title: str, embed: Embed) -> tuple[DocumentPiece, ...]:
    """The pieces of a document; blank ones are left out. Errors: Invalid for sizes that make no sense."""
    limit, overlap = settings.limit, settings.overlap
    if not MIN_CHARS <= limit <= MAX_CHARS or not 0 <= overlap <= limit // 2:
        raise Invalid("error.document.sizes", low=MIN_CHARS, high=MAX_CHARS)
    if settings.cutting is Cutting.COMPAT:
        return _cut_as_booku(document, limit, overlap, title, embed)
    return tuple(piece for piece in cut_by_structure(document, limit, overlap) if piece.body.strip())


def _cut_as_booku(
    document: ReadDocument, limit: int, overlap: int, title: str, embed: Embed
) -> tuple[DocumentPiece, ...]:
    from core.algos.chunking import cut_document

    def vectors(texts: Sequence[str]) -> Matrix:
        return embed(texts).astype("float64")

    markdown = document.kind is DocumentKind.MARKDOWN
    found = cut_document(
        document.text, markdown=markdown, max_chars=limit, overlap_chars=overlap, embed=vectors
    )
    pieces: list[DocumentPiece] = []
    at = 0
    for number, piece in enumerate(found, start=1):
        start, end = located(document.text, piece.content, at)
        pieces.append(
            DocumentPiece(
                title=f"《{title}{PIECE_MARK}{number}：{piece.title}",
                body=piece.content,
                start=start,
                end=end,
                exact=document.text[start:end] == piece.content,
            )
        )
        at = max(at, start + 1)
    return tuple(pieces)


def located(text: str, content: str, at: int) -> tuple[int, int]:
    """Where a piece stands in the text, at `at` or behind it; as near as its first and last line tell."""
    start = text.find(content, at)
    if start >= 0:
        return start, start + len(content)
    lines = [line.strip() for line in content.split("\n") if line.strip()]
    if not lines:
        return at, at
    start = text.find(lines[0], at)
    start = at if start < 0 else start
    last = text.find(lines[-1], max(start, start + len(content) - len(lines[-1]) - 200))
    end = last + len(lines[-1]) if last >= 0 else start + len(content)
    return start, min(len(text), max(end, start))


def title_of(document: ReadDocument, given: str, stem: str) -> str:
    """The title of a document: as given, as it says itself, as its first heading, or as its file is called."""
    first = document.blocks[0] if document.blocks else None
    heading = first.path[0] if first is not None and first.kind is BlockKind.HEADING and first.path else ""
    for title in (given, document.title, heading, stem):
        if line := one_line(title):
            return line
    return document_title("")


def prepared(
    document: ReadDocument,
    *,
    settings: CutSettings,
    embed: Embed,
    title: str = "",
    path: Path | None = None,
    shown: str = "",
    source: str = "",
    unless: frozenset[str] = frozenset(),
) -> NewDocument:
    """What is to be written. `shown` is the path for people; a text whose hash is in `unless` is not cut.

    Errors: Invalid for sizes that make no sense.
    """
    stem = Path(shown).stem if shown else ""
    name = title_of(document, title, stem)
    details: dict[str, Json] = {"kind": document.kind.value}
    if document.encoding:
        details["encoding"] = document.encoding
    if document.pages:
        details |= {"pages": document.pages, "text_pages": len(document.text_pages)}
    if document.problems:
        details["problems"] = [{"key": problem.key, **problem.args} for problem in document.problems]
    if document.properties:
        details["properties"] = dict(document.properties)
    digest = text_hash(document.text)
    return NewDocument(
        title=name,
        text=document.text,
        content_hash=digest,
        pieces=() if digest in unless else cut(document, settings, name, embed),
        cutting=settings.cutting,
        path="" if path is None else shown or str(path),
        media_type=MEDIA_TYPES[document.kind],
        source=source or ("" if path is None else shown),
        tags=document.tags,
        details=details,
    )
