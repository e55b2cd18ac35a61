"""Queries on files that folders came from, and writing them back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.domain.ids import FolderPk
from core.domain.queries import Query
from core.domain.source_file import FolderSource, SourceChanges, WriteBackPreview
from core.domain.transfer import ExportReport


@dataclass(frozen=True, slots=True)
class SourceOf(Query[FolderSource | None]):
    """The file that a folder came from, and how much was changed since; None when it came from none.

    The disk is not looked at. Cost: the changes since, not the size of the folder.
    """

    folder: FolderPk


@dataclass(frozen=True, slots=True)
class SourceChangesOf(Query[SourceChanges | None]):
    """What was changed in a folder (and the others from its file) since it was taken in or written; None: no file.

    All changes as one, row by row: what was undone does not stand there. Errors: NotFound.
    """

    folder: FolderPk
    limit: int = 1_000


@dataclass(frozen=True, slots=True)
class PreviewWriteBack(Query[WriteBackPreview]):
    """What writing a folder back would change in its file; nothing is written.

    Errors: UserError when the folder came from no file that can be written.
    """

    folder: FolderPk
    limit: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBack(Query[ExportReport]):
    """Write a folder (with all others from the same file) back. `path` None: over the file itself.

    A copy of the old file is kept beside it. `replace_changed`: also when another program changed it since it was
    read. `overwrite`: another `path` may be replaced. Errors: UserError when the file changed, is in use, or only
    a part of it was read; ReadOnlyLibrary for the file itself when the library cannot be written.
    """

    folder: FolderPk
    path: Path | None = None
    replace_changed: bool = False
    overwrite: bool = False

    @property
    def writes(self) -> bool:
        """The file itself is noted in the library; another one is not."""
        return self.path is None
