"""Places in an injection text: characters of the data and of Qt's document, and whose they are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from core.domain.ids import MemoryPk
from core.domain.recall import LineSpan

_BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")


def utf16_length(text: str) -> int:
    """How many positions a text takes in a document of Qt."""
    return len(text) + sum(1 for _ in _BEYOND_BASIC_PLANE.finditer(text))


class Places:
    """Maps characters of a text to positions in a document of Qt and back.

    Qt counts UTF-16 units: a character beyond the basic plane (emoji, rare Chinese) counts as two.
    Cost: one look through the text, then O(log of the number of such characters).
    """

    def __init__(self, text: str) -> None:
        self._wide = [match.start() for match in _BEYOND_BASIC_PLANE.finditer(text)]
        self._wide_in_document = [at + before for before, at in enumerate(self._wide)]

    def in_document(self, at: int) -> int:
        """The position in Qt's document of a character of the text."""
        return at + bisect_left(self._wide, at)

    def in_text(self, position: int) -> int:
        """The character of the text at a position in Qt's document."""
        return position - bisect_left(self._wide_in_document, position)


class Spans:
    """Which characters of an injection came from which memory."""

    def __init__(self, spans: Iterable[LineSpan]) -> None:
        self._spans: Sequence[LineSpan] = sorted(spans, key=lambda span: (span.start, span.end))

    def at(self, place: int) -> MemoryPk | None:
        """The memory whose text holds that character."""
        return next((span.memory for span in self._spans if span.start <= place < span.end), None)

    def of(self, memory: MemoryPk) -> tuple[LineSpan, ...]:
        """All that one memory gave."""
        return tuple(span for span in self._spans if span.memory == memory)

    def between(self, start: int, end: int) -> tuple[MemoryPk, ...]:
        """The memories with any character in `start`..`end` (end excluded), in the order of the text."""
        found = (span.memory for span in self._spans if span.start < end and start < span.end)
        return tuple(dict.fromkeys(found))
