"""What the search needs of a library beside lists: values in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.domain.search import NamedValue, ValuesOf


class SearchStore(Protocol):
    """Reads for the search field."""

    def newest_op(self) -> int:
        """Highest op, 0 in a new library: what was read stays true until it rises."""

    def values_of(self, what: ValuesOf, limit: int) -> Sequence[NamedValue]:
        """Values in use outside the trash, those of most memories first; of titles the newest."""

    def titles_from(self, typed: str, limit: int) -> Sequence[NamedValue]:
        """Titles outside the trash that begin with this (case of Latin letters does not matter), in order."""

    def involved(self, names: Sequence[str]) -> dict[str, int]:
        """In how many memories each of these persons is involved by a relation."""
