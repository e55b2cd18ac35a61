"""Proposals as rows outside ops and undo; what is decided about them is written by units of work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.domain.endpoints import Usage
from core.domain.proposal import NewProposal, Part, PartGroup


class Proposals(Protocol):
    """Each call is one short transaction; all calls may come from any thread or process."""

    def add(self, new: NewProposal) -> int:
        """A new proposal; its pk."""

    def append(
        self, pk: int, groups: Sequence[PartGroup], parts: Sequence[Part], used: Usage | None = None
    ) -> bool:
        """More groups with their parts, and what they took; False when the proposal is gone."""

    def replace(self, pk: int, parts: Sequence[Part]) -> int:
        """Other contents for parts (matched by key); decided ones stay. Returns how many were replaced."""

    def tick(self, pk: int, keys: Sequence[str], *, ticked: bool) -> int:
        """Tick parts or take the tick away; decided ones stay. Returns how many."""
