"""Places in an injection text: characters of the data and of Qt's document, and whose they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from core.domain.ids import MemoryPk
from core.domain.recall import LineSpan

LAST_OF_BASIC_PLANE = 0xFFFF


def utf16_length(text: str) -> int:
    """How many positions a text takes in a document of Qt."""
    return len(text) + sum(ord(character) > LAST_OF_BASIC_PLANE for character in text)


class Places:
    """Maps characters of a text to positions in a document of Qt and back.

    Qt counts UTF-16 units: a character beyond the basic plane (emoji, rare Chinese) counts as two.
    Cost: O(n) once for texts with such characters, else nothing.
    """

    def __init__(self, text: str) -> None:
        self._plain = not any(ord(character) > LAST_OF_BASIC_PLANE for character in text)
        widths = (
            () if self._plain else (2 if ord(character) > LAST_OF_BASIC_PLANE else 1 for character in text)
        )
        self._starts = list(accumulate(widths, initial=0))

    def in_document(self, at: int) -> int:
        """The position in Qt's document of a character of the text."""
        return at if self._plain else self._starts[min(max(at, 0), len(self._starts) - 1)]

    def in_text(self, position: int) -> int:
        """The character of the text at a position in Qt's document."""
        return position if self._plain else bisect_left(self._starts, position)


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
