"""Queries about watched folders. They are settings of the library, outside of undo, as the queue is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.domain.ids import DocumentPk
from core.domain.queries import Query
from core.domain.watching import GoneFile, WatchedFolder, WatchReport


@dataclass(frozen=True, slots=True)
class Watching(Query[WatchReport]):
    """Which directories are watched, and what went missing."""


@dataclass(frozen=True, slots=True)
class Gone(Query[tuple[GoneFile, ...]]):
    """Files that are no longer there while their documents are. Cost: one small query when there are none."""


@dataclass(frozen=True, slots=True)
class SetWatched(Query[WatchReport]):
    """Watch these directories from now on, and no others; what came from others stays.

    Errors: Invalid for a directory that is none, lies in a library or in another watched one (or around it),
    or for a folder name that is none.
    """

    WRITES: ClassVar[bool] = True

    folders: tuple[WatchedFolder, ...]


@dataclass(frozen=True, slots=True)
class ForgetGone(Query[int]):
    """Take documents off the list of those whose file is gone (None = all); they stay as they are."""

    WRITES: ClassVar[bool] = True

    documents: tuple[DocumentPk, ...] | None = None
