"""Queries on the search language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.queries import MemoryFilter, Query, Sort
from core.domain.saved_search import SavedSearch
from core.domain.search import Completion, KeyWords

RELATED_OF = 1_000
"""Relations of so many hits are looked at."""


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


@dataclass(frozen=True, slots=True)
class Hits:
    """A list in two parts: the first `found` pks pass the filter, the others are related to them.

    `limited`: there were so many hits that only relations of the first ones were looked at.
    """

    pks: Sequence[int]
    found: int
    limited: bool = False


@dataclass(frozen=True, slots=True)
class ListWithRelated(Query[Hits]):
    """What ListMemories answers, and behind it the memories outside the trash one living relation away from a hit.

    Both parts are in the order asked; by relevance, the related ones with most relations to hits come first.
    Errors: as ListMemories.
    """

    filter: MemoryFilter = field(default_factory=MemoryFilter)
    sort: Sort = field(default_factory=Sort)


@dataclass(frozen=True, slots=True)
class SearchKeys(Query[tuple[KeyWords, ...]]):
    """All keys of the search language with their words and fixed values."""
