"""Life and death of the index process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock

from core.adapters import index_client
from core.adapters.index_client import ChromaIndex, IndexHost
from core.adapters.index_server import LOCK_NAME
from core.domain.errors import Unavailable
from tests.index.conftest import OpenIndex
from tests.index.samples import SMALL, entry, unit_vectors

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="signals")

OTHER_PROGRAM = """
import sys, time
from pathlib import Path
from core.adapters.index_client import ChromaIndex, IndexHost
from tests.index.samples import SMALL, entry, unit_vectors
index = ChromaIndex(IndexHost(Path(sys.argv[1])))
index.open(SMALL)
index.upsert([entry(1)], unit_vectors(1))
print(index.pid, flush=True)
rows = [entry(pk) for pk in range(1, 5001)]
while True:
    index.upsert(rows, unit_vectors(len(rows)))
"""


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for(condition: object, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def test_close_ends_the_process_and_frees_the_lock(open_index: OpenIndex, tmp_path: Path) -> None:
    index = open_index()
    pid = index.pid
    assert pid is not None
    index.close()
    assert not alive(pid)
    with FileLock(tmp_path / "索引" / LOCK_NAME, timeout=0):
        pass


def test_released_index_frees_the_lock_and_starts_again(index: ChromaIndex, open_index: OpenIndex) -> None:
    index.upsert([entry(1)], unit_vectors(1))
    index.release()
    assert index.pid is None
    other = open_index(lock_wait_s=0.2)
    assert other.count() == 1
    other.release()
    assert index.count() == 1


def test_close_while_the_process_starts_does_not_wait_for_it(tmp_path: Path) -> None:
    first = ChromaIndex(IndexHost(tmp_path / "index"))
    first.open(SMALL)
    second = ChromaIndex(IndexHost(tmp_path / "index", lock_wait_s=60))
    told: list[Unavailable] = []

    def open_second() -> None:
        try:
            second.open(SMALL)
        except Unavailable as error:
            told.append(error)

    thread = threading.Thread(target=open_second)
    thread.start()
    time.sleep(0.5)
    started = time.monotonic()
    second.close()
    thread.join()
    assert time.monotonic() - started < 3
    assert told
    first.close()


@posix
def test_killed_process_is_started_anew_by_the_next_call(index: ChromaIndex) -> None:
    index.upsert([entry(1)], unit_vectors(1))
    pid = index.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: index.pid is None)
    assert index.count() == 1
    assert index.pid != pid


@posix
def test_process_killed_during_a_call_is_unavailable_in_words(index: ChromaIndex) -> None:
    pid = index.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(Unavailable) as told:
        index.count()
    assert told.value.key == "index.ended"
    assert "-9" in told.value.reason
    assert index.count() == 0


@posix
def test_stopped_process_is_given_up_after_the_time_limit(
    index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = index.pid
    assert pid is not None
    monkeypatch.setattr(index_client, "WRITE_S", 0.5)
    os.kill(pid, signal.SIGSTOP)
    rows = [entry(pk) for pk in range(1, 501)]
    started = time.monotonic()
    with pytest.raises(Unavailable) as told:
        index.upsert(rows, unit_vectors(len(rows)))  # more than a pipe holds
    assert time.monotonic() - started < 5
    assert told.value.key == "index.too_slow"
    assert not alive(pid)
    monkeypatch.undo()
    index.upsert(rows, unit_vectors(len(rows)))
    assert index.count() == 500


@posix
def test_close_of_a_stopped_process_takes_less_than_three_seconds(index: ChromaIndex) -> None:
    pid = index.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    started = time.monotonic()
    index.close()
    assert time.monotonic() - started < 3
    assert not alive(pid)


def test_second_process_waits_for_the_lock(open_index: OpenIndex) -> None:
    first = open_index()
    first.upsert([entry(1)], unit_vectors(1))
    threading.Timer(1.0, first.close).start()
    second = open_index()
    assert second.count() == 1


def test_lock_held_too_long_is_unavailable_with_the_reason(open_index: OpenIndex) -> None:
    first = open_index()
    with pytest.raises(Unavailable) as told:
        open_index(lock_wait_s=0.2)
    assert told.value.key == "index.locked"
    assert first.count() == 0


@posix
def test_killed_program_leaves_no_busy_child_and_no_lock(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", OTHER_PROGRAM, str(tmp_path / "索引")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        assert program.stdout is not None
        child = int(program.stdout.readline())
        time.sleep(0.4)  # in the middle of a large write
        assert alive(child)
        program.kill()
    assert wait_for(lambda: not alive(child))
    index = ChromaIndex(IndexHost(tmp_path / "索引"))
    try:
        index.open(SMALL)
        assert index.count() >= 1
        assert entry(1).id in index.entries()
    finally:
        index.close()


@posix
def test_ctrl_c_at_the_terminal_leaves_the_process_to_its_parent(index: ChromaIndex) -> None:
    pid = index.pid
    assert pid is not None
    index.count()
    os.kill(pid, signal.SIGINT)
    assert index.count() == 0
    assert index.pid == pid


def test_many_threads_get_their_own_answers(index: ChromaIndex) -> None:
    vectors = unit_vectors(40)
    index.upsert([entry(pk) for pk in range(1, 41)], vectors)
    wrong: list[int] = []

    def ask(pk: int) -> None:
        if index.search(vectors[pk - 1], 1)[0][0] != entry(pk).id:
            wrong.append(pk)

    threads = [threading.Thread(target=ask, args=(pk,)) for pk in range(1, 41)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_program_that_cannot_be_started_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.adapters.index_process.start_command", lambda: [str(tmp_path / "none")])
    index = ChromaIndex(IndexHost(tmp_path / "index"))
    with pytest.raises(Unavailable) as told:
        index.open(SMALL)
    assert told.value.key == "index.cannot_start"


def test_index_under_a_file_that_is_no_directory_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    index = ChromaIndex(IndexHost(tmp_path / "file"))
    with pytest.raises(Unavailable):
        index.open(SMALL)
    index.close()
