"""Files of other programs, as services and the engine see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from core.domain.api import Cancel
from core.domain.ids import MemoryPk
from core.domain.package import PackageContent, PackageReport
from core.domain.results import Problem
from core.domain.schema import Schema
from core.domain.source_file import SourceMark
from core.domain.transfer import ExportReport, FolderBundle, Format, Found, ImportPlan
from core.ports.embedder import Vectors

VectorsOf = Callable[[Sequence[MemoryPk]], Mapping[MemoryPk, Vectors]]
"""Vectors (dims,) of those memories that have one, all of one model."""


class FileFormats(Protocol):
    """Reads and writes foreign files. Nothing of the library is touched."""

    def read(self, path: Path, schema: Schema, *, partly: bool = False) -> ImportPlan:
        """The dry run of an import. `partly`: of a broken file take what can be read.

        Errors: BadFile, with what it is and how far it could be read.
        """

    def found_in(self, path: Path, schema: Schema) -> tuple[Found, ...]:
        """What can be imported in a directory and below it (or the file itself). Errors: BadFile."""

    def write(
        self,
        target: Format,
        bundles: Sequence[FolderBundle],
        path: Path,
        schema: Schema,
        *,
        overwrite: bool = False,
        vectors_of: VectorsOf | None = None,
        source: Path | None = None,
    ) -> ExportReport:
        """Write folders to a file (Booku: a directory, or a file that ends in .db).

        `source`: the chat or picture of which a changed copy is written. Where that is `path` itself, or any
        other file that is replaced by its own, a copy of the old one is kept beside it.
        Errors: UserError when `path` exists and `overwrite` is not set, or cannot be written.
        """

    def write_content(
        self,
        target: Format,
        content: PackageContent,
        path: Path,
        *,
        scope: str = "library",
        overwrite: bool = False,
        source: Path | None = None,
    ) -> ExportReport:
        """Write a content as a package, as a folder of Markdown files or as a mem0 file; it is read as it is written.

        Errors: as for `write`.
        """

    def mark(self, path: Path) -> SourceMark:
        """By what a file is known again. Errors: OSError."""

    def is_unchanged(self, path: Path, mark: SourceMark) -> bool:
        """Whether a file still is what it was. Its content is read only when size or time differ. Errors: OSError."""

    def format_of_source(self, path: Path, kind: Format) -> Format | None:
        """In which format a file that was read as `kind` is written; None when it must not be replaced."""

    def obstacle(self, path: Path, kind: Format) -> Problem | None:
        """Why a file must not be replaced: in use by another program, or it holds what is not known here."""

    def verify(self, path: Path, cancel: Cancel | None = None) -> PackageReport:
        """The check of a package. Errors: BadFile when it is none, or must not be opened; Cancelled."""
