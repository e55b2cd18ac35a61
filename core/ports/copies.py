"""Backups of a library as services and doors see them."""

from __future__ import annotations

from typing import Protocol

from core.domain.health import Backup, BackupCheck, BackupReason
from core.ports.progress import CancelToken, Progress, ignore_progress


class Copies(Protocol):
    """Whole copies of a library's file with a manifest each."""

    def make(
        self,
        reason: BackupReason,
        note: str = "",
        progress: Progress = ignore_progress,
        cancel: CancelToken | None = None,
    ) -> Backup:
        """Copy the library as it is now. Errors: Invalid without room, Cancelled (nothing is left then)."""

    def all(self) -> list[Backup]:
        """All backups, newest first."""

    def one(self, name: str) -> Backup:
        """The backup of that name. Errors: NotFound."""

    def verify(self, name: str) -> BackupCheck:
        """Whether it is whole. Errors: NotFound."""

    def delete(self, name: str) -> None:
        """Remove it for ever. Errors: NotFound, Invalid."""

    def restore(self, name: str) -> Backup | None:
        """Put it in place of the library, whose present state is backed up first and returned."""
