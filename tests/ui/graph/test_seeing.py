"""Filters, time, focus, paths, highlights, search and keys: what is shown is compared with the store."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from core.domain.commands import ArchiveMemories, SetTags
from core.domain.commands_graph import EndEdges
from core.domain.graph import Arrangement
from core.domain.ids import EdgePk, MemoryId, MemoryPk, TypeId
from core.domain.memory import TagSet
from core.domain.recall import Injection, Layout, PathStep, Recalled, RecallRequest, RecallResult
from tests.ui.graph.conftest import Desk, Library, Opener, Trio
from ui.graph.coloring import Coloring


def shown(desk: Desk) -> set[int]:
    scene = desk.canvas.scene
    assert scene is not None
    return set(scene.nodes.pks[scene.nodes.shown].tolist())


def shown_edges(desk: Desk) -> set[int]:
    scene = desk.canvas.scene
    assert scene is not None
    lines = scene.lines
    both = lines.shown & scene.nodes.shown[lines.source] & scene.nodes.shown[lines.target]
    return set(desk.canvas.edge_pks[both].tolist())


def switch(desk: Desk, part: str, name: str) -> None:
    """Click a line of the legend."""
    lines = desk.page.side.legend.lines(part)
    item = next(
        item for at in range(lines.topLevelItemCount()) if (item := lines.topLevelItem(at)).text(0) == name
    )
    QTest.mouseClick(lines.viewport(), Qt.MouseButton.LeftButton, pos=lines.visualItemRect(item).center())
    desk.ready()


@pytest.fixture
def cast(library: Library, trio: Trio) -> Trio:
    """The three with a place and an event more."""
    place = library.memory("Harbour", "location", importance=9.0)
    event = library.memory("", "event", body="The lamp goes out", importance=2.0)
    library.edge(trio.cora, place, "occurred_at", strength=0.3)
    library.edge(event, place, "occurred_at", strength=0.9)
    library.put({place: (300.0, 180.0), event: (300.0, 320.0)})
    return trio


def test_legend_filters_types_and_says_how_many_are_shown(show: Opener, cast: Trio) -> None:
    desk = show()
    assert desk.page.tools.count.text() == "5 of 5 shown"
    switch(desk, "type", "Character")
    assert shown(desk).isdisjoint({cast.ada, cast.bram, cast.cora})
    assert desk.page.tools.count.text() == "2 of 5 shown"
    desk.page.tools.clear.click()
    desk.ready()
    assert len(shown(desk)) == 5


def test_choices_of_the_legend_are_there_again_and_each_folder_has_its_own(
    show: Opener, library: Library, cast: Trio
) -> None:
    first = show()
    switch(first, "type", "Character")
    first.page.color_by(Coloring.AGE)
    first.ready()
    first.window.close_library()
    first.qtbot.waitUntil(lambda: first.window.session is None)
    again = show()
    assert again.page.tools.count.text() == "2 of 5 shown"
    assert again.page.picture.coloring is Coloring.AGE
    again.page.show_folder(library.folder)
    again.ready()
    assert again.page.tools.count.text() == "5 of 5 shown"
    again.page.show_folder(None)
    again.ready()
    assert again.page.tools.count.text() == "2 of 5 shown"
    again.page.tools.clear.click()
    again.ready()
    again.window.close_library()
    again.qtbot.waitUntil(lambda: again.window.session is None)
    assert library.engine.drafts.get("view/graph") == {"color": "age", "shown": {}}


def test_very_many_folders_are_found_by_name_in_the_legend(show: Opener, library: Library) -> None:
    for number in range(60):
        library.memory("x", folder=library.make_folder(f"Chat {number:02}"))
    desk = show()
    section = desk.page.side.legend.section("folder")
    assert (section.lines.topLevelItemCount(), section.more.text()) == (40, "20 more: find them by name")
    QTest.keyClicks(section.search, "59")
    desk.qtbot.waitUntil(lambda: section.lines.topLevelItemCount() == 1)
    switch(desk, "folder", "Chat 59")
    QTest.keyClick(section.search, Qt.Key.Key_Escape)
    desk.qtbot.waitUntil(lambda: section.lines.topLevelItemCount() == 41)
    assert desk.page.tools.count.text() == "59 of 60 shown"
    assert section.more.text() == "19 more: find them by name"


def test_relations_and_strength_filter_edges_only(show: Opener, cast: Trio) -> None:
    desk = show()
    assert len(shown_edges(desk)) == 3
    desk.page.tools.panel.strength.setValue(0.5)
    desk.ready()
    assert len(shown_edges(desk)) == 2
    switch(desk, "relation", "Occurred at")
    assert shown_edges(desk) == {cast.edge}
    assert len(shown(desk)) == 5


def test_importance_and_tags_filter_memories(show: Opener, library: Library, cast: Trio) -> None:
    library.engine.run(SetTags(memories=(cast.ada, cast.cora), tags=TagSet(general=("tide",))))
    desk = show()
    desk.page.tools.panel.tags.input.setText("tide")
    desk.page.tools.panel.tags.commit()
    desk.ready()
    assert shown(desk) == {cast.ada, cast.cora}
    desk.page.tools.panel.importance.setValue(8.0)
    desk.ready()
    assert shown(desk) == set()
    assert desk.page.stack.shows == "notice"
    assert desk.page.stack.notice.button.text() == "Clear filters"
    desk.page.stack.notice.button.click()
    desk.ready()
    assert len(shown(desk)) == 5
    assert desk.page.stack.shows == "content"


def test_search_jumps_selects_and_filters(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.key(Qt.Key.Key_Slash)
    field = desk.page.tools.search
    assert field.hasFocus()
    QTest.keyClicks(field, "Bram")
    desk.qtbot.waitUntil(lambda: desk.page.selected == (cast.bram,))
    assert desk.canvas.over.pulse_at == desk.page.picture.state.index(cast.bram)  # type: ignore[union-attr]
    desk.ready()
    assert desk.page.tools.found.text() == "1 of 1"
    desk.page.tools.only.click()
    desk.ready()
    assert shown(desk) == {cast.bram}
    desk.page.clear_filters()
    desk.ready()
    assert len(shown(desk)) == 5


def test_search_for_a_name_looks_at_what_has_it_first(show: Opener, library: Library, cast: Trio) -> None:
    letter = library.memory("Bram Bram", body="Bram. Bram. Bram.")
    desk = show()
    desk.key(Qt.Key.Key_Slash)
    QTest.keyClicks(desk.page.tools.search, "bram")
    desk.qtbot.waitUntil(lambda: desk.page.selected == (cast.bram,))
    desk.ready()
    QTest.keyClick(desk.page.tools.search, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: desk.page.selected == (letter,))


def test_arrows_walk_along_relations_and_f_fits(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.click(desk.at(cast.ada))
    desk.key(Qt.Key.Key_Right)
    assert desk.page.selected == (cast.bram,)
    desk.key(Qt.Key.Key_Left)
    assert desk.page.selected == (cast.ada,)
    desk.key(Qt.Key.Key_Down)
    assert desk.page.selected == (cast.ada,)
    desk.key(Qt.Key.Key_Plus)
    nearer = desk.canvas.camera.scale
    desk.key(Qt.Key.Key_F)
    assert desk.canvas.camera.scale < nearer


def test_list_of_neighbours_names_them_and_leads_there(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.click(desk.at(cast.cora))
    desk.qtbot.waitUntil(lambda: desk.page.neighbours.list.count() == 1)
    line = desk.page.neighbours.list.item(0)
    desk.qtbot.waitUntil(lambda: "Harbour" in desk.page.neighbours.list.item(0).text())
    assert "Occurred at →" in desk.page.neighbours.list.item(0).text()
    desk.page.neighbours.list.itemActivated.emit(line if line is None else desk.page.neighbours.list.item(0))
    desk.ready()
    assert desk.memory(desk.page.selected[0]).title == "Harbour"


def test_focus_path_fold_and_hide(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.click(desk.at(cast.ada))
    desk.key(Qt.Key.Key_K)
    assert shown(desk) == {cast.ada, cast.bram}
    desk.key(Qt.Key.Key_A)
    assert len(shown(desk)) == 5
    desk.click(desk.at(cast.ada))
    desk.key(Qt.Key.Key_C)
    assert cast.bram not in shown(desk)
    desk.key(Qt.Key.Key_X)
    assert cast.bram in shown(desk)
    desk.key(Qt.Key.Key_H)
    assert cast.ada not in shown(desk)


def test_path_between_two_is_highlighted(show: Opener, library: Library, cast: Trio) -> None:
    way = library.edge(cast.bram, cast.cora, "advances")
    desk = show()
    desk.click(desk.at(cast.ada))
    desk.click(desk.at(cast.cora), Qt.KeyboardModifier.ShiftModifier)
    desk.key(Qt.Key.Key_B)
    scene = desk.canvas.scene
    assert scene is not None
    assert set(desk.canvas.edge_pks[scene.lines.bold].tolist()) == {cast.edge, way}
    assert set(scene.nodes.pks[~scene.nodes.dim].tolist()) == {cast.ada, cast.bram, cast.cora}
    assert desk.page.strip.light.text.text() == "Path through 2 relations"
    desk.page.strip.light.end.click()
    desk.ready()
    assert not desk.canvas.scene.nodes.dim.any()  # type: ignore[union-attr]


def test_recall_is_highlighted_with_its_ways_and_colours(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.page.show_recall(_result(cast))
    desk.ready()
    scene = desk.canvas.scene
    assert scene is not None
    assert set(scene.nodes.pks[~scene.nodes.dim].tolist()) == {cast.ada, cast.bram}
    assert set(desk.canvas.edge_pks[scene.lines.bold].tolist()) == {cast.edge}
    index = {int(pk): at for at, pk in enumerate(scene.nodes.pks)}
    assert scene.nodes.fill[index[cast.bram]] < scene.nodes.fill[index[cast.ada]]
    assert scene.nodes.fill[index[cast.cora]] == len(scene.palette) - 1


def _result(cast: Trio) -> RecallResult:
    request = RecallRequest(message="who carries the lamp?")
    steps = (PathStep(cast.ada, None, 0.9), PathStep(cast.bram, EdgePk(cast.edge), 0.4))

    def recalled(pk: MemoryPk, score: float, path: tuple[PathStep, ...]) -> Recalled:
        return Recalled(pk=pk, id=MemoryId(""), type=TypeId("character"), title="", score=score, path=path)

    return RecallResult(
        request=request,
        selected=(recalled(cast.ada, 0.9, steps[:1]), recalled(cast.bram, 0.4, steps)),
        core=(),
        left_out=(),
        stages=(),
        injection=Injection(text="", layout=Layout.TABLES),
    )


def test_no_injection_yet_is_said(show: Opener, cast: Trio) -> None:
    desk = show()
    said: list[str] = []
    desk.session.operations.said.connect(lambda text, _error: said.append(text))
    desk.key(Qt.Key.Key_I)
    assert any("Nothing was handed out" in text for text in said)


def test_time_slider_uses_floors_and_the_one_live_rule(show: Opener, library: Library) -> None:
    early = library.memory("", "event", body="first", seq=10)
    late = library.memory("", "event", body="second", seq=40)
    edge = library.edge(early, late, "advances", from_seq=40)
    library.engine.run(EndEdges(edges=(edge,), seq=60))
    last = library.memory("", "event", body="third", seq=80)
    desk = show()
    assert not desk.page.time.isHidden()
    for floor, memories, edges in (
        (10, {early}, set()),
        (45, {early, late}, {edge}),
        (70, {early, late}, set()),
    ):
        desk.page.time.slider.setValue(floor - 10)
        desk.ready()
        assert (shown(desk), shown_edges(desk)) == (memories, edges), floor
    desk.page.time.now.click()
    desk.ready()
    assert shown(desk) == {early, late, last}
    scene = desk.canvas.scene
    assert scene is not None
    assert scene.lines.past.tolist() == [True]


def test_time_slider_uses_dates_without_floors(show: Opener, library: Library, trio: Trio) -> None:
    desk = show()
    state = desk.page.picture.state
    assert state is not None
    span = state.time_range()
    assert span is not None
    assert not span[0].floors
    desk.page.time.slider.setValue(0)
    desk.ready()
    assert trio.cora not in shown(desk)
    assert trio.ada in shown(desk)


def test_never_recalled_stands_apart(show: Opener, library: Library, cast: Trio) -> None:
    desk = show()
    desk.page.color_by(Coloring.RECALLS)
    desk.ready()
    scene, colors = desk.canvas.scene, desk.page.picture.colors
    assert scene is not None
    assert colors is not None
    assert (scene.nodes.fill == len(colors.palette) - 1).all()
    assert [(entry.label, entry.count) for entry in colors.entries] == [("Never recalled", 5)]


@pytest.mark.parametrize("coloring", list(Coloring))
def test_every_colouring_paints_and_explains_itself(show: Opener, cast: Trio, coloring: Coloring) -> None:
    desk = show()
    desk.page.color_by(coloring)
    desk.ready()
    scene, colors = desk.canvas.scene, desk.page.picture.colors
    assert scene is not None
    assert colors is not None
    assert scene.nodes.fill.max() < len(scene.palette)
    assert colors.entries or colors.scale is not None


def test_change_of_another_program_is_shown_and_nothing_jumps(
    show: Opener, library: Library, cast: Trio
) -> None:
    desk = show()
    before = {pk: desk.at(pk) for pk in (cast.ada, cast.bram, cast.cora)}
    new = library.memory("Doro")
    library.edge(cast.ada, new)
    library.engine.run(ArchiveMemories(memories=(cast.cora,)))
    desk.qtbot.waitUntil(lambda: desk.page.picture.state.index(new) >= 0)  # type: ignore[union-attr]
    desk.ready()
    assert {pk: desk.at(pk) for pk in before} == before
    scene = desk.canvas.scene
    assert scene is not None
    assert np.isfinite(scene.nodes.positions).all()


def test_table_lists_what_is_shown(show: Opener, cast: Trio) -> None:
    from ui.views.graph.table import GraphTable

    desk = show()
    desk.page.show_table()
    desk.ready()
    table = next(child for child in desk.window.children() if isinstance(child, GraphTable))
    assert [table.tabs.tabText(at) for at in range(2)] == ["Memories 5", "Relations 3"]
    table.close()


def test_language_and_scheme_change_at_run_time(show: Opener, cast: Trio) -> None:
    desk = show()
    settings = desk.session.context.settings
    settings.set("language", "zh_CN")
    settings.set("theme", "dark")
    desk.ready()
    assert desk.page.tools.count.text() == "显示 5 / 5 条"
    assert desk.canvas.scene is not None
    assert desk.canvas.scene.paint.dark
    assert desk.canvas.grab().toImage().pixelColor(3, 3).lightness() < 60


def test_times_in_the_past_are_moments_of_the_slider() -> None:
    from core.domain.graph import micros, time_of

    at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(microseconds=5)
    assert time_of(micros(at)) == at


def test_lanes_of_the_arrangement_by_time_are_named(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.page.tools.arranged.emit(Arrangement.TIME)
    desk.ready()
    assert {guide.name for guide in desk.guides()} == {"Character", "Location", "Event"}


@pytest.mark.parametrize("arrangement", [a for a in Arrangement if a is not Arrangement.MEANING])
def test_every_arrangement_places_everything(show: Opener, cast: Trio, arrangement: Arrangement) -> None:
    desk = show()
    desk.page.tools.arranged.emit(arrangement)
    desk.ready()
    scene = desk.canvas.scene
    assert scene is not None
    assert np.isfinite(scene.nodes.positions).all()
    assert len(np.unique(scene.nodes.positions, axis=0)) == 5


def test_arrangement_by_meaning_without_vectors_is_refused_in_words(show: Opener, cast: Trio) -> None:
    desk = show()
    said: list[tuple[str, bool]] = []
    desk.session.operations.said.connect(lambda text, error: said.append((text, error)))
    desk.page.tools.arranged.emit(Arrangement.MEANING)
    desk.ready()
    assert any(error for _, error in said)
    assert desk.page.picture.arrangement is Arrangement.FORCE
    assert len(shown(desk)) == 5


def test_focus_reaches_as_far_as_is_chosen(show: Opener, library: Library, cast: Trio) -> None:
    library.edge(cast.bram, cast.cora)
    desk = show()
    desk.click(desk.at(cast.ada))
    desk.key(Qt.Key.Key_1)
    assert shown(desk) == {cast.ada, cast.bram}
    strip = desk.page.strip
    assert strip.focus.isVisible()
    assert "Ada" in strip.focus.text.text()
    strip.hops.setFocus()
    QTest.keyClick(strip.hops, Qt.Key.Key_Up)
    desk.ready()
    assert shown(desk) == {cast.ada, cast.bram, cast.cora}
    desk.key(Qt.Key.Key_5)
    assert len(shown(desk)) == 5
    desk.key(Qt.Key.Key_K)  # as far as last time
    assert len(shown(desk)) == 5
    QTest.mouseClick(strip.focus.end, Qt.MouseButton.LeftButton)
    desk.ready()
    assert not strip.focus.isVisible()
    assert not desk.page.tools.clear.isVisible()


def test_context_menu_offers_how_far_the_focus_reaches(show: Opener, cast: Trio) -> None:
    desk = show()
    menu = desk.right_click(desk.at(cast.cora))
    reach = next(action.menu() for action in menu.actions() if action.menu() is not None)
    assert reach is not None
    texts = [action.text() for action in reach.actions()]  # type: ignore[attr-defined]
    assert texts == ["1 relation", *(f"{hops} relations" for hops in range(2, 6))]
    reach.actions()[0].trigger()  # type: ignore[attr-defined]
    menu.close()
    desk.ready()
    assert len(shown(desk)) == 2


def test_escape_lets_go_of_the_selection_then_the_highlight_then_the_focus(show: Opener, cast: Trio) -> None:
    desk = show()
    desk.click(desk.at(cast.ada))
    desk.key(Qt.Key.Key_2)
    desk.click(desk.at(cast.bram), Qt.KeyboardModifier.ShiftModifier)
    desk.key(Qt.Key.Key_B)
    seen = []
    for _ in range(3):
        desk.key(Qt.Key.Key_Escape)
        seen.append((desk.page.selected, desk.page.strip.light.isVisible(), len(shown(desk))))
    assert seen == [((), True, 2), ((), False, 2), ((), False, 5)]


def test_coverage_of_recall_is_said_and_filters(show: Opener, library: Library, cast: Trio) -> None:
    from core.domain.queries_recall import Recall
    from core.domain.recall import RecallMode

    elsewhere = library.make_folder("elsewhere")
    never = {library.memory(f"Doro {number}", folder=elsewhere) for number in range(3)}
    request = RecallRequest(message="What does Ada carry?", folder=library.folder, mode=RecallMode.COMMIT)
    found = {each.pk for each in library.ask(Recall(request)).selected}
    assert found
    assert found.isdisjoint(never)
    desk = show()
    fold = desk.page.side.legend.section("recalled")
    assert f"{round(100 * len(found) / 8)} %" in fold.button.text()
    switch(desk, "recalled", "Recalled")
    assert shown(desk) == set(range(1, 9)) - found
    switch(desk, "recalled", "Never recalled")
    assert shown(desk) == set()


def test_last_injection_stands_out(show: Opener, library: Library, cast: Trio) -> None:
    from core.domain.queries_recall import LastInjection, Recall
    from core.domain.recall import RecallMode

    request = RecallRequest(message="What does Ada carry?", folder=library.folder, mode=RecallMode.COMMIT)
    library.ask(Recall(request))
    run = library.ask(LastInjection(library.folder))
    assert run is not None
    desk = show()
    desk.key(Qt.Key.Key_I)
    scene = desk.canvas.scene
    assert scene is not None
    assert set(map(int, run.selected)) <= set(scene.nodes.pks[~scene.nodes.dim].tolist())
    assert "What does Ada carry?" in desk.page.strip.light.text.text()
    desk.key(Qt.Key.Key_Escape)
    assert not desk.page.strip.light.isVisible()
