"""Queries about packages of whole libraries, and about plain files of all memories."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.domain.package import PackageReport
from core.domain.queries import Query
from core.domain.transfer import ExportReport, Format


@dataclass(frozen=True, slots=True)
class ExportLibrary(Query[ExportReport]):
    """Write the whole library to a package (Format.MCZ), a Markdown folder or a mem0 file.

    Errors: UserError when `path` exists and `overwrite` is not set, or cannot be written, and for other formats.
    """

    path: Path
    format: Format = Format.MCZ
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class VerifyPackage(Query[PackageReport]):
    """Whether a package is whole: hashes, numbers and rows. Nothing of the library is looked at.

    Errors: BadFile when it is no package, or one that must not be opened.
    """

    path: Path
