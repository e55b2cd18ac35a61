"""Selected memories of the list go out as a lorebook, by the bar over the list."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.services.desk import Desk
from tests.ui.conftest import settled
from tests.ui.test_window_on_a_library import Shower, show
from ui.dialogs.exporting import ExportDialog

__all__ = ["show"]


def test_bar_over_the_list_exports_what_is_selected(qtbot: QtBot, tmp_path: Path, show: Shower) -> None:
    desk = Desk(tmp_path / "library")
    folder = desk.folder("tale")
    pks = [desk.memory(folder, body=f"memory {number}") for number in range(4)]
    desk.engine.close()
    desk.store.close()
    shown = show(tmp_path / "library")
    page = shown.session.memories
    page.table.select(sorted(pks[:3]))
    settled(qtbot, shown.window)
    button = next(b for b in page.bulk.buttons if b.defaultAction().objectName() == "memory.export")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown.window.findChild(ExportDialog) is not None)
    dialog = shown.window.findChild(ExportDialog)
    assert dialog is not None
    settled(qtbot, shown.window)
    assert "3 memories" in dialog.heading.text()
    target = tmp_path / "book.json"
    dialog.path.setText(str(target))
    dialog._on_path()
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(target.exists, timeout=10_000)
    settled(qtbot, shown.window)
    entries = json.loads(target.read_text("utf-8"))["entries"]
    assert sorted(entry["content"] for entry in entries.values()) == ["memory 0", "memory 1", "memory 2"]
    dialog.reject()
