"""Plain text in and out of fields (cases c612, c616)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ui.widgets.bidi import is_right_to_left
from ui.widgets.diff_text import Part, parts
from ui.widgets.plain_text import PlainTextEdit, copy_text

THREE = "第一段\n第二段\n第三段"


def _clipboard() -> QMimeData:
    data = QGuiApplication.clipboard().mimeData()
    assert data is not None
    return data


@pytest.mark.parametrize("read_only", [True, False])
def test_copy_of_three_paragraphs_has_line_breaks_and_no_html(qtbot: QtBot, read_only: bool) -> None:
    edit = PlainTextEdit(read_only=read_only)
    qtbot.addWidget(edit)
    edit.set_text(THREE)
    edit.selectAll()
    edit.copy()
    data = _clipboard()
    assert data.text() == THREE
    assert not data.hasHtml()
    assert not {"\u2028", "\u2029", "\u00a0"} & set(data.text())


def test_copy_of_data_with_no_break_space_keeps_it(qtbot: QtBot) -> None:
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    edit.set_text("10\u00a0km\nb")
    edit.selectAll()
    edit.copy()
    assert _clipboard().text() == "10\u00a0km\nb"


def test_edited_text_keeps_no_break_spaces_of_the_data(qtbot: QtBot) -> None:
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    edit.set_text("10\u00a0km")
    edit.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(edit, "!")
    assert edit.text() == "10\u00a0km!"


def test_untouched_text_comes_back_as_it_was(qtbot: QtBot) -> None:
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    odd = "a\r\nb\u2028c\u2029d"
    edit.set_text(odd)
    assert edit.text() == odd


def test_rich_text_pasted_inserts_plain_text(qtbot: QtBot) -> None:
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    data = QMimeData()
    data.setHtml("<p><b>bold</b> red</p>")
    data.setText("bold red\r\nline")
    QGuiApplication.clipboard().setMimeData(data)
    edit.paste()
    assert edit.text() == "bold red\nline"
    assert not edit.textCursor().charFormat().fontWeight() > 600
    edit.selectAll()
    edit.copy()
    assert not _clipboard().hasHtml()


def test_shift_enter_makes_a_line_break(qtbot: QtBot) -> None:
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    QTest.keyClicks(edit, "a")
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(edit, "b")
    assert edit.text() == "a\nb"


def test_one_line_field_turns_pasted_breaks_into_blanks(qtbot: QtBot) -> None:
    edit = PlainTextEdit(lines=1, one_line=True)
    qtbot.addWidget(edit)
    copy_text("a\nb")
    edit.paste()
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert edit.text() == "a b"


def test_each_paragraph_has_the_direction_of_its_first_strong_letter(qtbot: QtBot) -> None:
    texts = ["מגדל (7) ABC", "البرج ٧ - tower", "ABC מגדל 123"]
    edit = PlainTextEdit()
    qtbot.addWidget(edit)
    edit.set_text("\n".join(texts))
    edit.resize(400, 200)
    edit.show()
    QApplication.processEvents()
    block, directions = edit.document().begin(), []
    while block.isValid():
        directions.append(block.textDirection() == Qt.LayoutDirection.RightToLeft)
        block = block.next()
    assert directions == [True, True, False] == [is_right_to_left(text) for text in texts]


def test_field_grows_with_its_text_up_to_its_limit(qtbot: QtBot) -> None:
    edit = PlainTextEdit(lines=1, max_lines=4)
    qtbot.addWidget(edit)
    edit.resize(300, 100)
    edit.show()
    heights = []
    for lines in (1, 3, 40):
        edit.set_text("\n".join("x" * lines))
        QApplication.processEvents()
        heights.append(edit.height())
    assert heights[0] < heights[1] < heights[2] <= 4 * edit.fontMetrics().lineSpacing() + 20


WORDS = st.text(alphabet="ab 灯塔。\n", max_size=40)


@given(WORDS, WORDS)
def test_parts_of_a_difference_give_back_both_texts(before: str, after: str) -> None:
    found = parts(before, after)
    assert "".join(text for part, text in found if part is not Part.NEW) == before
    assert "".join(text for part, text in found if part is not Part.GONE) == after
