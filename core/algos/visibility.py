"""Who may know a memory: the one rule of every read path, and how files write it.

Sources: DESIGN §2 (empty = everyone), spec/STBME §4.2.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from core.algos.js_values import trim, truthy

EVERYONE = "*"
_SEPARATORS = re.compile("[,，、;；\n]")


def names_in(value: object) -> tuple[str, ...]:
    """The names in a visibility value of a file, () = everyone.

    A list, or text with any comma a person types (full-width ones too); names are trimmed, doubles and blanks
    dropped. `*`, null, blank and values of other kinds mean everyone. The original split at ASCII commas only,
    trimmed no list items and hid a memory with an empty list from everybody (spec/STBME §8.24).
    """
    if isinstance(value, str):
        raw: list[object] = list(_SEPARATORS.split(value))
    elif isinstance(value, list | tuple):
        raw = [
            part for item in value for part in (_SEPARATORS.split(item) if isinstance(item, str) else [item])
        ]
    else:
        return ()
    names = tuple(dict.fromkeys(name for item in raw if isinstance(item, str) and (name := item.strip())))
    return () if EVERYONE in names else names


def sees(names: Collection[str], viewer: str | None) -> bool:
    """Whether the viewer may know a memory that is visible to `names`; without a viewer nothing is hidden."""
    return not viewer or not names or viewer in names or EVERYONE in names


def shared(audiences: Iterable[Collection[str]]) -> tuple[str, ...] | None:
    """Who may know all of several memories: everyone (), those whom every one of them names, or nobody (None)."""
    restricted = [names for names in audiences if names and EVERYONE not in names]
    if not restricted:
        return ()
    return tuple(name for name in restricted[0] if all(name in names for names in restricted[1:])) or None


def original_sees(value: object, viewer: str) -> bool:
    """ST-BME's own test on the raw value, for the recipe that repeats its text exactly."""
    if not viewer or not truthy(value):
        return True
    if isinstance(value, list | tuple):
        return viewer in value or EVERYONE in value
    if isinstance(value, str):
        parts = [trim(part) for part in value.split(",")]
        return viewer in parts or EVERYONE in parts
    return True
