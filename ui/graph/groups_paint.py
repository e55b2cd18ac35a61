"""Communities as discs with their names: how a large graph is first seen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ui.graph.camera import Camera
from ui.graph.culling import Sight
from ui.graph.labels import Spots, halo_text
from ui.graph.nodes_paint import DOT_PX, paint_squares
from ui.graph.scene import Groups, Scene
from ui.graph.shapes import mix
from ui.graph.strokes import Strokes, pen_of

LINKS_MOST = 260
NAMES_MOST = 110
NAME_PX = 190.0
FILL, RIM = 0.88, 0.6
"""How much of the ground is mixed into a disc and its rim."""


def paint_links(painter: QPainter, scene: Scene, camera: Camera, sight: Sight, strokes: Strokes) -> None:
    """Relations between communities of which at least one is closed, the strongest ones."""
    groups = scene.groups
    if groups is None or not sight.closed.any() or not len(groups.source):
        return
    at = camera.to_view(groups.centre).astype(np.float64)
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
    at = camera.to_view(groups.centre)
    for group in sight.discs[np.argsort(-groups.radius[sight.discs])].tolist():
        color = scene.palette[int(groups.color[group])]
        painter.setPen(QPen(QColor(mix(color, paint.ground, RIM)), 1.2))
        painter.setBrush(QColor(mix(color, paint.ground, FILL)))
        radius = float(groups.radius[group]) * camera.scale
        painter.drawEllipse(QPointF(float(at[group, 0]), float(at[group, 1])), radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    paint_squares(painter, scene, sight, sight.dots, strokes, DOT_PX)


def paint_group_names(painter: QPainter, scene: Scene, camera: Camera, sight: Sight, spots: Spots) -> None:
    """Names of closed communities, the largest first, with how many memories they hold."""
    groups = scene.groups
    if groups is None:
        return
    at = camera.to_view(groups.centre)
    order = sight.discs[np.argsort(-groups.sizes[sight.discs], kind="stable")]
    for group in order[:NAMES_MOST].tolist():
        _name(painter, scene, groups, group, QPointF(float(at[group, 0]), float(at[group, 1])), spots)


def _name(painter: QPainter, scene: Scene, groups: Groups, group: int, middle: QPointF, spots: Spots) -> None:
    font = scene.paint.bold
    metrics = QFontMetricsF(font)
    count = f"{int(groups.sizes[group]):,}"
    small = QFontMetricsF(scene.paint.small)
    name = metrics.elidedText(groups.names[group], Qt.TextElideMode.ElideRight, NAME_PX)
    width = max(metrics.horizontalAdvance(name), small.horizontalAdvance(count))
    height = metrics.height() + small.height()
    box = QRectF(middle.x() - width / 2 - 3, middle.y() - height / 2, width + 6, height)
    if not spots.take(box):
        return
    painter.setFont(font)
    left = middle.x() - metrics.horizontalAdvance(name) / 2
    halo_text(
        painter, QPointF(left, box.top() + metrics.ascent()), name, scene.paint.text, scene.paint.ground
    )
    painter.setFont(scene.paint.small)
    left = middle.x() - small.horizontalAdvance(count) / 2
    base = box.top() + metrics.height() + small.ascent()
    halo_text(painter, QPointF(left, base), count, scene.paint.secondary, scene.paint.ground)
