"""Answers to the queries about packages and plain files: writing contents, and checking packages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.domain.api import Cancel
from core.domain.errors import UserError
from core.domain.package import PackageReport
from core.domain.queries_packages import ExportLibrary, VerifyPackage
from core.domain.transfer import CONTENT_FORMATS, ExportReport, Format
from core.ports.file_formats import FileFormats
from core.ports.store import Store
from core.services.package_content import ContentScope, LibraryContent


class ContentWriter:
    """Writes the library, or a part of it, in the formats that hold a content."""

    def __init__(self, store: Store, formats: FileFormats, in_library: Callable[[Path], bool]) -> None:
        self._store = store
        self._formats = formats
        self._in_library = in_library

    def write(
        self,
        scope: ContentScope,
        target: Format,
        path: Path,
        *,
        overwrite: bool,
        source: Path | None = None,
        cancel: Cancel | None = None,
    ) -> ExportReport:
        """Write what the scope says, in one consistent view. Errors: UserError, Cancelled."""
        if self._in_library(path):
            raise UserError("error.export.in_library", path=str(path))
        with self._store.read() as reader:
            content = LibraryContent(reader, scope, cancel)
            return self._formats.write_content(
                target, content, path, scope=scope.name, overwrite=overwrite, source=source
            )

    def library(self, query: ExportLibrary, cancel: Cancel | None) -> ExportReport:
        """The whole library. Errors: UserError."""
        if query.format not in CONTENT_FORMATS:
            raise UserError("error.export.not_library", format=query.format.value)
        return self.write(ContentScope(), query.format, query.path, overwrite=query.overwrite, cancel=cancel)

    def verify(self, query: VerifyPackage, cancel: Cancel | None) -> PackageReport:
        """The check of a package. Errors: BadFile, Cancelled."""
        return self._formats.verify(query.path, cancel)
