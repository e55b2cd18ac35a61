"""A folder that came from a file says so above the list, and goes back from there."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.domain.commands import EditMemory
from core.domain.ids import MemoryPk
from tests.formats.desk import FilesDesk
from tests.formats.test_write_back import _stbme, _take
from tests.ui.conftest import settled
from tests.ui.test_window_on_a_library import Shower, show
from ui.dialogs.source_changes import SourceChangesDialog
from ui.dialogs.write_back import WriteBackDialog
from ui.views.history_page import HistoryPage

__all__ = ["show"]


def test_strip_counts_changes_and_writes_them_back(qtbot: QtBot, tmp_path: Path, show: Shower) -> None:
    desk, path = FilesDesk(tmp_path), _stbme(tmp_path)
    folder = _take(desk, path)
    with desk.store.read() as reader:
        pk = MemoryPk(reader.memories_in(folder)[0])
    edited = desk.engine.run(EditMemory(memory=pk, body="There is a trapdoor.")).op
    assert edited is not None
    desk_op = edited.id
    desk.engine.close()
    desk.store.close()
    shown = show(tmp_path / "library")
    page = shown.session.memories
    page.show_folder(folder)
    qtbot.waitUntil(page.source.isVisible, timeout=10_000)
    assert "graph.json" in page.source.text.text()
    assert "one change" in page.source.text.text()
    QTest.mouseClick(page.source.changes, Qt.MouseButton.LeftButton)
    changes = shown.window.findChild(SourceChangesDialog)
    assert changes is not None
    qtbot.waitUntil(lambda: changes.list.topLevelItemCount() == 1, timeout=10_000)
    settled(qtbot, shown.window)
    assert "trapdoor" in changes.diff.toPlainText()
    if place := os.environ.get("PICTURES"):
        changes.grab().save(f"{place}/changes.png")
    QTest.mouseClick(changes.history, Qt.MouseButton.LeftButton)
    history = shown.session.page("history")
    assert isinstance(history, HistoryPage)
    qtbot.waitUntil(lambda: history.tree.currentItem() is not None, timeout=10_000)
    assert shown.session.shown_page == "history"
    assert history._current_ops() == [desk_op]
    shown.session.show_page("memories")
    settled(qtbot, shown.window)
    QTest.mouseClick(page.source.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown.window.findChild(WriteBackDialog) is not None)
    dialog = shown.window.findChild(WriteBackDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.main_button.isEnabled, timeout=10_000)
    assert dialog.differences.topLevelItemCount() == 1
    if place := os.environ.get("PICTURES"):
        shown.window.grab().save(f"{place}/strip.png")
        dialog.grab().save(f"{place}/dialog.png")
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "trapdoor" in path.read_text("utf-8"), timeout=10_000)
    settled(qtbot, shown.window)
    assert list(tmp_path.glob("graph.json.*.bak"))
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.source._source is not None and page.source._source.changes == 0)
