"""Rows of proposals (core.ports.proposals.Proposals)."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain.endpoints import Usage
from core.domain.proposal import NewProposal, Part, PartGroup
from core.ports.clock import Clock
from core.store import proposal_rows
from core.store.database import Database


class SqlProposals:
    """Not journaled and not undone: what is decided about them is."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def add(self, new: NewProposal) -> int:
        """A new proposal; its pk."""
        with self._database.writing() as connection:
            return proposal_rows.add(connection, new, self._clock())

    def append(
        self, pk: int, groups: Sequence[PartGroup], parts: Sequence[Part], used: Usage | None = None
    ) -> bool:
        """More groups with their parts."""
        with self._database.writing() as connection:
            return proposal_rows.append(connection, pk, groups, parts, used or Usage(), self._clock())

    def replace(self, pk: int, parts: Sequence[Part]) -> int:
        """Other contents for parts."""
        with self._database.writing() as connection:
            return proposal_rows.replace(connection, pk, parts, self._clock())

    def tick(self, pk: int, keys: Sequence[str], *, ticked: bool) -> int:
        """Tick parts or take the tick away."""
        with self._database.writing() as connection:
            return proposal_rows.tick(connection, pk, keys, ticked=ticked, now=self._clock())
