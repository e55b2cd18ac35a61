"""The background thread that drains the outbox."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from core.ports.embedder import Vectors
from core.ports.progress import CancelToken
from core.services import drainer as drainer_module
from core.services.drainer import Drainer, IndexState
from core.services.index_check import verify
from core.services.indexer import Indexer
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk


@pytest.fixture
def states() -> list[IndexState]:
    return []


@pytest.fixture
def drainer(desk: Desk, states: list[IndexState]) -> Iterator[Drainer]:
    made = Drainer(desk.indexer, states.append)
    unsubscribe = desk.engine.subscribe(lambda changes: made.changed(changes.memories))
    yield made
    unsubscribe()
    made.stop()


def test_what_waits_at_the_start_is_drained(desk: Desk, drainer: Drainer, states: list[IndexState]) -> None:
    desk.add_many(600)
    drainer.start()
    assert drainer.wait_until_idle(30)
    assert desk.index.count() == 600
    assert [state.waiting for state in states] == [350, 100, 0]
    assert verify(desk.indexer).healthy


def test_changes_wake_the_thread(desk: Desk, drainer: Drainer) -> None:
    drainer.start()
    assert drainer.wait_until_idle(30)
    pk = desk.add("钟楼的灯")[0]
    assert drainer.wait_until_idle(30)
    assert desk.search().by_meaning("钟楼的灯", 1)[0].pk == pk
    desk.engine.undo()
    assert drainer.wait_until_idle(30)
    assert desk.index.count() == 0


def test_idle_thread_uses_no_processor(desk: Desk, drainer: Drainer) -> None:
    drainer.start()
    assert drainer.wait_until_idle(30)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.1


def test_stop_in_the_middle_loses_nothing(desk: Desk, drainer: Drainer) -> None:
    desk.add_many(2000)
    drainer.start()
    time.sleep(0.5)
    started = time.monotonic()
    drainer.stop()
    assert time.monotonic() - started < 3
    desk.indexer.drain()
    assert desk.index.count() == 2000
    assert verify(desk.indexer).healthy


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_stop_with_an_index_that_hangs_takes_at_most_three_seconds(desk: Desk, drainer: Drainer) -> None:
    drainer.start()
    assert drainer.wait_until_idle(30)
    pid = desk.index.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    desk.add("甲")
    time.sleep(0.2)
    started = time.monotonic()
    drainer.stop()
    assert time.monotonic() - started < 3.2


def test_embedder_that_is_down_is_told_and_tried_again(
    desk: Desk, drainer: Drainer, states: list[IndexState], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drainer_module, "BACK_OFF_S", (0.2,))
    desk.embedder.down = True
    desk.add("甲")
    drainer.start()
    assert not drainer.wait_until_idle(30)
    assert states[-1].problem is not None
    assert states[-1].problem.port == "embedder"
    assert states[-1].waiting == 1
    desk.embedder.down = False
    deadline = time.monotonic() + 10
    while drainer.state.waiting and time.monotonic() < deadline:
        time.sleep(0.02)
    assert drainer.state == IndexState(0)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_index_process_killed_while_draining_is_started_anew(
    desk: Desk, drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drainer_module, "BACK_OFF_S", (0.1,))
    desk.add_many(1500)
    drainer.start()
    for _ in range(3):
        time.sleep(0.4)
        if (pid := desk.index.pid) is not None:
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while (drainer.state.waiting or desk.indexer.waiting()) and time.monotonic() < deadline:
        time.sleep(0.05)
    drainer.stop()
    assert desk.index.count() == 1500
    assert verify(desk.indexer).healthy


def test_started_and_stopped_twice_works(desk: Desk, drainer: Drainer) -> None:
    for number in range(2):
        desk.add(f"第{number}条")
        drainer.start()
        drainer.start()
        assert drainer.wait_until_idle(30)
        drainer.stop()
        drainer.stop()
    assert desk.index.count() == 2


def test_stop_while_a_slow_embedder_works_is_quick(desk: Desk) -> None:
    class Slow(HashEmbedder):
        def embed_documents(self, texts: list[str], cancel: CancelToken | None = None) -> Vectors:  # type: ignore[override]
            for _ in range(200):
                time.sleep(0.05)
                if cancel is not None:
                    cancel.check()
            return super().embed_documents(texts, cancel)

    desk.add("甲")
    drainer = Drainer(Indexer(desk.queue, Slow(), desk.index))
    drainer.start()
    time.sleep(0.5)
    started = time.monotonic()
    drainer.stop()
    assert time.monotonic() - started < 3
    assert desk.queue.waiting() == 1
