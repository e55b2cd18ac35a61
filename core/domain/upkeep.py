"""What plans of upkeep look like: memories in columns, what is suggested for each, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.folder import Memo
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.results import MemoryRow, Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRIAL_UNTIL_KEY = "trial_until"
"""In `Memory.extra`: until when a memory stays on trial, as ISO text in UTC. Ours alone, never exported."""
NEVER_USED_SHARE = 0.8
"""When more of the memories on trial were never recalled, that says nothing about a single one (DESIGN §5)."""
TRIAL_DAYS = 7.0
TRIAL_ACTIVATIONS = 2
VERDICTS = (Verdict.PROMOTE, Verdict.ARCHIVE, Verdict.KEEP, Verdict.TRASH)
"""In the order of the numbers that stand for them."""
FORGET_BELOW = 0.2
"""Retention under which a memory counts as forgotten (DESIGN §5; the original's 0.5 is too much)."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanColumns:
    """Memories of a plan, one array a column (n,). Times are seconds since 1970, NaN where there is none."""

    pks: NDArray[np.int64]
    folders: NDArray[np.int64]
    types: NDArray[np.int32]
    """Places in `type_ids`."""
    type_ids: tuple[TypeId, ...]
    importances: NDArray[np.float64]
    activations: NDArray[np.int64]
    created: NDArray[np.float64]
    last_used: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.pks)


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Memories on trial, oldest first, with a verdict for each.

    `suggested`: places in VERDICTS. `until`: kept on trial until then by a person, seconds, NaN = not.
    `careful`: more than 80 % were never recalled, so nothing is suggested for the trash. `left_out`: of a
    selection, how many are not on trial (another layer, not in use, locked, in the trash).
    """

    rows: PlanColumns
    days: NDArray[np.float64]
    until: NDArray[np.float64]
    suggested: NDArray[np.int8]
    never_used: int = 0
    careful: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Forgettable:
    """Memories that forgetting looks at, lowest retention first, and how many it passes over, by reason.

    `spared`: locked, type (synopsis, rule, storyline), importance, young, not_active.
    """

    rows: PlanColumns
    retention: NDArray[np.float64]
    age_hours: NDArray[np.float64]
    spared: Mapping[str, int]


# --- compression --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lost:
    """A name, number or negation of a memory's body that a summary does not have; places in characters."""

    memory: MemoryPk
    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class CompressGroup:
    """Memories of one folder, type and level that would be summed up together, oldest first."""

    folder: FolderPk
    folder_name: str
    type: TypeId
    level: int
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True)
class CompressPlan:
    """Groups by folder, type and level. `apart`: memories that could be summed up but are in no group yet
    (newest ones, a rest of one), by folder, type and level. `locked`: how many are left out because of that."""

    groups: tuple[CompressGroup, ...]
    apart: tuple[CompressGroup, ...] = ()
    locked: int = 0


# --- memos and flashbacks -----------------------------------------------------------------------


class LifeUnit(StrEnum):
    """Unit in which the rest of a memo's life is said."""

    MINUTES = "minutes"
    HOURS = "hours"
    OVER = "over"
    """It has expired."""


@dataclass(frozen=True, slots=True)
class MemoRow:
    """A memo with the rest of its life as shown: `left` is a number of `unit` (spec/BOOKU §6), "" when it is over."""

    memo: Memo
    folder_name: str
    left: str
    unit: LifeUnit


class FlashbackLayer(StrEnum):
    """Where a flashback comes from."""

    ARCHIVED = "archived"
    EMERGENT = "emergent"


@dataclass(frozen=True, slots=True)
class FlashbackCandidate:
    """A memory that could come back, its weight, and the chance that follows from all weights."""

    row: MemoryRow
    weight: float
    chance: float


@dataclass(frozen=True, slots=True)
class Flashback:
    """A draw: the layer with the chance that it is chosen and the number drawn, then one of the candidates.

    `drawn` None = there was none. `candidates`: the newest of the layer, as far as they were in the draw.
    """

    layer: FlashbackLayer
    archived_share: float
    layer_draw: float
    memory_draw: float
    candidates: tuple[FlashbackCandidate, ...]
    drawn: FlashbackCandidate | None
    skipped: int = 0
