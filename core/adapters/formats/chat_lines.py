"""The lines of a chat file, one at a time: whatever their encoding, however long, torn or padded they are."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.adapters.formats.byte_encoding import old_encoding, wide_encoding
from core.adapters.formats.json_decoder import Decoder, DoubledKeys
from core.adapters.formats.json_text import MAX_DEPTH, may_hold_unstorable
from core.domain.json_types import Json

LONGEST_LINE = 256 * 2**20
"""A longer line is no message; reading it could take all memory."""
SHOWN_OF_BROKEN = 2000
_SAMPLE_BYTES = 64 * 2**10
_LONG_BYTES = 256 * 2**10
_PACKED = re.compile(rb'"(?:data:[^"\\]{65536,}|[A-Za-z0-9+/=_-]{65536,})"')
_SPACE = b" \t\r\n\x00"
_WIDE = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line that is not blank. `broken`: its start, when it is no JSON; `cut`: packed data left out.

    `suspect`: its texts may hold what cannot be stored, or packed data. `twice`: keys that stand twice in it.
    """

    number: int
    value: Json = None
    broken: str | None = None
    cut: int = 0
    nul_bytes: int = 0
    suspect: bool = True
    twice: DoubledKeys | None = None


def read_lines(path: Path) -> Iterator[Line]:
    """Every line that is not blank. Errors: OSError."""
    with path.open("rb") as file:
        yield from _lines(file)


def encoding_of(path: Path) -> str:
    """How the file is encoded, by its start: a BOM, wide, UTF-8, an old encoding, GB18030, else UTF-8 with faults."""
    with path.open("rb") as file:
        return encoding_of_head(file.read(_SAMPLE_BYTES))


def encoding_of_head(head: bytes) -> str:
    """The same of a file of which these are the first bytes."""
    for bom, encoding in _WIDE.items():
        if head.startswith(bom):
            return encoding
    if wide := wide_encoding(head[:4]):
        return wide
    for encoding in ("utf-8", "gb18030"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            decoder.decode(head, final=len(head) < _SAMPLE_BYTES)
        except UnicodeDecodeError as error:
            if encoding == "utf-8" and _mostly_utf8(head, error.start):
                return "utf-8"
            if told := old_encoding(head):
                return told
            continue
        return encoding
    return "utf-8"


def _mostly_utf8(head: bytes, first_fault: int) -> bool:
    """Whether a few bytes are wrong in a text that is UTF-8 otherwise (a torn line, one bad byte)."""
    text = head.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    wide = sum(char > "\x7f" for char in text) - faults
    return wide >= 4 * faults or (b"\n" in head[first_fault:] and wide > faults)


def _lines(file: BinaryIO) -> Iterator[Line]:
    head = file.read(_SAMPLE_BYTES)
    encoding = encoding_of_head(head)
    file.seek(0)
    wide = encoding.startswith(("utf-16", "utf-32"))
    if wide or (b"}\r" in head and b"\n" not in head):  # only CR ends a line, as on old Macs
        text = io.TextIOWrapper(
            file,
            encoding=encoding if wide else "latin-1",  # which gives each byte back as it was
            errors="replace",
            newline=None if wide else "\r",
        )
        raw = (line.encode("utf-8", "surrogatepass") if wide else line.encode("latin-1") for line in text)
        encoding = "utf-8" if wide else encoding
        try:
            for number, line in enumerate(raw, start=1):
                if (found := _line(line, number, encoding)) is not None:
                    yield found
        finally:
            text.detach()  # the caller closes the file, also when not all was read
        return
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            start = line[:SHOWN_OF_BROKEN]
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield Line(number, broken=start.decode(encoding, "replace"))
            continue
        if (found := _line(line, number, encoding)) is not None:
            yield found


def _line(line: bytes, number: int, encoding: str) -> Line | None:
    """The line's value; None for a blank one. A line of nothing but NUL bytes is broken, not blank."""
    nul_bytes = line.count(b"\x00")
    if len(line) > _LONG_BYTES:
        line, cut = _PACKED.subn(_shortened, line)
    else:
        cut = 0
    bare = line.strip(_SPACE)
    if bare.startswith(codecs.BOM_UTF8):
        bare = bare[len(codecs.BOM_UTF8) :].strip(_SPACE)
    if not bare:
        return Line(number, broken="", nul_bytes=nul_bytes) if nul_bytes else None
    text = bare.decode(encoding, "replace")
    decoder = Decoder(strict=False)
    try:
        value, end = decoder.raw_decode(text)
        opened = text.count("{") + text.count("[")
        if text[end:].strip(" \t\r,\x00") or (opened > MAX_DEPTH and too_deep(value)):
            raise ValueError("more than one value")
    except (ValueError, RecursionError):
        return Line(number, broken=text[:SHOWN_OF_BROKEN], nul_bytes=nul_bytes)
    suspect = may_hold_unstorable(text) or ";base64," in text
    twice = DoubledKeys() if decoder.doubled else None
    if twice is not None:
        twice.take(decoder, text, number)
    return Line(number, value, cut=cut, nul_bytes=nul_bytes, suspect=suspect, twice=twice)


def _shortened(match: re.Match[bytes]) -> bytes:
    """What stands for packed data: its head and its length."""
    found = match[0]
    head = found[1:60].split(b",")[0] if found.startswith(b'"data:') else b"base64"
    return b'"' + head + b"," + "…".encode() + b"(%d)" % (len(found) - 2) + b'"'


def too_deep(value: Json) -> bool:
    """Whether values lie deeper in each other than any walk over them could go."""
    level: list[Json] = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            item
            for outer in level
            for item in (
                outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ()
            )
            if isinstance(item, dict | list)
        ]
    return True
