"""Room for the picture: the detail comes when something is chosen, the legend gives way, nothing jumps."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.graph import Arrangement
from tests.ui.graph.conftest import LEFT, NO_KEYS, Desk, Library, Opener, Trio


def on_screen(desk: Desk, pk: int) -> QPoint:
    return desk.canvas.mapToGlobal(desk.at(pk))


def test_detail_comes_when_something_is_chosen_and_goes_with_it(show: Opener, trio: Trio) -> None:
    desk = show()
    assert not desk.page.beside.isVisible()
    wide = desk.canvas.width()
    desk.click(desk.at(trio.ada))
    assert desk.session.detail.isVisible()
    assert desk.canvas.width() < wide
    desk.click(QPoint(8, 8))
    assert not desk.page.beside.isVisible()
    assert desk.canvas.width() == wide


def test_picture_stays_under_the_pointer_when_the_detail_comes(show: Opener, trio: Trio) -> None:
    desk = show()
    before = {pk: on_screen(desk, pk) for pk in (trio.ada, trio.bram, trio.cora)}
    desk.click(desk.at(trio.ada))
    assert desk.page.beside.isVisible()
    assert all((on_screen(desk, pk) - place).manhattanLength() <= 2 for pk, place in before.items())
    desk.click(QPoint(8, 8))
    assert all((on_screen(desk, pk) - place).manhattanLength() <= 2 for pk, place in before.items())


def test_second_click_of_a_double_click_meets_the_canvas(show: Opener, library: Library, trio: Trio) -> None:
    desk = show()
    desk.canvas.pan_by(desk.canvas.width() - 30 - desk.at(trio.bram).x(), 0)  # where the detail will be
    desk.ready()
    place = desk.at(trio.bram)
    desk.hover(place)
    QTest.mouseClick(desk.canvas, LEFT, NO_KEYS, place)
    assert not desk.page.beside.isVisible()
    QTest.mouseDClick(desk.canvas, LEFT, NO_KEYS, place)
    assert desk.session.detail.isVisible()
    desk.ready()
    assert desk.session.detail.memory == trio.bram
    assert desk.canvas.rect().contains(desk.at(trio.bram))  # brought in from below the detail


def test_legend_gives_way_in_a_small_window_unless_it_is_wanted(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.window.resize(1000, 640)
    desk.ready()
    page = desk.page
    assert page.side.isVisible()
    desk.click(desk.at(trio.ada))
    assert not page.side.isVisible()
    assert page.canvas.width() >= page.width() // 2
    QTest.mouseClick(page.tools.legend, LEFT)
    desk.ready()
    assert page.side.isVisible()
    QTest.mouseClick(page.tools.legend, LEFT)
    desk.ready()
    assert not page.side.isVisible()
    desk.window.resize(1600, 1000)
    desk.ready()
    assert not page.side.isVisible()  # a person's own choice stays


def test_what_stands_without_relations_is_counted_in_the_picture(
    show: Opener, library: Library, trio: Trio
) -> None:
    for number in range(6):
        library.memory(f"loner {number}")
    desk = show()
    assert [note.text for note in desk.notes()] == ["7 without relations"]
    desk.page.tools.arranged.emit(Arrangement.TREE)
    desk.ready()
    assert desk.notes() == ()  # all are outside compressions: nothing to tell apart


def test_bands_and_floors_of_chats_are_written_by_time(show: Opener, library: Library) -> None:
    other = library.make_folder("chats/fog")
    for floor in (3, 8, 21):
        library.memory("", "event", body=f"at {floor}", seq=floor)
        library.memory("", "event", body=f"fog {floor}", seq=floor * 10, folder=other)
    library.memory("Nora")
    library.memory("Theo", folder=library.make_folder("people"))
    desk = show()
    desk.page.tools.arranged.emit(Arrangement.TIME)
    desk.ready()
    heads = [guide.name for guide in sorted(desk.guides(), key=lambda each: each.y) if guide.head]
    assert heads == ["tale", "fog", "By date"]
    texts = [note.text for note in desk.notes()]
    assert {"Floor 3", "Floor 21", "Floor 30", "Floor 210"} <= set(texts)
    nora = next(pk for pk in range(1, 20) if desk.memory(pk).title == "Nora")
    events = list(range(1, 7, 2))
    assert desk.at(nora).x() < min(desk.at(pk).x() for pk in events)  # no floor: apart, on the left


def test_drag_in_the_minimap_looks_elsewhere(show: Opener, trio: Trio) -> None:
    desk = show()
    minimap = desk.page.minimap
    assert not minimap.isVisible()  # all is in view
    desk.canvas.zoom_by(3.0)
    desk.ready()
    assert minimap.isVisible()
    before = desk.canvas.camera
    place = QPoint(20, 20)
    _press(minimap, place)
    assert (desk.canvas.camera.x, desk.canvas.camera.y) != (before.x, before.y)
    assert desk.canvas.camera.x < before.x
    assert desk.canvas.camera.y < before.y


def _press(widget, place: QPoint) -> None:  # type: ignore[no-untyped-def]
    kind = QMouseEvent.Type.MouseButtonPress
    QApplication.sendEvent(
        widget, QMouseEvent(kind, QPointF(place), QPointF(widget.mapToGlobal(place)), LEFT, LEFT, NO_KEYS)
    )


def test_card_beside_the_pointer_says_what_a_memory_is(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.hover(desk.at(trio.bram))
    desk.qtbot.waitUntil(desk.page.hover.isVisible)
    assert desk.page.hover.title.text() == "Bram"
    assert desk.page.hover.facts.text().startswith("Character · tale · ")
    desk.hover(QPoint(6, 6))
    assert not desk.page.hover.isVisible()


def test_neighbours_are_reached_by_keyboard(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    lines = desk.page.neighbours.list
    desk.qtbot.waitUntil(lambda: "Bram" in lines.item(0).text())
    assert lines.accessibleName() == "\u2068Ada\u2069 · one relation"
    lines.setFocus()
    lines.setCurrentRow(0)
    QTest.keyClick(lines, Qt.Key.Key_Space)
    desk.ready()
    card = desk.page.edits.card
    assert card is not None
    card.close()
    lines.setFocus()
    lines.setCurrentRow(0)
    QTest.keyClick(lines, Qt.Key.Key_Return)
    desk.ready()
    assert desk.page.selected == (trio.bram,)


def test_reduced_motion_is_offered_where_one_looks(show: Opener, trio: Trio) -> None:
    desk = show()
    names = [action.objectName() for action in desk.page.tools.more_menu.actions()]
    assert "view.still" in names
    desk.session.context.actions.get("view.still").trigger()
    assert not desk.session.context.settings.get("ui.reduce_motion")
