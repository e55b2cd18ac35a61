"""A library opened for reading alone: asked for, on a medium that cannot be written, of a newer program."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app import container, writers
from app.library import Library
from core.domain.access import ReadOnly
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.errors import BadFile, LibraryInUse, ReadOnlyLibrary
from core.domain.ids import TypeId
from core.domain.queries import Folders, ListMemories
from core.domain.queries_health import MakeBackup
from core.domain.queries_index import RebuildIndex, Verify
from core.domain.queries_recall import Recall
from core.domain.recall import RecallRequest
from core.settings import Settings
from tests.app.conftest import Run

NO_POWERS = """
import ctypes, os
if os.geteuid() == 0:
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    assert ctypes.CDLL(None).capset(head, (ctypes.c_uint32 * 6)()) == 0
"""
"""Root without its powers over permissions, as everybody else is."""
READ = """
import sys
from pathlib import Path
from app import container, writers
from core.domain.queries import ListMemories
from core.settings import Settings
settings = Settings()
settings.set("embedder", "none")
library = container.open_library(Path(sys.argv[1]), writers.person(), settings, keep=True)
print(library.read_only, len(library.engine.ask(ListMemories())))
library.close()
"""


@pytest.fixture
def settings() -> Settings:
    made = Settings()
    made.set("embedder", "none")
    return made


@pytest.fixture
def filled(library: Path, settings: Settings) -> Path:
    """A library with one memory."""
    opened = container.open_library(library, writers.person(), settings, create=True)
    folder = opened.engine.run(CreateFolder("tale")).created_folder
    assert folder is not None
    opened.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body="Irene")))
    opened.close()
    return library


def bytes_of(library: Path) -> str:
    return hashlib.sha256((library / "library.db").read_bytes()).hexdigest()


@pytest.fixture
def reading(filled: Path, settings: Settings) -> Iterator[Library]:
    opened = container.open_library(filled, writers.person(), settings, read_only=ReadOnly.ASKED)
    yield opened
    opened.close()


def test_engine_that_only_reads_refuses_every_way_to_write(reading: Library) -> None:
    engine, before = reading.engine, bytes_of(reading.files.root)
    folder = engine.ask(Folders())[0].folder.pk
    new = CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body="more"))
    for attempt in (
        lambda: engine.run(new),
        engine.undo,
        engine.redo,
        lambda: engine.ask(MakeBackup()),
        lambda: engine.ask(RebuildIndex()),
        lambda: engine.drafts.save("new:1", {"body": "typed"}),
    ):
        with pytest.raises(ReadOnlyLibrary) as refused:
            attempt()
        assert refused.value.key == "error.read_only.asked"
    assert len(engine.ask(ListMemories())) == 1
    assert engine.ask(Verify()).problems == ()
    assert bytes_of(reading.files.root) == before
    assert not (reading.files.root / "backups").exists()


def test_recall_by_words_works_in_a_library_that_is_only_read(reading: Library) -> None:
    found = reading.engine.ask(Recall(RecallRequest(message="Where is Irene?")))
    assert [each.title for each in found.selected] == ["Irene"]


def test_reading_alone_leaves_the_lock_to_a_window(reading: Library, settings: Settings) -> None:
    window = container.open_library(reading.files.root, writers.person(), settings, keep=True, address="here")
    with pytest.raises(LibraryInUse):
        container.open_library(reading.files.root, writers.person(), settings, keep=True)
    window.close()


def test_read_only_commands_read_and_refuse_to_write(run: Run, filled: Path) -> None:
    before = bytes_of(filled)
    assert "Irene" in run("list", "--read-only").out
    refused = run("undo", "--read-only")
    assert refused.code == 1
    assert "opened read-only" in refused.err
    assert run("backup", "--read-only", "delete", "any").code == 1
    assert bytes_of(filled) == before


def set_version(library: Path, version: int, *statements: str) -> None:
    with closing(sqlite3.connect(library / "library.db")) as connection:
        for statement in (*statements, f"PRAGMA user_version={version}"):
            connection.execute(statement)
        connection.commit()


def test_library_of_a_newer_program_that_is_understood_opens_read_only(
    filled: Path, settings: Settings
) -> None:
    set_version(filled, 99, "ALTER TABLE memory ADD COLUMN of_the_future TEXT")
    before = bytes_of(filled)
    opened = container.open_library(filled, writers.person(), settings, keep=True)
    assert opened.read_only is ReadOnly.NEWER
    assert len(opened.engine.ask(ListMemories())) == 1
    opened.close()
    assert bytes_of(filled) == before


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE memory RENAME COLUMN body TO text",
        "INSERT INTO state (key, value) VALUES ('oldest_reader', '{\"format\": 98}')",
    ],
)
def test_library_of_a_newer_program_that_reads_otherwise_is_refused(
    filled: Path, settings: Settings, statement: str
) -> None:
    set_version(filled, 99, "DROP INDEX IF EXISTS ix_memory_list", statement)
    with pytest.raises(BadFile) as refused:
        container.open_library(filled, writers.person(), settings, keep=True)
    assert refused.value.key == "error.store.newer"


def test_library_of_an_older_program_is_not_changed_by_reading(filled: Path, settings: Settings) -> None:
    set_version(filled, 3)
    with pytest.raises(BadFile) as refused:
        container.open_library(filled, writers.person(), settings, read_only=ReadOnly.ASKED)
    assert refused.value.key == "error.store.older"


@pytest.mark.skipif(sys.platform != "linux", reason="takes its powers from root as Linux does")
def test_library_that_cannot_be_written_opens_read_only_by_itself(filled: Path) -> None:
    """A real directory without write permission, in a process that has no more rights than that."""
    for file in filled.rglob("*"):
        file.chmod(0o555 if file.is_dir() else 0o444)
    filled.chmod(0o555)
    ran = subprocess.run(
        [sys.executable, "-c", NO_POWERS + READ, str(filled)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    filled.chmod(0o755)
    assert ran.stdout.split() == ["medium", "1"], ran.stderr[-500:]
    assert {file.name for file in filled.iterdir()} <= {"library.db", "library.lock"}
