"""What stands at the cursor of a search that is being typed: a word, or the value of a key."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from core.algos.search_signs import CLOSE, KEYED, MINUS, OPEN, QUOTES, SIGNS, key_named

_SECOND_SIGN = re.compile(r"[>＞<＜][=＝]?|[≥≤≠=＝]|[!！][=＝]")
_WAVES = "~～"


@dataclass(frozen=True, slots=True)
class Place:
    """The part of a search that can be completed: `typed` = what stands before the cursor.

    `start`..`end` is what a choice takes the place of. `key` None: a word or the name of a key; `signed` then
    tells whether a sign follows it. Otherwise the value of that key, after the sign `op`.
    """

    start: int
    end: int
    typed: str
    key: str | None = None
    op: str = ":"
    signed: bool = False


def place_at(text: str, cursor: int) -> Place | None:
    """The place at a cursor; None inside phrases, regular expressions and signs. Cost: O(length)."""
    return _Scan(text, cursor).place()


class _Scan:
    """Goes through the terms as the parser does, but minds nothing that is unfinished."""

    def __init__(self, text: str, cursor: int) -> None:
        self._text, self._cursor = text, max(0, min(cursor, len(text)))
        self._at = self._depth = 0

    def place(self) -> Place | None:
        while True:
            self._skip()
            start = self._at
            if start >= self._cursor:
                return Place(self._cursor, self._cursor, "")
            char = self._text[start]
            if char in QUOTES or char == "/":
                self._at = self._after_quote(start) if char in QUOTES else self._after_pattern(start)
                if self._cursor <= self._at:
                    return None
                continue
            found, place = self._keyed() or self._word()
            if found:
                return place

    def _skip(self) -> None:
        while self._at < min(self._cursor, len(self._text)):
            char = self._text[self._at]
            if char in OPEN:
                self._depth += 1
            elif char in CLOSE and self._depth:
                self._depth -= 1
            elif not (char.isspace() or char in MINUS + _WAVES):
                return
            self._at += 1

    def _after_quote(self, start: int) -> int:
        closing = QUOTES[self._text[start]]
        end = start + 1
        while end < len(self._text) and self._text[end] not in closing:
            end += 1
        return min(end + 1, len(self._text))

    def _after_pattern(self, start: int) -> int:
        end = start
        while True:
            end = self._text.find("/", end + 1)
            if end < 0:
                return len(self._text)
            if self._text[end - 1] != "\\" and self._ends(end + 1):
                return end + 1

    def _ends(self, at: int) -> bool:
        return (
            at >= len(self._text) or self._text[at].isspace() or bool(self._depth and self._text[at] in CLOSE)
        )

    def _bare_end(self, start: int) -> int:
        end = start
        while not self._ends(end):
            end += 1
        return end

    def _keyed(self) -> tuple[bool, Place | None] | None:
        """(whether the cursor is in this term, its place); None when no key stands here."""
        match = KEYED.match(self._text, self._at)
        if not match or (" " in match[0].rstrip() and match[2] in ":："):
            return None
        key = key_named(unicodedata.normalize("NFKC", match[1]).casefold())
        if key is None:
            return None
        op, start = SIGNS.get(match[2], match[2]), match.end()
        if op == ":" and (second := _SECOND_SIGN.match(self._text, start)):
            op, start = SIGNS.get(second[0], second[0]), second.end()
        if self._cursor <= match.end(1):
            typed = self._text[match.start() : self._cursor]
            return True, Place(match.start(), match.end(1), typed, signed=True)
        if self._cursor < start:
            return True, None
        is_quoted = start < len(self._text) and self._text[start] in QUOTES
        end = self._after_quote(start) if is_quoted else self._bare_end(start)
        self._at = end
        if self._cursor > end or (is_quoted and self._cursor == end and self._closed(start, end)):
            return self._cursor == end, None
        typed = self._text[start + is_quoted : max(start + is_quoted, self._cursor)]
        return True, Place(start, end, typed, key, ":" if op == "=" else op)

    def _closed(self, start: int, end: int) -> bool:
        return end - start > 1 and self._text[end - 1] in QUOTES[self._text[start]]

    def _word(self) -> tuple[bool, Place | None]:
        start = end = self._at
        while not self._ends(end) and (end == start or self._text[end] not in QUOTES):
            end += 1
        self._at = max(end, start + 1)
        if self._cursor > end:
            return False, None
        return True, Place(start, end, self._text[start : self._cursor])
