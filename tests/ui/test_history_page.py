"""The history page over a real library."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.domain.commands import CreateFolder, EditMemory
from core.domain.enums import ActorKind, OpRole, OpState
from core.domain.ids import OpId
from core.domain.results import Actor, HistoryEntry, OpInfo
from tests.ui.real_library import RealLibrary, open_real
from ui.operations import Operations
from ui.views.history_page import HistoryPage
from ui.views.op_groups import sittings

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
