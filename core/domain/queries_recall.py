"""Queries on recall: what the next prompt would get, why, and the recall tests."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Query
from core.domain.recall import (
    Evaluation,
    InjectedLine,
    RecallCase,
    RecallMode,
    RecallRequest,
    RecallResult,
    RecallRun,
    WhyNotAnswer,
)
from core.domain.recipes import Recipe


@dataclass(frozen=True, slots=True)
class PrepareRecall(Query[None]):
    """Read what the next recall for a folder (None = without one) reads first, so that it answers at once.

    Errors: NotFound.
    """

    folder: FolderPk | None


@dataclass(frozen=True, slots=True)
class Recall(Query[RecallResult]):
    """What the next prompt would get for a message, and why (core.domain.recall).

    In mode preview nothing at all is written. In mode commit activations (and, where the recipe says so,
    importance) are counted and the run is kept: `result.run`. Errors: NotFound for a folder or recipe that
    does not exist, Invalid for a setting out of its range.
    """

    request: RecallRequest

    @property
    def writes(self) -> bool:
        """Whether it counts and keeps the run."""
        return self.request.mode is RecallMode.COMMIT


@dataclass(frozen=True, slots=True)
class WhyNot(Query[WhyNotAnswer]):
    """Why a memory is or is not in the result of that request, and the smallest change that brings it in.

    Errors: those of Recall, and NotFound for a memory that does not exist.
    """

    request: RecallRequest
    memory: MemoryPk


@dataclass(frozen=True, slots=True)
class Recipes(Query[tuple[Recipe, ...]]):
    """The recipes with their settings, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class RecallRuns(Query[tuple[RecallRun, ...]]):
    """Runs that were handed out, newest first; of one folder or of all."""

    folder: FolderPk | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True)
class LastInjection(Query[RecallRun | None]):
    """The run that was last handed out for a folder by any door."""

    folder: FolderPk | None


@dataclass(frozen=True, slots=True)
class RecallHistoryOf(Query[tuple[RecallRun, ...]]):
    """Runs in which a memory was recalled, newest first."""

    memory: MemoryPk
    limit: int = 100


@dataclass(frozen=True, slots=True)
class InjectedLineOf(Query[InjectedLine]):
    """How a memory would stand in the prompt by its folder's recipe (the one used last, else the default), with tokens.

    The first count of a family reads its vocabulary, which holds up all threads; with `quick` it is estimated then.
    Errors: NotFound.
    """

    memory: MemoryPk
    quick: bool = False


@dataclass(frozen=True, slots=True)
class RecallCases(Query[tuple[RecallCase, ...]]):
    """Saved expectations of a folder, or all of them, oldest first."""

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class Evaluate(Query[Evaluation]):
    """Run the saved expectations of a folder, or all of them, as previews, beside the run before.

    The figures are kept, to compare the next run with; nothing else is touched. Errors: Cancelled.
    """

    folder: FolderPk | None = None


@dataclass(frozen=True, slots=True)
class ExportRecallCases(Query[str]):
    """Saved expectations as JSON lines, with the names of folders and the ids of memories."""

    folder: FolderPk | None = None
