"""Texts without markup: prose, logs, source code."""

from __future__ import annotations

import re

from core.adapters.documents.building import clean
from core.adapters.documents.encodings import Decoded
from core.domain.document import Block, BlockKind, DocumentKind, ReadDocument
from core.domain.errors import BadFile
from core.domain.results import Problem

_BLANK_LINES = re.compile(r"\n[ \t\u3000]*\n\s*")
_TOP_LEVEL = re.compile(r"\n[ \t]*\n(?=\S)")
_CHAPTER = re.compile(
    r"第[0-9零〇一二三四五六七八九十百千两]{1,9}[章回节卷部篇][ \u3000\t]*[^。！？\n]{0,40}"
)
_MOST_HEADING = 60


def read_plain(decoded: Decoded, kind: DocumentKind, name: str) -> ReadDocument:
    """A text as it stands. Errors: BadFile when it is blank."""
    text = clean(decoded.text)
    if not text.strip():
        raise BadFile("error.document.no_text", name=name)
    match kind:
        case DocumentKind.LOG:
            blocks = spans(text, _BLANK_LINES, BlockKind.LIST)
        case DocumentKind.CODE:
            blocks = spans(text, _TOP_LEVEL, BlockKind.CODE)
        case _:
            blocks = paragraph_blocks(text)
    return ReadDocument(
        kind=kind, text=text, blocks=blocks, encoding=decoded.encoding, problems=broken_bytes(decoded)
    )


def broken_bytes(decoded: Decoded) -> tuple[Problem, ...]:
    """A word about bytes that fit nothing."""
    if not decoded.broken:
        return ()
    return (
        Problem("document.problem.broken_bytes", {"count": decoded.broken, "encoding": decoded.encoding}),
    )


def spans(text: str, between: re.Pattern[str], kind: BlockKind) -> tuple[Block, ...]:
    """Blocks that tile the text, cut behind each match."""
    ends = [match.end() for match in between.finditer(text)]
    ends = [end for end in ends if 0 < end < len(text)] + [len(text)]
    starts = [0, *ends[:-1]]
    return tuple(Block(start=start, end=end, kind=kind) for start, end in zip(starts, ends, strict=True))


def paragraph_blocks(text: str) -> tuple[Block, ...]:
    """Paragraphs; lines that name a chapter (第三章 ...) are headings of what follows."""
    path: tuple[str, ...] = ()
    blocks: list[Block] = []
    for block in _with_chapter_lines(text):
        first = text[block.start : block.end].strip()
        if len(first) <= _MOST_HEADING and _CHAPTER.fullmatch(first):
            path = (" ".join(first.split()),)
            blocks.append(Block(start=block.start, end=block.end, kind=BlockKind.HEADING, path=path))
        else:
            blocks.append(Block(start=block.start, end=block.end, path=path))
    return tuple(blocks)


_CHAPTER_LINE = re.compile(rf"(?m)^[ \u3000\t]*(?:{_CHAPTER.pattern})[ \u3000\t]*$\n?")


def _with_chapter_lines(text: str) -> list[Block]:
    cuts = {match.end() for match in _BLANK_LINES.finditer(text)}
    for match in _CHAPTER_LINE.finditer(text):
        cuts |= {match.start(), match.end()}
    inner = sorted(cut for cut in cuts if 0 < cut < len(text))
    starts, ends = [0, *inner], [*inner, len(text)]
    return [Block(start=start, end=end) for start, end in zip(starts, ends, strict=True)]
