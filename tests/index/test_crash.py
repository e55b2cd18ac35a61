"""kill -9 of the program and of the index process at random points."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.domain.ids import MemoryPk
from core.domain.memory import Memory
from core.services.index_check import verify
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk
from tests.index.test_index_process import ROOT, alive, wait_for

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def _run_and_kill(root: Path, first: int, seconds: float, *, index_first: bool) -> dict[int, int]:
    """Lets the program work, kills it, and returns what it had acknowledged (pk -> number)."""
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.index.crash_program", str(root), str(first)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        assert program.stdout is not None
        child = int(program.stdout.readline().split()[1])
        time.sleep(seconds)
        if index_first:
            os.kill(child, signal.SIGKILL)
            time.sleep(seconds / 2)
        program.kill()
        lines = program.stdout.read().splitlines(keepends=True)
    assert wait_for(lambda: not alive(child)), "the index process outlived the program"
    assert wait_for(lambda: not _index_processes(root)), "another index process is left"
    rows = [line.split() for line in lines if line.endswith("\n") and line.startswith("added")]
    return {int(pk): int(number) for _, pk, number in rows}


def _index_processes(root: Path) -> list[int]:
    """Processes that hold a file of the library's index open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            targets = [str(link.readlink()) for link in (process / "fd").iterdir()]
        except OSError:
            continue
        if any(target.startswith(str(root / "index")) for target in targets):
            found.append(int(process.name))
    return found


def _check(root: Path, acknowledged: dict[int, int]) -> None:
    desk = Desk(root, HashEmbedder())
    try:
        with desk.store.read() as reader:
            records = reader.records(Memory, [MemoryPk(pk) for pk in acknowledged])
        assert {record.pk: record.body for record in records} == {
            pk: f"第{number}条：acknowledged {number}" for pk, number in acknowledged.items()
        }
        desk.indexer.drain()
        report = verify(desk.indexer, sample=50)
        assert report.healthy, report
        assert report.waiting == report.without_vector == 0
    finally:
        desk.close()


def _crash(root: Path, times: int, seed: int) -> None:
    rng = random.Random(seed)
    acknowledged: dict[int, int] = {}
    for round_ in range(times):
        seconds = rng.uniform(0.05, 1.2)
        new = _run_and_kill(root, 1000 * (round_ + 1), seconds, index_first=round_ % 3 == 2)
        acknowledged |= new
        _check(root, acknowledged)
    assert acknowledged


def test_program_and_index_killed_lose_nothing_acknowledged(tmp_path: Path) -> None:
    _crash(tmp_path / "library", times=3, seed=7)


@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_program_and_index_killed_twenty_times_lose_nothing_acknowledged(tmp_path: Path) -> None:
    _crash(tmp_path / "library", times=20, seed=11)
