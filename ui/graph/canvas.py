"""The canvas: the picture with a hand on it. What is under the pointer, what is picked, moved and drawn."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from ui.graph import hits
from ui.graph.interaction import Hand
from ui.graph.keys import press_key
from ui.graph.scene import Scene
from ui.graph.view import PictureView
from ui.tasks import TaskRunner, single_shot

NUDGE_MS = 450
"""So long after the last key nodes that were moved by keys are put down."""


class Canvas(PictureView):
    """Signals speak of memories and relations by pk, of places on the screen in global pixels."""

    picked = Signal(object)
    """(pks, current pk or None): the selection as a hand made it."""
    opened = Signal(object)
    hovered = Signal(object)
    pinned = Signal(object)
    """{pk: (x, y)}: nodes were put down there."""
    dropped_on = Signal(object, object, QPoint)
    linked = Signal(object, object, QPoint)
    relation_wanted = Signal(object)
    edge_clicked = Signal(object, QPoint)
    menu_wanted = Signal(object, QPoint)
    carried_out = Signal(object)
    group_opened = Signal(int)

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(tasks, parent)
        self.movable = True
        self._hand = Hand(self)
        self._pinch = _Pinch(self, self._hand)
        self._nudged: tuple[int, ...] = ()
        self._nudge_end = single_shot(self, NUDGE_MS, self._end_nudge)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # --- what is shown ---

    def show_scene(self, scene: Scene | None, edge_pks: NDArray[np.int64] | None = None) -> None:
        """Show this; None = nothing. What the hand holds stays in it, as far as it is still there."""
        before = self.scene
        if before is not None and scene is not None and before.nodes.pks is not scene.nodes.pks:
            self._renumber(before, scene)
        super().show_scene(scene, edge_pks)
        if scene is not None:
            self._hand.hold_on()

    def _renumber(self, before: Scene, now: Scene) -> None:
        """Other data: nodes have other numbers, and some are gone."""
        if np.array_equal(before.nodes.pks, now.nodes.pks):
            return
        pks = now.nodes.pks

        def number(node: int) -> int:
            pk = int(before.nodes.pks[node])
            at = int(np.searchsorted(pks, pk))
            return at if at < len(pks) and pks[at] == pk else -1

        over = self.over
        over.selected = frozenset(at for node in over.selected if (at := number(node)) >= 0)
        over.current = number(over.current) if over.current >= 0 else -1
        over.pulse_at = number(over.pulse_at) if over.pulse_at >= 0 else -1
        self._nudged = tuple(at for node in self._nudged if (at := number(node)) >= 0)
        self._hand.renumber(number)

    def select(self, nodes: Iterable[int], current: int = -1) -> None:
        """Ring these nodes."""
        self.over.selected = frozenset(nodes)
        self.over.current = current
        self.update()

    # --- what is where ---

    def node_at(self, x: float, y: float, besides: frozenset[int] = frozenset()) -> int:
        """The node under a place, -1 for none."""
        return -1 if self.scene is None else hits.node_at(self.scene, self.camera, x, y, besides)

    def group_at(self, x: float, y: float) -> int:
        """The closed community under a place, -1 for none."""
        groups = None if self.scene is None else self.scene.groups
        return -1 if groups is None else hits.closed_group_at(groups, self.camera, x, y)

    def edge_at(self, x: float, y: float) -> int:
        """The drawn edge under a place, -1 for none."""
        picture = self.renderer.picture
        drawn_of = self.renderer.picture_of
        if self.scene is None or picture is None or drawn_of is None:
            return -1
        if (
            drawn_of.lines.source is not self.scene.lines.source
        ):  # of older data: its edges have other numbers
            return -1
        return hits.edge_at(self.scene, self.camera, picture.sight.edges, x, y)

    def pk_of(self, node: int) -> int:
        """The memory of a node."""
        assert self.scene is not None
        return int(self.scene.nodes.pks[node])

    def edge_pk_of(self, edge: int) -> int:
        """The relation of an edge."""
        return int(self.edge_pks[edge])

    # --- what the hand does ---

    def hover_at(self, x: float, y: float) -> None:
        """Show what is under the pointer."""
        scene, over = self.scene, self.over
        if scene is None:
            return
        node = hits.node_at(scene, self.camera, x, y)
        if node < 0 <= over.hover < len(scene) and hits.near_node(scene, self.camera, over.hover, x, y):
            node = over.hover
        edge = -1 if node >= 0 else self.edge_at(x, y)
        group = node < 0 and edge < 0 and self.group_at(x, y) >= 0
        if (node, edge) != (over.hover, over.edge):
            over.hover, over.edge, over.handle = node, edge, node >= 0
            self.hovered.emit(self.pk_of(node) if node >= 0 else None)
            self.update()
        pointing = node >= 0 or edge >= 0 or group
        self.setCursor(Qt.CursorShape.PointingHandCursor if pointing else Qt.CursorShape.ArrowCursor)

    def pick(self, node: int, *, adds: bool = False) -> None:
        """Select a node (-1 = nothing); `adds` to what is selected, or takes it out again."""
        over = self.over
        if node < 0:
            over.selected, over.current = frozenset(), -1
        elif adds and node in over.selected:
            over.selected = over.selected - {node}
            over.current = next(iter(over.selected), -1) if over.current == node else over.current
        else:
            over.selected = over.selected | {node} if adds else frozenset({node})
            over.current = node
        self._tell_picked()

    def take_lasso(self, *, adds: bool) -> None:
        """Select what the line goes around."""
        line, self.over.lasso = self.over.lasso, []
        if self.scene is None:
            return
        inside = frozenset(hits.inside_lasso(self.scene, self.camera, line).tolist())
        self.over.selected = inside | self.over.selected if adds else inside
        self.over.current = next(iter(inside), -1)
        self._tell_picked()

    def _tell_picked(self) -> None:
        over = self.over
        pks = tuple(self.pk_of(node) for node in sorted(over.selected))
        self.picked.emit((pks, self.pk_of(over.current) if over.current >= 0 else None))
        self.update()

    def open_group(self, group: int) -> None:
        """Open a community and go there."""
        scene = self.scene
        if scene is not None and scene.groups is not None:
            members = np.flatnonzero((scene.groups.of_node == group) & scene.nodes.shown)
            self.group_opened.emit(group)
            self.fit(members.tolist())

    def take_up(self, node: int) -> dict[int, tuple[float, float]]:
        """The nodes that move with a node, and where they are: the selection when it belongs to it."""
        assert self.scene is not None
        group = self.over.selected if node in self.over.selected else frozenset({node})
        places = self.scene.nodes.positions
        return {each: (float(places[each, 0]), float(places[each, 1])) for each in (*group, node)}

    def move_to(self, places: dict[int, tuple[float, float]]) -> None:
        """Put nodes elsewhere, for the time of the drag."""
        if self.scene is not None:
            positions = self.scene.nodes.positions.copy()
            positions[list(places)] = np.array(list(places.values()), dtype=np.float32)
            self._replace(positions)

    def nudge(self, dx: float, dy: float) -> None:
        """Move the selected nodes by pixels, as the keyboard does; they are put down when it pauses."""
        if self.over.current < 0 or not self.movable:
            return
        away = (dx / self.camera.scale, dy / self.camera.scale)
        places = self.take_up(self.over.current)
        self._nudged = tuple(places)
        self.move_to({node: (x + away[0], y + away[1]) for node, (x, y) in places.items()})
        self._nudge_end.start()

    def _end_nudge(self) -> None:
        if self.scene is not None and self._nudged:
            self.put_down(tuple(node for node in self._nudged if node < len(self.scene)))

    def put_back(self, places: dict[int, tuple[float, float]]) -> None:
        """The drag came to nothing."""
        self.over.target = -1
        self.move_to(places)

    def put_down(self, nodes: tuple[int, ...]) -> None:
        """The nodes stay where they are now: they are to be pinned."""
        assert self.scene is not None
        places = self.scene.nodes.positions
        self.pinned.emit(
            {self.pk_of(node): (float(places[node, 0]), float(places[node, 1])) for node in nodes}
        )

    # --- events ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._hand.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hand.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hand.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._hand.double(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._hand.wheel(event)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.over.hover = self.over.edge = -1
        self.hovered.emit(None)
        self.update()
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        node = -1
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            node = self.node_at(event.pos().x(), event.pos().y())
            if node >= 0 and node not in self.over.selected:
                self.pick(node)
        elif self.over.current >= 0:
            node = self.over.current
        self.menu_wanted.emit(self.pk_of(node) if node >= 0 else None, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._hand.cancel():
            return
        if not press_key(self, event):
            super().keyPressEvent(event)


class _Pinch(QObject):
    """Two fingers on a touch pad. A filter, since an `event` of its own would stand around every other event."""

    def __init__(self, canvas: Canvas, hand: Hand) -> None:
        super().__init__(canvas)
        self._hand = hand
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.NativeGesture and isinstance(event, QNativeGestureEvent):
            self._hand.pinch(event)
            return True
        return False
