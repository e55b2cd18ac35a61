"""Commands of upkeep: verdicts on memories on trial, and what is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from core.domain.commands import Command
from core.domain.enums import Status
from core.domain.ids import FolderPk, MemoryPk


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTrials(Command):
    """Carry out verdicts on memories on trial, as one op (DESIGN §5, promote).

    `promote`: to long-term; `archive`: kept, out of default recall; `trash`: restorable; `keep`: on trial until
    that time, before which no plan suggests anything else. Counts: promote, archive, trash, keep.
    Errors: NotFound, Invalid (not on trial any more, named twice), UserError (locked, when a program writes).
    """

    LABEL: ClassVar[str] = "op.memory.promote"
    promote: tuple[MemoryPk, ...] = ()
    archive: tuple[MemoryPk, ...] = ()
    trash: tuple[MemoryPk, ...] = ()
    keep: tuple[tuple[MemoryPk, datetime], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetMemories(Command):
    """Take memories out of recall with the reason "forgotten": archived, or expired.

    What forgetting never touches (locked, lasting types, importance from 8, younger than an hour) and what is
    not in use any more is passed over. Counts: skipped. Errors: NotFound, Invalid for a status.
    """

    LABEL: ClassVar[str] = "op.memory.forget"
    memories: tuple[MemoryPk, ...]
    status: Status = Status.ARCHIVED


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfoldSummaries(Command):
    """Put the memories that summaries were made of back in use; the summaries are archived in their place.

    Counts: restored. Errors: NotFound, Invalid (one sums up nothing, or lies in the trash), UserError (locked).
    """

    LABEL: ClassVar[str] = "op.memory.unfold"
    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepMemo(Command):
    """Keep a short-lived note; the same text in the same stream lives on instead of standing twice.

    Memos that have expired are removed on the way. Result: `created_memo`, and `refreshed` among the counts.
    Errors: Invalid for a blank text or a time that is not positive.
    """

    LABEL: ClassVar[str] = "op.memo.keep"
    folder: FolderPk
    content: str
    stream_id: str = ""
    hours: float = 2.0


@dataclass(frozen=True, slots=True)
class RemoveMemos(Command):
    """Remove memos."""

    LABEL: ClassVar[str] = "op.memo.remove"
    memos: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyPromotion(Command):
    """Carry out the verdicts on memories that are on trial, as one op (DESIGN §5, promote).

    `promote`: to long-term, still in recall; `archive`: kept, out of default recall; `trash`: restorable.
    Errors: Invalid when one is not on trial any more.
    """

    LABEL: ClassVar[str] = "op.memory.promote"
    promote: tuple[MemoryPk, ...] = ()
    archive: tuple[MemoryPk, ...] = ()
    trash: tuple[MemoryPk, ...] = ()
