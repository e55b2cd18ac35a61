"""Rows of the flow layout (middle, tail at the far end), and columns that never vanish."""

from PySide6.QtWidgets import QLabel, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.flow_layout import FlowLayout
from ui.widgets.roomy_column import RoomyColumn


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


def test_column_takes_the_room_there_is_and_scrolls_where_there_is_too_little(qtbot: QtBot) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    tree.setHeaderLabels(["title", "a", "b"])
    for column in (1, 2):
        tree.setColumnWidth(column, 100)
    RoomyColumn(tree, tree.header(), 0, 140)
    tree.resize(600, 100)
    tree.show()
    assert tree.columnWidth(0) == tree.viewport().width() - 200
    tree.resize(220, 100)
    assert tree.columnWidth(0) == 140
    assert tree.horizontalScrollBar().maximum() > 0
