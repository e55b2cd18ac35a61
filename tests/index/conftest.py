"""A real Chroma index in a directory of its own, and a real library around one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.index_client import ChromaIndex, IndexHost
from core.adapters.index_numpy import NumpyIndex
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.enums import ActorKind
from core.domain.ids import FolderPk, MemoryPk, TypeId, new_memory_id
from core.domain.memory import Memory
from core.domain.queries import FolderByName
from core.domain.results import Actor
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.ports.embedder import EmbedderIdentity
from core.ports.store import OpDraft
from core.services.indexer import Indexer
from core.services.semantic import LARGE_MEMORIES, SemanticSearch
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.fakes.embedder import HashEmbedder
from tests.index.samples import SMALL

FOLDER = "雾港"
OpenIndex = Callable[..., ChromaIndex]


@pytest.fixture
def open_index(tmp_path: Path) -> Iterator[OpenIndex]:
    """Opens indexes in the test's directory; ends what is left of them."""
    hosts: list[IndexHost] = []

    def make(
        identity: EmbedderIdentity = SMALL, *, folder: str = "索引", lock_wait_s: float = 10.0
    ) -> ChromaIndex:
        host = IndexHost(tmp_path / folder, lock_wait_s)
        hosts.append(host)
        index = ChromaIndex(host)
        index.open(identity)
        return index

    yield make
    for host in hosts:
        host.close()


@pytest.fixture
def index(open_index: OpenIndex) -> ChromaIndex:
    return open_index()


class Desk:
    """A real library with an indexer, as the program joins them; vectors come from the hash embedder."""

    def __init__(self, root: Path, embedder: HashEmbedder) -> None:
        self.root = root
        self.embedder = embedder
        self.store = SqlStore(LibraryFiles(root), default_schema())
        self.engine = Engine(self.store, Actor(ActorKind.PERSON, "me", "window-1"))
        self.queue = self.store.queue
        self.index = ChromaIndex(IndexHost(root / "index"))
        self.exact = NumpyIndex(self.queue, embedder.identity)
        self.indexer = Indexer(self.queue, embedder, self.index, self.exact)
        self.engine.subscribe(lambda changes: self.indexer.touched(changes.memories))
        self.folder = self._folder()

    def _folder(self) -> FolderPk:
        folder = self.engine.ask(FolderByName(FOLDER))
        return self.new_folder(FOLDER) if folder is None else folder.pk

    def search(self, large: int = LARGE_MEMORIES) -> SemanticSearch:
        return SemanticSearch(self.store, self.queue, self.embedder, self.exact, self.index, large)

    def add(self, *texts: str) -> list[MemoryPk]:
        return [
            self.engine.run(
                CreateMemory(NewMemory(folder=self.folder, type=TypeId("event"), body=text))
            ).created[0]
            for text in texts
        ]

    def add_many(self, count: int) -> None:
        """Adds memories in one op (as an import does)."""
        now = datetime(2026, 1, 1, tzinfo=UTC)
        rows = [
            Memory(
                id=new_memory_id(),
                folder=self.folder,
                type=TypeId("event"),
                body=f"第{number}条记忆：{number * 7919 % 10007}",
                created_at=now,
                updated_at=now,
            )
            for number in range(count)
        ]
        draft = OpDraft("op.memory.create", self.engine.actor)
        _, changes = self.store.write(draft, lambda unit: unit.insert(rows))
        if changes is not None:
            self.indexer.touched(changes.memories)

    def new_folder(self, name: str) -> FolderPk:
        made = self.engine.run(CreateFolder(name)).created_folder
        assert made is not None
        return made

    def close(self) -> None:
        self.index.close()
        self.engine.close()
        self.store.close()


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Opens the test's library; ends what is left of it."""
    desks: list[Desk] = []

    def make(embedder: HashEmbedder | None = None) -> Desk:
        desks.append(Desk(tmp_path / "library", embedder or HashEmbedder()))
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk()
