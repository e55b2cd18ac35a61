"""The dry run of a package: what its manifest announces, and its folders."""

from __future__ import annotations

from pathlib import Path

from core.adapters.packages.read import Package
from core.domain.package import PackageContent
from core.domain.results import Problem
from core.domain.transfer import Format, ImportPlan, PlannedFolder


def package_plan(path: Path) -> ImportPlan:
    """What a package holds. Errors: BadFile."""
    package = Package(path)
    counts = {name: number for name, number in package.manifest.counts.items() if number}
    return content_plan(Format.MCZ, path, package, counts, ())


def content_plan(
    kind: Format,
    path: Path,
    content: PackageContent,
    counts: dict[str, int],
    problems: tuple[Problem, ...],
) -> ImportPlan:
    """A plan whose records are read while they are written."""
    folders = tuple(
        PlannedFolder(key=each.folder.name, name=each.folder.name, kind=each.folder.kind)
        for each in content.folders()
    )
    return ImportPlan(
        format=kind,
        source_name=path.name,
        folders=folders,
        memories=(),
        counts=counts,
        problems=problems,
        content=content,
    )
