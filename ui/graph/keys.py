"""The canvas by keyboard: walk along relations, move the picture, open, let go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from ui.graph.hits import free_nodes
from ui.graph.scene import Scene
from ui.graph.surface import Surface

PAN_PX, NUDGE_PX = 80, 16
ZOOM_STEP = 1.25
LEAST_COSINE = 0.35
"""A neighbour lies in a direction when the angle to it is less than about 70 degrees."""
ARROWS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}


def press_key(canvas: Surface, event: QKeyEvent) -> bool:
    """Do what a key says; whether it says anything here."""
    key = Qt.Key(event.key())
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    if key in ARROWS:
        dx, dy = ARROWS[key]
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            canvas.nudge(dx * NUDGE_PX, dy * NUDGE_PX)
        elif control:
            canvas.pan_by(-dx * PAN_PX, -dy * PAN_PX)
        else:
            _walk(canvas, dx, dy, adds=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
    elif control:
        return False
    elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and canvas.over.current >= 0:
        canvas.opened.emit(canvas.pk_of(canvas.over.current))
    elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
        canvas.zoom_by(ZOOM_STEP)
    elif key == Qt.Key.Key_Minus:
        canvas.zoom_by(1 / ZOOM_STEP)
    elif key == Qt.Key.Key_Escape and canvas.over.selected:
        canvas.pick(-1)
    else:
        return False
    return True


def _walk(canvas: Surface, dx: float, dy: float, *, adds: bool) -> None:
    scene = canvas.scene
    if scene is None:
        return
    current = canvas.over.current
    if current < 0:
        node = nearest_to_middle(canvas)
    else:
        node = neighbour_towards(scene, current, dx, dy, free_nodes(scene, canvas.camera))
    if node >= 0:
        canvas.pick(node, adds=adds)
        place = canvas.place_of(node)
        if not canvas.rect().adjusted(40, 40, -40, -40).contains(place.toPoint()):
            canvas.centre_on(node)


def neighbour_towards(scene: Scene, node: int, dx: float, dy: float, free: NDArray[np.bool_]) -> int:
    """The neighbour of a node that lies best in a direction, -1 for none."""
    lines = scene.lines
    out = lines.shown & (lines.source == node)
    into = lines.shown & (lines.target == node)
    others = np.unique(np.concatenate((lines.target[out], lines.source[into])))
    others = others[(others != node) & free[others]]
    if not len(others):
        return -1
    away = scene.nodes.positions[others].astype(np.float64) - scene.nodes.positions[node]
    length = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-6)
    cosine = (away[:, 0] * dx + away[:, 1] * dy) / length
    worth = np.where(cosine >= LEAST_COSINE, cosine - 0.25 * length / length.max(), -np.inf)
    best = int(np.argmax(worth))
    return int(others[best]) if np.isfinite(worth[best]) else -1


def nearest_to_middle(canvas: Surface) -> int:
    """The node nearest to the middle of the view, -1 when there is none."""
    scene = canvas.scene
    if scene is None:
        return -1
    free = np.flatnonzero(free_nodes(scene, canvas.camera))
    if not len(free):
        return -1
    middle = np.array((canvas.camera.x, canvas.camera.y))
    away = ((scene.nodes.positions[free] - middle) ** 2).sum(axis=1)
    return int(free[np.argmin(away)])
