"""Two runs beside each other: which memories came, went, or changed places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.ids import MemoryPk


class Move(StrEnum):
    """What became of a memory between two runs."""

    NEW = "new"
    GONE = "gone"
    UP = "up"
    DOWN = "down"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Shot:
    """A run as it is compared: its name, the memories it chose in order, and its text."""

    name: str
    memories: tuple[MemoryPk, ...]
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class ListChange:
    """One memory with its places (from 1; None = not chosen) in A and B."""

    memory: MemoryPk
    before: int | None
    after: int | None

    @property
    def move(self) -> Move:
        """What became of it."""
        if self.before is None:
            return Move.NEW
        if self.after is None:
            return Move.GONE
        if self.before == self.after:
            return Move.SAME
        return Move.UP if self.after < self.before else Move.DOWN


def list_changes(before: Sequence[MemoryPk], after: Sequence[MemoryPk]) -> list[ListChange]:
    """Every memory of either run, in the order of B; what went comes last, in the order of A."""
    old = {memory: place for place, memory in enumerate(before, 1)}
    new = {memory: place for place, memory in enumerate(after, 1)}
    changes = [ListChange(memory, old.get(memory), place) for memory, place in new.items()]
    changes += [ListChange(memory, place, None) for memory, place in old.items() if memory not in new]
    return changes
