"""Collects the parts of a document into one text and the blocks that tile it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from core.domain.document import Block, BlockKind
from core.domain.safe_text import storable

_BLANK_RUN = re.compile(r"[ \t\u00a0\u3000]+")
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x0b|\x0c|\x85")
MAX_LEVEL = 9


def clean(text: str) -> str:
    """The text with LF line ends, without a byte order mark, and with nothing that a store cannot hold."""
    text = text.removeprefix("\ufeff")
    return storable(text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """White space collapsed, line ends too."""
    return " ".join(text.split())


def lines_of(text: str) -> str:
    """Lines stripped, blanks in a row collapsed, blank lines gone: the text of one paragraph."""
    lines = (_BLANK_RUN.sub(" ", line).strip() for line in _LINE_ENDS.sub("\n", text).split("\n"))
    return "\n".join(line for line in lines if line)


@dataclass(slots=True)
class HeadingPath:
    """The headings that are open. A heading ends those of its level and below."""

    _open: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        """The path below a new heading."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        if title:
            self._open.append((level, title))
        return self.path

    @property
    def path(self) -> tuple[str, ...]:
        """Titles from the top."""
        return tuple(title for _, title in self._open)


class TextBuilder:
    """Parts in reading order. Each part stands in its own paragraph; rows of one table are lines of one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self._headings = HeadingPath()
        self.page = 0

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    def heading(self, title: str, level: int) -> None:
        """A heading; what follows stands below it."""
        title = one_line(title)
        if title:
            path = self._headings.enter(max(1, min(level, MAX_LEVEL)), title)
            self._add(title, BlockKind.HEADING, path)

    def text(self, text: str) -> None:
        """A paragraph."""
        self._add(lines_of(text), BlockKind.TEXT, self._headings.path)

    def item(self, text: str, depth: int = 0) -> None:
        """An item of a list."""
        text = lines_of(text)
        if text:
            self._add("  " * min(depth, MAX_LEVEL) + "- " + text, BlockKind.LIST, self._headings.path)

    def code(self, text: str) -> None:
        """Text whose lines stay as they are."""
        self._add(text.strip("\n"), BlockKind.CODE, self._headings.path)

    def table(self, rows: list[list[str]]) -> None:
        """Rows of cells; the first row is the header of pieces that begin below it."""
        lines = [" | ".join(one_line(cell) for cell in row) for row in rows]
        lines = [line for line in lines if line.strip(" |")]
        if lines:
            header = lines[0] if len(lines) > 1 else ""
            self._add("\n".join(lines), BlockKind.TABLE, self._headings.path, header)

    def end_headings(self) -> None:
        """What follows stands below no heading (a new chapter file, a new slide)."""
        self._headings = HeadingPath()

    def _add(self, text: str, kind: BlockKind, path: tuple[str, ...], context: str = "") -> None:
        text = storable(text)
        if not text.strip():
            return
        if self._blocks:
            close = kind is BlockKind.LIST and self._blocks[-1].kind is BlockKind.LIST
            gap = "\n" if close else "\n\n"
            self._parts.append(gap)
            self._length += len(gap)
            self._blocks[-1] = replace(self._blocks[-1], end=self._length)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        block = Block(start=start, end=self._length, kind=kind, path=path, page=self.page, context=context)
        self._blocks.append(block)

    def done(self) -> tuple[str, tuple[Block, ...]]:
        """The text and its blocks."""
        return "".join(self._parts), tuple(self._blocks)
