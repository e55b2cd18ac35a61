"""The check of a package: all of it is read once, and everything that is damaged is named."""

from __future__ import annotations

from pathlib import Path

from core.adapters.formats.problems import Problems
from core.adapters.packages.members import MEMBERS, count_name
from core.adapters.packages.read import Package
from core.domain.api import Cancel
from core.domain.errors import BadFile
from core.domain.package import PackageReport, PackedEdge, PackedFolder, PackedMemory
from core.domain.results import Problem

_LOOK_EVERY = 2000


def verify_package(path: Path, cancel: Cancel | None = None) -> PackageReport:
    """Hashes, numbers, rows and references of a package.

    Errors: BadFile when it is no package at all, or one that must not be opened. Cost: reads the file once.
    """
    package = Package(path)
    check = _Check(package, cancel)
    check.run()
    manifest = package.manifest
    return PackageReport(
        path=path,
        version=manifest.version,
        program=manifest.program,
        scope=manifest.scope,
        counts={name: number for name, number in check.counts.items() if number},
        problems=tuple(check.problems),
    )


class _Check:
    """One check on its way."""

    def __init__(self, package: Package, cancel: Cancel | None) -> None:
        self._package = package
        self._cancel = cancel
        self.counts: dict[str, int] = {}
        self.problems: list[Problem] = []
        self._missing = Problems()
        self._folders: set[str] = set()
        self._memories: set[str] = set()

    def run(self) -> None:
        """Read everything."""
        for name, member in MEMBERS.items():
            number = 0
            try:
                for record in member.rows(self._package):
                    number += 1
                    self._look(record)
                    if number % _LOOK_EVERY == 0 and self._cancel is not None:
                        self._cancel.check()
            except BadFile as error:
                self._damaged(error)
            self.counts[count_name(name)] = number
        self._vectors()
        announced = {name: number for name, number in self._package.manifest.counts.items() if number}
        found = {name: number for name, number in self.counts.items() if number}
        if not self.problems and announced != found:
            self.problems.append(Problem("package.problem.counts", severity="error"))
        self.problems += self._missing.all()

    def _vectors(self) -> None:
        self.counts["vectors"] = 0
        try:
            for vectors in self._package.vectors():
                number = 0
                for row in vectors.rows:
                    number += 1
                    if row.memory not in self._memories:
                        self._missing.add("package.problem.vector_of_nothing")
                    if number % _LOOK_EVERY == 0 and self._cancel is not None:
                        self._cancel.check()
                self.counts["vectors"] += number
        except BadFile as error:
            self._damaged(error)

    def _damaged(self, error: BadFile) -> None:
        args = {name: value for name, value in error.text_args.items() if isinstance(value, str | int)}
        self.problems.append(Problem(error.key, args, "error"))

    def _look(self, record: object) -> None:
        """Whether what a record refers to is there; what may lie outside is only counted."""
        match record:
            case PackedFolder():
                self._folders.add(record.folder.name)
            case PackedMemory():
                self._memories.add(record.memory.id)
                if record.folder not in self._folders:
                    self._missing.add("package.problem.no_folder", severity="error")
            case PackedEdge() if not {record.source, record.target} <= self._memories:
                self._missing.add("package.problem.edge_outside", severity="info")
            case _:
                return
