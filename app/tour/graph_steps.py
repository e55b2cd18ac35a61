"""The graph: the sample, a folder, a relation drawn by hand, the last injection, time, 10,000 memories."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.tour.desk_steps import CHAT, Step
from app.tour.long_story import plan
from app.tour.stage import Stage, StepFailed
from core.domain.commands_transfer import ApplyImport
from core.domain.graph import GraphData, GraphFilter, GraphOf
from core.domain.ids import MemoryPk
from core.domain.queries import FolderByName, ListMemories, LiveEdges, MemoryFilter
from core.domain.queries_recall import LastInjection
from ui.graph.coloring import Coloring
from ui.graph.culling import closed_groups, discs
from ui.graph.hits import handle_place
from ui.views.graph.cards import RelationCard
from ui.views.graph.page import GraphPage

MANY = 10_000
PATIENCE_MS = 180_000
LOOK_MS = 40


def _page(stage: Stage) -> GraphPage:
    return stage.session.graph


def _ready(stage: Stage) -> None:
    """Until the graph is loaded, laid out and exactly drawn: ten thousand memories may take a while."""
    page, waited = _page(stage), 0
    while page.picture.state is None or page.picture.live.running or not page.canvas.settled:
        if page.stack.shows == "notice" or waited > PATIENCE_MS:
            raise StepFailed("waited in vain for the graph")
        stage.pause(LOOK_MS)
        waited += LOOK_MS
    stage.pause()


def _node(stage: Stage, pk: int) -> int:
    state = _page(stage).picture.state
    assert state is not None
    return state.index(pk)


def _shown(stage: Stage) -> set[int]:
    scene = _page(stage).canvas.scene
    assert scene is not None
    return set(scene.nodes.pks[scene.nodes.shown].tolist())


def _data(stage: Stage) -> GraphData:
    return stage.ask(GraphOf(GraphFilter(memories=_page(stage).picture.scope)))


def whole(stage: Stage) -> None:
    """The whole sample library at a glance."""
    stage.session.show_page("graph")
    _ready(stage)
    stage.expect(_shown(stage), set(stage.ask(ListMemories())), "memories in the picture")


def folder(stage: Stage) -> None:
    """One chat's graph."""
    found = stage.ask(FolderByName(CHAT))
    assert found is not None
    _page(stage).show_folder(found.pk)
    stage.until(lambda: _page(stage).picture.state is not None, "the folder's graph")
    _ready(stage)
    wanted = stage.ask(ListMemories(MemoryFilter(folders=frozenset({found.pk}))))
    stage.expect(_shown(stage), set(wanted), "memories of the folder in the picture")


def near(stage: Stage) -> None:
    """The memory with most relations, its neighbours beside the canvas."""
    page, data = _page(stage), _data(stage)
    live = data.edges.live
    degree = np.bincount(np.concatenate((data.edges.source[live], data.edges.target[live])))
    pk = int(data.nodes.pks[int(degree.argmax())])
    page.go_to(pk)
    _ready(stage)
    stage.notes["hub"] = pk
    stage.expect(stage.session.detail.memory, pk, "memory in the detail pane")
    among = set(data.nodes.pks.tolist())
    edges = [view.edge for view in stage.ask(LiveEdges(MemoryPk(pk)))]
    inside = [edge for edge in edges if edge.source in among and edge.target in among]
    stage.expect(page.neighbours.list.count(), len(inside), "relations in the list of neighbours")


def draw(stage: Stage) -> None:
    """Drag the handle of the memory onto another one: the card asks for type and strength."""
    page, canvas = _page(stage), _page(stage).canvas
    pk = stage.notes["hub"]
    assert isinstance(pk, int)
    assert canvas.scene is not None
    related = {other for _, other in page.picture.state.neighbours(_node(stage, pk))}  # type: ignore[union-attr]
    target = _free_node(stage, pk, related)
    stage.notes["drawn_to"] = canvas.pk_of(target)
    _move(stage, canvas.place_of(_node(stage, pk)), held=False)
    x, y, _ = handle_place(canvas.scene, canvas.camera, _node(stage, pk))
    _move(stage, QPointF(x, y), held=False)
    _button(stage, QPointF(x, y), down=True)
    end = canvas.place_of(target)
    for share in (0.3, 0.7, 1.0):
        _move(stage, QPointF(x + (end.x() - x) * share, y + (end.y() - y) * share), held=True)
    _button(stage, end, down=False)
    stage.until(lambda: isinstance(page.edits.card, RelationCard), "the card of the new relation")


def _free_node(stage: Stage, pk: int, related: set[int]) -> int:
    """A node in view with room around it, to which there is no relation yet."""
    canvas = _page(stage).canvas
    scene = canvas.scene
    assert scene is not None
    inner = canvas.rect().adjusted(60, 60, -200, -160)
    for node in np.argsort(-scene.nodes.priority).tolist():
        place = canvas.place_of(node).toPoint()
        alone = canvas.node_at(place.x(), place.y()) == node
        if node not in related and node != _node(stage, pk) and inner.contains(place) and alone:
            return int(node)
    raise StepFailed("no memory to draw a relation to")


def drawn(stage: Stage) -> None:
    """Add it: the store has the relation. Undo takes it back."""
    page = _page(stage)
    pk, other = stage.notes["hub"], stage.notes["drawn_to"]
    assert isinstance(pk, int)
    card = page.edits.card
    assert isinstance(card, RelationCard)
    card.strength.setValue(0.9)
    stage.click(card.add)

    def there() -> bool:
        return any(view.edge.target == other for view in stage.ask(LiveEdges(MemoryPk(pk))) if view.live)

    stage.until(there, "the relation in the store")
    stage.act("edit.undo")
    stage.until(lambda: not there(), "the relation gone again")
    _ready(stage)


def injection(stage: Stage) -> None:
    """What was handed out last stands out, with the relations it came by."""
    page = _page(stage)
    run = stage.ask(LastInjection(page.folder))
    if run is None:
        page.seeing.show_injection(page.folder)
        stage.pause()
        return
    stage.act("graph.injection")
    stage.until(
        lambda: page.picture.state is not None and page.picture.state.highlight is not None, "the light"
    )
    _ready(stage)
    page.color_by(Coloring.ENERGY)
    _ready(stage)
    light = page.picture.state.highlight if page.picture.state is not None else None
    assert light is not None
    stage.expect(set(light.energy), {int(pk) for pk in run.selected}, "memories of the last injection")


def time(stage: Stage) -> None:
    """The graph as it was half way through the story."""
    page = _page(stage)
    page.seeing.highlight(None)
    page.color_by(Coloring.TYPE)
    page.canvas.fit()
    slider = page.time.slider
    slider.setValue(slider.maximum() // 2)
    stage.until(
        lambda: page.picture.state is not None and page.picture.state.moment is not None, "that floor"
    )
    _ready(stage)
    moment = page.picture.state.moment if page.picture.state is not None else None
    assert moment is not None
    nodes = _data(stage).nodes
    wanted = nodes.pks[(nodes.seq < 0) | (nodes.seq <= moment.value)] if moment.floors else None
    if wanted is not None:
        stage.expect(_shown(stage), set(wanted.tolist()), "memories that were there at that floor")
    page.clear_filters()
    _ready(stage)


def many(stage: Stage) -> None:
    """A library of ten thousand memories opens as communities."""
    stage.session.context.settings.set("embedder", "none")
    before = stage.session
    stage.window.create_library(stage.place / "long story")
    stage.until(lambda: stage.window.session not in {None, before}, "the new library")
    done: list[object] = []
    stage.session.operations.run(ApplyImport(plan(MANY)), done.append)
    waited = 0
    while not done:
        if waited > PATIENCE_MS:
            raise StepFailed("waited in vain for the import")
        stage.pause(LOOK_MS)
        waited += LOOK_MS
    stage.session.show_page("graph")
    _ready(stage)
    page = _page(stage)
    stage.until(
        lambda: page.picture.state is not None and page.picture.state.spots is not None, "the communities"
    )
    _ready(stage)
    stage.expect(len(_shown(stage)), MANY, "memories in the picture")


def community(stage: Stage) -> None:
    """A click on a community opens it: its memories are drawn."""
    canvas = _page(stage).canvas
    scene = canvas.scene
    if scene is None or scene.groups is None:
        raise StepFailed("no communities")
    closed = closed_groups(scene.groups, canvas.camera)
    middle, _ = discs(scene.groups, canvas.camera)
    group = int(np.flatnonzero(closed)[np.argmax(scene.groups.sizes[closed])])
    members = set(scene.nodes.pks[scene.groups.of_node == group].tolist())
    place = QPointF(*canvas.camera.place(*(float(value) for value in middle[group])))
    _button(stage, place, down=True)
    _button(stage, place, down=False)
    _ready(stage)
    picture = canvas.renderer.picture
    assert picture is not None
    drawn = set(scene.nodes.pks[picture.sight.nodes].tolist())
    stage.expect(members - drawn, set(), "members of the open community that are not drawn")


def _move(stage: Stage, place: QPointF, *, held: bool) -> None:
    buttons = Qt.MouseButton.LeftButton if held else Qt.MouseButton.NoButton
    _send(stage, QMouseEvent.Type.MouseMove, place, Qt.MouseButton.NoButton, buttons)


def _button(stage: Stage, place: QPointF, *, down: bool) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    kind = QMouseEvent.Type.MouseButtonPress if down else QMouseEvent.Type.MouseButtonRelease
    _send(stage, kind, place, left, left if down else none)


def _send(
    stage: Stage, kind: QMouseEvent.Type, place: QPointF, button: Qt.MouseButton, buttons: Qt.MouseButton
) -> None:
    canvas = _page(stage).canvas
    screen = QPointF(canvas.mapToGlobal(QPoint(round(place.x()), round(place.y()))))
    event = QMouseEvent(kind, place, screen, button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)
    stage.pause(LOOK_MS)


STEPS: tuple[tuple[str, Step], ...] = (
    ("40-graph", whole),
    ("41-graph-folder", folder),
    ("42-graph-near", near),
    ("43-graph-draw", draw),
    ("44-graph-drawn", drawn),
    ("45-graph-injection", injection),
    ("46-graph-time", time),
    ("47-graph-many", many),
    ("48-graph-community", community),
)
