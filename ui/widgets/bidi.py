"""Directions of text on screen."""

from __future__ import annotations

import unicodedata

from PySide6.QtCore import Qt

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute


def is_right_to_left(text: str) -> bool:
    """Whether the first strong letter of the text is a right-to-left one."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in {"R", "AL"}:
            return True
        if kind == "L":
            return False
    return False


def alignment_of(text: str) -> Qt.AlignmentFlag:
    """The side on which a paragraph begins: its own, whatever the direction of the window."""
    return RIGHT if is_right_to_left(text) else LEFT
