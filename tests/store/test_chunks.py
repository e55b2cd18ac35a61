"""Long ops: committed in chunks, rolled back as a whole when cancelled or left open by a crash."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from core.domain.enums import Kind
from core.domain.errors import Cancelled
from core.domain.ids import FolderPk, TypeId, new_memory_id
from core.domain.memory import Memory, TagSet
from core.domain.queries_history import History
from core.domain.schema_data import default_schema
from core.engine import Engine
from core.ports.progress import CancelToken
from core.ports.store import OpDraft, UnitOfWork
from core.store import unit_of_work
from core.store.library import LibraryFiles
from core.store.store import SqlStore
from tests.store.conftest import PERSON, Make
from tests.store.dump import dump


@pytest.fixture
def every_checkpoint_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_of_work, "COMMIT_AFTER_S", -1.0)


def fill(unit: UnitOfWork, folder: FolderPk, chunks: int) -> None:
    for chunk in range(chunks):
        rows = [
            Memory(
                id=new_memory_id(),
                folder=folder,
                type=TypeId("event"),
                body=f"chunk {chunk} row {n}",
                created_at=unit.now,
                updated_at=unit.now,
            )
            for n in range(10)
        ]
        unit.insert(rows)
        unit.checkpoint((chunk + 1) * 10, chunks * 10)


@pytest.mark.usefixtures("every_checkpoint_commits")
def test_long_op_in_chunks_is_one_op_and_one_undo(engine: Engine, store: SqlStore, folder: FolderPk) -> None:
    before = dump(store)
    _, changes = store.write(OpDraft("op.test", PERSON), lambda unit: fill(unit, folder, 5))
    assert changes is not None
    assert len(changes.touched[Kind.MEMORY]) == 50
    assert [entry.op.label for entry in engine.ask(History())].count("op.test") == 1
    engine.undo()
    assert dump(store) == before
    engine.redo()
    assert len(dump(store)["memory"]) == 50


@pytest.mark.usefixtures("every_checkpoint_commits")
def test_cancelled_op_leaves_nothing_behind(
    engine: Engine, store: SqlStore, folder: FolderPk, make: Make
) -> None:
    pks = [make(f"m{n}", tags=TagSet(general=("x",))) for n in range(4)]
    before, ops = dump(store), len(engine.ask(History()))
    token = CancelToken()

    def work(unit: UnitOfWork) -> None:
        unit.update(Kind.MEMORY, pks[:2], {"body": "changed", "importance": 1.0})
        unit.checkpoint(1, 4)
        unit.delete(Kind.TAG, [1, 2])
        unit.checkpoint(2, 4)
        fill(unit, folder, 1)
        token.cancel()
        unit.checkpoint(3, 4)

    with pytest.raises(Cancelled):
        store.write(OpDraft("op.test", PERSON), work, cancel=token)
    assert dump(store) == before
    assert len(engine.ask(History())) == ops


CRASHING = """
    import os, sys, signal
    from pathlib import Path
    from core.domain.schema_data import default_schema
    from core.ports.store import OpDraft
    from core.store import unit_of_work
    from core.store.library import LibraryFiles
    from core.store.store import SqlStore
    from tests.store.conftest import PERSON
    from tests.store.test_chunks import fill

    unit_of_work.COMMIT_AFTER_S = -1.0
    store = SqlStore(LibraryFiles(Path(sys.argv[1])), default_schema())

    def work(unit):
        fill(unit, 1, 3)
        os.kill(os.getpid(), signal.SIGKILL)

    store.write(OpDraft("op.test", PERSON), work)
"""


@pytest.mark.skipif(
    sys.platform == "win32", reason="SIGKILL is POSIX; Windows has the same path by TerminateProcess"
)
def test_op_left_open_by_a_crash_is_rolled_back_at_next_start(
    engine: Engine, store: SqlStore, files: LibraryFiles, folder: FolderPk, make: Make
) -> None:
    make("stays")
    before = dump(store)
    script = textwrap.dedent(CRASHING)
    run = subprocess.run([sys.executable, "-c", script, str(files.root)], cwd=Path.cwd(), check=False)
    assert run.returncode == -signal.SIGKILL
    assert len(dump(store)["memory"]) == 31
    assert store.roll_back_abandoned() == 1
    assert dump(store) == before
    assert store.roll_back_abandoned() == 0


def test_open_op_of_a_living_process_is_left_alone(store: SqlStore, engine: Engine, folder: FolderPk) -> None:
    with store._database.writing() as connection:
        connection.exec_driver_sql("UPDATE op SET state = 'open', pid = ? WHERE pk = 1", (os.getppid(),))
    assert store.roll_back_abandoned() == 0


def test_failing_command_writes_nothing(engine: Engine, store: SqlStore, folder: FolderPk) -> None:
    before = dump(store)

    def work(unit: UnitOfWork) -> None:
        fill(unit, folder, 1)
        raise ValueError("bug")

    with pytest.raises(ValueError, match="bug"):
        store.write(OpDraft("op.test", PERSON), work)
    assert dump(store) == before
    assert multiprocessing.active_children() == []
    assert Engine(SqlStore(store.files, default_schema()), PERSON).ask(History())
