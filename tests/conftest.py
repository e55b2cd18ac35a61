"""What holds for every test: nothing that a test started may be left when it ends."""

import gc
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.load_profile("same")  # what a change breaks shows with that change; `make proof` draws anew
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # no test needs a screen
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"  # nobody's keyring is touched

GRACE_S = 3.0  # what was told to stop may take this long
KEPT_PROCESSES = ("resource_tracker", "forkserver")  # multiprocessing's own, one per program


def _threads() -> set[threading.Thread]:
    """Python's living threads, without the stand-ins for threads that Qt or Rust made."""
    return {thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}


def _child_processes() -> set[str]:
    """Children of this process as `pid command`, multiprocessing's own helpers left out."""
    multiprocessing.active_children()  # reaps those that have ended
    if not sys.platform.startswith("linux"):
        return {f"{child.pid} {child.name}" for child in multiprocessing.active_children()}
    children = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            pids = listing.read_text().split()
        except OSError:
            continue  # the thread ended meanwhile
        children |= {f"{pid} {command}" for pid in pids if (command := _command_line(pid))}
    return {child for child in children if not any(name in child for name in KEPT_PROCESSES)}


def _command_line(pid: str) -> str:
    """How a process was started; '' when it has ended (a zombie, or gone)."""
    try:
        command = (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        )
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""
    if command:
        return command
    return "" if state in "ZX" else "just started"  # between fork and exec there is no command line yet


def _running_timers() -> set[str]:
    """Active QTimers made in Python (Qt's own have no wrapper); looked for only when a QApplication exists."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None or core.QCoreApplication.instance() is None:
        return set()
    from shiboken6 import isValid

    timers = [found for found in gc.get_objects() if issubclass(type(found), core.QTimer)]
    return {f"QTimer {id(t):#x} of {t.parent()}" for t in timers if isValid(t) and t.isActive()}


def _busy_pool() -> set[str]:
    core = sys.modules.get("PySide6.QtCore")
    if core is None or core.QCoreApplication.instance() is None:
        return set()
    count = core.QThreadPool.globalInstance().activeThreadCount()
    return {f"QThreadPool: {count} running"} if count else set()


_LOOKS: dict[str, Callable[[], set[Any]]] = {
    "threads": _threads,
    "child processes": _child_processes,
    "timers": _running_timers,
    "pool threads": _busy_pool,
}


@pytest.fixture(autouse=True)
def nothing_left_running(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves a thread, a child process, an active QTimer or a busy pool thread behind."""
    looks = dict(_LOOKS)
    if not {"qapp", "qtbot"}.intersection(request.fixturenames):
        del looks["timers"]  # walks through all objects: tens of milliseconds
    before = {kind: look() for kind, look in looks.items()}
    yield
    deadline = time.monotonic() + GRACE_S
    while leaked := {
        kind: sorted(map(str, left)) for kind, look in looks.items() if (left := look() - before[kind])
    }:
        if time.monotonic() > deadline:
            pytest.fail(f"left running: {leaked}")
        time.sleep(0.02)


@pytest.fixture(scope="session", autouse=True)
def quick_libraries() -> Iterator[None]:
    """A new library is a copy of a migrated empty one: most tests want one, and few are about making it."""
    from tests import quick_store  # loads SQLAlchemy

    with pytest.MonkeyPatch.context() as patch:
        quick_store.install(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def old_objects_rest() -> None:
    """What is alive before a module's first test (modules, above all) is looked at by no collection any more.

    Tests of windows collect after each test and look at all objects: with a quarter of a million that stay anyway
    this would take longer than most tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def private_user_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, data and caches of the person who runs the tests are neither read nor written."""
    home = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(home))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, str(home / variable.lower()))
