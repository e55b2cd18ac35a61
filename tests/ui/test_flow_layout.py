"""Rows of the flow layout: items at the middle of their row, the tail at the far end while one row is enough."""

from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.flow_layout import FlowLayout


def test_small_items_stand_at_the_middle_and_the_tail_at_the_end(qtbot: QtBot) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, gap=4, tail=2)
    sizes = ((40, 10), (30, 30), (30, 20))
    parts = []
    for width, height in sizes:
        part = QLabel()
        part.setFixedSize(width, height)
        flow.addWidget(part)
        parts.append(part)
    holder.resize(200, flow.heightForWidth(200))
    holder.show()
    assert [(part.x(), part.y()) for part in parts] == [(0, 10), (136, 0), (170, 5)]
    holder.resize(80, flow.heightForWidth(80))
    assert [(part.x(), part.y()) for part in parts] == [(0, 10), (44, 0), (0, 34)]
    parts[1].hide()
    holder.resize(200, flow.heightForWidth(200))
    assert (parts[0].x(), parts[2].x()) == (0, 170)
