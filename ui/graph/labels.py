"""Names on the picture: the most important first, none over another."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from ui.graph.culling import Sight
from ui.graph.scene import Scene
from ui.graph.shapes import mix

AREA_A_LABEL_PX = 11_000.0
"""One name is tried for so many square pixels of the view ..."""
LABELS_MOST = 130
"""... but never more than these."""
TRIED = 3
"""Candidates for each name that is to be placed."""
WIDTH_PX = 168.0
NEAR_WIDTH_PX = 240.0
NEAR_SCALE = 1.1
CELL_PX = 48.0
BIG_NODE_PX = 6.0


class Spots:
    """Which parts of the picture are taken. Cost of `take`: a few cells of a grid."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[QRectF]] = {}

    def free(self, box: QRectF) -> bool:
        """Whether nothing is there yet."""
        return not any(other.intersects(box) for cell in self._of(box) for other in self._cells.get(cell, ()))

    def put(self, box: QRectF) -> None:
        """Take a part, whatever is there."""
        for cell in self._of(box):
            self._cells.setdefault(cell, []).append(box)

    def take(self, box: QRectF) -> bool:
        """Take a part if it is free; whether it was."""
        if not self.free(box):
            return False
        self.put(box)
        return True

    @staticmethod
    def _of(box: QRectF) -> list[tuple[int, int]]:
        left, right = int(box.left() // CELL_PX), int(box.right() // CELL_PX)
        top, bottom = int(box.top() // CELL_PX), int(box.bottom() // CELL_PX)
        return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def halo_text(painter: QPainter, at: QPointF, text: str, rgb: int, ground: int) -> None:
    """A text with a rim in the colour of the ground, so that lines do not cross its letters."""
    painter.setPen(QColor(ground))
    for dx, dy in (
        (-1.2, 0),
        (1.2, 0),
        (0, -1.2),
        (0, 1.2),
        (-0.9, -0.9),
        (0.9, 0.9),
        (0.9, -0.9),
        (-0.9, 0.9),
    ):
        painter.drawText(QPointF(at.x() + dx, at.y() + dy), text)
    painter.setPen(QColor(rgb))
    painter.drawText(at, text)


def wanted(scene: Scene, sight: Sight, width: int, height: int) -> list[int]:
    """Nodes whose names are tried, most important first."""
    nodes = sight.nodes[~scene.nodes.dim[sight.nodes]]
    if not len(nodes):
        nodes = sight.nodes
    most = min(LABELS_MOST, max(12, int(width * height / AREA_A_LABEL_PX))) * TRIED
    priority = scene.nodes.priority[nodes] + 0.2 * sight.radii[nodes]
    if len(nodes) > most:
        best = np.argpartition(-priority, most)[:most]
        nodes, priority = nodes[best], priority[best]
    order: list[int] = nodes[np.argsort(-priority, kind="stable")].tolist()
    return order


def paint_labels(
    painter: QPainter, scene: Scene, sight: Sight, spots: Spots, *, scale: float, size: tuple[int, int]
) -> list[int]:
    """Draw the names that find room; returns the nodes that got one."""
    order = wanted(scene, sight, *size)
    titles = scene.titles([int(scene.nodes.pks[node]) for node in order])
    metrics = QFontMetricsF(scene.paint.font)
    painter.setFont(scene.paint.font)
    _keep_nodes_free(sight, spots)
    widest = NEAR_WIDTH_PX if scale >= NEAR_SCALE else WIDTH_PX
    most = min(LABELS_MOST, max(12, int(size[0] * size[1] / AREA_A_LABEL_PX)))
    named: list[int] = []
    for node in order:
        if len(named) >= most:
            break
        title = titles.get(int(scene.nodes.pks[node]), "")
        if title and _place(painter, scene, sight, spots, node, metrics.elidedText(
            title, Qt.TextElideMode.ElideRight, widest
        ), metrics):  # fmt: skip
            named.append(node)
    return named


def _keep_nodes_free(sight: Sight, spots: Spots) -> None:
    large = sight.nodes[sight.radii[sight.nodes] >= BIG_NODE_PX]
    for node in large[:600].tolist():
        x, y = (float(value) for value in sight.places[node])
        radius = float(sight.radii[node]) * 0.85
        spots.put(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))


def _place(
    painter: QPainter,
    scene: Scene,
    sight: Sight,
    spots: Spots,
    node: int,
    text: str,
    metrics: QFontMetricsF,
) -> bool:
    """Below the node, else to its right, else to its left, else above."""
    width, height = metrics.horizontalAdvance(text), metrics.height()
    x, y = (float(value) for value in sight.places[node])
    gap = float(sight.radii[node]) + 3
    for left, top in (
        (x - width / 2, y + gap),
        (x + gap, y - height / 2),
        (x - gap - width, y - height / 2),
        (x - width / 2, y - gap - height),
    ):
        box = QRectF(left - 2, top, width + 4, height)
        if spots.take(box):
            color = scene.paint.text
            if scene.nodes.hollow[node] or scene.nodes.dim[node]:
                color = mix(color, scene.paint.ground, 0.35)
            halo_text(painter, QPointF(left, top + metrics.ascent()), text, color, scene.paint.ground)
            return True
    return False
