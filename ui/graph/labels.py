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
BIG_NODE_PX = 2.5
NODES_KEPT_FREE = 2_500
GROUP_LEAST = 3
"""While communities are closed, memories that belong to none go without a name."""
ALWAYS_NAMED = 14
"""So many of the most important names may cover other nodes; the others stay beside them."""


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
    if len(sight.discs) and scene.groups is not None:
        nodes = nodes[scene.groups.sizes[scene.groups.of_node[nodes]] >= GROUP_LEAST]
    elif not len(nodes):
        nodes = sight.nodes
    most = min(LABELS_MOST, max(12, int(width * height / AREA_A_LABEL_PX))) * TRIED
    priority = scene.nodes.priority[nodes] + 0.2 * sight.radii[nodes]
    if len(nodes) > most:
        best = np.argpartition(-priority, most)[:most]
        nodes, priority = nodes[best], priority[best]
    order: list[int] = nodes[np.argsort(-priority, kind="stable")].tolist()
    return order


def paint_labels(
    painter: QPainter,
    scene: Scene,
    sight: Sight,
    spots: Spots,
    nodes_taken: Spots,
    *,
    scale: float,
    size: tuple[int, int],
    inner: QRectF,
) -> list[int]:
    """Draw the names that find room; returns the nodes that got one.

    `inner`: the part of the picture that is seen; names of nodes inside do not reach out of it.
    """
    order = wanted(scene, sight, *size)
    titles = scene.titles([int(scene.nodes.pks[node]) for node in order])
    metrics = QFontMetricsF(scene.paint.font)
    painter.setFont(scene.paint.font)
    widest = NEAR_WIDTH_PX if scale >= NEAR_SCALE else WIDTH_PX
    most = min(LABELS_MOST, max(12, int(size[0] * size[1] / AREA_A_LABEL_PX)))
    named: list[int] = []
    for node in order:
        if len(named) >= most:
            break
        title = titles.get(int(scene.nodes.pks[node]), "")
        if not title:
            continue
        text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, widest)
        others = nodes_taken if len(named) >= ALWAYS_NAMED else None
        area = QRectF(0, 0, metrics.horizontalAdvance(text), metrics.height())
        at = _free_place(sight, spots, others, node, area, inner)
        if at is not None:
            _write(painter, scene, node, text, QPointF(at.x(), at.y() + metrics.ascent()))
            named.append(node)
    return named


def nodes_in_sight(sight: Sight) -> Spots:
    """The parts that nodes cover."""
    spots = Spots()
    large = sight.nodes[sight.radii[sight.nodes] >= BIG_NODE_PX]
    for node in large[:NODES_KEPT_FREE].tolist():
        x, y = (float(value) for value in sight.places[node])
        radius = float(sight.radii[node]) * 0.8
        spots.put(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))
    return spots


def _free_place(
    sight: Sight, spots: Spots, nodes: Spots | None, node: int, area: QRectF, inner: QRectF
) -> QPointF | None:
    """Below the node, else to its right, to its left, above; None where there is no room."""
    x, y = (float(value) for value in sight.places[node])
    gap, width, height = float(sight.radii[node]) + 3, area.width(), area.height()
    bound = inner if inner.contains(x, y) else None
    for left, top in (
        (x - width / 2, y + gap),
        (x + gap, y - height / 2),
        (x - gap - width, y - height / 2),
        (x - width / 2, y - gap - height),
    ):
        box = QRectF(left - 2, top, width + 4, height)
        if bound is not None and not bound.contains(box):
            continue
        if (nodes is None or nodes.free(box)) and spots.take(box):
            return QPointF(left, top)
    return None


def _write(painter: QPainter, scene: Scene, node: int, text: str, at: QPointF) -> None:
    color = scene.paint.text
    if scene.nodes.hollow[node] or scene.nodes.dim[node]:
        color = mix(color, scene.paint.ground, 0.35)
    halo_text(painter, at, text, color, scene.paint.ground)
