"""Editing on the canvas by mouse and keys; what happened is read from the store."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from core.domain.enums import Status
from core.domain.queries import MemoryDetailOf
from tests.ui.graph.conftest import Desk, Library, Opener, Trio
from ui.models.memory_table import encode_memories
from ui.views.graph.cards import EdgeCard, GroupCard, RelationCard
from ui.views.graph.edits import Edits
from ui.views.graph.relation_search import RelationSearch
from ui.views.merge.desk import MergeDesk

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def test_dragged_memory_is_pinned_there_and_undo_brings_it_back(show: Opener, trio: Trio) -> None:
    desk = show()
    before = desk.pins()
    desk.drag([desk.at(trio.ada), desk.at(trio.ada) + QPoint(-60, 40)])
    after = desk.pins()
    scale = desk.canvas.camera.scale
    assert after[trio.ada] == pytest.approx((-60 / scale, 40 / scale), abs=2 / scale)
    assert {pk: after[pk] for pk in (trio.bram, trio.cora)} == {
        pk: before[pk] for pk in (trio.bram, trio.cora)
    }
    desk.undo()
    assert desk.pins() == before
    assert desk.canvas.camera.to_world(*desk.at(trio.ada).toTuple()) == pytest.approx((0, 0), abs=2 / scale)


def test_a_drag_moves_the_whole_selection(show: Opener, trio: Trio) -> None:
    desk = show()
    before = desk.pins()
    desk.click(desk.at(trio.ada))
    desk.click(desk.at(trio.cora), SHIFT)
    desk.drag([desk.at(trio.cora), desk.at(trio.cora) + QPoint(30, 50)])
    after = desk.pins()
    scale = desk.canvas.camera.scale
    for pk in (trio.ada, trio.cora):
        moved = (after[pk][0] - before[pk][0], after[pk][1] - before[pk][1])
        assert moved == pytest.approx((30 / scale, 50 / scale), abs=2 / scale)
    assert after[trio.bram] == before[trio.bram]


def test_drag_from_the_handle_makes_a_relation_with_type_and_strength(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.hover(desk.at(trio.ada))
    scene, canvas = desk.canvas.scene, desk.canvas
    assert scene is not None
    from ui.graph.hits import handle_place

    state = desk.page.picture.state
    assert state is not None
    x, y, _ = handle_place(scene, canvas.camera, state.index(trio.ada))
    desk.drag([QPoint(round(x), round(y)), desk.at(trio.cora)])
    card = desk.page.edits.card
    assert isinstance(card, RelationCard)
    card.relation.setCurrentIndex(card.relation.findData("advances"))
    card.strength.setValue(0.35)
    QTest.mouseClick(card.add, Qt.MouseButton.LeftButton)
    desk.ready()
    [edge] = [edge for edge in desk.edges(trio.ada) if edge.target == trio.cora]
    assert (edge.relation, edge.strength) == ("advances", pytest.approx(0.35))
    desk.undo()
    assert [edge.target for edge in desk.edges(trio.ada)] == [trio.bram]


def test_r_finds_the_other_end_by_typing(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.key(Qt.Key.Key_R)
    dialog = _dialog(desk)
    QTest.keyClicks(dialog.picker.search, "Cora")
    desk.qtbot.waitUntil(lambda: dialog.picker.picked == trio.cora)
    QTest.keyClick(dialog.picker.search, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: len(desk.edges(trio.ada)) == 2)
    desk.ready()
    assert {edge.target for edge in desk.edges(trio.ada)} == {trio.bram, trio.cora}


def _dialog(desk: Desk) -> RelationSearch:
    found = [
        widget
        for widget in QApplication.topLevelWidgets()
        if isinstance(widget, QDialog) and widget.isVisible()
    ]
    assert len(found) == 1
    assert isinstance(found[0], RelationSearch)
    return found[0]


def _card_of_edge(desk: Desk, trio: Trio) -> EdgeCard:
    desk.click(desk.between(trio.ada, trio.bram))
    card = desk.page.edits.card
    assert isinstance(card, EdgeCard)
    return card


def test_clicked_relation_is_changed_in_its_card(show: Opener, trio: Trio) -> None:
    desk = show()
    card = _card_of_edge(desk, trio)
    card.relation.setCurrentIndex(card.relation.findData("contradicts"))
    card.strength.setValue(0.5)
    card.valid_from.known.setChecked(True)
    begins = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    card.valid_from.edit.setDateTime(
        card.valid_from.edit.dateTime().fromSecsSinceEpoch(int(begins.timestamp()))
    )
    QTest.mouseClick(card.save, Qt.MouseButton.LeftButton)
    desk.ready()
    [edge] = desk.edges(trio.ada)
    assert (edge.relation, edge.strength, edge.valid_from) == ("contradicts", pytest.approx(0.5), begins)
    desk.undo()
    assert desk.edges(trio.ada)[0].relation == "involved_in"


def test_card_of_a_relation_saves_nothing_when_nothing_was_changed(show: Opener, trio: Trio) -> None:
    desk = show()
    before = desk.edges(trio.ada)
    card = _card_of_edge(desk, trio)
    QTest.mouseClick(card.save, Qt.MouseButton.LeftButton)
    desk.ready()
    assert desk.edges(trio.ada) == before


def test_relation_is_reversed_ended_and_removed_from_its_card(show: Opener, trio: Trio) -> None:
    desk = show()
    QTest.mouseClick(_card_of_edge(desk, trio).reverse, Qt.MouseButton.LeftButton)
    desk.ready()
    assert (desk.edges(trio.ada)[0].source, desk.edges(trio.ada)[0].target) == (trio.bram, trio.ada)
    QTest.mouseClick(_card_of_edge(desk, trio).end, Qt.MouseButton.LeftButton)
    desk.ready()
    assert desk.edges(trio.ada)[0].invalid_from is not None
    QTest.mouseClick(_card_of_edge(desk, trio).remove, Qt.MouseButton.LeftButton)
    desk.ready()
    assert desk.edges(trio.ada) == []
    for _ in range(3):
        desk.undo()
    [edge] = desk.edges(trio.ada)
    assert (edge.source, edge.target, edge.invalid_from) == (trio.ada, trio.bram, None)


def test_dropping_one_on_another_asks_and_does_nothing_by_itself(show: Opener, trio: Trio) -> None:
    desk = show()
    before = (desk.pins(), desk.edges(trio.cora))
    desk.drag([desk.at(trio.cora), desk.at(trio.bram)])
    menu = desk.page.edits.menu
    assert menu is not None
    assert menu.isVisible()
    assert (desk.pins(), desk.edges(trio.cora)) == before
    menu.actions()[0].trigger()
    menu.close()
    desk.ready()
    card = desk.page.edits.card
    assert isinstance(card, RelationCard)
    QTest.keyClick(card, Qt.Key.Key_Return)
    desk.ready()
    assert [(edge.source, edge.target) for edge in desk.edges(trio.cora)] == [(trio.cora, trio.bram)]


def test_dropping_one_on_another_groups_them_when_asked(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.drag([desk.at(trio.cora), desk.at(trio.bram)])
    menu = desk.page.edits.menu
    assert menu is not None
    menu.actions()[1].trigger()
    menu.close()
    card = desk.page.edits.card
    assert isinstance(card, GroupCard)
    QTest.keyClicks(card.name, "harbour")
    QTest.keyClick(card.name, Qt.Key.Key_Return)
    desk.ready()
    tags = {pk: desk.library.ask(MemoryDetailOf(pk)).tags.general for pk in (trio.ada, trio.bram, trio.cora)}
    assert tags == {trio.ada: (), trio.bram: ("harbour",), trio.cora: ("harbour",)}


def test_lasso_and_shift_click_select_and_the_list_follows(show: Opener, trio: Trio) -> None:
    desk = show()
    corners = [desk.at(trio.ada) + QPoint(*away) for away in ((-40, -40), (50, -40), (50, 50), (-40, 50))]
    desk.drag([*corners, corners[0]], SHIFT)
    assert desk.page.selected == (trio.ada,)
    desk.click(desk.at(trio.cora), SHIFT)
    assert set(desk.page.selected) == {trio.ada, trio.cora}
    desk.click(desk.at(trio.ada), CONTROL)
    assert desk.page.selected == (trio.cora,)
    assert desk.session.detail.memory == trio.cora
    desk.session.show_page("memories")
    desk.ready()
    assert desk.session.memories.selected() == (trio.cora,)
    desk.session.memories.table.select((trio.bram,))
    desk.session.show_page("graph")
    desk.ready()
    assert desk.page.selected == (trio.bram,)


def test_context_menu_archives_locks_and_sets_importance_of_the_selection(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.click(desk.at(trio.cora), SHIFT)
    desk.choose(desk.right_click(desk.at(trio.cora)), "memory.lock")
    assert [desk.memory(pk).locked for pk in (trio.ada, trio.bram, trio.cora)] == [True, False, True]
    desk.choose(desk.right_click(desk.at(trio.cora)), "memory.archive")
    assert [desk.memory(pk).status for pk in (trio.ada, trio.bram, trio.cora)] == [
        Status.ARCHIVED,
        Status.ACTIVE,
        Status.ARCHIVED,
    ]
    scene = desk.canvas.scene
    assert scene is not None
    assert scene.nodes.hollow.tolist() == [True, False, True]
    desk.undo()
    desk.undo()
    assert not desk.memory(trio.ada).locked
    assert desk.memory(trio.ada).status is Status.ACTIVE


def test_right_click_opens_a_menu_for_that_memory(show: Opener, trio: Trio) -> None:
    desk = show()
    menu = desk.right_click(desk.at(trio.bram))
    names = {action.objectName() for action in menu.actions() if not action.isSeparator()}
    menu.close()
    assert desk.page.selected == (trio.bram,)
    assert {"memory.edit", "memory.move", "memory.archive", "memory.lock", "memory.importance"} <= names


def test_selection_dropped_on_a_folder_moves_there(show: Opener, library: Library, trio: Trio) -> None:
    other = library.make_folder("attic")
    desk = show()
    folders = desk.page.side.folders
    data: QMimeData = encode_memories((trio.ada, trio.cora))
    event = QDropEvent(
        QPointF(folders.place_of(other)),
        Qt.DropAction.MoveAction | Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    folders.dropEvent(event)
    desk.ready()
    assert [desk.memory(pk).folder for pk in (trio.ada, trio.bram, trio.cora)] == [
        other,
        library.folder,
        other,
    ]


def test_nodes_dragged_out_of_the_canvas_are_carried(
    show: Opener, trio: Trio, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried: list[tuple[int, ...]] = []
    monkeypatch.setattr(Edits, "carry", lambda _self, pks: carried.append(pks))
    desk = show()
    before = desk.pins()
    desk.drag([desk.at(trio.ada), QPoint(-40, 200)])
    assert carried == [(trio.ada,)]
    assert desk.pins() == before


def test_double_click_and_enter_open_the_detail_beside(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.hover(desk.at(trio.cora))
    QTest.mouseDClick(
        desk.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, desk.at(trio.cora)
    )
    desk.ready()
    assert desk.session.detail.memory == trio.cora
    assert desk.session.detail.isVisible()
    desk.click(desk.at(trio.ada))
    desk.key(Qt.Key.Key_Return)
    assert desk.session.detail.memory == trio.ada


def test_unpinned_memory_moves_again_when_arranged(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.cora))
    desk.key(Qt.Key.Key_U)
    assert set(desk.pins()) == {trio.ada, trio.bram}
    desk.undo()
    assert set(desk.pins()) == {trio.ada, trio.bram, trio.cora}


def test_alt_arrows_move_and_pin_by_keyboard(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.cora))
    before = desk.pins()[trio.cora]
    for _ in range(3):
        desk.key(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    desk.qtbot.waitUntil(lambda: desk.pins()[trio.cora] != before)
    desk.ready()
    moved = desk.pins()[trio.cora]
    assert moved == pytest.approx((before[0] + 48 / desk.canvas.camera.scale, before[1]), abs=1.0)


def test_new_memory_here_stands_where_it_was_asked_for(show: Opener, trio: Trio) -> None:
    desk = show()
    here = desk.at(trio.cora) + QPoint(-150, -20)
    world = desk.canvas.camera.to_world(here.x(), here.y())
    desk.choose(desk.right_click(here), "memory.new")
    assert desk.session.detail.isVisible()
    editor = desk.session.detail.editor
    editor.form.set_value("summary" if "summary" in editor.form.values() else "body", "A bell rings")
    desk.session.detail.save()
    desk.qtbot.waitUntil(lambda: len(desk.pins()) == 4)
    desk.ready()
    [new] = set(desk.pins()) - {trio.ada, trio.bram, trio.cora}
    assert desk.pins()[new] == pytest.approx(world, abs=0.5)
    assert desk.page.selected == (new,)


def test_trashed_selection_is_gone_and_its_actions_rest(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    actions = desk.session.context.actions
    actions.get("memory.trash").trigger()
    desk.qtbot.waitUntil(lambda: desk.page.selected == ())
    desk.ready()
    assert not actions.get("memory.tags").isEnabled()
    desk.undo()
    assert desk.page.selected == ()
    assert not actions.get("memory.tags").isEnabled()


def test_g_in_the_list_looks_at_the_memory_on_the_graph(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.session.show_page("memories")
    table = desk.session.memories.table
    table.select((trio.bram,))
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_G)
    desk.ready()
    assert desk.page.isVisible()
    assert desk.page.selected == (trio.bram,)
    assert desk.session.detail.memory == trio.bram


def _merge_desk(desk: Desk) -> MergeDesk:
    def ready() -> bool:
        return any(each.choice is not None for each in desk.window.findChildren(MergeDesk))

    desk.qtbot.waitUntil(ready, timeout=10_000)
    return desk.window.findChildren(MergeDesk)[0]


def test_dropping_one_on_another_merges_them_on_the_desk_when_asked(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.drag([desk.at(trio.cora), desk.at(trio.bram)])
    menu = desk.page.edits.menu
    assert menu is not None
    desk.choose(menu, "Merge into \u2068Bram\u2069…")
    merging = _merge_desk(desk)
    assert desk.memory(trio.cora).merged_into is None  # nothing happens before it is looked at
    QTest.mouseClick(merging.merge_button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: desk.memory(trio.cora).merged_into == trio.bram)
    desk.ready()
    assert desk.page.picture.state is not None
    desk.undo()
    desk.qtbot.waitUntil(lambda: desk.memory(trio.cora).merged_into is None)


def test_context_menu_merges_the_selection_on_the_desk(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.click(desk.at(trio.cora), SHIFT)
    desk.choose(desk.right_click(desk.at(trio.cora)), "memory.merge")
    merging = _merge_desk(desk)
    assert merging.choice is not None
    assert set(merging._items[0].pks) == {trio.ada, trio.cora}
    merging.close()
    desk.ready()
