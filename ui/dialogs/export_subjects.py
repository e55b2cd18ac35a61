"""What can be exported: a folder, chosen memories, the whole library; each with the formats that hold it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.domain.api import Cancel, EngineApi
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Counts, Folders, Query
from core.domain.queries_packages import ExportLibrary
from core.domain.queries_transfer import ExportFolder, ExportMemories
from core.domain.transfer import ExportReport, Format
from ui.language import Language, isolate

CONTENTS = (Format.MCZ, Format.MARKDOWN, Format.MEM0)
ONLY_BACK = (Format.CARD, Format.CHAT)
"""Formats in which a folder goes out only when it came in as such."""
NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')


@dataclass(frozen=True, slots=True)
class Place:
    """Where an export goes, and how."""

    path: Path
    overwrite: bool
    vectors: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What a subject is, as far as the library says: its folder, name for a file, and number of memories."""

    name: str
    memories: int
    folder: Folder | None = None


@dataclass(frozen=True, slots=True)
class FolderSubject:
    """One folder with all that is in it."""

    pk: FolderPk
    formats = (
        Format.STBME,
        Format.BOOKU,
        Format.GRAPHML,
        Format.WORLDINFO,
        *ONLY_BACK,
        *CONTENTS,
    )

    def look(self, engine: EngineApi, cancel: Cancel) -> Known | None:
        """What it is; None when it is gone."""
        nodes = engine.ask(Folders(), cancel=cancel)
        node = next((item for item in nodes if item.folder.pk == self.pk), None)
        return None if node is None else Known(node.folder.name, node.memories + node.trashed, node.folder)

    def heading(self, known: Known, tr: Language) -> str:
        """What the dialog says on top."""
        return tr("export.heading", name=isolate(known.name), count=known.memories)

    def query(self, kind: Format, place: Place) -> Query[ExportReport]:
        """What writes it."""
        return ExportFolder(
            folder=self.pk, format=kind, path=place.path, overwrite=place.overwrite, vectors=place.vectors
        )


@dataclass(frozen=True, slots=True)
class SelectionSubject:
    """Chosen memories, of any folders."""

    memories: tuple[MemoryPk, ...]
    formats = (Format.WORLDINFO, *CONTENTS)

    def look(self, _engine: EngineApi, _cancel: Cancel) -> Known | None:
        """How many these are."""
        return Known("", len(self.memories))

    def heading(self, known: Known, tr: Language) -> str:
        """What the dialog says on top."""
        return tr("export.heading_selection", count=known.memories)

    def query(self, kind: Format, place: Place) -> Query[ExportReport]:
        """What writes it."""
        return ExportMemories(self.memories, kind, place.path, place.overwrite)


@dataclass(frozen=True, slots=True)
class LibrarySubject:
    """All of the library."""

    name: str = ""
    formats = CONTENTS

    def look(self, engine: EngineApi, cancel: Cancel) -> Known | None:
        """How much it is."""
        counts = engine.ask(Counts(journal=False), cancel=cancel)
        return Known(self.name, counts.memories)

    def heading(self, known: Known, tr: Language) -> str:
        """What the dialog says on top."""
        return tr("export.heading_library", count=known.memories)

    def query(self, kind: Format, place: Place) -> Query[ExportReport]:
        """What writes it."""
        return ExportLibrary(place.path, kind, place.overwrite)


Subject = FolderSubject | SelectionSubject | LibrarySubject


def file_stem(known: Known, tr: Language) -> str:
    """A name for the file."""
    return NOT_IN_NAMES.sub("_", known.name).strip(" .") or tr("export.file_name")
