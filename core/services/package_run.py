"""A package on its way into the library: what has been written so far, and under which keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from core.domain.folder import Folder, clean_folder_name
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import JsonObject
from core.domain.package import Collision, PackageContent
from core.domain.transfer import ImportPlan
from core.ports.store import UnitOfWork
from core.services.folder_names import free_folder_name
from core.services.sources import read_again

CHUNK = 500
T = TypeVar("T")


class PackageRun:
    """One import on its way: names and ids of the package to keys of the library."""

    def __init__(self, uow: UnitOfWork, plan: ImportPlan, content: PackageContent) -> None:
        self.uow = uow
        self.plan = plan
        self.content = content
        self.collision = plan.collision
        self.folders: dict[str, FolderPk] = {}
        self.made: set[FolderPk] = set()
        self.memories: dict[str, MemoryPk] = {}
        self.counts: Counter[str] = Counter()
        self._origins: dict[str, JsonObject] = {}
        self._wanted = {folder.key: folder.name for folder in plan.folders}
        self._total = sum(plan.counts.values())
        self._done = 0

    def chunks(self, rows: Iterable[T]) -> Iterator[list[T]]:
        """Rows in chunks; after each progress is told and the transaction may be committed."""
        chunk: list[T] = []
        for row in rows:
            chunk.append(row)
            if len(chunk) == CHUNK:
                yield chunk
                self._step(len(chunk))
                chunk = []
        if chunk:
            yield chunk
            self._step(len(chunk))

    def _step(self, rows: int) -> None:
        self._done += rows
        self.uow.checkpoint(min(self._done, self._total), self._total)

    def folder_of(self, name: str) -> FolderPk:
        """The folder of that name in the package; one that it does not list is made when something lies in it."""
        if name not in self.folders:
            wanted = clean_folder_name(self._wanted.get(name, name))
            found = self.uow.folder_named(wanted)
            if found is not None and self.collision is not Collision.BOTH:
                self.folders[name] = found.pk
                read_again(self.uow, found, self._origins.get(name, {}), follows=False)
                return found.pk
            origin = self._origins.get(name, {})
            folder = Folder(name=free_folder_name(self.uow, wanted), origin=origin, created_at=self.uow.now)
            self.folders[name] = FolderPk(self.uow.insert([folder])[0])
            self.made.add(self.folders[name])
            self.counts["folders"] += 1
        return self.folders[name]
