"""JSON that is too large to hold: walked member by member and item by item, each decoded when it is wanted."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import IO

from core.adapters.formats.json_decoder import Decoder, DoubledKeys
from core.adapters.formats.json_text import (
    MAX_DEPTH,
    Break,
    BrokenJson,
    TooDeep,
    check_depth,
    may_hold_unstorable,
)
from core.domain.json_types import Json

_CHUNK = 1 << 20
_SPACE = " \t\r\n\ufeff"


class JsonStream:
    """A cursor in a JSON file. What it passed is forgotten; `line` is where it stands.

    `suspect`: what was decoded last may hold texts that cannot be stored. `twice`: keys that stood twice.
    Errors of all methods: BrokenJson, TooDeep, OSError.
    """

    def __init__(self, file: IO[bytes], encoding: str) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder(encoding)("replace")
        self._decoder = Decoder()
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1
        self.suspect = False
        self.twice = DoubledKeys()

    def opens(self) -> str:
        """The first character of the value that comes next; "" at the end of the file."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def members(self) -> Iterator[str]:
        """The keys of an object. The value of each must be passed before the next is asked for."""
        self._expect("{")
        closed = self.opens() == "}"
        while not closed:
            if self.opens() != '"':
                raise self._broken("Expecting property name enclosed in double quotes")
            key = self.value()
            self._expect(":")
            yield str(key)
            closed = self._next_or("}")
        self._expect("}")

    def items(self) -> Iterator[None]:
        """Once for each item of a list, which must be passed before the next is asked for."""
        self._expect("[")
        closed = self.opens() == "]"
        while not closed:
            yield
            closed = self._next_or("]")
        self._expect("]")

    def value(self) -> Json:
        """The value that comes next."""
        if not self.opens():
            raise self._broken("Expecting value")
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise TooDeep from error
            except ValueError as error:
                if not self._more():
                    raise self._broken(str(error)) from error
                self._decoder.doubled = 0
                continue
            if end == len(self._text) and self._more():  # a number may go on
                self._decoder.doubled = 0
                continue
            return self._taken(value, end)

    def _taken(self, value: Json, end: int) -> Json:
        text = self._text[self._at : end]
        if text.count("{") + text.count("[") > MAX_DEPTH:
            check_depth(value)
        self.suspect = may_hold_unstorable(text)
        if self._decoder.doubled:
            self.twice.take(self._decoder, text, self._line_at(self._at))
        self._at = end
        return value

    def _next_or(self, end: str) -> bool:
        """Whether the object or list ends here; else its comma is passed."""
        found = self.opens()
        if found == ",":
            self._at += 1
            return False
        if found != end:
            raise self._broken("Expecting ',' delimiter")
        return True

    def _expect(self, mark: str) -> None:
        if self.opens() != mark:
            raise self._broken(f"Expecting '{mark}'")
        self._at += 1

    def _more(self) -> bool:
        """Read on, twice as much as is waiting already; False at the end of the file."""
        if self._ended:
            return False
        self.line = self._line_at(self._at)
        waiting = self._text[self._at :]
        data = self._file.read(max(_CHUNK, len(waiting)))
        self._ended = not data
        self._text, self._at = waiting + self._decode.decode(data, final=not data), 0
        return True

    def _line_at(self, at: int) -> int:
        return self.line + self._text.count("\n", 0, at)

    def _broken(self, reason: str) -> BrokenJson:
        at = self._at
        try:
            self._decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:  # deeper inside of the value
            at, reason = error.pos, error.msg
        column = at - self._text.rfind("\n", 0, at)
        return BrokenJson(Break(self._line_at(at), column, reason))
