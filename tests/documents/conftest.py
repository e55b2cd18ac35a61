"""A real library for documents, without an embedder: pieces wait for their vectors, all else works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain.commands_documents import IngestDocument
from core.domain.document import CutSettings, DocumentRow, QueueRow
from core.domain.memory import Memory
from core.domain.results import OpResult
from core.settings import Settings


class Desk:
    """Short ways to take documents in and to look at what came of it."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.engine = library.engine

    def drop(self, *paths: Path, folder: str = "default", **settings: int) -> list[QueueRow]:
        """Files as a person drops them; the rows of the queue afterwards."""
        query = qd.QueueFiles(paths=paths, folder=folder, settings=CutSettings(**settings))
        queued = self.engine.ask(query)
        self.engine.ask(qd.RunQueue())
        return [row for row in self.queue() if row.pk in queued.rows]

    def queue(self) -> tuple[QueueRow, ...]:
        """The queue."""
        return self.engine.ask(qd.QueueRows())

    def write(self, text: str, title: str = "手册", folder: str = "default") -> OpResult:
        """A typed text."""
        new = self.engine.ask(qd.PrepareText(text=text, title=title)).new
        return self.engine.run(IngestDocument(folder, new))

    def documents(self) -> tuple[DocumentRow, ...]:
        """All documents."""
        return self.engine.ask(qd.Documents())

    def pieces(self, number: int = 0) -> tuple[Memory, ...]:
        """Pieces of one document."""
        return self.engine.ask(qd.PiecesOf(self.documents()[number].pk))

    def bodies(self) -> list[str]:
        """Texts of the pieces of the first document."""
        return [piece.body.strip() for piece in self.pieces()]

    def everything(self) -> list[Memory]:
        """All memories, the trash too."""
        where = q.MemoryFilter(trash=q.TrashScope.BOTH)
        pks = self.engine.ask(q.ListMemories(where, q.Sort(q.SortKey.CREATED)))
        return list(self.engine.ask(q.Memories(tuple(pks))))


def open_desk(root: Path) -> Desk:
    settings = Settings()
    settings.set("embedder", "none")
    return Desk(open_library(root, person(), settings, create=True))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = open_desk(tmp_path / "library")
    yield made
    made.library.close()
