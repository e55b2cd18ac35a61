"""A library that is only read: in the window beside another one (case c522), everywhere, and on what cannot be written."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app import container, gui, library_place, paths, writers
from core.domain.access import ReadOnly
from core.domain.commands import CreateMemory, NewMemory, TrashMemories
from core.domain.commands_transfer import ApplyImport
from core.domain.ids import TypeId
from core.domain.queries import Folders, ListMemories
from core.domain.queries_documents import QueueFiles
from core.settings import Settings
from ui.actions import TABLE
from ui.main_window import MainWindow
from ui.pages import PAGES
from ui.path_choice import PathChoice
from ui.session import Session
from ui.views.types.page import TypesPage

CASE = json.loads((Path(__file__).parents[1] / "data/cases/c522.case.json").read_text("utf-8"))
PATIENCE_MS = 30_000
START_S = 60.0
BLOCKED_S = 0.5
"""A thread that waits for the other program's lock would be held for more than a second."""
LEAVES = ["quit", "close", "open", "open_read_only", "new", "sample", "reset_sample"]


def settings() -> Settings:
    made = Settings()
    made.set("language", "en")
    made.set("theme", "light")
    made.set("embedder", "none")
    return made


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample library: memories, relations, chat floors; one memory in the trash, a file in the queue."""
    monkeypatch.setattr(paths, "log_dir", lambda: tmp_path / "log")
    opened = container.open_library(tmp_path / "library", writers.person(), settings(), create=True)
    opened.engine.run(ApplyImport(opened.sample_plan()))
    opened.engine.run(TrashMemories(memories=(opened.engine.ask(ListMemories())[0],)))
    (tmp_path / "waiting.txt").write_text("A file that waits.", "utf-8")
    opened.engine.ask(QueueFiles(paths=(tmp_path / "waiting.txt",), folder="papers"))
    opened.close()
    return tmp_path / "library"


@pytest.fixture
def first_window(library: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process of the program with its window on the library."""
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--library", str(library)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        cwd=Path(__file__).parents[2],
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + START_S
    while (holder := library_place.lock_holder(library)) is None or holder.pid != process.pid:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def state_of(library: Path) -> dict[str, str]:
    """Every file of a library with a hash of its bytes; SQLite's empty helpers are none of it."""
    found = {}
    for file in sorted(library.rglob("*")):
        data = file.read_bytes() if file.is_file() else b""
        if file.name.endswith("-shm") or (file.name.endswith("-wal") and not data):
            continue
        found[str(file.relative_to(library))] = hashlib.sha256(data).hexdigest()
    return found


def way(window: MainWindow, text: str) -> QPushButton:
    buttons = [each for each in window.message.findChildren(QPushButton) if not each.isHidden()]
    return next(each for each in buttons if each.text().startswith(text))


def opened_session(qtbot: QtBot, window: MainWindow, *, other_than: Session | None = None) -> Session:
    def there() -> bool:
        session = window.session
        return session is not None and session is not other_than and session.memories.model.rowCount() > 0

    qtbot.waitUntil(there, timeout=PATIENCE_MS)
    assert window.session is not None
    return window.session


class Pulse:
    """The longest time for which the event loop did not turn."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.monotonic()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(5)

    def _beat(self) -> None:
        now = time.monotonic()
        self.longest, self._last = max(self.longest, now - self._last), now

    def stop(self) -> float:
        self._timer.stop()
        return self.longest


def test_second_window_says_so_within_two_seconds_and_opens_read_only(
    qtbot: QtBot, qapp: QApplication, library: Path, first_window: subprocess.Popen[bytes]
) -> None:
    with gui.running(qapp, settings(), library.parent) as window:
        window.show()
        pulse = Pulse()
        began = time.monotonic()
        window.start(library)
        qtbot.waitUntil(window.message.isVisible, timeout=PATIENCE_MS)
        took, blocked = time.monotonic() - began, pulse.stop() > BLOCKED_S
        assert "already open in another window" in window.message.label.text()
        assert took < CASE["checks"]["message_within_s"]
        assert blocked is CASE["checks"]["gui_blocked"]
        assert way(window, "Switch to that window").isEnabled()
        assert way(window, "Choose another library").isEnabled()
        way(window, "Open read-only").click()
        session = opened_session(qtbot, window)
        assert session.read_only is not None
        assert session.read_only.isVisible()
        assert "another window is using" in session.read_only.label.text()
        assert session.context.engine.read_only is ReadOnly.IN_USE
        foreign_memory_appears(qtbot, session, library)
        stays_read_only_while_the_other_lives(qtbot, window, session)
        first_window.send_signal(signal.SIGINT)
        assert first_window.wait(30) == 0
        session.read_only.try_button.click()
        again = opened_session(qtbot, window, other_than=session)
        assert again.context.engine.read_only is None
        assert again.read_only is None
        assert again.shown_page == "history"
        assert window.actions_table.get("memory.new").isEnabled()


def foreign_memory_appears(qtbot: QtBot, session: Session, library: Path) -> None:
    beside = container.open_library(library, writers.program("cli"), settings())
    folder = beside.engine.ask(Folders())[0].folder.pk
    new = NewMemory(folder=folder, type=TypeId("event"), body="Written elsewhere")
    made = beside.engine.run(CreateMemory(new)).created[0]
    beside.close()
    qtbot.waitUntil(lambda: made in session.memories.model.pks.tolist(), timeout=PATIENCE_MS)


def stays_read_only_while_the_other_lives(qtbot: QtBot, window: MainWindow, session: Session) -> None:
    session.show_page("history")
    assert session.read_only is not None
    session.read_only.try_button.click()
    qtbot.waitUntil(lambda: "still using" in window.message.label.text(), timeout=PATIENCE_MS)
    assert window.session is session


def test_second_start_that_switches_to_the_first_ends(
    qtbot: QtBot, qapp: QApplication, library: Path, first_window: subprocess.Popen[bytes]
) -> None:
    with gui.running(qapp, settings(), library.parent) as window:
        window.start(library)
        window.show()
        qtbot.waitUntil(window.message.isVisible, timeout=PATIENCE_MS)
        with qtbot.waitSignal(window.closed, timeout=PATIENCE_MS):
            way(window, "Switch to that window").click()
    assert first_window.poll() is None


def test_every_page_used_read_only_leaves_every_byte(
    qtbot: QtBot, qapp: QApplication, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("file", "directory", "new_directory", "save_file"):
        monkeypatch.setattr(PathChoice, name, lambda *_args, **_named: None)
    before = state_of(library)
    with gui.running(qapp, settings(), library.parent) as window:
        window.resize(1400, 900)
        window.start(library, ReadOnly.ASKED)
        window.show()
        session = opened_session(qtbot, window)
        tasks = window._services.tasks
        for entry in PAGES:
            session.show_page(entry.id)
            qtbot.waitUntil(lambda: tasks.busy == 0, timeout=PATIENCE_MS)
            session.memories.table.selectRow(0)
            press_all(qapp, session)
            trigger_all(qapp, session, entry.id)
            qtbot.waitUntil(lambda: tasks.busy == 0, timeout=PATIENCE_MS)
        types = session.page("types")
        assert isinstance(types, TypesPage)
        off = [
            each for each in types.side.tools["more"].menu().actions() if each.text() and not each.isEnabled()
        ]
        assert [each.text() for each in off] == ["Take in JSON…", "All back to default"]
        assert all("Read-only" in each.toolTip() for each in off)
        QApplication.clipboard().clear()  # data made here may not outlive Python
        drop_file(qtbot, window, tmp_path / "waiting.txt")
        qtbot.waitUntil(lambda: "Nothing was changed" in window.message.label.text(), timeout=PATIENCE_MS)
    assert state_of(library) == before


def press_all(qapp: QApplication, session: Session) -> None:
    """Press what can be pressed on the page that is shown."""
    for button in session.page(session.shown_page).findChildren(QAbstractButton):
        pressable = button.isVisible() and button.isEnabled()
        if pressable and not (isinstance(button, QToolButton) and button.menu() is not None):
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
            close_dialogs(qapp)


def trigger_all(qapp: QApplication, session: Session, page: str) -> None:
    """Trigger the actions that belong to a page; those of the window on the list."""
    for action in TABLE:
        group, name = action.id.split(".")
        of_page = group == page or (page == "memories" and group not in {entry.id for entry in PAGES})
        entry = session.context.actions.get(action.id)
        if of_page and group != "view" and name not in LEAVES and entry.isEnabled() and entry.menu() is None:
            entry.trigger()
            close_dialogs(qapp)


def close_dialogs(qapp: QApplication) -> None:
    while (popup := qapp.activePopupWidget()) is not None:
        popup.close()
    for dialog in [each for each in qapp.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible()]:
        dialog.reject()


def drop_file(qtbot: QtBot, window: QWidget, file: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    action, mouse, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(200, 200), action, data, mouse, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(200, 200), action, data, mouse, keys))
