"""Documents cut by structure first, then by sentences (ours; Booku's way is `chunking`).

Pieces are spans of the text. They tile it: the first begins at 0, each one begins where the one before ends or a
little earlier (the overlap), the last one ends with the text. None is longer than the limit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.domain.document import PATH_JOINT, Block, BlockKind, DocumentPiece, ReadDocument

_SENTENCE = re.compile(r"[。！？!?；;…]+[\"'”’」』）)》〉】\]]*\s*|[.．][\"'”’)\]]*\s+|\n+")
_CLAUSE = re.compile(r"[，、,：:—]+\s*|\s+")
_LINE = re.compile(r"\n+")
_FULL_ENOUGH = 0.6
"""From this share of the limit on, a piece rather ends with a paragraph than takes half of the next one."""
_TITLE_CHARS = 120
_JOINER = "\u200d"
_LONGEST_CLUSTER = 16


@dataclass(frozen=True, slots=True)
class _Atom:
    """A part that is not cut any further. `block` = number of its block, `starts` = it begins the block."""

    start: int
    end: int
    block: int
    starts: bool


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    block: int
    """The first block that the piece adds to the ones before it."""
    inside: bool
    """Whether the piece begins inside of that block."""


def cut_by_structure(document: ReadDocument, limit: int, overlap: int) -> list[DocumentPiece]:
    """The pieces of a document, in order. `overlap` characters at most are repeated, and only whole sentences.

    Errors: ValueError for a limit below 1, or an overlap that is negative or not below the limit. Cost: O(n).
    """
    if limit < 1 or not 0 <= overlap < limit:
        raise ValueError("the overlap must be between 0 and the limit")
    text = document.text
    blocks = document.blocks or ((Block(start=0, end=len(text)),) if text else ())
    spans = [
        span for section in _sections(text, blocks) for span in _pack(text, blocks, section, limit, overlap)
    ]
    pieces = [_piece(text, blocks, span) for span in spans]
    return list(_numbered(pieces))


def _sections(text: str, blocks: Sequence[Block]) -> Iterator[list[int]]:
    """Numbers of the blocks that stand below the same headings on the same page.

    Headings with nothing of their own below them go with what follows.
    """
    waiting: list[int] = []
    for _, group in groupby(range(len(blocks)), key=lambda index: (blocks[index].path, blocks[index].page)):
        members = [*waiting, *group]
        bare = all(
            blocks[index].kind is BlockKind.HEADING
            or not text[blocks[index].start : blocks[index].end].strip()
            for index in members
        )
        waiting = members if bare else []
        if not bare:
            yield members
    if waiting:
        yield waiting


def _atoms(
    text: str, blocks: Sequence[Block], section: Sequence[int], limit: int, overlap: int
) -> list[_Atom]:
    atoms: list[_Atom] = []
    for index in section:
        block = blocks[index]
        if block.end <= block.start:
            continue
        ends = _cuts(text, block, limit, overlap)
        start = block.start
        for end in ends:
            atoms.append(_Atom(start, end, index, start == block.start))
            start = end
    return atoms


def _cuts(text: str, block: Block, limit: int, overlap: int) -> list[int]:
    """Where the parts of a block end."""
    whole = block.end - block.start <= limit
    if whole and block.kind in {BlockKind.CODE, BlockKind.HEADING}:
        return [block.end]
    pattern = _SENTENCE if block.kind in {BlockKind.TEXT, BlockKind.HEADING} else _LINE
    ends = _ends(text, pattern, block.start, block.end)
    cuts: list[int] = []
    start = block.start
    for end in ends:
        if end - start <= limit:
            cuts.append(end)
        else:
            cuts += _smaller(text, start, end, limit, overlap)
        start = end
    return cuts


def _ends(text: str, pattern: re.Pattern[str], start: int, end: int) -> list[int]:
    found = [match.end() for match in pattern.finditer(text, start, end)]
    return found if found and found[-1] == end else [*found, end]


def _smaller(text: str, start: int, end: int, limit: int, overlap: int) -> Iterator[int]:
    """Ends of the parts of a sentence that is longer than a piece: at commas and blanks, else anywhere."""
    size = min(limit, overlap) if overlap else limit
    for stop in _ends(text, _CLAUSE, start, end):
        torn = stop - start > limit
        while torn and stop - start > size:
            start = _between_characters(text, start + size, start)
            yield start
        yield stop
        start = stop


def _between_characters(text: str, at: int, start: int) -> int:
    """The place itself, or a little earlier when it would tear what reads as one character."""
    place = at
    while place > start + 1 and at - place < _LONGEST_CLUSTER and _continues(text, place):
        place -= 1
    return place if not _continues(text, place) else at


def _continues(text: str, place: int) -> bool:
    if place >= len(text):
        return False
    after = text[place]
    return (
        after == _JOINER
        or text[place - 1] == _JOINER
        or "\ufe00" <= after <= "\ufe0f"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or unicodedata.combining(after) > 0
    )


def _pack(
    text: str, blocks: Sequence[Block], section: Sequence[int], limit: int, overlap: int
) -> Iterator[_Span]:
    atoms = _atoms(text, blocks, section, limit, overlap)
    if not atoms:
        return
    first = 0
    start = atoms[0].start
    while True:
        if atoms[first].end - start > limit:  # no room for the overlap
            start = atoms[first].start
        share = _even_share(atoms[-1].end - start, limit, overlap)
        last = _last(atoms, first, start, share, limit)
        if atoms[last].end - start > limit:
            raise AssertionError("a part is longer than a piece")
        inside = not atoms[first].starts
        yield _Span(start, atoms[last].end, atoms[first].block, inside)
        if last + 1 == len(atoms):
            return
        start = _overlap_start(blocks, atoms, first, last + 1, overlap)
        first = last + 1


def _even_share(length: int, limit: int, overlap: int) -> int:
    """The size of pieces that makes all of those that are left about equal."""
    if length <= limit:
        return limit
    count = -(-(length - overlap) // (limit - overlap))
    return min(limit, -(-(length - overlap) // count) + overlap)


def _last(atoms: Sequence[_Atom], first: int, start: int, share: int, limit: int) -> int:
    """The last part of the piece that begins with `first`: as near to the even share as whole parts allow."""
    last = first
    while last + 1 < len(atoms):
        here, there = atoms[last].end - start, atoms[last + 1].end - start
        if there > limit or (there > share and there - share > share - here):
            break
        last += 1
    if last + 1 == len(atoms) or atoms[last + 1].starts:
        return last
    for earlier in range(last, first, -1):
        if atoms[earlier].starts and atoms[earlier].start - start >= share * _FULL_ENOUGH:
            return earlier - 1
    return last


def _overlap_start(
    blocks: Sequence[Block], atoms: Sequence[_Atom], first: int, following: int, overlap: int
) -> int:
    """Where the next piece begins: back over whole parts of the same paragraph."""
    block = blocks[atoms[following].block]
    if atoms[following].starts or block.kind is BlockKind.CODE:
        return atoms[following].start
    end = atoms[following].start
    earlier = following
    while (
        earlier - 1 > first
        and atoms[earlier - 1].block == atoms[following].block
        and end - atoms[earlier - 1].start <= overlap
    ):
        earlier -= 1
    return atoms[earlier].start


def _piece(text: str, blocks: Sequence[Block], span: _Span) -> DocumentPiece:
    block = _named_block(text, blocks, span)
    context = f"（{blocks[span.block].context}）" if span.inside and blocks[span.block].context else ""
    title = f"{PATH_JOINT.join(block.path)}{context}"
    return DocumentPiece(
        title=title[:_TITLE_CHARS],
        body=text[span.start : span.end],
        start=span.start,
        end=span.end,
        path=block.path,
        page=block.page,
    )


def _named_block(text: str, blocks: Sequence[Block], span: _Span) -> Block:
    """The block that names a piece: the first one with text below headings, else the first one."""
    index = span.block
    while (
        index + 1 < len(blocks)
        and blocks[index + 1].start < span.end
        and (
            blocks[index].kind is BlockKind.HEADING
            or not text[blocks[index].start : blocks[index].end].strip()
        )
    ):
        index += 1
    return blocks[index]


def _numbered(pieces: Sequence[DocumentPiece]) -> Iterator[DocumentPiece]:
    """Pieces of one section have the same headings: from the second on they are told apart by numbers."""
    seen: dict[tuple[str, ...], int] = {}
    for piece in pieces:
        number = seen[piece.path] = seen.get(piece.path, 0) + 1
        yield (
            replace(piece, title=f"{piece.title} ({number})".strip()) if number > 1 and piece.title else piece
        )
