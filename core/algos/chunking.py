"""Documents cut the way Booku cuts them: paragraphs packed, Markdown sections, groups of related units.

Source: spec/BOOKU §5, Splitting; kept exactly (faults too: no code fences, no CJK sentences), so that documents of
both programs match. Lengths are characters. `embed` turns n texts into an (n, d) matrix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.algos.titles import piece_title
from core.algos.vectors import Matrix, Vector, cosine_of_common

Embed = Callable[[Sequence[str]], Matrix]

INTRO_TITLE = "导言"
BLANK_HEADING = "章节{level}"
TITLE_JOINT = "："

_UNIT_CHARS = 260
"""Longer paragraphs are cut into sentences."""
_SAME_TOPIC = 0.68
_SAME_TITLE = 0.56
_SHORT_SHARE = 0.35
_SHORT_CHARS = 12
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BLANK_LINES = re.compile(r"\n\s*\n")
_SENTENCE_END = re.compile(r"(?<=[。！？!?；;.])\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a document."""

    title: str
    content: str


def normalise_lines(text: str) -> str:
    """LF line ends, at most one empty line in a row, nothing around."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def short_limit(max_chars: int) -> int:
    """Pieces shorter than this look for a neighbour to join."""
    return min(max_chars, max(_SHORT_CHARS, int(_SHORT_SHARE * max_chars)))


def _paragraphs(text: str) -> list[str]:
    return [stripped for part in _BLANK_LINES.split(normalise_lines(text)) if (stripped := part.strip())]


def pack_paragraphs(text: str, max_chars: int, overlap_chars: int) -> list[str]:
    """Paragraphs packed into pieces of at most `max_chars`; a longer one is cut into overlapping windows.

    Only such windows overlap; text after one starts a new piece.
    """
    pieces: list[str] = []
    packed = ""
    for paragraph in _paragraphs(text):
        joined = f"{packed}\n\n{paragraph}" if packed else paragraph
        if len(joined) <= max_chars:
            packed = joined
            continue
        if packed:
            pieces.append(packed)
        packed = paragraph if len(paragraph) <= max_chars else ""
        if not packed:
            pieces += _windows(paragraph, max_chars, overlap_chars)
    return [*pieces, packed] if packed else pieces


def _windows(text: str, max_chars: int, overlap_chars: int) -> list[str]:
    size = max(1, max_chars)
    step = max(1, size - max(0, overlap_chars))
    last = max(0, len(text) - size)
    starts = [*range(0, last, step)]
    starts.append(starts[-1] + step if starts else 0)
    return [window for start in starts if (window := text[start : start + size].strip())]


def split_markdown(text: str, max_chars: int, overlap_chars: int) -> list[Piece]:
    """A piece for each section that has text, titled by its headings from the top; long sections are numbered.

    The depth of a heading is its place on the stack of open ones: skipped levels collapse.
    """
    pieces: list[Piece] = []
    for title, body in _sections(normalise_lines(text)):
        packed = pack_paragraphs(body, max_chars, overlap_chars)
        numbered = len(packed) > 1
        pieces += [
            Piece(f"{title}（{number}）" if numbered else title, content)
            for number, content in enumerate(packed, start=1)
        ]
    return pieces


def _sections(text: str) -> list[tuple[str, str]]:
    open_titles: list[str] = []
    sections: list[tuple[str, list[str]]] = [(INTRO_TITLE, [])]
    for line in text.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading is None:
            sections[-1][1].append(line)
            continue
        level = len(heading[1])
        own = heading[2].strip().rstrip("#").strip() or BLANK_HEADING.format(level=level)
        del open_titles[level - 1 :]
        open_titles.append(own)
        sections.append((TITLE_JOINT.join(open_titles), []))
    return [(title, body) for title, lines in sections if (body := "\n".join(lines).strip())]


def semantic_units(text: str) -> list[str]:
    """Paragraphs; long ones cut after sentence ends that white space follows."""
    units: list[str] = []
    for paragraph in _paragraphs(text):
        parts = [paragraph] if len(paragraph) <= _UNIT_CHARS else _SENTENCE_END.split(paragraph)
        units += [stripped for part in parts if (stripped := part.strip())]
    return units


def split_semantic(text: str, max_chars: int, overlap_chars: int, embed: Embed) -> list[Piece]:
    """Neighbouring units joined while they stay near the mean of their group (cosine >= 0.68) and fit."""
    units = semantic_units(text)
    if not units:
        return []
    groups: list[str] = []
    members: list[Vector] = []
    for unit, vector in zip(units, embed(units), strict=True):
        joined = f"{groups[-1]}\n\n{unit}" if groups else unit
        near = bool(members) and cosine_of_common(np.mean(members, axis=0), vector) >= _SAME_TOPIC
        if near and len(joined) <= max_chars:
            groups[-1] = joined
            members.append(vector)
        else:
            groups.append(unit)
            members = [vector]
    contents = [piece for group in groups for piece in pack_paragraphs(group, max_chars, overlap_chars)]
    return [Piece(piece_title(content), content) for content in contents]


def merge_short(pieces: Sequence[Piece], short_chars: int, embed: Embed) -> list[Piece]:
    """Pieces shorter than `short_chars` joined to the neighbour with the nearer title (cosine >= 0.56).

    A joined piece gets a new title and is looked at again; it may exceed the maximum.
    """
    merged = list(pieces)
    vectors: dict[str, Vector] = {}

    def likeness(left: Piece, right: Piece) -> float:
        missing = [title for title in (left.title, right.title) if title not in vectors]
        if missing:
            vectors.update(zip(missing, embed(missing), strict=True))
        return cosine_of_common(vectors[left.title], vectors[right.title])

    at = 0
    while at < len(merged):
        beside = [near for near in (at - 1, at + 1) if 0 <= near < len(merged)]
        if len(merged[at].content) >= short_chars or not beside:
            at += 1
            continue
        best = max(beside, key=lambda near: likeness(merged[at], merged[near]))
        if likeness(merged[at], merged[best]) < _SAME_TITLE:
            at += 1
            continue
        at = min(at, best)
        content = f"{merged[at].content}\n\n{merged[at + 1].content}"
        merged[at : at + 2] = [Piece(piece_title(content), content)]
    return merged


def cut_document(
    text: str, *, markdown: bool, max_chars: int, overlap_chars: int, embed: Embed
) -> list[Piece]:
    """All pieces of a document: by headings (Markdown) or by topic, short ones joined."""
    text = normalise_lines(text)
    pieces = split_markdown(text, max_chars, overlap_chars) if markdown else []
    if not pieces:
        pieces = split_semantic(text, max_chars, overlap_chars, embed)
    if not markdown and len(pieces) <= 1 and "\n\n" in text:
        packed = pack_paragraphs(text, max_chars, overlap_chars)
        if len(packed) > 1:
            pieces = [Piece(piece_title(content), content) for content in packed]
    return merge_short(pieces, short_limit(max_chars), embed)
