"""Graphs that are hard to draw: none, one, two nodes, no relations, hubs, loops, parallel edges, NaN."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.tour.long_story import plan
from core.domain.commands_transfer import ApplyImport
from core.domain.graph import GraphOf, KeepPositions
from tests.ui.graph.conftest import KEY, Library, Opener, Trio
from ui.path_choice import PathChoice
from ui.views.graph.page import GraphPage


def test_empty_library_says_so_with_a_way_out(show: Opener, library: Library) -> None:
    desk = show()
    assert desk.page.stack.shows == "notice"
    assert desk.page.stack.notice.button.text()


@pytest.mark.parametrize("count", [1, 2, 7])
def test_memories_without_relations_are_drawn_with_a_hint(show: Opener, library: Library, count: int) -> None:
    pks = [library.memory(f"memory {number}") for number in range(count)]
    desk = show()
    assert desk.page.stack.shows == "content"
    assert desk.page.notes.hint.isVisible() is (count > 1)
    for pk in pks:
        assert desk.canvas.rect().contains(desk.at(pk))
    desk.click(desk.at(pks[0]))
    assert desk.page.selected == (pks[0],)


def test_empty_folder_offers_the_whole_library(show: Opener, library: Library, trio: Trio) -> None:
    empty = library.make_folder("empty")
    desk = show()
    desk.page.show_folder(empty)
    desk.ready()
    assert desk.page.stack.shows == "notice"
    desk.page.stack.notice.button.click()
    desk.ready()
    assert desk.page.tools.count.text() == "3 of 3 shown"


def test_hub_loops_and_parallel_relations_are_drawn(show: Opener, library: Library) -> None:
    hub = library.memory("hub", importance=10.0)
    others = [library.memory(f"spoke {number}") for number in range(40)]
    for other in others:
        library.edge(other, hub)
    for relation in ("advances", "updates", "contradicts"):
        library.edge(hub, others[0], relation)
        library.edge(others[0], hub, relation)
    desk = show()
    desk.click(desk.at(hub))
    assert len(desk.page.picture.state.neighbours(desk.page.picture.state.index(hub))) == 46  # type: ignore[union-attr]
    desk.canvas.zoom_by(6.0)
    desk.ready()


def test_saved_places_that_are_no_numbers_are_found_anew(show: Opener, library: Library) -> None:
    pks = np.array([library.memory(f"memory {number}") for number in range(5)], dtype=np.int64)
    places = np.full((5, 2), np.nan, dtype=np.float32)
    places[0] = (np.inf, 0)
    library.ask(KeepPositions(KEY, pks, places))
    show().ready()
    assert np.isfinite(library.ask(GraphOf()).positions).all()


def test_pulse_waits_for_a_place(show: Opener, trio: Trio) -> None:
    desk = show()
    scene, state = desk.canvas.scene, desk.page.picture.state
    assert scene is not None
    assert state is not None
    node = state.index(trio.ada)
    scene.nodes.positions[node] = np.nan
    desk.canvas.over.pulse_at = node
    desk.canvas.grab()  # a warning of Qt fails the test
    desk.canvas.over.pulse_at = -1


def test_places_are_kept_and_come_back(show: Opener, library: Library) -> None:
    pks = [library.memory(f"memory {number}") for number in range(12)]
    for a, b in pairwise(pks):
        library.edge(a, b)
    desk = show()
    state = desk.page.picture.state
    assert state is not None
    kept = library.ask(GraphOf())
    assert np.array_equal(kept.positions, state.positions)


@pytest.mark.timeout(240)
def test_large_graph_opens_as_communities_that_a_click_opens(show: Opener, library: Library) -> None:
    library.engine.run(ApplyImport(plan(2_400)))
    desk = show()
    desk.qtbot.waitUntil(lambda: desk.page.picture.state.spots is not None, timeout=30_000)  # type: ignore[union-attr]
    desk.ready()
    scene = desk.canvas.scene
    assert scene is not None
    assert scene.groups is not None
    from ui.graph.culling import closed_groups, discs

    closed = closed_groups(scene.groups, desk.canvas.camera)
    assert closed.sum() >= 3
    group = int(np.flatnonzero(closed)[0])
    middle, _ = discs(scene.groups, desk.canvas.camera)
    x, y = desk.canvas.camera.place(*map(float, middle[group]))
    desk.click(QPoint(round(x), round(y)))
    scene = desk.canvas.scene
    assert scene is not None
    assert scene.groups is not None
    assert not closed_groups(scene.groups, desk.canvas.camera)[group]
    picture = desk.canvas.renderer.picture
    assert picture is not None
    members = np.flatnonzero(scene.groups.of_node == group)
    assert np.isin(members, picture.sight.nodes).all()


@pytest.mark.timeout(240)
def test_library_changes_in_mid_layout_and_closing_during_it(show: Opener, library: Library) -> None:
    library.engine.run(ApplyImport(plan(1_200)))
    desk = show()
    page: GraphPage = desk.page
    page.picture.arrange_anew()
    desk.qtbot.waitUntil(lambda: page.picture.live.done > 0.02, timeout=30_000)
    first = int(page.picture.state.data.nodes.pks[0])  # type: ignore[union-attr]
    new = library.memory("late guest")
    library.edge(new, first)
    desk.qtbot.waitUntil(lambda: page.picture.state.index(new) >= 0, timeout=30_000)  # type: ignore[union-attr]
    desk.ready()
    state = page.picture.state
    assert state is not None
    assert np.isfinite(state.positions[state.index(new)]).all()
    page.picture.arrange_anew()
    desk.qtbot.waitUntil(lambda: page.picture.live.done > 0.01, timeout=30_000)
    desk.window.close_library()


def test_view_and_graph_are_written_as_files(
    show: Opener, library: Library, trio: Trio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        PathChoice, "save_file", lambda _self, _parent, _title, suggested, _kind: tmp_path / suggested.name
    )
    desk = show()
    desk.click(desk.at(trio.cora))
    desk.key(Qt.Key.Key_H)
    for kind in ("png", "svg", "graphml"):
        desk.session.context.actions.get(f"graph.{kind}").trigger()
        desk.ready()
    names = {path.suffix: path for path in tmp_path.glob("memory graph.*")}
    assert names[".png"].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in names[".svg"].read_bytes()
    from xml.etree import ElementTree as ET

    tree = ET.parse(names[".graphml"])
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}

    def values(node: ET.Element) -> dict[str, str]:
        return {item.get("key", ""): item.text or "" for item in node.findall("g:data", space)}

    nodes = {values(item)["n_label"]: item for item in tree.findall(".//g:node", space)}
    assert set(nodes) == {"Ada", "Bram"}  # Cora was hidden: what is in sight is written
    bram = values(nodes["Bram"])
    assert (float(bram["n_x"]), float(bram["n_y"])) == (200.0, 0.0)
    [edge] = tree.findall(".//g:edge", space)
    assert (edge.get("source"), edge.get("target")) == (nodes["Ada"].get("id"), nodes["Bram"].get("id"))
    assert nodes["Ada"].get("id") == desk.memory(trio.ada).id


def test_relations_between_folders_are_written_as_graphml(library: Library, tmp_path: Path) -> None:
    from core.domain.graph import ExportGraph

    other = library.make_folder("other")
    one, two = library.memory("Ada"), library.memory("Bram", folder=other)
    edge = library.edge(one, two)
    nowhere = np.full((2, 2), np.nan, dtype=np.float32)
    report = library.ask(
        ExportGraph(np.array([one, two]), nowhere, np.array([edge]), tmp_path / "both.graphml")
    )
    assert report.counts == {"folders": 2, "memories": 2, "edges": 1}
    assert not report.problems
    assert "n_x" not in (tmp_path / "both.graphml").read_text("utf-8").split("<graph ")[1]


def test_wheel_zooms_about_the_pointer_and_drag_pans(show: Opener, trio: Trio) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent
    from PySide6.QtWidgets import QApplication

    desk = show()
    place, before = desk.at(trio.bram), desk.canvas.camera.scale
    wheel = QWheelEvent(
        QPointF(place),
        QPointF(desk.canvas.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(desk.canvas, wheel)
    assert desk.canvas.camera.scale > before
    assert (desk.at(trio.bram) - place).manhattanLength() <= 2
    corner = QPoint(12, 12)
    desk.drag([corner, corner + QPoint(80, 30)])
    assert (desk.at(trio.bram) - place - QPoint(80, 30)).manhattanLength() <= 2


def test_single_letters_do_nothing_while_typing(show: Opener, trio: Trio) -> None:
    desk = show()
    desk.click(desk.at(trio.ada))
    desk.page.tools.search.setFocus()
    QTest.keyClicks(desk.page.tools.search, "h")
    assert desk.page.tools.search.text() == "h"
    assert desk.canvas.scene is not None
    assert desk.canvas.scene.nodes.shown.all()
