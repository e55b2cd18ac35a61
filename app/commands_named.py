"""Folders and memories by the names that a person gives on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain import queries as q
from core.domain.api import EngineApi
from core.domain.errors import NotFound
from core.domain.folder import Folder
from core.domain.ids import FolderPk, MemoryPk


def folder_named(engine: EngineApi, name: str) -> Folder:
    """The folder of that name. Errors: NotFound."""
    found = engine.ask(q.FolderByName(name))
    if found is None:
        raise NotFound("error.folder.unknown", folder=name)
    return found


def resolved(engine: EngineApi, ids: Sequence[str], folder: str | None) -> tuple[MemoryPk, ...]:
    """Memories by our ids or imported ones, survivors instead of merged ones. Errors: NotFound."""
    within: FolderPk | None = folder_named(engine, folder).pk if folder else None
    return engine.ask(q.ResolveMemories(tuple(ids), within))
