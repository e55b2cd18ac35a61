"""The table: pages, order, selection kept by memory (case c605), late lists (case c624), copying (c613)."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from core.domain.errors import Unavailable
from core.domain.ids import MemoryPk
from core.domain.queries import ListMemories, MemoryRows, Sort, SortKey
from tests.fakes.engine import FakeEngine, make_row
from tests.ui.conftest import settled
from ui.main_window import MainWindow
from ui.models.copying import as_markdown, as_tsv
from ui.models.memory_table import PLACEHOLDER, decode_memories, encode_memories
from ui.models.table_columns import BY_KEY, COLUMNS, text_beside_title, title_of
from ui.session import Session

CASES = Path(__file__).parents[1] / "data/cases"


def case(name: str) -> dict[str, object]:
    data: dict[str, object] = json.loads((CASES / name).read_text("utf-8"))
    return data


@pytest.fixture
def by_pk(qtbot: QtBot, window: MainWindow, opened: Session) -> Session:
    """The list ordered by pk."""
    opened.memories.table.sort_wanted.emit(Sort(SortKey.CREATED, descending=False))
    settled(qtbot, window)
    return opened


def test_model_keeps_qts_rules(qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine) -> None:
    model = opened.memories.model
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    engine.put(make_row(900))
    engine.drop(5, 6)
    qtbot.waitUntil(lambda: model.rowCount() == 299)
    settled(qtbot, window)
    assert tester.model() is model


def test_refresh_keeps_selection_scroll_and_current_row(
    qtbot: QtBot, window: MainWindow, by_pk: Session, engine: FakeEngine
) -> None:
    """Case c605: rows come above, a selected one goes; nothing jumps."""
    scenario = case("c605_refresh_selection.scenario.json")
    page, table, model = by_pk.memories, by_pk.memories.table, by_pk.memories.model
    selected = scenario["selected"]
    assert isinstance(selected, list)
    table.select(selected, scroll=False)
    current = model.index(model.row_of(120), 0)
    table.selectionModel().setCurrentIndex(current, QItemSelectionModel.SelectionFlag.NoUpdate)
    table.scrollTo(model.index(model.row_of(140), 0), table.ScrollHint.PositionAtTop)
    heard: list[object] = []
    page.current.connect(heard.append)
    for pk in (901, 902, 903):
        engine.rows[make_row(pk).pk] = engine._named(make_row(pk, created_at=make_row(-pk).created_at))
    engine.drop(121)
    qtbot.waitUntil(lambda: model.rowCount() == 302)
    settled(qtbot, window)
    assert sorted(table.selected()) == [120, 150]
    top = model.pk_at(table.rowAt(0))
    assert top is not None
    assert abs(top - 140) <= 1
    assert model.pk_at(table.currentIndex().row()) == 120
    assert heard == []


@pytest.mark.parametrize("place", [1, 290], ids=["to the top", "far down"])
def test_row_in_hand_that_moves_by_an_edit_stays_in_sight(
    qtbot: QtBot, window: MainWindow, by_pk: Session, engine: FakeEngine, place: int
) -> None:
    table, model = by_pk.memories.table, by_pk.memories.model
    pk, other = int(model.pks[3]), int(model.pks[place - 1])
    table.scrollToTop()
    table.select([pk])
    engine.put(make_row(pk, created_at=make_row(other).created_at - timedelta(seconds=1)))
    row = 0 if place == 1 else place - 2
    qtbot.waitUntil(lambda: model.row_of(MemoryPk(pk)) == row)
    settled(qtbot, window)
    assert table.selected() == (pk,)
    assert table.viewport().rect().contains(table.visualRect(model.index(row, 0)).center())


def test_what_went_from_the_list_gives_the_selection_to_the_next_row(
    qtbot: QtBot, window: MainWindow, by_pk: Session, engine: FakeEngine
) -> None:
    table, model = by_pk.memories.table, by_pk.memories.model
    table.scrollToTop()
    gone, behind = model.pks[3:5].tolist(), int(model.pks[5])
    table.select(gone)
    engine.drop(*gone)
    qtbot.waitUntil(lambda: model.rowCount() == 298)
    settled(qtbot, window)
    assert table.selected() == (behind,)
    table.select([int(model.pks[0])])
    by_pk.memories.search("Memory 20")
    settled(qtbot, window)
    assert model.rowCount() < 298
    assert table.selected() == (), "another list has nothing chosen"


def test_a_new_search_starts_at_its_top_and_its_end_at_the_row_in_hand(
    qtbot: QtBot, window: MainWindow, by_pk: Session
) -> None:
    page, table, model = by_pk.memories, by_pk.memories.table, by_pk.memories.model
    pk = int(model.pks[200])
    table.select([pk])
    assert table.rowAt(0) > 0
    page.search("Memory")
    settled(qtbot, window)
    assert (model.rowCount(), table.selected(), table.rowAt(0)) == (300, (pk,), 0)
    table.select([pk])
    page.search("")
    settled(qtbot, window)
    assert table.viewport().rect().contains(table.visualRect(model.index(200, 0)).center())


def test_rows_that_are_not_loaded_show_a_placeholder_and_come(
    qtbot: QtBot, window: MainWindow, by_pk: Session, engine: FakeEngine
) -> None:
    model = by_pk.memories.model
    engine.hold(MemoryRows)
    model._rows.clear()
    index = model.index(250, 0)
    assert index.data() == PLACEHOLDER
    engine.release(MemoryRows)
    qtbot.waitUntil(lambda: index.data() == "Memory 251")


def test_switching_folders_fast_shows_only_the_last(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    """Case c624: ten switches while answers are late."""
    from ui.models.scope import Part, Scope

    engine.hold(ListMemories)
    for number in range(10):
        opened.memories.tree.choose(Scope(Part.FOLDER, list(engine.folders)[number % 3]))
    last = opened.memories.folder
    engine.release(ListMemories)
    settled(qtbot, window)
    shown = {engine.rows[pk].folder for pk in opened.memories.model.pks.tolist()}
    assert shown == {last}


def test_closing_while_lists_are_late_raises_nothing(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    """Case c624: the answer comes after the library was closed."""
    engine.hold(ListMemories)
    opened.memories.search("memory")
    window.close_library()
    qtbot.wait(30)
    engine.release(ListMemories)
    settled(qtbot, window)
    qtbot.wait(50)
    assert window.session is None
    assert not window.message.isVisible()


def test_clicking_a_heading_orders_in_the_store(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    header = opened.memories.table.horizontalHeader()
    at = header.sectionViewportPosition(BY_KEY["importance"]) + 10
    from PySide6.QtCore import QPoint

    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at, 10))
    settled(qtbot, window)
    asked = [query for query in engine.asked if isinstance(query, ListMemories)][-1]
    assert asked.sort.key is SortKey.IMPORTANCE


def test_all_rows_are_selected_as_one_range(qtbot: QtBot, window: MainWindow, opened: Session) -> None:
    opened.memories.select_all()
    assert opened.memories.table.picked_count == 300
    assert opened.memories.table.selectionModel().selection().count() == 1
    assert len(opened.memories.selected()) == 300
    assert opened.memories.bulk.isVisible()


def test_a_selection_of_all_stays_by_memory_when_rows_come(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    opened.memories.select_all()
    engine.put(make_row(900))
    qtbot.waitUntil(lambda: opened.memories.model.rowCount() == 301)
    assert opened.memories.table.picked_count == 300
    assert 900 not in opened.memories.selected()


def test_failing_list_keeps_the_old_rows_and_says_they_are_old(
    qtbot: QtBot, window: MainWindow, opened: Session, engine: FakeEngine
) -> None:
    engine.fail[ListMemories] = Unavailable("store", "gone")
    opened.memories.show_list()
    settled(qtbot, window)
    assert opened.memories.model.rowCount() == 300
    assert opened.memories.stack.shows == "content"
    del engine.fail[ListMemories]


def test_nothing_found_says_why_and_offers_the_way_back(
    qtbot: QtBot, window: MainWindow, opened: Session
) -> None:
    opened.memories.search("nobody wrote this")
    settled(qtbot, window)
    notice = opened.memories.stack.notice
    assert opened.memories.stack.shows == "notice"
    assert "nobody wrote this" in notice.message.text()
    notice.button.click()
    settled(qtbot, window)
    assert opened.memories.model.rowCount() == 300
    assert window.top.search.text() == ""


def test_drag_data_holds_the_memories(qapp: object) -> None:
    assert decode_memories(encode_memories([3, 1, 2**40])) == (3, 1, 2**40)


def test_copied_cells_come_back_equal_from_a_spreadsheet() -> None:
    """Case c613."""
    cells = case("c613_table_copy.scenario.json")["cells"]
    assert isinstance(cells, list)
    text = as_tsv(cells)
    assert list(csv.reader(io.StringIO(text, newline=""), dialect="excel-tab")) == cells


def test_a_single_cell_is_copied_raw() -> None:
    assert as_tsv([['say "x"\ty']]) == 'say "x"\ty'


def test_markdown_cells_cannot_break_the_table() -> None:
    text = as_markdown(["a"], [["x|y\nz"]])
    assert text.splitlines()[2] == "| x\\|y<br>z |"


def test_copying_takes_the_columns_as_shown(qtbot: QtBot, window: MainWindow, by_pk: Session) -> None:
    table = by_pk.memories.table
    for index in range(len(COLUMNS)):
        table.setColumnHidden(index, COLUMNS[index].key not in {"title", "importance", "folder"})
    table.horizontalHeader().moveSection(table.horizontalHeader().visualIndex(BY_KEY["importance"]), 0)
    table.select([1, 2])
    by_pk.context.actions.get("edit.copy_table").trigger()
    settled(qtbot, window)
    clipboard = QGuiApplication.clipboard()
    assert clipboard.text() == "1\tMemory 1\ttale\n2\tMemory 2\ttale/harbour"
    assert not clipboard.mimeData().hasHtml()


def test_chosen_columns_and_order_are_kept(qtbot: QtBot, window: MainWindow, opened: Session) -> None:
    table = opened.memories.table
    menu = table.column_menu()
    next(action for action in menu.actions() if action.text() == "Layer").trigger()
    table.horizontalHeader().moveSection(0, 2)
    window.close_library()
    settled(qtbot, window)
    window.open_library(Path("library"))
    qtbot.waitUntil(lambda: window.session is not None)
    assert window.session is not None
    again = window.session.memories.table
    assert not again.isColumnHidden(BY_KEY["layer"])
    assert again.horizontalHeader().visualIndex(0) == 2
    settled(qtbot, window)


def test_painting_a_long_selection_asks_only_for_what_is_seen(
    qtbot: QtBot, window: MainWindow, opened: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case c601: the header asked every row of every column whether it is selected."""
    from ui.models.memory_table import MemoryTableModel

    asked: list[int] = []
    flags = MemoryTableModel.flags

    def counted(self: MemoryTableModel, index: object) -> object:
        asked.append(1)
        return flags(self, index)  # type: ignore[arg-type]

    monkeypatch.setattr(MemoryTableModel, "flags", counted)
    opened.memories.select_all()
    window.grab()
    opened.memories.model.refresh(range(1, 301))
    settled(qtbot, window)
    window.grab()
    assert len(asked) < 1500


@pytest.mark.parametrize(
    ("title", "snippet", "beside"),
    [
        ("闻潮把怀表交给苏禾保管", "闻潮把怀表交给苏禾保管。", ""),
        ("闻潮把怀表交给苏禾保管，然后走了", "闻潮把怀表交给苏禾保管…", ""),
        ("闻潮", "闻潮把怀表交给苏禾保管。", "闻潮把怀表交给苏禾保管。"),
        ("Lighthouse", "", ""),
        ("", "No title at all.", ""),
        ("闻潮把怀表交给苏禾…", "闻潮把怀表交给苏禾保管，然后走进雾里", ""),
    ],
)
def test_text_beside_a_title_never_says_the_same_again(title: str, snippet: str, beside: str) -> None:
    row = make_row(1, title=title, snippet=snippet)
    assert text_beside_title(row) == beside
    assert title_of(row) == (snippet if title in ("", "闻潮把怀表交给苏禾…") else title)
