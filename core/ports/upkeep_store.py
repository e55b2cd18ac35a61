"""What plans of upkeep need of the store: memories in columns, quickly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries import MemoryFilter
from core.domain.upkeep import PlanColumns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class TrialColumns:
    """Memories on trial; `until` in seconds, NaN where nobody said."""

    rows: PlanColumns
    until: NDArray[np.float64]


class Foldable(NamedTuple):
    """A memory that could be summed up with others. `place` orders them: the floor, then the time, then the pk."""

    pk: MemoryPk
    folder: FolderPk
    type: TypeId
    level: int
    locked: bool
    place: tuple[int, int, int]


class UpkeepStore(Protocol):
    """Bulk reads; each call is one consistent view."""

    def columns(self, where: MemoryFilter) -> PlanColumns:
        """The memories that pass a filter, oldest first."""

    def trials(self, where: MemoryFilter, only: Collection[int] | None) -> TrialColumns:
        """The same with what was said about their trial; of these memories only."""

    def locked_and_idle(self, where: MemoryFilter) -> Mapping[str, int]:
        """How many memories outside the trash are `locked` (and active), and how many `not_active`."""

    def foldable(self, where: MemoryFilter) -> list[Foldable]:
        """The memories that pass a filter, in no order."""

    def outdated(self, folder: FolderPk | None) -> list[int]:
        """Memories in use with a child that was changed after them, oldest first."""
