"""One window per library (case c619): real processes, a real lock, a real local server."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app import container, library_place, writers
from app.window_call import WindowServer, call_window
from core.settings import Settings

CASE = json.loads(
    (Path(__file__).parents[1] / "data/cases/c619_two_instances.scenario.json").read_text("utf-8")
)
START_S = 60.0

Starter = Callable[[Path], "subprocess.Popen[bytes]"]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "library"
    container.open_library(path, writers.person(), Settings(), create=True).close()
    return path


@pytest.fixture
def start() -> Iterator[Starter]:
    """Starts the program's window on a library; what still runs is ended after the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(library: Path) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "--library", str(library)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            cwd=Path(__file__).parents[2],
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    for process in started:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + START_S
    while not so():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def holder_pid(library: Path) -> int:
    holder = library_place.lock_holder(library)
    return 0 if holder is None else holder.pid


def test_five_starts_at_once_leave_exactly_one_window(library: Path, start: Starter) -> None:
    processes = [start(library) for _ in range(CASE["starts"])]

    def settled() -> bool:
        return sum(process.poll() is None for process in processes) <= 1

    wait_until(settled, "more than one window lives")
    alive = [process for process in processes if process.poll() is None]
    assert len(alive) == 1
    assert {process.returncode for process in processes if process is not alive[0]} == {0}
    wait_until(lambda: holder_pid(library) == alive[0].pid, "the living one does not hold the lock")


def test_a_killed_window_does_not_block_the_next(library: Path, start: Starter) -> None:
    first = start(library)
    wait_until(lambda: holder_pid(library) == first.pid, "first window")
    first.kill()
    first.wait()
    assert holder_pid(library) == first.pid
    second = start(library)
    wait_until(lambda: holder_pid(library) == second.pid, "the stale lock blocked")
    second.send_signal(signal.SIGINT)
    assert second.wait(20) == 0
    assert holder_pid(library) == 0


def test_two_libraries_have_a_window_each(library: Path, start: Starter, tmp_path: Path) -> None:
    other = tmp_path / "other"
    container.open_library(other, writers.person(), Settings(), create=True).close()
    one, two = start(library), start(other)
    wait_until(lambda: holder_pid(library) == one.pid and holder_pid(other) == two.pid, "both")
    assert one.poll() is None
    assert two.poll() is None


def test_a_call_brings_the_window_to_the_front(qtbot: QtBot) -> None:
    server = WindowServer()
    heard: list[bool] = []
    server.called.connect(lambda: heard.append(True))
    script = (
        f"from app.window_call import call_window; import sys; sys.exit(not call_window({server.address!r}))"
    )
    caller = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    qtbot.waitUntil(lambda: caller.poll() is not None, timeout=20000)
    server.close()
    assert caller.returncode == 0
    assert heard == [True]


def test_nobody_answers_at_an_empty_or_dead_address(qapp: object) -> None:
    assert not call_window("")
    assert not call_window("memory-curator-nobody")
