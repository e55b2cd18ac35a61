"""Lanes, cancel, progress and late results (case c624)."""

import threading
import time

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot

from core.domain.api import Cancel, Report
from core.domain.errors import Invalid
from ui.tasks import Lane, TaskRunner


@pytest.fixture
def owner(qapp: QObject) -> QObject:
    return QObject()


def delete_now(item: QObject) -> None:
    item.deleteLater()
    QCoreApplication.sendPostedEvents(item, QEvent.Type.DeferredDelete.value)


def test_result_arrives_on_the_main_thread(qtbot: QtBot, tasks: TaskRunner, owner: QObject) -> None:
    seen: list[tuple[int, bool]] = []
    main = threading.get_ident()
    tasks.run(
        Lane.READ,
        lambda _p, _c: threading.get_ident(),
        lambda ident: seen.append((ident, threading.get_ident() == main)),
        owner=owner,
    )
    qtbot.waitUntil(lambda: bool(seen))
    assert seen[0][0] != main
    assert seen[0][1]


def test_writes_run_one_after_another_in_the_order_asked(
    qtbot: QtBot, tasks: TaskRunner, owner: QObject
) -> None:
    order: list[int] = []
    for number in range(20):
        tasks.run(Lane.WRITE, lambda _p, _c, n=number: order.append(n), owner=owner)
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert order == list(range(20))


def test_a_newer_run_of_a_query_replaces_the_older(qtbot: QtBot, tasks: TaskRunner, owner: QObject) -> None:
    shown: list[int] = []
    gate = threading.Event()

    def ask(number: int) -> int:
        gate.wait(5)
        return number

    for number in range(10):
        tasks.run(Lane.READ, lambda _p, _c, n=number: ask(n), shown.append, owner=owner, query="list")
    gate.set()
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert shown == [9]


def test_result_for_a_deleted_owner_is_dropped(qtbot: QtBot, tasks: TaskRunner) -> None:
    view = QObject()
    shown: list[str] = []
    gate = threading.Event()
    tasks.run(Lane.READ, lambda _p, _c: gate.wait(5), lambda _r: shown.append(view.objectName()), owner=view)
    delete_now(view)
    gate.set()
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert shown == []


def test_an_error_for_a_deleted_owner_is_dropped(qtbot: QtBot, tasks: TaskRunner) -> None:
    view = QObject()
    heard: list[Exception] = []
    tasks.error.connect(heard.append)
    gate = threading.Event()

    def fail(_progress: Report, _cancel: Cancel) -> None:
        gate.wait(5)
        raise Invalid("error.some")

    tasks.run(Lane.READ, fail, owner=view)
    delete_now(view)
    gate.set()
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert heard == []


def test_an_unhandled_error_is_said_and_cancel_is_silent(
    qtbot: QtBot, tasks: TaskRunner, owner: QObject
) -> None:
    heard: list[Exception] = []
    tasks.error.connect(heard.append)

    def fail(_progress: Report, _cancel: Cancel) -> None:
        raise Invalid("error.some")

    def wait(_progress: Report, cancel: Cancel) -> None:
        while True:
            cancel.check()
            time.sleep(0.005)

    tasks.run(Lane.READ, fail, owner=owner)
    waiting = tasks.run(Lane.READ, wait, owner=owner)
    waiting.cancel()
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert [str(error) for error in heard] == ["error.some()"]


def test_an_error_from_outside_the_tree_is_reported_as_a_bug(
    qtbot: QtBot, tasks: TaskRunner, owner: QObject
) -> None:
    bugs: list[Exception] = []
    handled: list[Exception] = []
    tasks.bug.connect(bugs.append)

    def fail(_progress: Report, _cancel: Cancel) -> None:
        raise ZeroDivisionError

    tasks.run(Lane.READ, fail, owner=owner, failed=handled.append)
    qtbot.waitUntil(lambda: tasks.busy == 0)
    assert len(bugs) == len(handled) == 1


def test_progress_is_told_while_it_runs(qtbot: QtBot, tasks: TaskRunner, owner: QObject) -> None:
    told: list[tuple[int, int]] = []
    tasks.progressed.connect(lambda task: told.append(task.progress))
    tasks.run(Lane.WRITE, lambda progress, _c: progress(3, 10), owner=owner)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(3, 10)]


def test_close_cancels_waits_and_drops(qtbot: QtBot, owner: QObject) -> None:
    runner = TaskRunner()
    shown: list[object] = []

    def slow(_progress: Report, cancel: Cancel) -> str:
        while not cancel.cancelled:
            time.sleep(0.005)
        return "late"

    for lane in Lane:
        for _ in range(6):
            runner.run(lane, slow, shown.append, owner=owner)
    began = time.monotonic()
    runner.close()
    assert time.monotonic() - began < 3
    qtbot.wait(50)
    assert shown == []
    assert runner.busy == 0
    runner.run(Lane.READ, lambda _p, _c: 1, shown.append, owner=owner)
    qtbot.wait(20)
    assert shown == []


def test_two_thousand_tasks_leave_nothing_behind(qtbot: QtBot, tasks: TaskRunner, owner: QObject) -> None:
    total: list[int] = []
    for number in range(2000):
        tasks.run(Lane.READ, lambda _p, _c, n=number: n, total.append, owner=owner)
    qtbot.waitUntil(lambda: tasks.busy == 0, timeout=20000)
    assert sorted(total) == list(range(2000))
    assert tasks._work == {}
