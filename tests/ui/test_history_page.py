"""The history page over a real library."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from core.domain.commands import DeletePermanently, EditMemory, SetTags, TrashMemories
from core.domain.commands_folders import CreateFolder
from core.domain.commands_graph import AddEdge, RemoveEdges
from core.domain.commands_schema import SaveRelationType
from core.domain.enums import ActorKind, Kind, OpRole, OpState
from core.domain.ids import OpId, RelationId
from core.domain.memory import TagSet
from core.domain.results import Actor, HistoryEntry, OpInfo, RowDiff
from core.domain.schema import RelationType, Schema
from core.store.journal import owner_columns
from core.store.tables import Base
from tests.ui.real_library import RealLibrary, open_real
from ui.operations import Operations
from ui.views.history_page import HistoryPage
from ui.views.op_groups import sittings
from ui.views.op_view import changes_of
from ui.views.row_words import row_value_name, row_value_text
from ui.views.undo_left import UndoLeftDialog

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def library(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[RealLibrary]:
    opened = open_real(qtbot, qapp, tmp_path / "library")
    yield opened
    opened.close()


def _entry(number: int, minute: int, who: str) -> HistoryEntry:
    actor = Actor(ActorKind.PROGRAM, who, "s")
    at = START + timedelta(minutes=minute)
    op = OpInfo(OpId(number), "op.memory.edit", {}, actor, at, OpRole.CHANGE, OpState.COMPLETE, True)
    return HistoryEntry(op, 1, 1)


def test_ops_are_grouped_by_writer_and_half_an_hour() -> None:
    entries = [
        _entry(5, 100, "a"),
        _entry(4, 95, "b"),
        _entry(3, 75, "a"),
        _entry(2, 40, "a"),
        _entry(1, 20, "a"),
    ]
    groups = [[entry.op.id for entry in sitting.entries] for sitting in sittings(entries)]
    assert groups == [[5, 3], [4], [2, 1]]


def page_of(library: RealLibrary) -> HistoryPage:
    page = HistoryPage(library.context, Operations(library.context))
    library.qtbot.addWidget(page)
    page.show()
    library.settle()
    return page


def test_change_of_a_folder_counts_no_memories(library: RealLibrary) -> None:
    library.engine.run(CreateFolder("empty"))
    library.create(body="one")
    page = page_of(library)
    sitting = page.tree.topLevelItem(0)
    assert sitting is not None
    sizes = {sitting.child(row).text(0): sitting.child(row).text(2) for row in range(sitting.childCount())}
    assert sizes["Created folder \u2068empty\u2069"] == ""
    assert "1" in sizes.values()


def test_changes_of_a_program_are_undone_together(library: RealLibrary) -> None:
    pk, other = library.create(body="first"), library.create(body="other")
    for text in ("second", "third"):
        library.agent.run(EditMemory(memory=pk, body=text))
    library.agent.run(EditMemory(memory=other, body="changed"))
    library.engine.run(EditMemory(memory=other, body="by hand"))
    library.engine.poll()
    page = page_of(library)
    tops = [page.tree.topLevelItem(row) for row in range(page.tree.topLevelItemCount())]
    assert [top.text(0) for top in tops if top] == ["You: 4 changes", "\u2068agent\u2069: 3 changes"]
    page.tree.setCurrentItem(tops[1])
    assert page.undo_button.text() == "Undo these 3"
    page.undo()
    library.settle()
    assert library.memory(pk).body == "first"
    assert library.memory(other).body == "by hand", "a row that was changed since stays as it is"


def test_one_change_is_undone(library: RealLibrary) -> None:
    pk = library.create(body="first")
    library.engine.run(EditMemory(memory=pk, body="second"))
    page = page_of(library)
    top = page.tree.topLevelItem(0)
    assert top is not None
    page.tree.setCurrentItem(top.child(0))
    page.undo()
    library.settle()
    assert library.memory(pk).body == "first"
    page.refresh()
    library.settle()
    page.close()


def _entry_item(page: HistoryPage, at: int = 0) -> QTreeWidgetItem:
    top = page.tree.topLevelItem(0)
    assert top is not None
    return top.child(at)


def test_chosen_change_is_shown_with_before_and_after(library: RealLibrary) -> None:
    pk = library.create(body="the door of the clock tower is locked", title="")
    library.engine.run(EditMemory(memory=pk, body="the door of the clock tower is open"))
    page = page_of(library)
    rect = page.tree.visualItemRect(_entry_item(page))
    library.qtbot.mouseClick(page.tree.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    library.settle()
    assert page.view.title.text().startswith("Edited")
    assert [view.text() for view in page.view.views] == ["the door of the clock tower is lockedopen"]
    page.tree.setCurrentItem(page.tree.topLevelItem(0))
    library.settle()
    assert page.view.stack.shows == "notice"


def test_every_kind_of_change_can_be_shown(library: RealLibrary) -> None:
    first, second = library.create(body="甲"), library.create(body="乙", tags=TagSet(general=("海",)))
    edge = library.engine.run(
        AddEdge(source=first, target=second, relation=RelationId("related"))
    ).created_edge
    assert edge is not None
    library.engine.run(RemoveEdges((edge,)))
    library.engine.run(SetTags(memories=(first,), tags=TagSet(general=("雾", "港"))))
    library.engine.run(TrashMemories(memories=(second,)))
    library.engine.run(SaveRelationType(RelationType(id=RelationId("owes"), labels={"en": "owes"})))
    library.engine.undo()
    page = page_of(library)
    top = page.tree.topLevelItem(0)
    assert top is not None
    for at in range(top.childCount()):
        page.tree.setCurrentItem(top.child(at))
        library.settle()
        assert page.view.stack.shows == "content"
        assert page.view.title.text()


def test_filter_narrows_by_writer_kind_words_and_folder(library: RealLibrary) -> None:
    pk = library.create(body="灯塔的灯灭了")
    library.create(body="别的事")
    library.agent.run(EditMemory(memory=pk, body="灯塔的灯又亮了"))
    library.engine.run(CreateFolder("空的"))
    library.engine.poll()
    page = page_of(library)

    def names() -> list[str]:
        tops = [page.tree.topLevelItem(row) for row in range(page.tree.topLevelItemCount())]
        return [top.child(at).text(0) for top in tops if top for at in range(top.childCount())]

    everything = len(names())
    library.qtbot.keyClicks(page.filter.words, "tower")
    library.until(lambda: page.stack.shows == "notice")
    page.filter.clear()
    library.settle()
    assert len(names()) == everything
    page.filter.words.setText("灯塔")
    library.until(lambda: len(names()) == 2)
    page.filter.clear()
    page.filter.who.setCurrentIndex(page.filter.who.count() - 1)
    page.filter.who.activated.emit(0)
    library.settle()
    assert len(names()) == 1
    page.filter.clear()
    page.filter.about.setCurrentIndex(4)
    page.filter.about.activated.emit(4)
    library.settle()
    assert len(names()) == 2, "the two folders"
    page.filter.clear()
    at = page.filter.folder.findText("chats/银灯港")
    page.filter.folder.setCurrentIndex(at)
    page.filter.folder.activated.emit(at)
    library.settle()
    assert len(names()) == 4


def test_rows_that_stay_are_listed_after_a_sitting_is_undone(library: RealLibrary) -> None:
    pk, other = library.create(body="first"), library.create(body="other", title="")
    library.agent.run(EditMemory(memory=pk, body="second"))
    library.agent.run(EditMemory(memory=other, body="changed"))
    library.engine.run(EditMemory(memory=other, body="by hand"))
    library.engine.poll()
    page = page_of(library)
    opened: list[object] = []
    page.open_memories.connect(opened.append)
    page.tree.setCurrentItem(page.tree.topLevelItem(1))
    library.qtbot.mouseClick(page.undo_button, Qt.MouseButton.LeftButton)
    library.settle()
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, UndoLeftDialog))
    assert dialog.rows.count() == 1
    assert "by hand" in dialog.rows.item(0).text()
    go = next(each for each in dialog.findChildren(QPushButton) if each.text() != "Close")
    library.qtbot.mouseClick(go, Qt.MouseButton.LeftButton)
    assert opened == [(other,)]
    assert library.memory(pk).body == "first"


def test_row_that_was_deleted_for_good_is_said(library: RealLibrary) -> None:
    pk = library.create(body="gone")
    library.engine.run(DeletePermanently(memories=(pk,)))
    page = page_of(library)
    page.tree.setCurrentItem(_entry_item(page))
    library.settle()
    assert page.view.stack.shows == "content"
    assert page.view.views == []


def test_every_column_that_a_change_shows_is_named(library: RealLibrary) -> None:
    tr = library.context.tr
    raw = [
        f"{kind.value}.{column.name}"
        for kind in Kind
        if kind is not Kind.MEMORY
        for column in Base.metadata.tables[kind.value].columns
        if column.name not in owner_columns(kind)
        and changes_of(row_of(kind, column.name))
        and row_value_name(tr, kind, column.name) == column.name
    ]
    assert raw == []
    assert row_value_text(tr, Schema((), ()), Kind.TAG, "kind", "opposing") == "Opposing tags"
    assert row_value_text(tr, Schema((), ()), Kind.EDGE, "valid_from", 1_700_000_000_000_000).startswith(
        "2023-11-1"
    )


def row_of(kind: Kind, column: str) -> RowDiff:
    return RowDiff(kind=kind, pk=1, action="created", title="", memory=None, before={}, after={column: "x"})
