"""What lies over the picture and changes at once: rings of the selection, the hand at work, a pulse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from ui.graph.camera import Camera
from ui.graph.culling import spread
from ui.graph.hits import handle_place
from ui.graph.scene import Scene
from ui.graph.shapes import Shape, mix, outline, view_radius
from ui.graph.words import paint_words

RING_GAP_PX, RING_PX = 3.0, 2.2
GLOW_GAP_PX, HOVER_ALPHA, TARGET_ALPHA = 6.0, 56, 110
RINGS_MOST = 3_000
PULSE_PX = 46.0
OWN_LINES_MOST, OWN_SHARE = 400, 0.25


@dataclass(slots=True)
class Over:
    """What is to be seen over the picture. Nodes by index, places in the view."""

    selected: frozenset[int] = frozenset()
    current: int = -1
    hover: int = -1
    handle: bool = False
    edge: int = -1
    target: int = -1
    lasso: list[tuple[float, float]] = field(default_factory=list)
    link_from: int = -1
    link_to: tuple[float, float] = (0.0, 0.0)
    pulse_at: int = -1
    pulse: float = 0.0
    lit: bool = True
    """Whether the relations of the current node are drawn over the picture."""


def paint_over(painter: QPainter, scene: Scene, camera: Camera, over: Over) -> None:
    """Draw all of it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    accent = QColor(scene.paint.accent)
    _paint_own_lines(painter, scene, camera, over)
    paint_words(painter, scene, camera)
    _paint_edge(painter, scene, camera, over.edge, accent)
    _paint_rings(painter, scene, camera, over.selected, QPen(accent, RING_PX))
    if over.current >= 0 and over.current in over.selected:
        _ring(painter, scene, camera, over.current, QPen(accent, RING_PX + 1.2), RING_GAP_PX + 0.6)
    if over.hover >= 0:
        _glow(painter, scene, camera, over.hover, QColor(scene.paint.text), HOVER_ALPHA)
        if over.handle and over.link_from < 0:
            _paint_handle(painter, scene, camera, over.hover)
    if over.target >= 0:
        _glow(painter, scene, camera, over.target, accent, TARGET_ALPHA)
    if over.link_from >= 0:
        _paint_link(painter, scene, camera, over)
    if len(over.lasso) > 1:
        line = QPen(accent, 1.4, Qt.PenStyle.DashLine)
        painter.setPen(line)
        painter.setBrush(QColor(accent.red(), accent.green(), accent.blue(), 28))
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in over.lasso]))
    if over.pulse_at >= 0:
        _paint_pulse(painter, scene, camera, over)


def _place(scene: Scene, camera: Camera, node: int) -> tuple[float, float, float]:
    x, y = camera.place(*(float(value) for value in spread(scene, camera, np.array([node]))[0]))
    return x, y, float(view_radius(scene.nodes.radius[node : node + 1], camera.scale)[0])


def _paint_rings(painter: QPainter, scene: Scene, camera: Camera, nodes: Iterable[int], pen: QPen) -> None:
    chosen = np.fromiter(nodes, dtype=np.int64)
    if not len(chosen):
        return
    places = camera.to_view(spread(scene, camera, chosen))
    with np.errstate(invalid="ignore"):
        seen = (
            (places[:, 0] > -40)
            & (places[:, 1] > -40)
            & (places[:, 0] < camera.width + 40)
            & (places[:, 1] < camera.height + 40)
        )
    for node in chosen[seen & scene.nodes.shown[chosen]][:RINGS_MOST].tolist():
        _ring(painter, scene, camera, node, pen, RING_GAP_PX)


def _ring(painter: QPainter, scene: Scene, camera: Camera, node: int, pen: QPen, gap: float) -> None:
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _outline(painter, scene, camera, node, gap)


def _glow(painter: QPainter, scene: Scene, camera: Camera, node: int, color: QColor, alpha: int) -> None:
    """Light around and over a node: a ring alone says that it is selected."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color.red(), color.green(), color.blue(), alpha))
    _outline(painter, scene, camera, node, GLOW_GAP_PX)


def _outline(painter: QPainter, scene: Scene, camera: Camera, node: int, gap: float) -> None:
    if node >= len(scene) or not np.isfinite(scene.nodes.positions[node]).all():
        return
    x, y, radius = _place(scene, camera, node)
    painter.drawPath(outline(Shape(int(scene.nodes.shape[node])), x, y, max(radius, 3.0) + gap))


def _paint_own_lines(painter: QPainter, scene: Scene, camera: Camera, over: Over) -> None:
    """The relations of the current node, so that they are told from those that pass below it."""
    node, lines = over.current, scene.lines
    if not over.lit or node < 0 or node >= len(scene) or lines.bold.any():
        return
    own = np.flatnonzero(lines.shown & ((lines.source == node) | (lines.target == node)))
    others = np.where(lines.source[own] == node, lines.target[own], lines.source[own])
    there = scene.nodes.shown[others] & np.isfinite(scene.nodes.positions[others]).all(axis=1)
    own, others = own[there], others[there]
    if not len(own) or not np.isfinite(scene.nodes.positions[node]).all():
        return
    if len(own) > OWN_LINES_MOST:
        strong = np.argpartition(-lines.weight[own], OWN_LINES_MOST)[:OWN_LINES_MOST]
        own, others = own[strong], others[strong]
    x, y, radius = _place(scene, camera, node)
    ends = camera.to_view(spread(scene, camera, others)).astype(np.float64)
    reach = view_radius(scene.nodes.radius[others], camera.scale)
    away = ends - (x, y)
    length = np.hypot(away[:, 0], away[:, 1])
    far = length > radius + reach + RING_GAP_PX
    along = away[far] / length[far, None]
    starts = (x, y) + along * (radius + RING_GAP_PX)
    ends = ends[far] - along * reach[far, None]
    painter.setPen(QPen(QColor(mix(scene.paint.accent, scene.paint.ground, OWN_SHARE)), 1.4))
    for (ax, ay), (bx, by) in zip(starts.tolist(), ends.tolist(), strict=True):
        painter.drawLine(QPointF(ax, ay), QPointF(bx, by))


def _paint_edge(painter: QPainter, scene: Scene, camera: Camera, edge: int, accent: QColor) -> None:
    if edge < 0 or edge >= len(scene.lines.source):
        return
    a = _place(scene, camera, int(scene.lines.source[edge]))
    b = _place(scene, camera, int(scene.lines.target[edge]))
    painter.setPen(QPen(accent, 2.4))
    painter.drawLine(QPointF(a[0], a[1]), QPointF(b[0], b[1]))


def _paint_handle(painter: QPainter, scene: Scene, camera: Camera, node: int) -> None:
    """A disc with a plus: draw a relation from here."""
    x, y, radius = handle_place(scene, camera, node)
    painter.setPen(QPen(QColor(scene.paint.ground), 1.6))
    painter.setBrush(QColor(scene.paint.accent))
    painter.drawEllipse(QPointF(x, y), radius, radius)
    painter.setPen(QPen(QColor(scene.paint.ground), 1.8))
    arm = radius * 0.5
    painter.drawLine(QPointF(x - arm, y), QPointF(x + arm, y))
    painter.drawLine(QPointF(x, y - arm), QPointF(x, y + arm))


def _paint_link(painter: QPainter, scene: Scene, camera: Camera, over: Over) -> None:
    x, y, _ = _place(scene, camera, over.link_from)
    end = over.link_to
    if over.target >= 0:
        end = _place(scene, camera, over.target)[:2]
    painter.setPen(QPen(QColor(scene.paint.accent), 2.2))
    painter.drawLine(QPointF(x, y), QPointF(*end))


def _paint_pulse(painter: QPainter, scene: Scene, camera: Camera, over: Over) -> None:
    if over.pulse_at >= len(scene) or not np.isfinite(scene.nodes.positions[over.pulse_at]).all():
        return  # the layout has not placed it yet
    x, y, radius = _place(scene, camera, over.pulse_at)
    color = QColor(scene.paint.accent)
    color.setAlphaF(1.0 - over.pulse)
    painter.setPen(QPen(color, 3.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(x, y), radius + PULSE_PX * over.pulse, radius + PULSE_PX * over.pulse)
