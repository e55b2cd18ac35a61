"""A backup is restored through the window: closed, put back, opened again; also a library that cannot be opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app import container, gui, paths, writers
from core.domain.commands import CreateMemory, NewMemory
from core.domain.commands_folders import CreateFolder
from core.domain.health import BackupReason
from core.domain.ids import TypeId
from core.domain.queries import ListMemories
from core.domain.queries_health import Backups, MakeBackup
from core.settings import Settings
from ui.main_window import MainWindow

PATIENCE_MS = 20_000


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with one memory, a backup of that, and a second memory."""
    monkeypatch.setattr(paths, "log_dir", lambda: tmp_path / "log")
    opened = container.open_library(tmp_path / "library", writers.person(), Settings(), create=True)
    folder = opened.engine.run(CreateFolder("银灯港")).created_folder
    assert folder is not None
    for text in ("第一条", "第二条"):
        opened.engine.run(CreateMemory(NewMemory(folder=folder, type=TypeId("event"), body=text)))
        if text == "第一条":
            opened.engine.ask(MakeBackup())
    opened.close()
    return tmp_path / "library"


def settings() -> Settings:
    made = Settings()
    made.set("language", "en")
    made.set("theme", "light")
    made.set("embedder", "none")
    return made


def rows(window: MainWindow) -> int:
    return window.session.memories.model.rowCount() if window.session is not None else -1


def test_restored_backup_is_what_the_window_shows(qtbot: QtBot, qapp: QApplication, library: Path) -> None:
    with gui.running(qapp, settings(), library.parent) as window:
        window.start(library)
        window.show()
        qtbot.waitUntil(lambda: rows(window) == 2, timeout=PATIENCE_MS)
        session = window.session
        assert session is not None
        session.show_page("health")
        session.health.restore_wanted.emit(session.context.engine.ask(Backups())[0].name)
        qtbot.waitUntil(lambda: window.session is not session and rows(window) == 1, timeout=PATIENCE_MS)
        assert window.session is not None
        engine = window.session.context.engine
        assert len(engine.ask(ListMemories())) == 1
        assert BackupReason.RESTORE in [backup.reason for backup in engine.ask(Backups())]


def test_library_that_cannot_be_opened_offers_its_newest_backup(
    qtbot: QtBot, qapp: QApplication, library: Path
) -> None:
    (library / "library.db").write_bytes(b"damaged" * 2000)
    with gui.running(qapp, settings(), library.parent) as window:
        window.start(library)
        window.show()

        def offer() -> QPushButton | None:
            found = window.message.findChildren(QPushButton)
            return next((each for each in found if each.text().startswith("Restore")), None)

        qtbot.waitUntil(lambda: offer() is not None, timeout=PATIENCE_MS)
        button = offer()
        assert button is not None
        button.click()
        qtbot.waitUntil(lambda: rows(window) == 1, timeout=PATIENCE_MS)
    assert list((library / "backups").glob("damaged-*.db"))
