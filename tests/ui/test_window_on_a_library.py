"""The window over a real store: trash and undo in a circle (case c615), a long list (case c601, small)."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app import container, writers
from app.library import Library
from core.domain.commands import SetTags
from core.domain.ids import MemoryPk
from core.domain.memory import TagSet
from core.domain.queries import MemoryDetailOf, Sort, SortKey
from core.domain.results import MemoryDetail
from core.settings import Settings
from tests.bench.library import make
from tests.services.desk import Desk, dump_rows
from tests.ui.conftest import OneLibrary, settled
from ui.dialogs.importing import ImportDialog
from ui.language import Language
from ui.main_window import MainWindow
from ui.path_choice import PathChoice
from ui.services import Services
from ui.session import Session
from ui.tasks import TaskRunner
from ui.theme import Theme
from ui.views.chats.page import ChatsPage
from ui.views.review.page import ReviewPage
from ui.widgets.search_field import SearchField

CASE = json.loads(
    (Path(__file__).parents[1] / "data/cases/c615_undo_delete.scenario.json").read_text("utf-8")
)


@dataclass
class Shown:
    """A library, open in a window."""

    library: Library
    window: MainWindow
    session: Session


Shower = Callable[[Path], Shown]


@pytest.fixture
def show(qtbot: QtBot, tasks: TaskRunner, settings: Settings, theme: Theme, tr: Language) -> Iterator[Shower]:
    """Opens a window on a real library (without an index)."""
    settings.set("embedder", "none")
    opened: list[Shown] = []

    def run(root: Path) -> Shown:
        library = container.open_library(root, writers.person(), settings)
        window = MainWindow(Services(tasks, settings, theme, tr, OneLibrary(library.engine), PathChoice()))
        window.start()
        window.show()
        window.open_library(root)
        qtbot.waitUntil(lambda: window.session is not None)
        session = window.session
        assert session is not None
        qtbot.waitUntil(lambda: session.memories.model.rowCount() > 0, timeout=20000)
        settled(qtbot, window)
        opened.append(Shown(library, window, session))
        return opened[-1]

    yield run
    for shown in opened:
        shown.window.close()
        shown.window.deleteLater()
        shown.library.close()


def details(library: Library, pks: list[MemoryPk]) -> list[MemoryDetail]:
    return [library.engine.ask(MemoryDetailOf(pk)) for pk in pks]


def test_trash_and_undo_five_times_stays_equal(qtbot: QtBot, tmp_path: Path, show: Shower) -> None:
    root = tmp_path / "library"
    desk = Desk(root)
    folder = desk.folder("tale")
    pks = [desk.memory(folder, body=f"memory {number}") for number in range(CASE["nodes"])]
    for source, target in CASE["edges"]:
        desk.edge(pks[source], pks[target])
    desk.run(SetTags(memories=tuple(pks), tags=TagSet(general=("a", "b"))))
    desk.engine.close()
    desk.store.close()
    shown = show(root)
    library, window, session = shown.library, shown.window, shown.session
    database = library.files.database
    before, seen = dump_rows(database), details(library, pks)
    order = session.memories.model.pks.tolist()
    chosen = sorted(pks[number] for number in CASE["delete"])
    session.memories.table.select(chosen)
    actions = session.context.actions
    actions.get("memory.trash").trigger()
    qtbot.waitUntil(lambda: session.memories.model.rowCount() == 3)
    trashed = dump_rows(database)
    for _ in range(5):
        qtbot.waitUntil(actions.get("edit.undo").isEnabled)
        assert session.status.undo.text() == "Undo: Moved 3 memories to the trash"
        assert actions.get("edit.undo").text().replace("&", "") == session.status.undo.text()
        actions.get("edit.undo").trigger()
        qtbot.waitUntil(lambda: session.memories.model.rowCount() == 6)
        settled(qtbot, window)
        assert dump_rows(database) == before
        assert session.memories.model.pks.tolist() == order
        session.memories.model.refresh()
        settled(qtbot, window)
        qtbot.waitUntil(actions.get("edit.redo").isEnabled)
        actions.get("edit.redo").trigger()
        qtbot.waitUntil(lambda: session.memories.model.rowCount() == 3)
        settled(qtbot, window)
        assert dump_rows(database) == trashed
    actions.get("edit.undo").trigger()
    qtbot.waitUntil(lambda: session.memories.model.rowCount() == 6)
    settled(qtbot, window)
    restored = details(library, pks)
    assert [item.edges for item in restored] == [item.edges for item in seen]
    assert [item.tags for item in restored] == [item.tags for item in seen]
    assert dump_rows(database) == before


def test_four_thousand_rows_are_listed_ordered_and_archived(
    qtbot: QtBot, tmp_path: Path, show: Shower
) -> None:
    """Case c601 in small: the right rows; tests.bench measures how smoothly it goes at 200,000."""
    root = tmp_path / "library"
    make(root, 4_000)
    shown = show(root)
    page, actions = shown.session.memories, shown.session.context.actions
    assert page.model.rowCount() == 4_000
    page.table.sort_wanted.emit(Sort(SortKey.IMPORTANCE, descending=True))
    settled(qtbot, shown.window)
    top = page.model.pk_at(0)
    assert top is not None
    assert shown.library.engine.ask(MemoryDetailOf(top)).memory.importance == 10
    page.select_all()
    assert page.table.picked_count == 4_000
    before = dict(page.facets._facets.statuses)
    actions.get("memory.archive").trigger()
    qtbot.waitUntil(lambda: page.facets._facets.statuses == {"archived": 4_000}, timeout=30000)
    assert page.table.picked_count == 4_000
    qtbot.waitUntil(actions.get("edit.undo").isEnabled)
    actions.get("edit.undo").trigger()
    qtbot.waitUntil(lambda: page.facets._facets.statuses == before, timeout=30000)
    settled(qtbot, shown.window)


def test_number_at_review_stays_while_doubles_are_looked_for_again(
    qtbot: QtBot, tmp_path: Path, show: Shower
) -> None:
    root = tmp_path / "library"
    desk = Desk(root)
    folder = desk.folder("tale")
    first, _second = (desk.memory(folder, body="The bell rings at seven in the fog.") for _ in range(2))
    desk.engine.close()
    desk.store.close()
    shown = show(root)
    numbers: list[int] = []
    link = shown.session.upkeep_link
    shown.session.show_page("review")
    page = shown.session.page("review")
    assert isinstance(page, ReviewPage)
    qtbot.waitUntil(lambda: any(each.source == "duplicates" for each in page.waiting))
    link._badge = lambda _page, count: numbers.append(count)
    link.count()
    qtbot.waitUntil(lambda: bool(numbers))
    shown.library.engine.run(SetTags(memories=(first,), tags=TagSet(general=("night",))))
    seen = len(numbers)
    qtbot.waitUntil(lambda: len(numbers) > seen)
    settled(qtbot, shown.window)
    assert set(numbers) == {len(page.waiting)}


def test_search_takes_keys_and_an_unfinished_one_leaves_the_last_result(
    qtbot: QtBot, tmp_path: Path, show: Shower
) -> None:
    root = tmp_path / "library"
    desk = Desk(root)
    folder = desk.folder("tale")
    bell = desk.memory(folder, body="The bell rings in the fog.", importance=9)
    desk.memory(folder, body="The bell is cast anew.", importance=2)
    place = desk.memory(folder, "location", title="钟楼", body="雾里的钟声", importance=9)
    desk.engine.close()
    desk.store.close()
    shown = show(root)
    page, field = shown.session.memories, shown.window.findChild(SearchField, "search")
    assert field is not None

    def type_and_wait(text: str) -> None:
        field.clear()
        field.setFocus()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        settled(qtbot, shown.window)

    type_and_wait("importance>8")
    assert set(page.model.pks.tolist()) == {bell, place}
    type_and_wait("bell importance>8")
    assert page.model.pks.tolist() == [bell]
    type_and_wait("bell tpye:event")
    assert page.model.pks.tolist() == [bell]
    assert "Did you mean" in page.stack.strip_text
    assert "The list shows the last result." in page.stack.strip_text
    field.set_quietly("")
    page.search("类型：地点")
    settled(qtbot, shown.window)
    assert page.model.pks.tolist() == [place]
    assert page.stack.strip_text == ""


def test_show_after_an_import_leads_to_what_came_in(qtbot: QtBot, tmp_path: Path, show: Shower) -> None:
    root = tmp_path / "library"
    desk = Desk(root)
    desk.memory(desk.folder("tale"))
    desk.engine.close()
    desk.store.close()
    session = (shown := show(root)).session
    data = Path(__file__).parents[1] / "data"
    for file, page, kept in (
        ("exports/small_15_zh.json", "memories", 15),
        ("cases/c107_swipes.jsonl", "chats", 5),
    ):
        session.show_page("history")
        session.show_import(data / file)
        dialog = next(item for item in shown.window.findChildren(ImportDialog) if item.isVisible())
        qtbot.waitUntil(dialog.ready)
        qtbot.keyClick(dialog.main_button, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda dialog=dialog: dialog.imported is not None)  # type: ignore[misc]
        qtbot.keyClick(dialog.main_button, Qt.Key.Key_Return)
        assert session.page(page).isVisible()
        if page == "memories":
            qtbot.waitUntil(lambda kept=kept: session.memories.model.rowCount() == kept)  # type: ignore[misc]
        else:
            chats = session.page(page)
            assert isinstance(chats, ChatsPage)
            qtbot.waitUntil(lambda kept=kept, chats=chats: len(chats.floors.numbers) == kept)  # type: ignore[misc]
        settled(qtbot, shown.window)


def test_nothing_is_done_out_of_sight(qtbot: QtBot, tmp_path: Path, show: Shower) -> None:
    root = tmp_path / "library"
    desk = Desk(root)
    first = desk.memory(desk.folder("tale"), body="The bell rings.")
    desk.engine.close()
    desk.store.close()
    session = (shown := show(root)).session
    actions, field = session.context.actions, shown.window.findChild(SearchField, "search")
    assert field is not None
    session.memories.table.select((first,))
    assert actions.get("memory.trash").isEnabled()
    session.show_page("history")
    assert not actions.get("memory.trash").isEnabled(), "its row is not seen"
    assert "Open the page Memories or Graph first" in actions.get("memory.trash").toolTip()
    field.setFocus()
    qtbot.keyClicks(field, "bell")
    qtbot.waitUntil(session.memories.isVisible)
    assert field.hasFocus(), "what is typed goes on"
    assert actions.get("memory.trash").isEnabled()
    session.show_page("history")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert session.memories.isVisible()
    session.show_page("upkeep")
    actions.get("memory.new").trigger()
    qtbot.waitUntil(session.detail.editor.isVisible)
    settled(qtbot, shown.window)
