"""What memories said before, who still says it, and everything that is known about a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from core.domain.ids import OpId
from core.domain.json_types import Json
from core.domain.results import MemoryRow

KEPT_KEY = "old_texts_kept"
"""In `Memory.extra`: the change up to which others may go on saying what the memory said before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidChange:
    """One change of what a memory says. Texts are None where they stayed; `floor` is that of the change, if told."""

    op: OpId
    at: datetime
    label: str
    title_before: str | None = None
    title_after: str | None = None
    body_before: str | None = None
    body_after: str | None = None
    fields_before: Mapping[str, Json] = field(default_factory=dict)
    fields_after: Mapping[str, Json] = field(default_factory=dict)
    floor: int | None = None


@dataclass(frozen=True, slots=True)
class OldText:
    """A memory that still says the old thing. `words`: what of it its text holds (none = it was only not renewed).

    `renewable`: a new text can be suggested for it now.
    """

    row: MemoryRow
    words: tuple[str, ...] = ()
    renewable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTexts:
    """Who still says what a memory said before.

    `above`: summaries over it, nearest first, then synopses and reflections. `named`: other memories whose texts
    hold an old title (`old_titles`, newest first); `more` of them are not listed.
    """

    above: tuple[OldText, ...] = ()
    named: tuple[OldText, ...] = ()
    old_titles: tuple[str, ...] = ()
    title: str = ""
    more: int = 0

    @property
    def any(self) -> bool:
        """Whether there is anybody."""
        return bool(self.above or self.named)
