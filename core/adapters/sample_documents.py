"""Documents of the sample library, cut into pieces at their paragraphs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from core.adapters.sample_data import Line, SampleFolder
from core.adapters.sample_memories import full_key
from core.adapters.sample_times import SampleTimes
from core.domain.enums import Layer
from core.domain.ids import TypeId
from core.domain.memory import TagSet
from core.domain.transfer import PlannedDocument, PlannedMemory

_MEDIA_TYPE = "text/markdown"
_TYPE = TypeId("knowledge")


@dataclass(frozen=True, slots=True)
class _Piece:
    number: int
    heading: str
    text: str
    start: int


def documents(
    folder: SampleFolder, lines: tuple[Line, ...], times: SampleTimes
) -> Iterator[tuple[PlannedDocument, tuple[PlannedMemory, ...]]]:
    """Each document with its pieces (memories of layer knowledge that know their place in the text)."""
    for line in lines:
        text = folder.text_of(line.text("file"))
        key = full_key(folder.directory, line.text("file").removesuffix(".md"))
        document = PlannedDocument(
            key=key,
            folder=folder.directory,
            title=line.text("title"),
            path=line.text("file"),
            media_type=_MEDIA_TYPE,
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            text=text,
            created_at=times.days_ago(line.number("age")),
        )
        yield document, tuple(_memory(document, line, piece) for piece in _pieces(text, document.title))


def _memory(document: PlannedDocument, line: Line, piece: _Piece) -> PlannedMemory:
    key = f"{document.key}-{piece.number}"
    return PlannedMemory(
        key=key,
        foreign_id=key,
        folder=document.folder,
        type=_TYPE,
        layer=Layer.KNOWLEDGE,
        title=line.text("piece").format(title=document.title, number=piece.number, heading=piece.heading),
        body=piece.text,
        source=document.path,
        document=document.key,
        span_start=piece.start,
        span_end=piece.start + len(piece.text),
        created_at=document.created_at,
        updated_at=document.created_at,
        tags=TagSet(
            general=(document.title,),
            core=line.texts("core"),
            diffusion=line.texts("diffusion"),
            opposing=line.texts("opposing"),
        ),
    )


def _pieces(text: str, title: str) -> Iterator[_Piece]:
    """One piece a paragraph; a heading belongs to the paragraphs below it."""
    heading, number, start = title, 0, 0
    for block in text.split("\n\n"):
        paragraph = block.strip("\n")
        if paragraph.startswith("#"):
            heading = paragraph.lstrip("# ")
        elif paragraph:
            number += 1
            yield _Piece(number, heading, paragraph, start + block.index(paragraph))
        start += len(block) + 2
