"""Opens libraries as the person's settings and the environment say: the only reader of configuration."""

from __future__ import annotations

import os
from pathlib import Path

from app import paths
from app.library import Library
from app.library_place import library_exists, may_write, take_lock
from core.domain.access import ReadOnly
from core.domain.errors import BadFile, Invalid, NotFound
from core.domain.results import Actor
from core.settings import Settings
from core.store.library import LibraryFiles
from core.store.migrations import MIGRATIONS
from core.store.reading import understood

LIBRARY_VARIABLE = "MEMORY_CURATOR_LIBRARY"


def load_settings() -> Settings:
    """The person's settings."""
    return Settings(paths.settings_file())


def library_dir(given: str | None, settings: Settings) -> Path:
    """The library to work on: named, else of the environment, else the one opened last.

    Errors: NotFound when there is none of these.
    """
    name = given or os.environ.get(LIBRARY_VARIABLE) or settings.text("last_library")
    if not name:
        raise NotFound("error.library.none")
    return Path(name).expanduser()


def open_library(
    root: Path,
    actor: Actor,
    settings: Settings,
    *,
    create: bool = False,
    keep: bool = False,
    address: str = "",
    read_only: ReadOnly | None = None,
) -> Library:
    """Open a library. `keep`: hold its lock (a window does; commands work beside it without).

    It is opened for reading alone when asked (`read_only`), where nothing can be written, and when a newer
    program made it but all of it is understood; `Library.read_only` says why.
    Errors: NotFound when there is none and `create` is not set, Invalid for a path that cannot be a
    library, LibraryInUse, BadFile for a damaged or newer one.
    """
    root = root.absolute()
    if root.exists() and not root.is_dir():
        raise Invalid("error.library.not_directory", path=str(root))
    if not (create and read_only is None) and not library_exists(root):
        raise NotFound("error.library.missing", path=str(root))
    database = LibraryFiles(root).database
    if read_only is None and database.exists() and not may_write(root):
        read_only = ReadOnly.MEDIUM
    if read_only is not None:
        return Library(root, actor, settings, None, read_only)
    try:
        return _open_to_write(root, actor, settings, keep=keep, address=address)
    except BadFile as error:
        if error.key != "error.store.newer" or not understood(database, len(MIGRATIONS)):
            raise
        return Library(root, actor, settings, None, ReadOnly.NEWER)


def _open_to_write(root: Path, actor: Actor, settings: Settings, *, keep: bool, address: str) -> Library:
    try:
        root.mkdir(parents=True, exist_ok=True)
        lock = take_lock(root, address) if keep else None
    except OSError as error:
        raise Invalid("error.library.cannot_write", path=str(root), details=str(error)) from error
    try:
        return Library(root, actor, settings, lock)
    except BaseException:
        if lock is not None:
            lock.release()
        raise


def run_index_process() -> None:
    """Be the index process (a frozen program starts itself for it)."""
    from core.adapters.index_server import main

    main()
