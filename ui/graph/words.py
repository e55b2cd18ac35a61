"""Words over the picture that are no names of nodes: lanes and bands at the left rim, counts, floors, days.

They are painted over the picture at once; the exact picture leaves their places free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from ui.graph.camera import Camera
from ui.graph.labels import Spots, halo_text
from ui.graph.scene import Scene

RIM_PX, RIM_GAP_PX, PAD_PX, BETWEEN_PX = 10.0, 24.0, 4.0, 8.0
"""Where names at the left rim begin, the room beside them, around each word, and between two notes."""


@dataclass(frozen=True, slots=True)
class _Placed:
    text: str
    box: QRectF
    font: QFont
    rgb: int


def rim_of(scene: Scene) -> float:
    """How much room the names at the left rim need, in pixels."""
    bold = QFontMetricsF(scene.paint.bold)
    return max((RIM_GAP_PX + bold.horizontalAdvance(guide.name) for guide in scene.guides), default=0.0)


def paint_words(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Draw them on a ground of their own."""
    for word in _placed(scene, camera, QRectF(0, 0, camera.width, camera.height)):
        painter.fillRect(word.box, QColor(scene.paint.ground))
        painter.setFont(word.font)
        place = QPointF(word.box.left() + PAD_PX, word.box.top() + QFontMetricsF(word.font).ascent())
        halo_text(painter, place, word.text, word.rgb, scene.paint.ground)


def keep_free(spots: Spots, scene: Scene, camera: Camera, seen: QRectF) -> None:
    """Take the places of these words. `seen`: the part of a widened camera's picture that is in view."""
    for word in _placed(scene, camera, seen):
        spots.put(word.box)


def _placed(scene: Scene, camera: Camera, seen: QRectF) -> Iterator[_Placed]:
    """Words in sight, none over another; bands come before lanes."""
    taken: list[QRectF] = []
    for guide in sorted(scene.guides, key=lambda guide: not guide.head):
        font = scene.paint.bold if guide.head else scene.paint.font
        at = camera.place(camera.x, guide.y)[1]
        box = _box(guide.name, font, seen.left() + RIM_PX - PAD_PX, at)
        if seen.top() < at < seen.bottom() and not any(box.intersects(other) for other in taken):
            taken.append(box)
            yield _Placed(guide.name, box, font, scene.paint.text if guide.head else scene.paint.secondary)
    for note in scene.notes:
        font = scene.paint.small if note.small else scene.paint.font
        x, y = camera.place(note.x, note.y)
        box = _box(note.text, font, 0.0, y)
        box.moveCenter(QPointF(x, y))
        wide = box.adjusted(-BETWEEN_PX, 0, BETWEEN_PX, 0)
        if seen.intersects(box) and not any(wide.intersects(other) for other in taken):
            taken.append(box)
            yield _Placed(note.text, box, font, scene.paint.secondary)


def _box(text: str, font: QFont, left: float, middle: float) -> QRectF:
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text) + 2 * PAD_PX, metrics.height()
    return QRectF(left, middle - height / 2, width, height)
