"""Files of other programs, as services and the engine see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from core.domain.api import Cancel
from core.domain.ids import MemoryPk
from core.domain.package import PackageContent, PackageReport
from core.domain.schema import Schema
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

        `source`: the chat or picture of which a changed copy is written.
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
    ) -> ExportReport:
        """Write a content as a package, as a folder of Markdown files or as a mem0 file; it is read as it is written.

        Errors: as for `write`.
        """

    def verify(self, path: Path, cancel: Cancel | None = None) -> PackageReport:
        """The check of a package. Errors: BadFile when it is none, or must not be opened; Cancelled."""
