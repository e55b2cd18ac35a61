"""The canvas: shows the newest picture through the present camera, at once, whatever is being drawn."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from ui.graph import hits
from ui.graph.camera import Camera
from ui.graph.culling import spread
from ui.graph.interaction import Hand
from ui.graph.keys import press_key
from ui.graph.overlays import Guide, Over, paint_over, rim_of
from ui.graph.painter import Care, Picture
from ui.graph.renderer import Renderer
from ui.graph.scene import Reals, Scene
from ui.tasks import TaskRunner, single_shot

SETTLE_MS = 45
"""So long after the last move the exact picture is begun."""
STREAM_SETTLE_MS = 700
"""While positions come it is not begun between two of them."""
TURN_MS, NUDGE_MS = 16, 450
GLIDE_MS, PULSE_MS = 220, 900
IN_PX = 48
"""So far from the rim is in view."""
STALE_SCALE = 1.7
"""Blown up or shrunk by more than this a picture is drawn anew although one is still moving."""


class Canvas(QWidget):
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
    moved = Signal()
    """The camera looks elsewhere."""

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        self.camera = Camera()
        self.over = Over()
        self.movable = True
        self.still = False
        """No motion that was not asked for."""
        self.ground = QColor("white")
        self.touched = False
        """Whether a hand chose what is looked at; until then everything is kept in view."""
        self.edge_pks = np.empty(0, dtype=np.int64)
        self._rim_px = 0.0
        self._corner = (QPoint(), QSize())
        """Where the canvas stood in its window, and how large that was."""
        self.renderer = Renderer(tasks, self)
        self.renderer.ready.connect(self._on_picture)
        self._hand = Hand(self)
        self._pinch = _Pinch(self, self._hand)
        self._settle = single_shot(self, SETTLE_MS, self._want_exact)
        self._glide = QVariantAnimation(self)
        self._glide.setDuration(GLIDE_MS)
        self._glide.valueChanged.connect(self._on_glide)
        self._ways = (self.camera, self.camera)
        self._pulse = QTimer(self)
        self._pulse.setInterval(TURN_MS)
        self._pulse.timeout.connect(self._on_pulse)
        self._pulse_from = 0.0
        self._pulse_end = single_shot(self, PULSE_MS, self._end_pulse)
        self._nudged: tuple[int, ...] = ()
        self._nudge_end = single_shot(self, NUDGE_MS, self._end_nudge)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(200, 160)

    def sizeHint(self) -> QSize:
        return QSize(900, 640)

    # --- what is shown ---

    def show_scene(self, scene: Scene | None, edge_pks: NDArray[np.int64] | None = None) -> None:
        """Show this; None = nothing. What the hand holds stays in it, as far as it is still there."""
        before, self.scene = self.scene, scene
        if edge_pks is not None:
            self.edge_pks = edge_pks
        if scene is None:
            self.renderer.forget()
            self.over = Over()
        else:
            self.over.hover = self.over.edge = self.over.target = -1
            if before is not None and before.nodes.pks is not scene.nodes.pks:
                self._renumber(before, scene)
            self.renderer.show(scene)
            self._want_exact()
            self._hand.hold_on()
        self.update()

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

    def stream(self, positions: Reals, *, fit: bool) -> None:
        """The same scene with nodes elsewhere: drawn quickly, exactly when no more come. `fit`: all is kept
        in view, as long as no hand has chosen what is looked at."""
        if self.scene is not None:
            self.over.guides, self.over.notes = (), ()
            self.scene = self.scene.moved(positions)
            if fit and not self.touched:
                self.fit(glide=False)
            self._replace(positions, STREAM_SETTLE_MS)

    def _replace(self, positions: Reals, settle_ms: int = SETTLE_MS) -> None:
        assert self.scene is not None
        self.scene = self.scene.moved(positions)
        self.renderer.show(self.scene)
        self.renderer.want(self.camera, Care.MOVING)
        self._settle.start(settle_ms)
        self.update()

    def select(self, nodes: Iterable[int], current: int = -1) -> None:
        """Ring these nodes."""
        self.over.selected = frozenset(nodes)
        self.over.current = current
        self.update()

    def pulse(self, node: int) -> None:
        """Draw the eye to a node."""
        self.over.pulse_at, self.over.pulse = node, 0.35 if self.still else 0.0
        self._pulse_from = time.monotonic()
        if self.still:
            self._pulse_end.start()
        else:
            self._pulse.start()
        self.update()

    # --- the camera ---

    def fit(self, nodes: Iterable[int] | None = None, *, glide: bool = True) -> None:
        """Show everything, or all of these nodes."""
        if self.scene is None:
            return
        values, groups = self.scene.nodes, self.scene.groups
        which = values.shown if nodes is None else np.fromiter(nodes, dtype=np.int64)
        camera = self.camera.fitting(values.positions[which], left_px=self._rim_px)
        if nodes is None and groups is not None:
            camera = self.camera.fitting(spread(self.scene, camera)[which])
        if glide:
            self.go_to(camera)
        else:
            self._look(camera)

    def leave_rim(self, guides: tuple[Guide, ...]) -> None:
        """Leave room for these names at the left."""
        rim = rim_of(guides, self.scene) if self.scene is not None else 0.0
        if rim != self._rim_px:
            self._rim_px = rim
            if not self.touched:
                self.fit(glide=False)

    def bring_in(self, node: int) -> None:
        """Move the picture just so far that a node is in view."""
        if self.scene is None or not np.isfinite(self.scene.nodes.positions[node]).all():
            return
        at, room = self.place_of(node), QRectF(self.rect()).adjusted(IN_PX, IN_PX, -IN_PX, -IN_PX)
        dx = min(max(at.x(), room.left()), room.right()) - at.x()
        dy = min(max(at.y(), room.top()), room.bottom()) - at.y()
        if dx or dy:
            self.go_to(self.camera.panned(dx, dy))

    def go_to(self, camera: Camera) -> None:
        """Glide there, or be there at once where motion is not wanted."""
        self.touched = True
        self._glide.stop()
        if self.still or not self.isVisible():
            self._look(camera)
            return
        self._ways = (self.camera, camera)
        self._glide.setStartValue(0.0)
        self._glide.setEndValue(1.0)
        self._glide.start()

    def centre_on(self, node: int, scale_least: float = 0.0) -> None:
        """Look at a node."""
        if self.scene is not None and np.isfinite(self.scene.nodes.positions[node]).all():
            x, y = (float(value) for value in self.scene.nodes.positions[node])
            self.go_to(self.camera.centred(x, y, max(self.camera.scale, scale_least)))

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the picture by pixels."""
        self._take_over()
        self._look(self.camera.panned(dx, dy))

    def zoom_by(self, factor: float, x: float | None = None, y: float | None = None) -> None:
        """Nearer or farther, about a place of the view."""
        self._take_over()
        at = (self.width() / 2 if x is None else x, self.height() / 2 if y is None else y)
        self._look(self.camera.zoomed(factor, *at))

    def _take_over(self) -> None:
        self.touched = True
        self._glide.stop()

    def _look(self, camera: Camera) -> None:
        self.camera = camera
        picture = self.renderer.picture
        if picture is not None:
            ratio = camera.scale / picture.camera.scale
            if not (1 / STALE_SCALE < ratio < STALE_SCALE) or not _covers(picture.camera, camera):
                self.renderer.want(camera, Care.MOVING)
        self._settle.start(SETTLE_MS)
        self.moved.emit()
        self.update()

    def _on_glide(self, share: float) -> None:
        start, end = self._ways
        self._look(start.between(end.resized(self.width(), self.height()), float(share)))

    def _want_exact(self) -> None:
        self.renderer.ratio = self.devicePixelRatioF()
        self.renderer.want(self.camera, Care.EXACT)

    def _on_picture(self) -> None:
        if not self._settle.isActive():
            picture = self.renderer.picture
            if picture is not None and picture.care is Care.EXACT:
                self.renderer.want_overview()
        self.update()

    @property
    def settled(self) -> bool:
        """Whether the picture is the exact one of what is looked at."""
        picture = self.renderer.picture
        return (
            not self._settle.isActive()
            and not self.renderer.busy
            and picture is not None
            and picture.care is Care.EXACT
            and self.renderer.picture_of is self.scene
            and _covers(picture.camera, self.camera)
        )

    # --- drawing ---

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.ground)
        picture = self.renderer.picture
        if picture is None or not _covers(picture.camera, self.camera):
            self._blit(painter, self.renderer.overview)
        self._blit(painter, picture)
        if self.scene is not None:
            paint_over(painter, self.scene, self.camera, self.over)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(self.scene.paint.accent) if self.scene is not None else QColor("gray"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _blit(self, painter: QPainter, picture: Picture | None) -> None:
        if picture is not None:
            x, y, width, height = self.camera.rect_of(picture.camera)
            painter.drawImage(QRectF(x, y, width, height), picture.image)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size: all is kept in view until a hand chose what is. When only a neighbouring pane came
        or went the picture stays where it is on the screen, under the pointer."""
        super().resizeEvent(event)
        before, window = self._corner
        corner = self.mapTo(self.window(), QPoint())
        self._corner = (corner, self.window().size())
        width, height = self.camera.width, self.camera.height
        self.camera = self.camera.resized(self.width(), self.height())
        if window == self._corner[1] and (self.touched or self.over.selected):
            grown = (self.camera.width - width, self.camera.height - height)
            self.camera = self.camera.panned(
                before.x() - corner.x() - grown[0] / 2, before.y() - corner.y() - grown[1] / 2
            )
        elif not self.touched:
            self.fit(glide=False)
        self._settle.start(SETTLE_MS)
        self.moved.emit()

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

    def place_of(self, node: int) -> QPointF:
        """Where a node is in the view."""
        assert self.scene is not None
        place = spread(self.scene, self.camera, np.array([node]))[0]
        return QPointF(*self.camera.place(*(float(value) for value in place)))

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

    def _on_pulse(self) -> None:
        self.over.pulse = (time.monotonic() - self._pulse_from) * 1000 / PULSE_MS
        if self.over.pulse >= 1:
            self._end_pulse()
        self.update()

    def _end_pulse(self) -> None:
        self._pulse.stop()
        self.over.pulse_at = -1
        self.update()


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


def _covers(outer: Camera, view: Camera) -> bool:
    """Whether a picture seen by one camera has no bare rim in the view of another."""
    return outer.holds(view)
