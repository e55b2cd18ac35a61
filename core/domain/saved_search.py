"""A search that a person keeps under a name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from core.domain.enums import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search in canonical text (docs/SEARCH.md): neither language nor labels of types matter to it."""

    KIND: ClassVar[Kind] = Kind.SAVED_SEARCH

    pk: int = 0
    name: str
    text: str
    position: int = 0
    created_at: datetime | None = None
