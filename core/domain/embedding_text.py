"""Which text of a memory is embedded, and the hash under which its vector is kept."""

from __future__ import annotations

import hashlib
from typing import Protocol

from core.domain.json_types import JsonObject
from core.domain.schema import MemoryType

EMBEDDED_TEXT_CHARS = 2000


class Written(Protocol):
    """What a memory says: a whole record, or as much of it as is needed here."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def body(self) -> str:
        """Its body."""

    @property
    def fields(self) -> JsonObject:
        """The columns of its type."""


def embedded_text(memory: Written, memory_type: MemoryType | None) -> str:
    """Title, body and the type's `embed` columns, one a line, cut at EMBEDDED_TEXT_CHARS (DESIGN §4)."""
    parts = [memory.title, memory.body]
    if memory_type is not None:
        parts += [
            value
            for column in memory_type.field_columns
            if column.embed and isinstance(value := memory.fields.get(column.name), str)
        ]
    return "\n".join(part.strip() for part in parts if part.strip())[:EMBEDDED_TEXT_CHARS]


def text_hash(text: str) -> str:
    """Key of a vector: hex SHA-256 of the embedded text ("" for an empty text: nothing to embed)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text else ""
