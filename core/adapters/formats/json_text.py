"""JSON of files as they are: any usual encoding, and what can still be read of one that breaks off."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.adapters.formats.byte_encoding import old_encoding, whole_units, wide_encoding
from core.adapters.formats.json_decoder import Decoder, DoubledKeys
from core.adapters.formats.problems import Problems
from core.domain.errors import BadFile
from core.domain.json_types import Json

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_SPACE = " \t\r\n,\x00"
MAX_DEPTH = 100
"""Real files nest ten deep; beyond this no walk over a value is sure to end before the stack does."""


@dataclass(frozen=True, slots=True)
class Break:
    """Where a JSON text breaks off, and the part of its top object before that place."""

    line: int
    column: int
    reason: str
    readable: dict[str, Json] = field(default_factory=dict)


class BrokenJson(ValueError):
    """A text that is not (whole) JSON."""

    def __init__(self, at: Break) -> None:
        super().__init__(at.reason)
        self.at = at


class TooDeep(BrokenJson):
    """A text whose values lie deeper in each other than MAX_DEPTH."""

    def __init__(self) -> None:
        super().__init__(Break(1, 1, "nested too deeply"))


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Text and encoding of the bytes of a text file. Errors: BadFile when they are no text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            start = len(bom) if encoding == "utf-8" else 0
            return data[start:].decode(encoding, "replace"), encoding
    for encoding in _guesses(data):
        try:
            return whole_units(data, encoding).decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise BadFile("error.file.not_text", name=name)


def _guesses(data: bytes) -> Iterator[str]:
    if wide := wide_encoding(data[:4]):
        yield wide
    elif b"\x00" not in data[:4096].rstrip(b"\x00"):
        yield "utf-8"
        yield old_encoding(data) or "gb18030"
        yield "gb18030"


def may_hold_unstorable(text: str) -> bool:
    """Whether a JSON text may hold NUL or half of a surrogate pair (whole pairs are suspects too)."""
    return "\x00" in text or _UNSTORABLE_ESCAPE.search(text) is not None


def parse(text: str, problems: Problems | None = None) -> Json:
    """The value of a JSON text; keys that stand twice are noted in `problems`.

    Errors: TooDeep, BrokenJson with what can be read before the break.
    """
    start = len(text) - len(text.lstrip(_SPACE))
    decoder = Decoder()
    try:
        value, end = decoder.raw_decode(text, start)
        if text[end:].strip(_SPACE):
            raise json.JSONDecodeError("Extra data", text, end)
    except RecursionError as error:
        raise TooDeep from error
    except ValueError as error:
        decoder.doubled = 0  # it is read again, part by part
        raise BrokenJson(_break(text, error, decoder)) from error
    finally:
        if problems is not None and decoder.doubled:
            doubled = DoubledKeys()
            doubled.take(decoder, text)
            doubled.note(problems)
    check_depth(value)
    return value


def check_depth(value: Json) -> None:
    """Errors: TooDeep when values lie deeper in each other than MAX_DEPTH."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise TooDeep


def _break(text: str, error: Exception, decoder: Decoder) -> Break:
    if isinstance(error, json.JSONDecodeError):
        readable = _readable(text, decoder)
        check_depth(readable)
        return Break(error.lineno, error.colno, error.msg, readable)
    return Break(1, 1, str(error))


def _readable(text: str, decoder: Decoder) -> dict[str, Json]:
    start = _skip(text, 0)
    if text[start : start + 1] != "{":
        return {}
    found: dict[str, Json] = {}
    _read_object(text, start, found, decoder)
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _read_object(text: str, at: int, into: dict[str, Json], decoder: Decoder, depth: int = 0) -> int | None:
    """Read members until the object ends (place after it) or the text breaks (None). Errors: TooDeep."""
    if depth > MAX_DEPTH:
        raise TooDeep
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        try:
            key, at = decoder.raw_decode(text, at)
        except ValueError:
            return None
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            return None
        end = _read_member(text, _skip(text, at + 1), str(key), into, decoder, depth)
        if end is None:
            return None
        at = _skip(text, end)
    return at + 1 if text[at : at + 1] == "}" else None


def _read_member(
    text: str, at: int, key: str, into: dict[str, Json], decoder: Decoder, depth: int
) -> int | None:
    try:
        value, end = decoder.raw_decode(text, at)
        decoder.put(into, key, value)
        return end
    except (ValueError, RecursionError):
        if text[at : at + 1] == "[":
            items: list[Json] = []
            decoder.put(into, key, items)
            _read_items(text, at, items, decoder)
        elif text[at : at + 1] == "{":
            inner: dict[str, Json] = {}
            decoder.put(into, key, inner)
            _read_object(text, at, inner, decoder, depth + 1)
        return None


def _read_items(text: str, at: int, into: list[Json], decoder: Decoder) -> None:
    at = _skip(text, at + 1)
    while at < len(text):
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        into.append(item)
        at = _skip(text, at)
