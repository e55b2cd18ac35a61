"""Rows of the flow layout, columns that never vanish, and the way of the Tab key through new pages."""

from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ui.widgets.flow_layout import FlowLayout
from ui.widgets.focus_chain import put_page
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


def test_column_gives_way_when_others_grow_by_what_they_show(qtbot: QtBot) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    tree.setColumnCount(3)
    header = tree.header()
    header.setStretchLastSection(False)
    RoomyColumn(tree, header, 0, 60)
    for column in (1, 2):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
    tree.resize(500, 100)
    tree.show()
    for state in ("x", "a longer state"):
        tree.clear()
        tree.setHeaderLabels(["title", "does", "state"])
        group = QTreeWidgetItem(["group", "", state])
        tree.addTopLevelItem(group)
        group.addChild(QTreeWidgetItem(["a title" * 20, "what it does " * 2, ""]))
        tree.expandAll()
        qtbot.waitUntil(lambda: header.sectionSize(1) > 100)
        QTest.qWait(20)
        assert header.length() == tree.viewport().width()


def test_tab_goes_from_the_area_into_its_new_page(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box, area, behind = QVBoxLayout(window), QScrollArea(), QPushButton("behind")
    for part in (area, behind):
        box.addWidget(part)
    for _again in range(2):
        page = QWidget()
        parts = [QPushButton(str(number)) for number in range(3)]
        inside = QVBoxLayout(page)
        for part in parts:
            inside.addWidget(part)
        put_page(area, page)
        found, at = [], area.nextInFocusChain()
        while at is not behind and len(found) < 20:
            found += [at] if isinstance(at, QPushButton) else []
            at = at.nextInFocusChain()
        assert found == parts
