"""A library as the program opens it, with the hash embedder, and a second way into its file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.container import open_library
from app.library import Library
from app.writers import person
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.health import Fault
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.domain.queries_health import CheckUp
from core.settings import Settings
from tests.fakes.embedder import HashEmbedder


class Desk:
    """One library; `damage` writes to its file as no program of ours would."""

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        self.root = root
        self.settings = settings or Settings()
        self.embedder = HashEmbedder()
        self.open()
        made = self.library.engine.run(CreateFolder("雾港")).created_folder
        assert made is not None
        self.folder: FolderPk = made

    def open(self) -> None:
        self.library: Library = open_library(self.root, person(), self.settings, create=True, keep=True)
        self.library.__dict__["embedder"] = self.embedder
        self.engine = self.library.engine

    def add(self, body: str, **more: Any) -> MemoryPk:
        values = {"folder": self.folder, "type": TypeId("event"), "body": body} | more
        return self.engine.run(CreateMemory(NewMemory(**values))).created[0]

    @contextmanager
    def damage(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.library.files.database)) as connection:
            yield connection
            connection.commit()

    def found(self) -> dict[Fault, int]:
        """Faults with counts; that there are no vectors yet is no fault here."""
        findings = self.engine.ask(CheckUp()).findings
        return {each.fault: each.count for each in findings if each.fault is not Fault.NO_VECTOR}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "library")
    yield made
    made.library.close()
