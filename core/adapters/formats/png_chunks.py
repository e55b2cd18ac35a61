"""Text chunks of PNG pictures: reading them wherever they stand, and writing a picture with others."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LARGEST_TEXT = 64 * 2**20
"""A text chunk that says more is no card, and could be made to take all memory."""
_TEXT_KINDS = (b"tEXt", b"zTXt", b"iTXt")
_MOST_CHUNKS = 100_000


@dataclass(frozen=True, slots=True)
class TextChunk:
    """One text of a picture. `damaged`: its checksum is wrong. `text` None: it cannot be unpacked."""

    keyword: str
    text: str | None
    damaged: bool = False


class CutOff(ValueError):
    """A picture that ends in the middle of a chunk."""


def text_chunks(file: BinaryIO) -> Iterator[TextChunk]:
    """All texts of a PNG, in order, pictures skipped. Errors: CutOff after the last whole one."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(len(SIGNATURE))
    for _ in range(_MOST_CHUNKS):
        head = file.read(8)
        if not head:
            raise CutOff  # no IEND was met
        if len(head) < 8:
            raise CutOff
        length, kind = struct.unpack(">I4s", head)
        if file.tell() + length + 4 > size:
            raise CutOff
        if kind in _TEXT_KINDS and length <= LARGEST_TEXT:
            data = file.read(length)
            checksum = struct.unpack(">I", file.read(4))[0]
            yield _text_chunk(kind, data, damaged=zlib.crc32(kind + data) != checksum)
        else:
            file.seek(length + 4, 1)
        if kind == b"IEND":
            return


def _text_chunk(kind: bytes, data: bytes, *, damaged: bool) -> TextChunk:
    word, _, rest = data.partition(b"\x00")
    keyword = word.decode("latin-1")
    packed, wide = kind == b"zTXt", False
    if kind == b"zTXt":
        rest = rest[1:]
    elif kind == b"iTXt":
        packed, wide = rest[:1] == b"\x01", True
        rest = rest[2:].partition(b"\x00")[2].partition(b"\x00")[2]
    if packed:
        unpacked = _unpack(rest)
        if unpacked is None:
            return TextChunk(keyword, None, damaged)
        rest = unpacked
    return TextChunk(keyword, rest.decode("utf-8", "replace") if wide else _narrow(rest), damaged)


def _narrow(data: bytes) -> str:
    """The text of a chunk that should be Latin-1; programs that write JSON into it write UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unpack(data: bytes) -> bytes | None:
    """The unpacked bytes; None when they are damaged or more than anyone writes."""
    machine = zlib.decompressobj()
    try:
        found = machine.decompress(data, LARGEST_TEXT)
    except zlib.error:
        return None
    return None if machine.unconsumed_tail or not found else found


def with_texts(source: BinaryIO, target: BinaryIO, texts: Mapping[str, str]) -> None:
    """Copy a PNG with these texts before its end, in place of all that had one of the keywords (any case).

    Errors: CutOff.
    """
    replaced = {keyword.lower() for keyword in texts}
    source.seek(len(SIGNATURE))
    target.write(SIGNATURE)
    while True:
        head = source.read(8)
        if len(head) < 8:
            raise CutOff
        length, kind = struct.unpack(">I4s", head)
        data = source.read(length)
        checksum = source.read(4)
        if len(data) < length or len(checksum) < 4:
            raise CutOff
        if kind == b"IEND":
            target.writelines(
                chunk(b"tEXt", keyword.encode("latin-1") + b"\x00" + text.encode("latin-1"))
                for keyword, text in texts.items()
            )
        word = data.partition(b"\x00")[0].decode("latin-1").lower()
        if kind not in _TEXT_KINDS or word not in replaced:
            target.write(head + data + checksum)
        if kind == b"IEND":
            return


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
