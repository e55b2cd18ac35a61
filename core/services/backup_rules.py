"""When a backup is made without being asked for, and which ones may go again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from core.domain.commands import Command, EmptyTrash
from core.domain.commands_folders import DeleteFolder, MergeFolders
from core.domain.commands_transfer import ApplyImport
from core.domain.health import KEPT_FOR_EVER, Backup, BackupReason
from core.domain.ids import FolderPk
from core.ports.store import Reader

BIG_ROWS = 2_000
"""A change of more memories than this is big."""


def reason_before(reader: Reader, command: Command) -> BackupReason | None:
    """Why the library should be backed up before a command; None = it need not be.

    A library without memories has nothing to lose, and deleting for good is meant to leave no copy.
    """
    match command:
        case ApplyImport():
            reason = BackupReason.IMPORT
        case EmptyTrash():
            counts = reader.counts(journal=False)
            return BackupReason.EMPTY_TRASH if counts.trashed else None
        case MergeFolders() | DeleteFolder():
            folder = command.source if isinstance(command, MergeFolders) else command.folder
            return BackupReason.BIG_CHANGE if len(reader.memories_in(FolderPk(folder))) > BIG_ROWS else None
        case _:
            named = getattr(command, "memories", ())
            big = command.UNDOABLE and isinstance(named, Sequence) and len(named) > BIG_ROWS
            return BackupReason.BIG_CHANGE if big else None
    counts = reader.counts(journal=False)
    return reason if counts.memories + counts.trashed else None


def due(newest: datetime | None, now: datetime, days: int) -> bool:
    """Whether a scheduled backup should be made; `days` 0 = never."""
    return days > 0 and (newest is None or now - newest >= timedelta(days=days))


def to_remove(backups: Sequence[Backup], keep: int) -> list[Backup]:
    """Those beyond the newest `keep` that were made without being asked for.

    What a person made, and what stands for the state before a restore or a migration, stays.
    """
    automatic = [backup for backup in backups if backup.reason not in KEPT_FOR_EVER]
    newest_first = sorted(automatic, key=lambda backup: backup.at, reverse=True)
    return newest_first[keep:]
