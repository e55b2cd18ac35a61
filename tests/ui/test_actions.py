"""The table of actions is complete: shortcut or reason, tooltip, words in both languages."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain import texts
from core.domain.commands import TrashMemories
from tests.fakes.engine import FakeEngine
from tests.ui.conftest import settled
from ui.actions import BY_ID, NEEDS, TABLE, Action, Need, Situation, text_keys
from ui.context import Context
from ui.main_window import MainWindow
from ui.menus import MENUS
from ui.session import Session
from ui.widgets.plain_text import PlainTextEdit


@pytest.mark.parametrize("action", TABLE, ids=lambda action: action.id)
def test_every_action_has_a_shortcut_or_a_reason_and_its_words(action: Action) -> None:
    assert bool(action.shortcut) != bool(action.no_shortcut)
    assert not action.shortcut or not QKeySequence(action.shortcut).isEmpty()
    assert action.icon
    for language in texts.LANGUAGES:
        assert [key for key in text_keys(action) if not texts.has(key, language)] == []


def test_shortcuts_are_unique_and_never_the_input_method_key() -> None:
    keys = [action.shortcut for action in TABLE if action.shortcut]
    assert len(keys) == len(set(keys))
    assert "Ctrl+Space" not in keys


def test_every_need_has_a_rule() -> None:
    assert set(NEEDS) == set(Need)


def test_every_menu_entry_is_an_action_of_the_table() -> None:
    named = [name for _, ids in MENUS for name in ids if name]
    assert [name for name in named if name not in BY_ID] == []
    assert sorted(named) == sorted(set(named))
    assert set(BY_ID) == set(named)


def test_an_action_without_a_handler_is_not_shown(context: Context) -> None:
    assert not context.actions.get("memory.move").isVisible()
    context.actions.on("memory.move", lambda: None)
    assert context.actions.get("memory.move").isVisible()


def test_a_disabled_action_says_why(context: Context) -> None:
    actions = context.actions
    action = actions.on("memory.move", lambda: None)
    assert not action.isEnabled()
    assert "Select memories" in action.toolTip()
    actions.update(library=True, selected=2)
    assert action.isEnabled()
    assert "Select memories" not in action.toolTip()


def test_words_of_actions_follow_the_language(context: Context) -> None:
    action = context.actions.on("edit.undo", lambda: None)
    context.tr.switch("zh_CN")
    assert action.text() == "撤销"


def test_every_action_of_an_open_library_does_something(opened: Session) -> None:
    assert [action.id for action in TABLE if not opened.context.actions.works(action.id)] == []


def test_single_letters_work_only_in_the_list_and_can_be_switched_off(
    qtbot: QtBot, window: MainWindow, opened: Session
) -> None:
    opened.memories.table.selectRow(0)
    settled(qtbot, window)
    QTest.keyClick(window.top.search, Qt.Key.Key_E)
    assert window.top.search.text() == "e"
    assert not opened.context.actions.situation.editing
    QTest.keyClick(opened.memories.table, Qt.Key.Key_E)
    assert opened.context.actions.situation.editing
    window._services.settings.set("ui.letters", False)
    assert opened.context.actions.get("memory.edit").shortcut().isEmpty()


def test_ctrl_z_in_a_text_field_is_the_fields_own(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    opened.operations.run(TrashMemories(memories=(engine.rows[next(iter(engine.rows))].pk,)))
    settled(qtbot, window)
    qtbot.waitUntil(lambda: bool(opened.context.actions.situation.undo))
    window.activateWindow()
    search = window.top.search
    search.setFocus()
    QTest.keyClicks(search, "abc")
    QTest.keyClick(search, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settled(qtbot, window)
    assert search.text() != "abc"
    assert any(row.trashed for row in engine.rows.values())
    search.clear()
    opened.memories.table.setFocus()
    QTest.keyClick(opened.memories.table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not any(row.trashed for row in engine.rows.values()))


def test_nothing_fires_while_an_input_method_composes(
    qtbot: QtBot, window: MainWindow, opened: Session
) -> None:
    done: list[str] = []
    opened.context.actions.on("memory.new", lambda: done.append("new"))
    search = window.top.search
    window.activateWindow()
    search.setFocus()
    QApplication.sendEvent(search, QInputMethodEvent("yin", []))
    QTest.keyClick(search, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert done == []
    commit = QInputMethodEvent()
    commit.setCommitString("银")
    QApplication.sendEvent(search, commit)
    QTest.keyClick(search, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert done == ["new"]


def test_situation_starts_without_a_library() -> None:
    assert not NEEDS[Need.LIBRARY](Situation())


def test_closing_a_library_leaves_only_what_needs_none(
    qtbot: QtBot, window: MainWindow, opened: Session
) -> None:
    actions = opened.context.actions
    window.close_library()
    settled(qtbot, window)
    assert not actions.works("memory.move")
    assert actions.works("library.open")
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: actions.works("memory.move"))


def test_window_closed_while_a_library_is_being_shown_leaves_nothing_running(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: window.session is not None)
    window.close()
    assert window.session is None
    assert not window._show_soon.isActive()


def test_ctrl_z_over_text_that_is_only_read_undoes_the_change(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    opened.memories.table.selectRow(3)
    settled(qtbot, window)
    opened.operations.run(TrashMemories(memories=(next(iter(engine.rows.values())).pk,)))
    qtbot.waitUntil(opened.context.actions.get("edit.undo").isEnabled)
    settled(qtbot, window)
    reading = opened.detail.reading.findChildren(PlainTextEdit)
    window.activateWindow()
    reading[0].setFocus()
    QTest.keyClick(reading[0], Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not any(row.trashed for row in engine.rows.values()))
    settled(qtbot, window)
