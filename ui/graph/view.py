"""The picture: shows the newest one through the present camera, at once, whatever is being drawn."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.graph.camera import Camera
from ui.graph.culling import spread
from ui.graph.overlays import Over, paint_over
from ui.graph.painter import Care, Picture
from ui.graph.renderer import Renderer
from ui.graph.scene import Reals, Scene
from ui.graph.words import rim_of
from ui.tasks import TaskRunner, single_shot

SETTLE_MS = 45
"""So long after the last move the exact picture is begun."""
STREAM_SETTLE_MS = 700
"""While positions come it is not begun between two of them."""
TURN_MS = 16
GLIDE_MS, PULSE_MS = 220, 900
IN_PX = 48
"""So far from the rim is in view."""
STALE_SCALE = 1.7
"""Blown up or shrunk by more than this a picture is drawn anew although one is still moving."""


class PictureView(QWidget):
    """A scene that can be looked at from elsewhere. Nodes by index, places in pixels of the view."""

    moved = Signal()
    """The camera looks elsewhere."""

    def __init__(self, tasks: TaskRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        self.camera = Camera()
        self.over = Over()
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
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(200, 160)

    def sizeHint(self) -> QSize:
        return QSize(900, 640)

    # --- what is shown ---

    def show_scene(self, scene: Scene | None, edge_pks: NDArray[np.int64] | None = None) -> None:
        """Show this; None = nothing."""
        self.scene = scene
        if edge_pks is not None:
            self.edge_pks = edge_pks
        if scene is None:
            self.renderer.forget()
            self.over = Over()
        else:
            self.over.hover = self.over.edge = self.over.target = -1
            self.renderer.show(scene)
            self._leave_rim(rim_of(scene))
            self._want_exact()
        self.update()

    def _leave_rim(self, rim_px: float) -> None:
        """Leave so much room at the left for the names of lanes."""
        if rim_px != self._rim_px:
            self._rim_px = rim_px
            if not self.touched:
                self.fit(glide=False)

    def stream(self, positions: Reals, *, fit: bool) -> None:
        """The same scene with nodes elsewhere: drawn quickly, exactly when no more come. `fit`: all is kept
        in view, as long as no hand has chosen what is looked at."""
        if self.scene is not None:
            self.scene = replace(self.scene.moved(positions), guides=(), notes=())
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
        or went for what was clicked, the picture stays where it is on the screen, under the pointer."""
        super().resizeEvent(event)
        before, window = self._corner
        corner = self.mapTo(self.window(), QPoint())
        self._corner = (corner, self.window().size())
        width, height = self.camera.width, self.camera.height
        self.camera = self.camera.resized(self.width(), self.height())
        if window == self._corner[1] and (self.touched or (self.over.selected and self.hasFocus())):
            grown = (self.camera.width - width, self.camera.height - height)
            self.camera = self.camera.panned(
                before.x() - corner.x() - grown[0] / 2, before.y() - corner.y() - grown[1] / 2
            )
        elif not self.touched:
            self.fit(glide=False)
        self._settle.start(SETTLE_MS)
        self.moved.emit()

    def place_of(self, node: int) -> QPointF:
        """Where a node is in the view."""
        assert self.scene is not None
        place = spread(self.scene, self.camera, np.array([node]))[0]
        return QPointF(*self.camera.place(*(float(value) for value in place)))

    def _on_pulse(self) -> None:
        self.over.pulse = (time.monotonic() - self._pulse_from) * 1000 / PULSE_MS
        if self.over.pulse >= 1:
            self._end_pulse()
        self.update()

    def _end_pulse(self) -> None:
        self._pulse.stop()
        self.over.pulse_at = -1
        self.update()


def _covers(outer: Camera, view: Camera) -> bool:
    """Whether a picture seen by one camera has no bare rim in the view of another."""
    return outer.holds(view)
