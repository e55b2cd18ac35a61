"""Libraries for the window: opened with their lock, kept indexed, remembered."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from app import container, library_place, paths, writers
from app.container_health import restore
from app.library import Library
from app.window_call import call_window
from core.domain.access import ReadOnly
from core.domain.api import EngineApi
from core.domain.commands_transfer import ApplyImport
from core.domain.errors import Invalid, ReadOnlyLibrary
from core.domain.health import Backup
from core.settings import Settings
from ui.libraries import RecentLibrary

SAMPLE = "sample"


class GuiLibraries:
    """Implements ui.libraries.Libraries. `address`: where this window can be called.

    `place`: the directory for new libraries and the sample, None = the person's usual one.
    """

    def __init__(self, settings: Settings, address: str, place: Path | None = None) -> None:
        self._settings, self._address = settings, address
        self._place = place or paths.libraries_dir()
        self._open: dict[int, Library] = {}
        self._lock = threading.Lock()

    def open(self, path: Path, read_only: ReadOnly | None = None) -> EngineApi:
        """Errors: NotFound, LibraryInUse, BadFile."""
        return self._keep(path, create=False, read_only=read_only)

    def check_writable(self, path: Path) -> None:
        """Errors: LibraryInUse, ReadOnlyLibrary."""
        if not library_place.may_write(path):
            raise ReadOnlyLibrary(ReadOnly.MEDIUM)
        library_place.take_lock(path).release()

    def create(self, path: Path) -> EngineApi:
        """Errors: Invalid when the directory holds something else."""
        if path.is_dir() and any(path.iterdir()) and not library_place.library_exists(path):
            raise Invalid("error.library.not_empty", path=str(path))
        return self._keep(path, create=True)

    def sample(self, *, reset: bool) -> EngineApi:
        """The person's copy of the sample, made at the first time and when it is reset."""
        path = self.sample_path()
        if reset and library_place.library_exists(path):
            lock = library_place.take_lock(path)
            lock.release()
            shutil.rmtree(path)
        if not library_place.library_exists(path):
            self._fill(path)
        return self._keep(path, create=False)

    def _fill(self, path: Path) -> None:
        """The program fills the sample, so that a person's first Ctrl+Z does not empty it."""
        library = container.open_library(path, writers.program(SAMPLE), self._settings, create=True)
        try:
            library.engine.run(ApplyImport(library.sample_plan()))
        finally:
            library.close()

    def _keep(self, path: Path, *, create: bool, read_only: ReadOnly | None = None) -> EngineApi:
        library = container.open_library(
            path,
            writers.person(),
            self._settings,
            create=create,
            keep=True,
            address=self._address,
            read_only=read_only,
        )
        library.keep_indexed()
        library.keep_watched()
        library.extracting.keep_running()
        library.health.keep_backed_up()
        with self._lock:
            self._open[id(library.engine)] = library
        self._settings.remember_library(path)
        return library.engine

    def close(self, engine: EngineApi) -> None:
        """End the engine's threads and processes and give the lock back."""
        with self._lock:
            library = self._open.pop(id(engine), None)
        if library is not None:
            library.close()

    def newest_backup(self, path: Path) -> Backup | None:
        """The newest backup of a library."""
        return next(iter(library_place.copies_of(path, self._settings).all()), None)

    def restore(self, path: Path, name: str) -> EngineApi:
        """Bring a backup back and open the library. Errors: LibraryInUse, NotFound, BadFile, Invalid."""
        restore(path, name, self._settings)
        return self._keep(path, create=False)

    def close_all(self) -> None:
        """Close what was opened and never shown: the window was closed in the middle of opening."""
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for library in left:
            library.close()

    def sample_path(self) -> Path:
        """Where the copy of the sample lies."""
        return self._place / SAMPLE

    def recent(self) -> tuple[RecentLibrary, ...]:
        """The last one first."""
        names = self._settings.texts("recent_libraries")
        return tuple(RecentLibrary(Path(name), library_place.library_exists(Path(name))) for name in names)

    def forget(self, path: Path) -> None:
        """Off the list; the files stay."""
        names = self._settings.texts("recent_libraries")
        self._settings.set("recent_libraries", tuple(name for name in names if Path(name) != path))
        if self._settings.text("last_library") == str(path):
            self._settings.set("last_library", "")

    def default_place(self) -> Path:
        """Where new libraries go unless another place is chosen."""
        return self._place

    def raise_other_window(self, path: Path) -> bool:
        """Call the window that has the library open."""
        holder = library_place.lock_holder(path)
        return holder is not None and call_window(holder.address)
