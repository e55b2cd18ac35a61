from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.tags import clean_triple_tags
from ui.widgets.chips import ChipEditor, split_values
from ui.widgets.plain_text import copy_text


def _editor(qtbot: QtBot) -> ChipEditor:
    editor = ChipEditor(clean=clean_triple_tags)
    qtbot.addWidget(editor)
    editor.resize(300, 40)
    editor.show()
    return editor


def test_list_is_cut_at_separators_of_both_scripts() -> None:
    assert split_values("灯塔，港口、 sea; a,b\nc") == ["灯塔", "港口", "sea", "a", "b", "c"]


def test_enter_and_comma_make_chips(qtbot: QtBot) -> None:
    editor = _editor(qtbot)
    QTest.keyClicks(editor.input, "Lighthouse")
    QTest.keyClick(editor.input, Qt.Key.Key_Return)
    QTest.keyClicks(editor.input, "sea,")
    QApplication.processEvents()
    assert editor.values() == ("lighthouse", "sea")
    assert editor.input.text() == ""


def test_typed_text_counts_before_it_is_a_chip(qtbot: QtBot) -> None:
    editor = _editor(qtbot)
    editor.set_values(("a",))
    QTest.keyClicks(editor.input, "B")
    assert editor.values() == ("a", "b")


def test_pasted_list_makes_several_chips(qtbot: QtBot) -> None:
    editor = _editor(qtbot)
    copy_text("灯塔, 信件\n灯塔")
    QTest.keyClick(editor.input, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert editor.values() == ("灯塔", "信件")


def test_backspace_steps_into_chips_and_removes(qtbot: QtBot) -> None:
    editor = _editor(qtbot)
    editor.set_values(("a", "b"))
    editor.activateWindow()
    editor.input.setFocus()
    QApplication.processEvents()
    QTest.keyClick(editor.input, Qt.Key.Key_Backspace)
    chip = editor._chips[-1]
    QTest.keyClick(chip, Qt.Key.Key_Delete)
    assert editor.values() == ("a",)


def test_chips_wrap_and_the_editor_grows(qtbot: QtBot) -> None:
    editor = _editor(qtbot)
    one = editor.heightForWidth(300)
    editor.set_values(tuple(f"a long value number {n}" for n in range(8)))
    assert editor.heightForWidth(300) > 2 * one
