"""Identities: public text ids, surrogate keys, and how new ones are made."""

from __future__ import annotations

import re
import secrets
from typing import NewType

MemoryId = NewType("MemoryId", str)
"""Public id of a memory, always ours: ``mem-`` and 32 hex digits."""

MemoryPk = NewType("MemoryPk", int)
EdgePk = NewType("EdgePk", int)
FolderPk = NewType("FolderPk", int)
DocumentPk = NewType("DocumentPk", int)
MessagePk = NewType("MessagePk", int)
OpId = NewType("OpId", int)

UNSAVED_MEMORY = MemoryPk(0)
UNSAVED_EDGE = EdgePk(0)
UNSAVED_FOLDER = FolderPk(0)
UNSAVED_DOCUMENT = DocumentPk(0)
UNSAVED_MESSAGE = MessagePk(0)

TypeId = NewType("TypeId", str)
"""Id of a memory type, e.g. ``event``."""

RelationId = NewType("RelationId", str)
"""Id of a relation type, e.g. ``involved_in``."""

_MEMORY_ID = re.compile(r"mem-[0-9a-f]{32}")
_VARIANT = {digit: "89ab"[int(digit, 16) % 4] for digit in "0123456789abcdef"}
_PERSON_ID = re.compile(r"[^\s:]+:[^\s:]+")


def new_memory_id() -> MemoryId:
    """A fresh memory id."""
    return MemoryId(f"mem-{_random_hex()}")


def new_edge_id() -> str:
    """A fresh edge id."""
    return f"edge-{_random_hex()}"


def new_document_id() -> str:
    """A fresh document id."""
    return f"doc-{_random_hex()}"


def new_memo_id() -> str:
    """A fresh memo id."""
    return f"memo-{_random_hex()}"


def _random_hex() -> str:
    """The digits of a random UUID (version 4). An import makes hundreds of thousands: `uuid4` takes four times as long."""
    digits = secrets.token_hex(16)
    return f"{digits[:12]}4{digits[13:16]}{_VARIANT[digits[16]]}{digits[17:]}"


def is_memory_id(text: str) -> bool:
    """Whether the text has the form of an id of ours."""
    return _MEMORY_ID.fullmatch(text) is not None


def is_person_id(text: str) -> bool:
    """Whether the text looks like ``platform:id`` (DESIGN §5, person_id)."""
    return _PERSON_ID.fullmatch(text) is not None
