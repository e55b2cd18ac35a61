"""Background work that survives the program: rows with a state, outside of ops and undo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.domain.json_types import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work. `state` is a word of its kind's own, `error` the key of a text."""

    pk: int
    kind: str
    state: str
    data: JsonObject = field(default_factory=dict)
    done: int = 0
    total: int = 0
    error: str = ""
    created_at: datetime
    updated_at: datetime


class Jobs(Protocol):
    """The rows. Each call is one short transaction; all calls may come from any thread or process."""

    def add(self, kind: str, state: str, items: Sequence[JsonObject]) -> list[int]:
        """New rows, in order."""

    def all(self, kind: str) -> list[Job]:
        """All rows of a kind, oldest first."""

    def some(self, kind: str, state: str, limit: int, *, newest: bool = False) -> list[Job]:
        """The first rows in a state: the oldest, or the newest, in that order."""

    def counts(self, kind: str) -> dict[str, int]:
        """How many rows are in each state."""

    def one(self, pk: int) -> Job | None:
        """One row."""

    def take(self, kind: str, state: str, taken: str) -> Job | None:
        """The oldest row in a state, put into another one; None when there is none. Nobody else gets the same."""

    def move(self, pks: Iterable[int], states: Iterable[str], to: str) -> int:
        """Put rows that are in one of these states into another; returns how many."""

    def save(
        self, pk: int, state: str, data: JsonObject, *, done: int = 0, total: int = 0, error: str = ""
    ) -> None:
        """How far a row is."""

    def remove(self, pks: Iterable[int]) -> int:
        """Forget rows; returns how many there were."""

    def working(self, kind: str) -> AbstractContextManager[bool]:
        """Whether this program may work on the rows now: one program at a time. Ends with the program."""
