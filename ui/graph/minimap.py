"""A small picture of everything with a frame around what is looked at; a drag in it looks elsewhere."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ui.graph.camera import Camera
from ui.graph.canvas import Canvas
from ui.graph.scene import Scene

SIZE, SMALL = QSize(168, 116), QSize(116, 80)
SMALL_BELOW_PX = 640
"""On a narrower canvas it is smaller, so that it does not cover what it is a map of."""
PAD_PX = 6
IN_PX = 4.0


class Minimap(QWidget):
    """Lies over a corner of the canvas; shown while not everything is in view."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self.wanted = True
        self._box_of: Scene | None = None
        self._box: tuple[list[float], list[float]] | None = None
        self.setFixedSize(SIZE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        canvas.moved.connect(self.follow)
        canvas.renderer.ready.connect(self.follow)
        self.hide()

    def follow(self) -> None:
        """Show itself when it is of use: when something that is shown is out of view."""
        self.setFixedSize(SMALL if self._canvas.width() < SMALL_BELOW_PX else SIZE)
        useful = self.wanted and self._canvas.renderer.overview is not None and self._out_of_view()
        self.setVisible(useful)
        if useful:
            self.update()

    def _out_of_view(self) -> bool:
        """Whether the box around what is shown reaches out of the view. The box is found once a scene."""
        scene, camera = self._canvas.scene, self._canvas.camera
        if scene is None:
            return False
        if scene is not self._box_of:
            places = scene.nodes.positions[scene.nodes.shown]
            places = places[np.isfinite(places).all(axis=1)]
            self._box_of, self._box = scene, None
            if len(places):
                self._box = (places.min(axis=0).tolist(), places.max(axis=0).tolist())
        if self._box is None:
            return False
        left, top = camera.place(*self._box[0])
        right, bottom = camera.place(*self._box[1])
        return left < -IN_PX or top < -IN_PX or right > camera.width + IN_PX or bottom > camera.height + IN_PX

    def _fit(self) -> tuple[Camera, QRectF] | None:
        overview = self._canvas.renderer.overview
        if overview is None:
            return None
        camera = overview.camera
        room = QRectF(self.rect()).adjusted(PAD_PX, PAD_PX, -PAD_PX, -PAD_PX)
        scale = min(room.width() / camera.width, room.height() / camera.height)
        box = QRectF(0, 0, camera.width * scale, camera.height * scale)
        box.moveCenter(room.center())
        return camera, box

    def paintEvent(self, event: QPaintEvent) -> None:
        found, scene = self._fit(), self._canvas.scene
        overview = self._canvas.renderer.overview
        if found is None or scene is None or overview is None:
            return
        camera, box = found
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setPen(QPen(QColor(scene.paint.edge), 1))
        painter.setBrush(QColor(scene.paint.ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.drawImage(box, overview.image)
        share = box.width() / camera.width
        x, y, width, height = camera.rect_of(self._canvas.camera)
        frame = QRectF(box.left() + x * share, box.top() + y * share, width * share, height * share)
        accent = QColor(scene.paint.accent)
        painter.setPen(QPen(accent, 1.6))
        painter.setBrush(QColor(accent.red(), accent.green(), accent.blue(), 30))
        painter.drawRect(frame.intersected(QRectF(self.rect()).adjusted(2, 2, -2, -2)))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._look(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._look(event.position())

    def _look(self, at: QPointF) -> None:
        found = self._fit()
        if found is None:
            return
        camera, box = found
        share = camera.width / box.width()
        x, y = camera.to_world((at.x() - box.left()) * share, (at.y() - box.top()) * share)
        here = self._canvas.camera.place(x, y)
        self._canvas.pan_by(self._canvas.width() / 2 - here[0], self._canvas.height() / 2 - here[1])
