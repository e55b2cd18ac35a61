"""Queries on what comes in and goes out as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Query
from core.domain.transfer import ExportReport, Format, Found, ImportPlan


@dataclass(frozen=True, slots=True)
class ReadFile(Query[ImportPlan]):
    """The dry run of an import: what a file or directory holds. Nothing is written.

    A chat, lorebook or card that is in the library already is compared with it, unless `as_new`.
    Errors: BadFile, with what it is and how far it could be read. `partly`: of a file that breaks off
    take what stands before the break.
    """

    path: Path
    partly: bool = False
    as_new: bool = False


@dataclass(frozen=True, slots=True)
class FindFiles(Query[tuple[Found, ...]]):
    """Files in a directory and below it that can be imported, with their counts. Errors: BadFile."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFolder(Query[ExportReport]):
    """Write a folder to a file (Booku: a directory) in a foreign format; the library stays as it is.

    `also`: more folders that go into the same file (Booku, lorebooks). `vectors`: with a Chroma folder beside it.
    `source`: the chat or picture of which a changed copy is written (None: the one that the folder came from).
    Written over the source itself, a copy of that is kept beside it.
    Errors: UserError when `path` exists and `overwrite` is not set, or cannot be written.
    """

    folder: FolderPk
    format: Format
    path: Path
    overwrite: bool = False
    also: tuple[FolderPk, ...] = ()
    vectors: bool = True
    source: Path | None = None


@dataclass(frozen=True, slots=True)
class ExportMemories(Query[ExportReport]):
    """Write chosen memories, of any folders, to a lorebook; the library stays as it is.

    Errors: UserError as for ExportFolder, and for a format that holds whole folders only.
    """

    memories: tuple[MemoryPk, ...]
    format: Format
    path: Path
    overwrite: bool = False
