"""Communities as discs with their names: how a large graph is first seen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ui.graph.camera import Camera
from ui.graph.culling import Sight, discs
from ui.graph.labels import Spots, halo_text
from ui.graph.nodes_paint import DOT_PX, paint_squares
from ui.graph.scene import Scene
from ui.graph.shapes import mix
from ui.graph.strokes import Strokes, pen_of

LINKS_MOST = 260
NAMES_MOST = 110
NAME_PX = 190.0
FILL, RIM = 0.88, 0.6
DOT_FADE = 0.3
"""How much of the ground is mixed into a disc and its rim."""


def paint_links(painter: QPainter, scene: Scene, camera: Camera, sight: Sight, strokes: Strokes) -> None:
    """Relations between communities of which at least one is closed, the strongest ones."""
    groups = scene.groups
    if groups is None or not sight.closed.any() or not len(groups.source):
        return
    at = camera.to_view(discs(groups, camera)[0]).astype(np.float64)
    some = sight.closed[groups.source] | sight.closed[groups.target]
    ends = np.isfinite(at[groups.source]).all(axis=1) & np.isfinite(at[groups.target]).all(axis=1)
    found = np.flatnonzero(some & ends)
    if len(found) > LINKS_MOST:
        worth = groups.weight[found] / (
            1.0 + np.hypot(*(at[groups.source[found]] - at[groups.target[found]]).T) / 400.0
        )
        found = found[np.argpartition(-worth, LINKS_MOST)[:LINKS_MOST]]
    if not len(found):
        return
    share = groups.weight[found] / float(groups.weight[found].max())
    for low, high, width, fade in ((0.0, 0.15, 1.0, 0.72), (0.15, 0.45, 1.8, 0.62), (0.45, 1.01, 3.2, 0.5)):
        part = found[(share >= low) & (share < high)]
        if len(part):
            segments = np.concatenate([at[groups.source[part]], at[groups.target[part]]], axis=1)
            strokes.lines(painter, segments, pen_of(mix(scene.paint.edge, scene.paint.ground, fade), width))


def paint_discs(painter: QPainter, scene: Scene, camera: Camera, sight: Sight, strokes: Strokes) -> None:
    """The closed communities in sight with their members as dots."""
    groups, paint = scene.groups, scene.paint
    if groups is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle, wide = discs(groups, camera)
    at = camera.to_view(middle)
    for group in sight.discs[np.argsort(-wide[sight.discs])].tolist():
        color = scene.palette[int(groups.color[group])]
        painter.setPen(QPen(QColor(mix(color, paint.ground, RIM)), 1.2))
        painter.setBrush(QColor(mix(color, paint.ground, FILL)))
        radius = float(wide[group]) * camera.scale
        painter.drawEllipse(QPointF(float(at[group, 0]), float(at[group, 1])), radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_squares(painter, scene, sight, sight.dots, strokes, most_px=DOT_PX, fade=DOT_FADE)


def paint_group_names(
    painter: QPainter, scene: Scene, camera: Camera, sight: Sight, spots: Spots, inner: QRectF
) -> None:
    """Names of closed communities, the largest first, with how many memories they hold.

    `inner`: the part of the picture that is seen; names of discs inside do not reach out of it.
    """
    groups = scene.groups
    if groups is None:
        return
    middle, wide = discs(groups, camera)
    at = camera.to_view(middle)
    order = sight.discs[np.argsort(-groups.sizes[sight.discs], kind="stable")]
    for group in order[:NAMES_MOST].tolist():
        place = QPointF(float(at[group, 0]), float(at[group, 1]))
        _name(painter, scene, group, place, float(wide[group]) * camera.scale, spots, inner)


def _name(
    painter: QPainter,
    scene: Scene,
    group: int,
    middle: QPointF,
    radius: float,
    spots: Spots,
    inner: QRectF,
) -> None:
    """In the middle of the disc, else at its lower or upper rim."""
    assert scene.groups is not None
    metrics, small = QFontMetricsF(scene.paint.bold), QFontMetricsF(scene.paint.small)
    count = f"{int(scene.groups.sizes[group]):,}"
    name = metrics.elidedText(scene.groups.names[group], Qt.TextElideMode.ElideRight, NAME_PX)
    width = max(metrics.horizontalAdvance(name), small.horizontalAdvance(count)) + 6
    height = metrics.height() + small.height()
    left = middle.x() - width / 2
    if inner.contains(middle):
        left = min(max(left, inner.left() + 4), max(inner.right() - width - 4, inner.left()))
    for top in (middle.y() - height / 2, middle.y() + radius - height / 2, middle.y() - radius - height / 2):
        box = QRectF(left, top, width, height)
        if spots.take(box):
            break
    else:
        return
    centre = box.center().x()
    painter.setFont(scene.paint.bold)
    at = QPointF(centre - metrics.horizontalAdvance(name) / 2, box.top() + metrics.ascent())
    halo_text(painter, at, name, scene.paint.text, scene.paint.ground)
    painter.setFont(scene.paint.small)
    at = QPointF(centre - small.horizontalAdvance(count) / 2, box.top() + metrics.height() + small.ascent())
    halo_text(painter, at, count, scene.paint.secondary, scene.paint.ground)
