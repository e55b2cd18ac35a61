"""Queries on what memories say: who still says the old thing, and everything about a name."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.about import About
from core.domain.ids import FolderPk, MemoryPk
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EverythingAbout(Query[About]):
    """All that is known about a name, or about a memory under its names.

    `folder`: only of this folder and of those read together with it (None = that of the memory; without one, of the
    whole library). `everywhere`: the whole library in any case. `limit`: so many events, relations of a type and
    mentions are listed; the totals count all. Names of scripts that write spaces are found as words, others wherever
    they stand. Cost: below 250 ms at 100,000 memories. Errors: NotFound, Invalid without a name.
    """

    name: str = ""
    memory: MemoryPk | None = None
    folder: FolderPk | None = None
    everywhere: bool = False
    limit: int = 200
