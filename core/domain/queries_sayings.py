"""Queries on what memories say: who still says the old thing."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.ids import MemoryPk
from core.domain.queries import Query
from core.domain.sayings import OldTexts


@dataclass(frozen=True, slots=True)
class OldTextsOf(Query[OldTexts]):
    """Who still says what a memory said before it was edited or renamed.

    Summaries above it that were written before; synopses and reflections whose text holds a name, number or value
    that it had; other memories of its folder, and of folders read together with that, whose text holds an old title.
    Errors: NotFound.
    """

    memory: MemoryPk
