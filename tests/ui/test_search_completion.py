"""Suggestions below the search field: arrows, Tab, Enter, Escape; an input method is never disturbed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.domain.commands import ChangeTags
from tests.ui.real_library import RealLibrary, open_real
from ui.search_completion import SearchCompletion
from ui.views.search_help import SearchHelp
from ui.widgets.search_field import SearchField

Key = Qt.Key


class Typing:
    """A field with its completion over a real library."""

    def __init__(self, library: RealLibrary) -> None:
        self.library, self.qtbot = library, library.qtbot
        self.window = QWidget()
        self.window.resize(800, 500)
        self.field = SearchField()
        column = QVBoxLayout(self.window)
        column.addWidget(self.field, 0, Qt.AlignmentFlag.AlignTop)
        self.qtbot.addWidget(self.window)
        self.asked: list[str] = []
        self.field.searched.connect(self.asked.append)
        self.completion = SearchCompletion(library.context, self.field, self.window)
        self.window.show()
        self.field.setFocus()

    def type(self, text: str) -> list[str]:
        """Type more; what is offered then."""
        self.qtbot.keyClicks(self.field, text)
        self.qtbot.wait(90)
        self.library.settle()
        return self.offered

    @property
    def offered(self) -> list[str]:
        return [row.insert for row in self.completion.list.rows] if self.completion.open else []

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.qtbot.keyClick(self.field, key, modifier)
        self.qtbot.wait(90)
        self.library.settle()


@pytest.fixture
def typing(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Typing]:
    library = open_real(qtbot, qapp, tmp_path / "library")
    bell = library.create(body="The bell rings in the fog.")
    library.engine.run(ChangeTags(memories=(bell,), add=("old harbour", "old town")))
    made = Typing(library)
    yield made
    made.completion.leave()
    library.close()


def test_keys_and_values_are_taken_with_the_keyboard(typing: Typing) -> None:
    assert typing.type("ty") == ["type:"]
    assert typing.completion.list.view.verticalScrollBar().maximum() == 0, "a list of one row is seen whole"
    typing.key(Key.Key_Tab)
    assert typing.field.text() == "type:"
    assert typing.offered[:2] == ["event", "character"]
    typing.key(Key.Key_Down)
    typing.key(Key.Key_Up)
    typing.key(Key.Key_Return)
    assert typing.field.text() == "type:event "
    assert not typing.completion.open
    assert typing.type("tag:ol") == ['"old harbour"', '"old town"']
    typing.key(Key.Key_Down)
    typing.key(Key.Key_Tab)
    assert typing.field.text() == 'type:event tag:"old town" '
    assert typing.field.hasFocus()


def test_enter_searches_where_no_row_was_chosen(typing: Typing) -> None:
    assert typing.type("in") == ["in:"]
    typing.key(Key.Key_Return)
    assert typing.asked == ["in"]
    assert typing.field.text() == "in"


def test_escape_closes_the_list_first_and_clears_then(typing: Typing) -> None:
    typing.type("tag:")
    typing.key(Key.Key_Escape)
    assert (typing.completion.open, typing.field.text()) == (False, "tag:")
    typing.key(Key.Key_Escape)
    assert typing.field.text() == ""


def test_a_value_in_the_middle_of_the_text_is_replaced_as_a_whole(typing: Typing) -> None:
    typing.type("type:character fog")
    typing.field.setCursorPosition(len("type:"))
    typing.field.cursorForward(False, 2)
    assert typing.type("") == []
    typing.key(Key.Key_Backspace)
    typing.key(Key.Key_Backspace)
    assert typing.type("lo")[0] == "location"
    typing.key(Key.Key_Tab)
    assert typing.field.text() == "type:location fog"
    assert typing.field.cursorPosition() == len("type:location")


def test_composing_asks_nothing_and_keeps_its_enter(typing: Typing) -> None:
    typing.type("type:")
    assert typing.completion.open
    QApplication.sendEvent(typing.field, QInputMethodEvent("shi", []))
    assert not typing.completion.open
    typing.qtbot.wait(90)
    typing.key(Key.Key_Return)
    assert not typing.completion.open
    event = QInputMethodEvent()
    event.setCommitString("事")
    QApplication.sendEvent(typing.field, event)
    typing.qtbot.wait(90)
    typing.library.settle()
    assert typing.offered == ["event"]
    typing.key(Key.Key_Return)
    assert typing.field.text() == "type:event "


def test_a_click_takes_a_row_and_alt_down_shows_all_keys(typing: Typing) -> None:
    typing.key(Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert "has:" in typing.offered
    view = typing.completion.list.view
    spot = view.visualRect(view.model().index(0, 0)).center()
    typing.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert typing.field.text() == "type:"


def test_help_is_in_the_language_of_the_window_and_puts_lines_into_the_search(typing: Typing) -> None:
    typing.library.context.actions.update(library=True)
    typing.library.context.tr.switch("zh_CN")
    typing.type("fog")
    typing.library.context.actions.get("help.search").trigger()
    typing.library.settle()
    sheet = typing.window.findChild(SearchHelp)
    assert sheet is not None
    assert sheet.windowTitle() == "搜索写法"
    tree = sheet.tree
    row = tree.findItems("类型:", Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive)[0]
    tree.scrollToItem(row)
    spot = tree.visualItemRect(row).center()
    typing.qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    typing.qtbot.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    typing.qtbot.wait(90)
    typing.library.settle()
    assert typing.field.text() == "fog 类型:"
    typing.qtbot.keyClick(sheet, Key.Key_Escape)
    assert not sheet.isVisible()


def test_an_unfinished_value_is_not_asked_for_while_it_is_completed(typing: Typing) -> None:
    typing.type("fog type:ch")
    typing.qtbot.wait(260)
    assert typing.asked == []
    typing.key(Key.Key_Escape)
    typing.qtbot.waitUntil(lambda: typing.asked == ["fog type:ch"])
    typing.key(Key.Key_Backspace)
    typing.key(Key.Key_Backspace)
    typing.key(Key.Key_Tab)
    typing.qtbot.waitUntil(lambda: typing.asked[1:] == ["fog type:event "])
    typing.type("tag:old")
    typing.qtbot.waitUntil(lambda: typing.asked[2:] == ["fog type:event tag:old"])
