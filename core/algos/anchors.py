"""Which memories a message names.

Source: spec/STBME §4.5, Anchors: plain containment, as in the original (our own recipe matches words and aliases).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.algos.js_values import trim, utf16_length

SHORTEST_NAME = 2
"""UTF-16 units; one-character names would match everywhere."""
ANCHOR_ENERGY = 2.0
"""Energy with which a named memory starts to spread."""


def contained_names(message: str, names: Iterable[Sequence[object]]) -> list[tuple[int, str]]:
    """For each entry (its name, title, ... in order of preference) whose text the message holds: index and text.

    Case-sensitive substring of the trimmed text; shorter than two characters and non-texts never match.
    """
    found: list[tuple[int, str]] = []
    for at, candidates in enumerate(names):
        texts = (trim(name) for name in candidates if isinstance(name, str))
        hit = next((text for text in texts if utf16_length(text) >= SHORTEST_NAME and text in message), None)
        if hit is not None:
            found.append((at, hit))
    return found
