"""Two versions of a text as one: what went is struck through, what came is underlined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from ui.widgets.plain_text import PlainTextEdit

TOKEN = re.compile(r"[^\W\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]+|\s+|.", re.DOTALL)
MAX_TOKENS = 4000
"""Longer texts are compared line by line: comparing n tokens costs O(n^2) at worst."""


class Part(StrEnum):
    """What a piece of a diff is."""

    SAME = "same"
    GONE = "gone"
    NEW = "new"


def parts(before: str, after: str) -> list[tuple[Part, str]]:
    """The way from one text to the other, by words (Chinese: by characters).

    Joining all but the new parts gives `before`, all but the gone ones `after`.
    """
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if len(old) + len(new) > MAX_TOKENS:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[tuple[Part, str]] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append((Part.SAME, "".join(old[a:b])))
            continue
        if b > a:
            found.append((Part.GONE, "".join(old[a:b])))
        if d > c:
            found.append((Part.NEW, "".join(new[c:d])))
    return found


class DiffText(PlainTextEdit):
    """A read-only view of the difference between two texts. `lines` 0: as high as its place, with a scroll bar."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        gone: QColor,
        new: QColor,
        lines: int = 1,
        max_lines: int = 12,
    ) -> None:
        super().__init__(parent, lines=lines, max_lines=max_lines, read_only=True)
        self._formats = {
            Part.SAME: QTextCharFormat(),
            Part.GONE: QTextCharFormat(),
            Part.NEW: QTextCharFormat(),
        }
        self._formats[Part.GONE].setFontStrikeOut(True)
        self._formats[Part.NEW].setFontUnderline(True)
        self.set_colors(gone, new)

    def set_colors(self, gone: QColor, new: QColor) -> None:
        """Backgrounds of what went and what came (never the only sign)."""
        self._formats[Part.GONE].setBackground(gone)
        self._formats[Part.NEW].setBackground(new)

    def show_difference(self, before: str, after: str) -> None:
        """Show the way from `before` to `after`."""
        self.show_parts(parts(before, after))

    def show_parts(self, found: Sequence[tuple[Part, str]]) -> None:
        """Show pieces with their marks."""
        self.set_text("")
        cursor = QTextCursor(self.document())
        for part, text in found:
            cursor.insertText(text, self._formats[part])
        self.moveCursor(QTextCursor.MoveOperation.Start)
