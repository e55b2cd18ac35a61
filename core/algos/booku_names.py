"""How Booku spells places and lists in its files: buckets, folders, collections, JSON lists, tags.

Source: spec/BOOKU §1.1, §1.7. Importer, exporter and the compatible service need the exact spelling.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

MEMORY = "memory"
KNOWLEDGE = "knowledge"
DEFAULT_FOLDER = "default"
_PREFIX = "booku_memory"
_MEMORY_COLLECTIONS = (MEMORY, "emergent", "archived")
"""Names under which the vector of a memory may lie, in the order in which they are looked up."""


def bucket(name: str | None) -> str:
    """`knowledge`, or `memory` for everything else (the layers of old databases too)."""
    return KNOWLEDGE if (name or "").strip().lower() == KNOWLEDGE else MEMORY


def folder(name: str | None, default: str = DEFAULT_FOLDER) -> str:
    """The folder as stored: stripped and lower-cased; blank = the default one."""
    return (name or "").strip().lower() or default.strip().lower() or DEFAULT_FOLDER


def collection(bucket_name: str | None, folder_name: str | None) -> str:
    """Name of the vector collection; knowledge has one for all folders.

    Unsafe characters are not cleaned, so Chroma refuses some of these names.
    """
    if bucket(bucket_name) == KNOWLEDGE:
        return f"{_PREFIX}__{KNOWLEDGE}"
    return f"{_PREFIX}__{MEMORY}__{folder(folder_name)}"


def memory_collections(folder_name: str | None) -> list[str]:
    """Collections of all generations that may hold the vector of a memory of the folder."""
    return [f"{_PREFIX}__{layer}__{folder(folder_name)}" for layer in _MEMORY_COLLECTIONS]


def json_list(raw: object) -> list[str]:
    """Items of a stored JSON list (text or list) as stripped texts without blanks; anything else is empty."""
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError:
            return []
    if not isinstance(raw, list | tuple):
        return []
    return [text for item in raw if item is not None and (text := str(item).strip())]


def tags(values: Iterable[str] | None) -> list[str]:
    """Tags of a triple as stored: stripped, lower-cased, without blanks and doubles, first order kept."""
    return list(dict.fromkeys(tag for value in values or () if (tag := str(value).strip().lower())))
