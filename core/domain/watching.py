"""Watched folders: directories whose files come into the library as documents while it is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from core.domain.document import CutSettings
from core.domain.folder import DEFAULT_FOLDER
from core.domain.ids import DocumentPk

WATCHED_SOURCE = "watched"
"""Source of documents that came from a watched folder."""
WATCHER_NAME = "watched folders"
"""Name of the writer in the history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedFolder:
    """A directory, all below it, and the folder that its documents go to.

    `ignore`: patterns (`*.tmp`, `drafts/*`) of names or places below it that stay out, besides hidden files.
    """

    path: Path
    folder: str = DEFAULT_FOLDER
    settings: CutSettings = field(default_factory=CutSettings)
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoneFile:
    """A file that is no longer there, while its document is: nothing is deleted without asking."""

    path: str
    document: DocumentPk
    title: str


@dataclass(frozen=True, slots=True)
class WatchReport:
    """How watching stands. `live`: this program watches; `missing`: directories that are not there now."""

    folders: tuple[WatchedFolder, ...] = ()
    live: bool = False
    missing: frozenset[Path] = frozenset()
    gone: tuple[GoneFile, ...] = ()
