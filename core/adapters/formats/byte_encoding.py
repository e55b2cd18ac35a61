"""Which encoding the bytes of a JSON file have that carry no mark: wide ones by their NULs, old ones by sense.

Every JSON text begins with an ASCII character, which in a wide encoding stands beside NULs. What is no UTF-8 is asked
of the reader of documents: Big5 and Shift-JIS decode as GB18030 without an error (spec/FORMATS §6).
"""

from __future__ import annotations

from core.adapters.documents.encodings import codec_name
from core.adapters.documents.encodings import decode as decode_document
from core.domain.errors import BadFile, EncodingQuestion

SAMPLE_BYTES = 256 * 2**10
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_SIGNS = (
    ("utf-32-le", (True, False, False, False)),
    ("utf-32-be", (False, False, False, True)),
    ("utf-16-le", (True, False)),
    ("utf-16-be", (False, True)),
)
"""Which bytes of the first character are not NUL."""


def wide_encoding(head: bytes) -> str:
    """The wide encoding without a byte order mark that a text begins in; "" when it is none."""
    for encoding, filled in _SIGNS:
        first = head[: len(filled)]
        if len(first) == len(filled) and all(
            (byte != 0) is full for byte, full in zip(first, filled, strict=True)
        ):
            return encoding
    return ""


def whole_units(data: bytes, encoding: str) -> bytes:
    """The data without NULs behind its end, but with those that belong to its last character."""
    trimmed = data.rstrip(b"\x00")
    return trimmed + b"\x00" * (-len(trimmed) % _UNITS.get(encoding, 1))


def old_encoding(data: bytes) -> str:
    """The encoding in which bytes that are no UTF-8 make sense; "" when there is none, or more than one."""
    sample = data[:SAMPLE_BYTES]
    if len(data) > len(sample):
        sample = sample.rpartition(b"\n")[0] or sample
    try:
        found = codec_name(decode_document(sample, "").encoding)
    except (BadFile, EncodingQuestion):
        return ""
    return "" if found.startswith("utf") else found
