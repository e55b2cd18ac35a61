"""Attempts to break the page: haste, undo and foreign changes at a bad moment, heaps, extremes, nothing left."""

import random
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.tour.long_story import plan
from core.domain.commands import TrashMemories
from core.domain.commands_folders import DeleteFolder
from core.domain.commands_transfer import ApplyImport
from core.domain.enums import FolderKind
from core.domain.errors import UserError
from core.domain.graph import Arrangement
from core.domain.ids import MemoryPk, RelationId, TypeId
from core.domain.queries import ListMemories
from core.domain.transfer import Format, ImportPlan, PlannedEdge, PlannedFolder, PlannedMemory
from tests.ui.graph.conftest import LEFT, NO_KEYS, Desk, Library, Opener, Trio
from ui.graph.coloring import Coloring

NOW = datetime(2026, 2, 1, tzinfo=UTC)
KEYS = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_F, Qt.Key.Key_K, Qt.Key.Key_A,
    Qt.Key.Key_X, Qt.Key.Key_C, Qt.Key.Key_H, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Escape, Qt.Key.Key_1,
    Qt.Key.Key_3, Qt.Key.Key_B, Qt.Key.Key_U,
)  # fmt: skip


def wheel(desk: Desk, turn: int, place: QPoint) -> None:
    event = QWheelEvent(
        QPointF(place),
        QPointF(desk.canvas.mapToGlobal(place)),
        QPoint(),
        QPoint(0, turn),
        Qt.MouseButton.NoButton,
        NO_KEYS,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(desk.canvas, event)


def close_popups() -> None:
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


@pytest.mark.parametrize("seed", range(2))
def test_hasty_hands_change_nothing_but_pins(show: Opener, library: Library, trio: Trio, seed: int) -> None:
    """Clicks, double clicks, wheel, drags and keys without waiting: no error, relations and memories as before."""
    others = [library.memory(f"guest {number}") for number in range(20)]
    for a, b in pairwise((trio.cora, *others)):
        library.edge(a, b)
    desk = show()
    dice = random.Random(seed)
    size = desk.canvas.size()
    for _ in range(80):
        place = QPoint(dice.randrange(size.width()), dice.randrange(size.height()))
        if dice.random() < 0.5:
            place = desk.at(dice.choice((trio.ada, trio.bram, *others)))
        match dice.randrange(6):
            case 0:
                QTest.mouseClick(desk.canvas, LEFT, NO_KEYS, place)
            case 1:
                QTest.mouseDClick(desk.canvas, LEFT, NO_KEYS, place)
            case 2:
                wheel(desk, dice.choice((-360, -120, 120, 360)), place)
            case 3:
                desk.drag(
                    [place, place + QPoint(dice.randrange(-90, 90), dice.randrange(-90, 90))], drop=False
                )
                desk._send_release(place)
            case 4:
                QTest.keyClick(desk.canvas, dice.choice(KEYS))
            case _:
                desk.page.tools.arranged.emit(dice.choice([a for a in Arrangement if a != "meaning"]))
        if dice.random() < 0.3:
            QApplication.processEvents()
        close_popups()
    desk.ready()
    desk.key(Qt.Key.Key_A)
    assert len(library.ask(ListMemories())) == 23
    assert len(desk.edges(trio.cora)) == 1
    assert desk.canvas.scene is not None
    assert desk.canvas.scene.nodes.shown.all()


@pytest.mark.timeout(240)
def test_undo_while_laying_out_is_kept(show: Opener, library: Library) -> None:
    library.engine.run(ApplyImport(plan(900)))
    desk = show()
    page = desk.page
    pk = int(page.picture.state.data.nodes.pks[5])  # type: ignore[union-attr]
    page.picture.arrange_anew()
    desk.qtbot.waitUntil(lambda: page.picture.live.done > 0.02, timeout=30_000)
    page.edits.pin({pk: (5_000.0, 5_000.0)})
    desk.session.context.actions.get("edit.undo").trigger()
    desk.ready()
    assert desk.pins() == {}
    state = page.picture.state
    assert state is not None
    assert np.isfinite(state.positions).all()


def test_memory_deleted_elsewhere_in_mid_drag(show: Opener, library: Library, trio: Trio) -> None:
    desk = show()
    place = desk.at(trio.cora)
    desk.drag([place, place + QPoint(-40, 10)], drop=False)
    library.engine.run(TrashMemories(memories=(trio.cora,)))
    desk.qtbot.waitUntil(lambda: desk.page.picture.state.index(trio.cora) < 0)  # type: ignore[union-attr]
    desk._send_release(place + QPoint(-40, 10))
    desk.ready()
    assert set(desk.pins()) == {trio.ada, trio.bram}
    assert desk.canvas.scene is not None
    assert len(desk.canvas.scene) == 2


def test_memory_deleted_elsewhere_while_a_relation_is_drawn_to_it(
    show: Opener, library: Library, trio: Trio
) -> None:
    desk = show()
    said: list[tuple[str, bool]] = []
    desk.session.operations.said.connect(lambda text, error: said.append((text, error)))
    desk.page.edits.ask_relation(trio.ada, trio.cora, QPoint(300, 300))
    desk.ready()
    card = desk.page.edits.card
    assert card is not None
    library.engine.run(TrashMemories(memories=(trio.cora,)))
    desk.ready()
    QTest.keyClick(card, Qt.Key.Key_Return)
    desk.ready()
    assert any(error for _, error in said)
    assert [edge.target for edge in desk.edges(trio.ada)] == [trio.bram]


def test_shown_folder_deleted_elsewhere(show: Opener, library: Library, trio: Trio) -> None:
    attic = library.make_folder("attic")
    library.memory("Doro", folder=attic)
    desk = show()
    desk.page.show_folder(attic)
    desk.ready()
    library.engine.run(DeleteFolder(folder=attic))
    desk.qtbot.waitUntil(lambda: desk.page.stack.shows == "notice")
    desk.ready()
    desk.page.stack.notice.button.click()
    desk.ready()
    assert desk.page.tools.count.text() == "3 of 3 shown"


def star(count: int) -> ImportPlan:
    """A hub with so many neighbours."""
    memories = tuple(
        PlannedMemory(
            key=str(number),
            folder="star",
            foreign_id=None,
            type=TypeId("character"),
            title="hub" if not number else f"spoke {number}",
            importance=10.0 if not number else 3.0,
            created_at=NOW,
            updated_at=NOW,
        )
        for number in range(count + 1)
    )
    edges = tuple(
        PlannedEdge(
            source=str(number), target="0", relation=RelationId("related"), strength=0.5, created_at=NOW
        )
        for number in range(1, count + 1)
    )
    return ImportPlan(
        format=Format.STBME,
        source_name="star",
        folders=(PlannedFolder(key="star", name="star", kind=FolderKind.CHAT),),
        memories=memories,
        edges=edges,
    )


@pytest.mark.timeout(240)
def test_hub_with_five_thousand_neighbours_is_opened_folded_and_unfolded(
    show: Opener, library: Library
) -> None:
    library.engine.run(ApplyImport(star(5_000)))
    desk = show()
    hub = min(library.ask(ListMemories()))
    desk.page.go_to(hub)
    desk.ready()
    assert desk.page.selected == (hub,)
    lines = desk.page.neighbours.list
    assert lines.count() == 301
    assert lines.item(300).text() == "and 4,700 more"
    desk.key(Qt.Key.Key_C)
    assert desk.page.tools.count.text() == "1 of 5,001 shown"
    desk.key(Qt.Key.Key_X)
    assert desk.page.tools.count.text() == "5,001 of 5,001 shown"
    desk.key(Qt.Key.Key_1)
    assert desk.page.tools.count.text() == "5,001 of 5,001 shown"


def test_nodes_without_a_place_are_left_alone(show: Opener, trio: Trio) -> None:
    desk = show()
    state = desk.page.picture.state
    assert state is not None
    positions = state.positions.copy()
    positions[state.index(trio.cora)] = np.nan
    state.positions = positions
    desk.page.picture.compose()
    desk.ready()
    desk.page.select((trio.cora,), tell=True)
    desk.ready()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_F, Qt.Key.Key_N, Qt.Key.Key_Return):
        desk.key(key)
    desk.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    desk.drag(
        [QPoint(5, 5), QPoint(600, 5), QPoint(600, 600), QPoint(5, 600)], Qt.KeyboardModifier.ShiftModifier
    )
    assert trio.cora not in desk.page.selected
    desk.canvas.grab()


def test_places_that_are_no_numbers_are_not_pinned(library: Library, trio: Trio) -> None:
    with pytest.raises(UserError):
        library.put({trio.ada: (float("nan"), 0.0)})
    with pytest.raises(UserError):
        library.put({trio.ada: (float("inf"), 0.0)})


def test_zoom_to_both_ends_and_back(show: Opener, trio: Trio) -> None:
    desk = show()
    for turn in (1200, -1200):
        for _ in range(40):
            wheel(
                desk,
                turn,
                desk.at(trio.ada) if desk.canvas.rect().contains(desk.at(trio.ada)) else QPoint(9, 9),
            )
        desk.ready()
        assert np.isfinite(desk.canvas.camera.scale)
    desk.canvas.pan_by(1e7, -1e7)
    desk.ready()
    desk.key(Qt.Key.Key_F)
    assert all(desk.canvas.rect().contains(desk.at(pk)) for pk in (trio.ada, trio.bram, trio.cora))


def test_hand_and_keys_when_everything_is_filtered_away(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.page.tools.panel.importance.setValue(10.0)
    desk.ready()
    assert desk.page.stack.shows == "notice"
    for key in KEYS[:8]:
        desk.key(key)
    desk.page.tools.arranged.emit(Arrangement.TIME)
    desk.ready()
    desk.page.tools.clear.click()
    desk.ready()
    assert desk.page.stack.shows == "content"
    assert desk.page.tools.count.text() == "3 of 3 shown"


def test_arrangements_changed_in_haste_end_with_the_last(show: Opener, library: Library, trio: Trio) -> None:
    desk = show()
    for arrangement in (Arrangement.TIME, Arrangement.TREE, Arrangement.RADIAL, Arrangement.COMMUNITY) * 3:
        desk.page.tools.arranged.emit(arrangement)
        QApplication.processEvents()
    desk.page.tools.arranged.emit(Arrangement.FORCE)
    desk.ready()
    assert desk.page.tools.arrangement.currentText() == "By relations"
    state = desk.page.picture.state
    assert state is not None
    assert state.positions[state.index(trio.bram)].tolist() == [200.0, 0.0]


def test_colours_changed_while_another_arrangement_is_loaded(
    show: Opener, library: Library, trio: Trio
) -> None:
    desk = show()
    assert [note.text for note in desk.notes()] == []
    library.memory("Doro")
    desk.qtbot.waitUntil(lambda: len(desk.notes()) == 1)
    for arrangement in (Arrangement.MEANING, Arrangement.TIME, Arrangement.RADIAL):
        desk.page.tools.arranged.emit(arrangement)
        desk.page.color_by(Coloring.AGE)  # before the new arrangement is there
        assert desk.notes() == ()
    desk.ready()


def test_language_and_scheme_change_with_a_card_open_and_a_drag_on_its_way(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.key(Qt.Key.Key_1)
    settings = desk.session.context.settings
    place = desk.at(trio.bram)
    desk.drag([place, place + QPoint(20, 60)], drop=False)
    settings.set("language", "zh_CN")
    settings.set("theme", "dark")
    settings.set("text_size", 130)
    QApplication.processEvents()
    desk._send_release(place + QPoint(20, 60))
    desk.ready()
    assert desk.pins()[trio.bram] != (200.0, 0.0)
    assert desk.page.strip.hops.text() == "1 层关系"
    desk.page.edits.ask_relation(trio.ada, trio.bram, QPoint(300, 300))
    desk.ready()
    settings.set("language", "en")
    desk.ready()
    close_popups()
    assert desk.page.strip.hops.text() == "1 relation"


def test_page_hidden_during_a_layout_and_shown_again(show: Opener, library: Library) -> None:
    library.engine.run(ApplyImport(plan(600)))
    desk = show()
    desk.page.picture.arrange_anew()
    desk.session.show_page("memories")
    library.memory("late guest")
    desk.qtbot.wait(250)
    desk.session.show_page("graph")
    desk.ready()
    assert desk.page.tools.count.text() == "601 of 601 shown"
    state = desk.page.picture.state
    assert state is not None
    assert np.isfinite(state.positions).all()


def test_library_closed_with_everything_on_its_way(show: Opener, trio: Trio) -> None:
    desk = show()
    place = desk.at(trio.ada)
    desk.hover(place)
    QTest.mouseClick(desk.canvas, LEFT, NO_KEYS, place)
    desk.drag([place, place + QPoint(40, 40)], drop=False)
    desk.page.seeing.search("Bram")
    desk.page.picture.arrange_anew()
    desk.window.close_library()
    desk.qtbot.waitUntil(lambda: desk.window.session is None)


def test_odd_titles_and_a_tiny_window_are_drawn(show: Opener, library: Library) -> None:
    titles = ("", "\n\n", "名" * 400, "مرحبا بالعالم", "a\x00b\u202e", "👩‍👩‍👧‍👦" * 30, "<b>bold</b>")
    pks = [library.memory(title, "event", body=title.strip() or "body") for title in titles]
    for a, b in pairwise(pks):
        library.edge(a, b)
    desk = show()
    for pk in pks:
        desk.page.go_to(pk)
        desk.ready()
    desk.window.resize(400, 300)
    desk.ready()
    desk.canvas.grab()
    assert desk.page.selected == (MemoryPk(pks[-1]),)


def test_loops_parallel_relations_and_cyclic_parents_of_a_file_are_drawn(
    show: Opener, library: Library
) -> None:
    def memory(key: str, parent: str | None) -> PlannedMemory:
        return PlannedMemory(
            key=key,
            folder="odd",
            foreign_id=None,
            type=TypeId("event"),
            body=f"event {key}",
            parent=parent,
            created_at=NOW,
            updated_at=NOW,
        )

    def edge(source: str, target: str, relation: str) -> PlannedEdge:
        return PlannedEdge(
            source=source, target=target, relation=RelationId(relation), strength=0.6, created_at=NOW
        )

    pairs = (("a", "a", "related"), ("a", "b", "related"), ("b", "a", "advances"), ("a", "b", "contradicts"))
    library.engine.run(
        ApplyImport(
            ImportPlan(
                format=Format.STBME,
                source_name="odd",
                folders=(PlannedFolder(key="odd", name="odd", kind=FolderKind.CHAT),),
                memories=(memory("a", "b"), memory("b", "c"), memory("c", "a")),
                edges=tuple(edge(*pair) for pair in pairs),
            )
        )
    )
    desk = show()
    scene = desk.canvas.scene
    assert scene is not None
    assert sorted(scene.lines.lane[scene.lines.source != scene.lines.target].tolist()) == [-1.0, 0.0, 1.0]
    desk.canvas.zoom_by(3.0)
    desk.ready()
    for arrangement in (Arrangement.TREE, Arrangement.RADIAL, Arrangement.TIME):
        desk.page.tools.arranged.emit(arrangement)
        desk.ready()
        scene = desk.canvas.scene
        assert scene is not None
        assert np.isfinite(scene.nodes.positions).all()
        assert len(np.unique(scene.nodes.positions, axis=0)) == 3
