"""A library in a temporary directory, with a clock that moves a second at each look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.enums import ActorKind
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.memory import TagSet
from core.domain.results import Actor
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.store.library import LibraryFiles
from core.store.store import SqlStore

PERSON = Actor(ActorKind.PERSON, "me", "window-1")
AGENT = Actor(ActorKind.PROGRAM, "agent", "mcp-1")


class Ticking:
    """A clock: one second later at each look."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def files(tmp_path: Path) -> LibraryFiles:
    """An empty library directory."""
    return LibraryFiles(tmp_path / "library")


@pytest.fixture
def store(files: LibraryFiles) -> Iterator[SqlStore]:
    """A fresh store."""
    opened = SqlStore(files, default_schema(), Ticking())
    yield opened
    opened.close()


@pytest.fixture
def engine(store: SqlStore) -> Engine:
    """A person's engine over the store."""
    return Engine(store, PERSON)


@pytest.fixture
def agent(store: SqlStore) -> Engine:
    """A program's engine over the same store."""
    return Engine(store, AGENT)


@pytest.fixture
def folder(engine: Engine) -> FolderPk:
    """A folder."""
    made = engine.run(CreateFolder("聊天/雾港")).created_folder
    assert made is not None
    return made


Make = Callable[..., MemoryPk]


@pytest.fixture
def make(engine: Engine, folder: FolderPk) -> Make:
    """Makes memories: make("text", tags=TagSet(...))."""

    def create(
        body: str,
        title: str = "",
        tags: TagSet | None = None,
        into: FolderPk | None = None,
        by: Engine | None = None,
    ) -> MemoryPk:
        draft = NewMemory(
            folder=into or folder, type=TypeId("event"), title=title, body=body, tags=tags or TagSet()
        )
        return (by or engine).run(CreateMemory(draft)).created[0]

    return create
