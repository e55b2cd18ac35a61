"""Text that every store and encoder can hold: NUL and lone surrogates are escaped at the door."""

from __future__ import annotations

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with NUL and lone surrogates written as ``\\uXXXX``; other text as it is."""
    if text.isascii():
        return text.replace("\x00", "\\u0000") if "\x00" in text else text
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
