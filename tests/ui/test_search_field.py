"""Search while typing and composing (case c604)."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.queries import ListMemories
from tests.fakes.engine import FakeEngine, make_row
from tests.ui.conftest import settled
from ui.main_window import MainWindow
from ui.session import Session
from ui.widgets.search_field import SearchField

CASE = json.loads(
    (Path(__file__).parents[1] / "data/cases/c604_ime_debounce.scenario.json").read_text("utf-8")
)


@pytest.fixture
def field(qtbot: QtBot) -> SearchField:
    made = SearchField()
    qtbot.addWidget(made)
    made.show()
    return made


def compose(field: SearchField, steps: list[str]) -> None:
    """Play an input method: letters, then `commit <text>`."""
    for step in steps:
        word, _, text = step.partition(" ")
        if word == "commit":
            event = QInputMethodEvent()
            event.setCommitString(text)
        else:
            event = QInputMethodEvent(step, [])
        QApplication.sendEvent(field, event)


def test_a_composed_word_asks_once_after_the_commit(qtbot: QtBot, field: SearchField) -> None:
    asked: list[str] = []
    field.searched.connect(asked.append)
    compose(field, CASE["ime"][:-1])
    qtbot.wait(350)
    assert asked == []
    compose(field, CASE["ime"][-1:])
    qtbot.wait(120)
    assert asked == []
    qtbot.waitUntil(lambda: bool(asked), timeout=400)
    qtbot.wait(250)
    assert asked == ["银灯"]


def test_ten_letters_typed_fast_ask_at_most_twice(qtbot: QtBot, field: SearchField) -> None:
    asked: list[str] = []
    field.searched.connect(asked.append)
    QTest.keyClicks(field, CASE["latin"], delay=20)
    qtbot.wait(400)
    assert len(asked) <= 2
    assert asked[-1] == CASE["latin"]


def test_enter_asks_at_once_and_only_once(qtbot: QtBot, field: SearchField) -> None:
    asked: list[str] = []
    field.searched.connect(asked.append)
    QTest.keyClicks(field, "bell")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert asked == ["bell"]
    qtbot.wait(300)
    assert asked == ["bell"]


def test_escape_clears_and_asks(qtbot: QtBot, field: SearchField) -> None:
    asked: list[str] = []
    field.searched.connect(asked.append)
    QTest.keyClicks(field, "bell")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert asked == ["bell", ""]


def test_typing_in_the_window_asks_the_store_once_and_shows_the_newest(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    engine.put(make_row(900, title="银灯"))
    settled(qtbot, window)
    qtbot.wait(150)
    settled(qtbot, window)
    before = engine.count_asked(ListMemories)
    compose(window.top.search, CASE["ime"])
    qtbot.waitUntil(lambda: opened.memories.model.rowCount() == 1)
    settled(qtbot, window)
    assert engine.count_asked(ListMemories) - before == CASE.get("queries_ime", 1)


def test_an_older_search_never_replaces_a_newer(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    engine.hold(ListMemories)
    opened.memories.search("memory 1")
    opened.memories.search("memory 299")
    engine.release(ListMemories)
    settled(qtbot, window)
    assert opened.memories.model.rowCount() == 1


def test_what_is_typed_stays_when_the_list_is_made_anew(
    qtbot: QtBot, window: MainWindow, opened: Session
) -> None:
    field = window.top.search
    qtbot.keyClicks(field, "bell")
    opened.memories.show_list()
    assert field.text() == "bell"
    qtbot.waitUntil(lambda: opened.memories.words == "bell")
    opened.memories.clear_filters()
    assert field.text() == ""
