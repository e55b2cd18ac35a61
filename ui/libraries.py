"""Libraries as the window sees them: opened, made and remembered by whoever starts the program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.domain.access import ReadOnly
from core.domain.api import EngineApi
from core.domain.health import Backup


@dataclass(frozen=True, slots=True)
class RecentLibrary:
    """A library that was open before. `there`: its directory still exists."""

    path: Path
    there: bool

    @property
    def name(self) -> str:
        """What the window calls it."""
        return self.path.name or str(self.path)


class Libraries(Protocol):
    """Implemented in app. All calls block, so they run in the background."""

    def open(self, path: Path, read_only: ReadOnly | None = None) -> EngineApi:
        """Open a library that exists; with `read_only`, and where nothing can be written, for reading alone.

        Errors: LibraryInUse, UserError when it is none or is damaged.
        """

    def check_writable(self, path: Path) -> None:
        """Whether a library that is open for reading could be opened for writing now.

        Errors: LibraryInUse, ReadOnlyLibrary.
        """

    def create(self, path: Path) -> EngineApi:
        """Make a library in an empty or new directory and open it. Errors: UserError."""

    def sample(self, *, reset: bool) -> EngineApi:
        """Open the person's copy of the sample library; `reset` makes it anew. Errors: UserError."""

    def newest_backup(self, path: Path) -> Backup | None:
        """The newest backup of a library, which may be too damaged to be opened."""

    def restore(self, path: Path, name: str) -> EngineApi:
        """Bring a backup of a library back, with the present state backed up first, and open it.

        Errors: LibraryInUse, UserError for a backup that is not whole, or without room.
        """

    def close(self, engine: EngineApi) -> None:
        """End what an engine of these needs, and give its library free."""

    def sample_path(self) -> Path:
        """Where the copy of the sample library lies, or will lie."""

    def recent(self) -> tuple[RecentLibrary, ...]:
        """Libraries that were open, the last one first."""

    def forget(self, path: Path) -> None:
        """Take a library off the list; its files stay."""

    def default_place(self) -> Path:
        """The directory in which new libraries are offered to be made."""

    def raise_other_window(self, path: Path) -> bool:
        """Bring the window that has this library open to the front. False when there is none."""
