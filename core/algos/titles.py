"""Titles: of a stored text, of a piece of a document, of a file found at start-up; and keywords.

Source: spec/BOOKU §1.6 and §5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from core.domain.safe_text import storable

UNNAMED = "未命名"
UNNAMED_DOCUMENT = "未命名文档"
UNTITLED_PIECE = "片段"
PIECE_MARK = "》-片段"
"""Between the title of a document and the number of its piece; the bracket belongs to the title."""

_TITLE_CHARS = 80
_DOCUMENT_TITLE_CHARS = 100
_READ_TITLE_CHARS = 200
_PIECE_TITLE_CHARS = 64
_OWN_LINE_CHARS = 8
"""From so many characters on the first line of a piece is part of its title."""
_PIECE_KEYWORDS = 3
_CHINESE_RUN = re.compile("[\u4e00-\u9fff]{2,8}")
_WORD = re.compile("[a-z][a-z0-9_-]{1,30}")


def title_of_text(content: str) -> str:
    """First line that is not blank, without heading marks, at most 80 characters; UNNAMED when there is none.

    A line of nothing but marks gives "".
    """
    line = next((stripped for line in content.splitlines() if (stripped := line.strip())), None)
    if line is None:
        return UNNAMED
    return line.lstrip("#").strip()[:_TITLE_CHARS]


def join_title(title: str, body: str) -> str:
    """Title and body as one stored text: a heading line and the body, or the one that is there."""
    title, body = title.strip(), body.strip()
    if title and body:
        return f"# {title}\n{body}"
    return title or body


def split_title(title: str, content: str) -> tuple[str, str]:
    """Title and body of a stored text; without a title it is taken from the text.

    The heading goes only when it is the whole first line (the original also ate the beginning of a longer
    heading, spec/BOOKU §8.19).
    """
    title = title.strip() or title_of_text(content)
    heading = f"# {title}"
    rest = content[len(heading) :]
    if content.startswith(heading) and (not rest.strip(" \t\r") or rest.lstrip(" \t\r").startswith("\n")):
        return title, rest.lstrip(" \t\r\n")
    return title, content


def document_title(title: str) -> str:
    """The title of a document as typed: stripped, at most 100 characters, a placeholder when blank."""
    return title.strip()[:_DOCUMENT_TITLE_CHARS] or UNNAMED_DOCUMENT


def document_of_piece(piece_title: str) -> str:
    """Title of the document that a piece belongs to: everything before the first piece mark."""
    before, mark, _ = piece_title.partition(PIECE_MARK)
    return before + "》" if mark else piece_title


def one_line(title: str) -> str:
    """The title of a document that was read, as it can be stored: on one line, at most 200 characters."""
    return storable(" ".join(title.split())[:_READ_TITLE_CHARS])


def file_title(path: str) -> str:
    """The title of a document that is called like its file."""
    return one_line(PurePath(path).stem)


def documents_of_pieces(piece_titles: Iterable[str]) -> list[str]:
    """Distinct document titles of the pieces in the order first seen; blank ones are left out."""
    titles = (document_of_piece(title.strip()) for title in piece_titles)
    return list(dict.fromkeys(title for title in titles if title))


def startup_title(file: PurePath, roots: Sequence[PurePath], *, recursive: bool) -> str:
    """Title of a file found below the start-up paths: lower-cased stem, sub-folders before it with `:`.

    The deepest root that holds the file counts; a file outside of all, or without `recursive`, is its stem.
    """
    stem = file.stem.lower()
    holding = [root for root in roots if file.is_relative_to(root)]
    if not recursive or not holding:
        return stem
    deepest = max(holding, key=lambda root: len(root.parts))
    folders = file.relative_to(deepest).parts[:-1]
    return ":".join([*(folder.lower() for folder in folders), stem])


def keywords(text: str, limit: int) -> list[str]:
    """At most `limit` distinct keywords: runs of 2-8 Chinese characters first, then lower-cased Latin words."""
    found = [*_CHINESE_RUN.findall(text), *_WORD.findall(text.lower())]
    return list(dict.fromkeys(found))[: max(0, limit)]


def piece_title(text: str) -> str:
    """A title for a piece of a document: its first line (if long enough) and up to three keywords, <= 64 characters."""
    lines = text.strip().splitlines()
    line = re.sub(r"\s+", " ", lines[0]).strip()[:_PIECE_TITLE_CHARS] if lines else ""
    words = " / ".join(keywords(text, _PIECE_KEYWORDS))
    parts = [line if len(line) >= _OWN_LINE_CHARS else "", words]
    return " | ".join(filter(None, parts))[:_PIECE_TITLE_CHARS] or UNTITLED_PIECE
