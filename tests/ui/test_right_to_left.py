"""Hebrew and Arabic among Latin text (case c616)."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from tests.fakes.engine import FakeEngine, make_row
from tests.ui.conftest import settled
from ui.language import FIRST_STRONG_ISOLATE, POP_ISOLATE, isolate
from ui.main_window import MainWindow
from ui.models.table_columns import BY_KEY
from ui.session import Session
from ui.widgets.bidi import is_right_to_left

CASE = json.loads((Path(__file__).parents[1] / "data/cases/c616_rtl.scenario.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "right"), list(zip(CASE["texts"], [True, True, False], strict=True)))
def test_a_text_begins_on_the_side_of_its_first_strong_letter(text: str, right: bool) -> None:
    assert is_right_to_left(text) is right


def test_each_cell_has_its_own_direction(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    for number, text in enumerate(CASE["texts"]):
        engine.put(make_row(910 + number, title=text))
    model = opened.memories.model
    qtbot.waitUntil(lambda: model.rowCount() == 303)
    settled(qtbot, window)
    sides = {}
    for number in range(3):
        index = model.index(model.row_of(910 + number), 0)
        qtbot.waitUntil(lambda at=index: at.data() in CASE["texts"])
        alignment = index.data(int(Qt.ItemDataRole.TextAlignmentRole))
        sides[number] = bool(alignment & Qt.AlignmentFlag.AlignRight)
    assert sides == {0: True, 1: True, 2: False}


def test_plain_cells_are_drawn_in_their_own_direction(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    engine.put(make_row(920, type="event"))
    table, model = opened.memories.table, opened.memories.model
    settled(qtbot, window)
    delegate = table.itemDelegate()
    option = QStyleOptionViewItem()
    index = model.index(0, BY_KEY["folder"])
    delegate.initStyleOption(option, index)
    assert option.direction is Qt.LayoutDirection.LeftToRight


def test_a_name_in_a_status_message_is_isolated(opened: Session) -> None:
    """A right-to-left title cannot move the words around it."""
    from core.domain.enums import OpRole, OpState
    from core.domain.results import OpInfo
    from ui.views.op_words import op_label

    name = CASE["texts"][0]
    op = OpInfo(
        1, "op.memory.trash", {"count": 1, "title": name}, opened.context.engine.actor, None,
        OpRole.CHANGE, OpState.COMPLETE, True,
    )  # fmt: skip
    said = op_label(op, opened.context.tr)
    assert f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}" in said
    assert isolate("") == ""
