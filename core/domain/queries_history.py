"""Queries of the History page."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.domain.enums import ActorKind, Kind
from core.domain.ids import FolderPk, MemoryPk, OpId
from core.domain.queries import Query
from core.domain.results import HistoryEntry, RowDiff, RowVersion, UndoPreview, UndoState


@dataclass(frozen=True, slots=True, kw_only=True)
class OpFilter:
    """Which ops are wanted. Empty = all. `writer`: kind and name (a person's name does not matter).

    `folders`: ops that touched any of these, what was moved out of them too. `after`: only newer ones.
    """

    limit: int = 200
    before: OpId | None = None
    writer: tuple[ActorKind, str] | None = None
    kinds: frozenset[Kind] = frozenset()
    folder: FolderPk | None = None
    folders: tuple[FolderPk, ...] = ()
    after: OpId | None = None
    labels: frozenset[str] = frozenset()
    words: str = ""

    @property
    def narrow(self) -> bool:
        """Whether anything is left out."""
        by_place = self.folder is not None or self.folders or self.after is not None
        return bool(self.writer or self.kinds or by_place or self.labels or self.words.strip())


@dataclass(frozen=True, slots=True)
class Ops(Query[tuple[HistoryEntry, ...]]):
    """Ops under a filter, newest first."""

    filter: OpFilter = field(default_factory=OpFilter)


@dataclass(frozen=True, slots=True)
class Writers(Query[tuple[tuple[ActorKind, str], ...]]):
    """Who has written to the library."""


@dataclass(frozen=True, slots=True)
class OpDiff(Query[tuple[RowDiff, ...]]):
    """What one op did, row by row: the first `limit` rows. Errors: NotFound."""

    op: OpId
    limit: int = 200


@dataclass(frozen=True, slots=True)
class History(Query[tuple[HistoryEntry, ...]]):
    """Ops, newest first."""

    limit: int = 200
    before: OpId | None = None


@dataclass(frozen=True, slots=True)
class VersionsOf(Query[tuple[RowVersion, ...]]):
    """What changed on one memory, newest first."""

    pk: MemoryPk


@dataclass(frozen=True, slots=True)
class PreviewUndo(Query[UndoPreview]):
    """What undoing an op (None = this writer's newest) would do, and which rows stand against it."""

    op: OpId | None = None


@dataclass(frozen=True, slots=True)
class UndoStateNow(Query[UndoState]):
    """What Ctrl+Z and Ctrl+Y would do now."""


@dataclass(frozen=True, slots=True)
class LastOpId(Query[OpId]):
    """Highest op id: polled to notice what other programs wrote."""
