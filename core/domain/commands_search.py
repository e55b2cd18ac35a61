"""Commands on saved searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.commands import Command
from core.domain.queries import MemoryFilter


@dataclass(frozen=True, slots=True)
class SaveSearch(Command):
    """Keep what a list shows under a name, behind the others.

    Errors: Invalid without a name, for one that is taken, where nothing is searched for, and for a wrong search.
    """

    LABEL: ClassVar[str] = "op.search.save"
    name: str
    filter: MemoryFilter


@dataclass(frozen=True, slots=True)
class RenameSavedSearch(Command):
    """Another name. Errors: NotFound, Invalid for no name or one that is taken."""

    LABEL: ClassVar[str] = "op.search.rename"
    search: int
    name: str


@dataclass(frozen=True, slots=True)
class ChangeSavedSearch(Command):
    """Let a saved search be what a list shows now. Errors: NotFound, Invalid as of SaveSearch."""

    LABEL: ClassVar[str] = "op.search.change"
    search: int
    filter: MemoryFilter


@dataclass(frozen=True, slots=True)
class OrderSavedSearches(Command):
    """Let these come first, in this order. Errors: NotFound."""

    LABEL: ClassVar[str] = "op.search.order"
    searches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RemoveSavedSearches(Command):
    """Remove saved searches; those that are gone already are left alone."""

    LABEL: ClassVar[str] = "op.search.remove"
    searches: tuple[int, ...]
