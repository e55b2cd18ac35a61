"""Folders that came from a file, and what writing them back would change there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from core.domain.ids import FolderPk, OpId
from core.domain.json_types import Json, JsonObject
from core.domain.results import OpInfo, Problem, RowDiff
from core.domain.transfer import ExportReport, Format

READ_KEY = "read"
"""Key in `Folder.origin`: the mark of the file as it was last read or written."""
PATH_KEY = "path"
IDS_KEY = "ids"
"""Key in `Folder.origin`: id in the file -> our id, of memories that were written there and did not come from it."""
PARTLY_KEY = "partly"
"""Key in `Folder.origin`: only a part of the file could be read, so it cannot be written whole."""
WRITABLE = frozenset(
    {
        Format.STBME,
        Format.BOOKU,
        Format.CHAT,
        Format.WORLDINFO,
        Format.LOREBOOK,
        Format.CARD,
        Format.MEM0,
        Format.MARKDOWN,
    }
)
"""Formats of files into which an edited folder goes back."""
SHOWN = WRITABLE | {Format.FOREIGN_CHAT}
"""Formats of files that a folder can have come from."""


@dataclass(frozen=True, slots=True)
class SourceMark:
    """By what a file is known again: its size and time at once, its content (a digest) when these differ."""

    size: int
    mtime_ns: int
    digest: str

    def as_json(self) -> JsonObject:
        """As it stands in a folder's origin."""
        return {"size": self.size, "mtime_ns": self.mtime_ns, "digest": self.digest}

    @classmethod
    def from_json(cls, raw: Json) -> SourceMark | None:
        """The mark of an origin; None when there is none."""
        if not isinstance(raw, dict):
            return None
        size, time, digest = raw.get("size"), raw.get("mtime_ns"), raw.get("digest")
        if isinstance(size, int) and isinstance(time, int) and isinstance(digest, str):
            return cls(size, time, digest)
        return None


def ids_given(origin: JsonObject) -> dict[str, str]:
    """Ids in the file that a folder came from, of memories that were made here: our ids by these."""
    found = origin.get(IDS_KEY)
    return {name: str(own) for name, own in found.items()} if isinstance(found, Mapping) else {}


class SourceState(StrEnum):
    """How the file stands on disk now, against when it was last read or written."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"
    """It was taken in by an older version, which kept no mark."""


class Becomes(StrEnum):
    """What becomes of a memory of the file."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """The file that folders came from. `changes`: changes of these folders that stand and are not in it yet.

    `since`/`op`: when the file was taken in or last written, and the change that did it.
    """

    format: Format
    file: str
    path: Path | None
    folders: tuple[FolderPk, ...]
    names: tuple[str, ...]
    changes: int
    since: datetime
    op: OpId
    written: bool = False

    @property
    def writable(self) -> bool:
        """Whether the format can be written at all."""
        return self.format in WRITABLE


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A row that is another one here than in the file it came from. `op`: the newest change of it that stands."""

    row: RowDiff
    op: OpInfo


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """What was changed since the file was taken in or last written: the first rows of `total`."""

    source: FolderSource
    rows: tuple[SourceChange, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One memory that would be another one in the file: its title, and the columns that differ."""

    becomes: Becomes
    title: str
    folder: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteBackPreview:
    """What writing back would do, without having done it.

    `obstacle`: why the file itself cannot be replaced (a copy can be written). `differences` against the file as it
    is now, the first of `total` ones; None when the file cannot be read. `report`: what the format cannot hold.
    """

    source: FolderSource
    state: SourceState
    obstacle: Problem | None
    warnings: tuple[Problem, ...]
    differences: tuple[Difference, ...] | None
    totals: dict[Becomes, int]
    relations: int
    report: ExportReport
