"""Queries on the search language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.queries import MemoryFilter, Query
from core.domain.saved_search import SavedSearch
from core.domain.search import Completion


@dataclass(frozen=True, slots=True)
class CanonicalSearch(Query[str]):
    """A search as it is stored: keys and values by their own names. Errors: Invalid."""

    text: str


@dataclass(frozen=True, slots=True)
class CompleteSearch(Query[Completion]):
    """What may stand at the cursor: keys after a few letters, after a key its values.

    `language`: that of labels and of the words that are put in. `all`: keys also where nothing is typed.
    """

    text: str
    cursor: int
    language: str = "en"
    limit: int = 40
    all: bool = False


@dataclass(frozen=True, slots=True)
class SavedSearches(Query[tuple[SavedSearch, ...]]):
    """Searches kept under a name, in their order."""


@dataclass(frozen=True, slots=True)
class SavedSearchNamed(Query[SavedSearch]):
    """The saved search of a name (case does not matter). Errors: NotFound."""

    name: str


@dataclass(frozen=True, slots=True)
class SavedSearchCounts(Query[Mapping[int, int]]):
    """How many memories each saved search finds, by pk, as far as that is known within half a second."""


@dataclass(frozen=True, slots=True)
class SearchText(Query[str]):
    """What a list shows as one canonical text: its search, place and facets. Errors: Invalid."""

    filter: MemoryFilter
