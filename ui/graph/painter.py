"""A whole picture of the graph into an image or onto any paint device. Runs in workers: no QPixmap."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from ui.graph.camera import Camera
from ui.graph.culling import EDGES_MOVING, EDGES_RESTING, Sight, look
from ui.graph.edges_paint import paint_edges, paint_names
from ui.graph.groups_paint import paint_discs, paint_group_names, paint_links
from ui.graph.labels import Spots, nodes_in_sight, paint_labels
from ui.graph.nodes_paint import paint_nodes
from ui.graph.scene import Scene
from ui.graph.shapes import Stamps
from ui.graph.strokes import Strokes
from ui.graph.words import keep_free

SMOOTH_EDGES_MOST = 6_000
"""Antialiasing of lines costs two to five times their drawing."""


class Care(Enum):
    """How carefully a picture is drawn."""

    MOVING = "moving"
    EXACT = "exact"
    OVERVIEW = "overview"
    """Without names: lies under the picture where that does not reach."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An image and the camera through which it was seen."""

    image: QImage
    camera: Camera
    care: Care
    sight: Sight
    named: frozenset[int] = frozenset()


class Painter:
    """Draws scenes. For one thread at a time: it keeps buffers and stamped pictures."""

    def __init__(self) -> None:
        self._strokes = Strokes()
        self._stamps: dict[tuple[str, float], Stamps] = {}

    def picture(
        self, scene: Scene, camera: Camera, care: Care, ratio: float = 1.0, margin: float = 0.0
    ) -> Picture:
        """An image of all that the camera sees. `ratio`: pixels of the screen a point."""
        image = QImage(round(camera.width * ratio), round(camera.height * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor(scene.paint.ground))
        painter = QPainter(image)
        try:
            sight, named = self.paint(painter, scene, camera, care, ratio, margin=margin)
        finally:
            painter.end()  # an image must not go while it is painted on
        return Picture(image, camera, care, sight, frozenset(named))

    def paint(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        care: Care,
        ratio: float = 1.0,
        *,
        vector: bool = False,
        margin: float = 0.0,
    ) -> tuple[Sight, list[int]]:
        """Draw on an open painter whose ground is already filled. Returns what was seen and named.

        `vector`: nodes as outlines instead of stamped pictures, for files of vectors. `margin`: the share of
        the view by which the camera was widened.
        """
        exact = care is Care.EXACT
        sight = look(scene, camera, EDGES_RESTING if exact else EDGES_MOVING)
        stamps = self._stamps_of(scene, ratio)
        size = (camera.width, camera.height)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setRenderHint(
            QPainter.RenderHint.Antialiasing, exact and len(sight.edges) <= SMOOTH_EDGES_MOST
        )
        paint_links(painter, scene, camera, sight, self._strokes)
        way = paint_edges(painter, scene, sight, self._strokes, camera.scale, size)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        paint_discs(painter, scene, camera, sight, self._strokes)
        paint_nodes(painter, scene, sight, None if vector else stamps, self._strokes)
        named: list[int] = []
        if care is not Care.OVERVIEW:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, exact)
            spots = Spots()
            seen = QRectF(*size_of_view(camera, margin))
            keep_free(spots, scene, camera, seen)
            paint_group_names(painter, scene, camera, sight, spots, seen)
            if exact:
                taken = nodes_in_sight(sight)
                named = paint_labels(
                    painter, scene, sight, spots, taken, scale=camera.scale, size=size, inner=seen
                )
                paint_names(painter, scene, way, spots, taken, camera.scale)
        return sight, named

    def _stamps_of(self, scene: Scene, ratio: float) -> Stamps:
        key = (scene.paint.icons.family(), ratio)
        if key not in self._stamps:
            self._stamps[key] = Stamps(scene.paint.icons, ratio)
        return self._stamps[key]


def size_of_view(camera: Camera, margin: float) -> tuple[float, float, float, float]:
    """The part of a widened camera's picture that is seen: x, y, width, height."""
    width, height = camera.width / (1 + 2 * margin), camera.height / (1 + 2 * margin)
    return (camera.width - width) / 2, (camera.height - height) / 2, width, height
