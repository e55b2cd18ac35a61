"""Requests that a person carries to a model by hand: rows outside ops and undo, which survive the program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.domain.endpoints import ModelTask
from core.domain.json_types import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRequest:
    """One request. `reply` None = it waits; `used`: the work that asked has read the reply.

    `work` names the work it belongs to ("" = none yet), `rest` is what goes on with the reply ({} = nothing).
    """

    number: int
    task: ModelTask
    text: str
    asked_at: datetime
    work: str = ""
    rest: JsonObject = field(default_factory=dict)
    reply: str | None = None
    used: bool = False


class ManualRows(Protocol):
    """The rows. Each call is one short transaction; all calls may come from any thread or process."""

    def add(self, task: ModelTask, text: str, work: str = "") -> int:
        """A request that waits; its number. One with the same text stays as it is, and its number is given."""

    def all(self) -> list[KeptRequest]:
        """All rows, oldest first."""

    def one(self, number: int) -> KeptRequest | None:
        """One row."""

    def with_text(self, text: str) -> KeptRequest | None:
        """The row of a request with exactly this text."""

    def belongs(self, number: int, work: str, rest: JsonObject) -> None:
        """Say which work a request belongs to; what its work was called before takes the new name too."""

    def answer(self, number: int, reply: str) -> bool:
        """Keep the reply; False when the request is gone."""

    def mark_used(self, number: int) -> None:
        """The reply was read by the work that asked for it."""

    def remove(self, numbers: Iterable[int]) -> int:
        """Forget requests; returns how many there were."""

    def remove_work(self, work: str) -> int:
        """Forget all requests of a work; returns how many there were."""
