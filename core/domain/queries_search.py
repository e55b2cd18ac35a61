"""Queries on the search language."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class CanonicalSearch(Query[str]):
    """A search as it is stored: keys and values by their own names. Errors: Invalid."""

    text: str
