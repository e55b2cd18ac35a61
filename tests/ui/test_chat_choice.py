"""Of a file with many chats the person chooses which come in."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.queries import Folders
from tests.ui.real_library import RealLibrary, open_real
from ui.dialogs.importing import ImportDialog


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    found = open_real(qtbot, qapp, tmp_path / "library")
    yield found
    found.close()


def export(place: Path, count: int = 12) -> Path:
    value = [
        {
            "uuid": str(number),
            "name": f"Chat {number:02}",
            "chat_messages": [{"text": "Hi", "sender": "human"}] * (number + 1),
        }
        for number in range(count)
    ]
    path = place / "conversations.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


def test_found_and_ticked_chats_come_in_and_the_others_do_not(library: RealLibrary, tmp_path: Path) -> None:
    dialog = ImportDialog(library.context, export(tmp_path))
    dialog.open()
    library.settle()
    choice = dialog.chats
    QTest.mouseClick(choice.none, Qt.MouseButton.LeftButton)
    assert not dialog.main_button.isEnabled(), "nothing to import"
    QTest.keyClicks(choice.search, "1")
    library.until(lambda: choice.model.rowCount() == 3)
    QTest.mouseClick(choice.all, Qt.MouseButton.LeftButton)
    first = choice.table.visualRect(choice.model.index(0, 0))
    spot = first.topLeft()
    spot.setX(spot.x() + 10)
    spot.setY(first.center().y())
    QTest.mouseClick(choice.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    QTest.keyClick(choice.search, Qt.Key.Key_Escape)
    assert choice.count.text() == "2 of 12"
    QTest.mouseClick(dialog.main_button, Qt.MouseButton.LeftButton)
    library.settle()
    names = {node.folder.name for node in library.engine.ask(Folders()) if "Claude" in node.folder.name}
    assert names == {"Claude/Chat 10", "Claude/Chat 11"}
    library.engine.undo()
    assert not [node for node in library.engine.ask(Folders()) if "Claude" in node.folder.name]
    dialog.reject()
