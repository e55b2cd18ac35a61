"""Queries of the Health page. Those that make something anew (index, vectors, backups) are no ops: what they
make follows from the library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.domain.health import (
    Backup,
    BackupCheck,
    BackupReason,
    CheckReport,
    Fault,
    FolderCard,
    HealthState,
    LogLine,
    Plots,
    RebuildEstimate,
    RebuildJob,
    RebuildScope,
)
from core.domain.ids import FolderPk
from core.domain.queries import Query


@dataclass(frozen=True, slots=True)
class CheckUp(Query[CheckReport]):
    """Look for everything that does not fit. Changes nothing. `sample`: memories searched by their own vectors."""

    sample: int = 200


@dataclass(frozen=True, slots=True)
class Remake(Query[int]):
    """Make anew what follows from the library: the index, missing vectors, word search, counters, settings file.

    Answers how many rows were written. Errors: Invalid for a fault that is put right by a change,
    Unavailable, LibraryInUse, Cancelled (what is done stays done).
    """

    WRITES: ClassVar[bool] = True

    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Health(Query[HealthState]):
    """What can be said without a check-up. `sizes`: sum up journal and index too, which reads all of the journal."""

    sizes: bool = False


@dataclass(frozen=True, slots=True)
class FolderFigures(Query[FolderCard]):
    """Figures of a folder, or of the library. Errors: NotFound."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class PlotNumbers(Query[Plots]):
    """Memories over time and recalls per memory, of a folder or of the library."""

    folder: FolderPk | None = None


# --- backups -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Backups(Query[tuple[Backup, ...]]):
    """The backups, newest first."""


@dataclass(frozen=True, slots=True)
class MakeBackup(Query[Backup]):
    """Copy the library as it is now. Errors: Invalid without room, Unavailable, Cancelled."""

    WRITES: ClassVar[bool] = True

    reason: BackupReason = BackupReason.BY_HAND
    note: str = ""


@dataclass(frozen=True, slots=True)
class VerifyBackup(Query[BackupCheck]):
    """Whether a backup is whole. Errors: NotFound."""

    name: str


@dataclass(frozen=True, slots=True)
class DeleteBackup(Query[bool]):
    """Remove a backup for ever. Errors: NotFound."""

    WRITES: ClassVar[bool] = True

    name: str


# --- rebuilding --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EstimateRebuild(Query[RebuildEstimate]):
    """What a rebuild of vectors would cost; embeds a few texts to measure the speed. Errors: Unavailable."""

    scope: RebuildScope
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class CurrentRebuild(Query[RebuildJob | None]):
    """The rebuild that is under way, paused, or waits for a decision."""


@dataclass(frozen=True, slots=True)
class RunRebuild(Query[RebuildJob]):
    """Begin a rebuild, or go on with the one there is (`scope` None). Cancelled = paused: it can go on later.

    When all vectors are made, the recall tests are run on both sets; then it waits for AcceptRebuild.
    Errors: Invalid when there is none to go on with or another one is under way, Unavailable.
    """

    WRITES: ClassVar[bool] = True

    scope: RebuildScope | None = None
    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class AcceptRebuild(Query[int]):
    """Use the new vectors in place of the old ones; answers how many. Errors: Invalid when it is not ready."""

    WRITES: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DropRebuild(Query[bool]):
    """Give the rebuild up: the old vectors stay, the new ones go."""

    WRITES: ClassVar[bool] = True


# --- log and bundle ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Log(Query[tuple[LogLine, ...]]):
    """What the program logged, newest first. `level`: this and worse; `words`: lines that hold all of them."""

    level: str = "INFO"
    words: str = ""
    limit: int = 1000


@dataclass(frozen=True, slots=True)
class MakeBundle(Query[Path]):
    """Write a ZIP for a report: versions, counts, settings without keys, log; no text of a memory.

    Errors: Invalid when it cannot be written there.
    """

    path: Path
