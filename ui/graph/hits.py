"""What is under the pointer: a node, the handle beside it, an edge, a closed community."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ui.graph.camera import Camera
from ui.graph.culling import closed_groups, discs, spread
from ui.graph.scene import Groups, Scene
from ui.graph.shapes import view_radius

NEAR_PX = 7.0
EDGE_NEAR_PX = 5.0
HANDLE_PX = 7.5
HANDLE_GAP_PX = 8.0


def free_nodes(scene: Scene, camera: Camera) -> NDArray[np.bool_]:
    """Nodes that can be touched: shown, placed, not inside a closed community."""
    mask = scene.nodes.shown & np.isfinite(scene.nodes.positions).all(axis=1)
    if scene.groups is not None:
        mask = mask & ~closed_groups(scene.groups, camera)[scene.groups.of_node]
    return mask


def node_at(scene: Scene, camera: Camera, x: float, y: float, besides: frozenset[int] = frozenset()) -> int:
    """The node whose rim or near surroundings hold a place of the view, -1 for none. Cost: O(n)."""
    if not len(scene):
        return -1
    at_x, at_y = camera.to_world(x, y)
    away = np.hypot(scene.nodes.positions[:, 0] - at_x, scene.nodes.positions[:, 1] - at_y) * camera.scale
    reach = np.maximum(view_radius(scene.nodes.radius, camera.scale), NEAR_PX)
    with np.errstate(invalid="ignore"):
        found = np.flatnonzero((away <= reach) & free_nodes(scene, camera))
    if besides:
        found = found[~np.isin(found, list(besides))]
    return int(found[np.argmin(away[found])]) if len(found) else -1


def handle_place(scene: Scene, camera: Camera, node: int) -> tuple[float, float, float]:
    """Where the handle for new relations stands beside a node: middle and radius."""
    x, y = camera.place(*(float(value) for value in scene.nodes.positions[node]))
    radius = float(view_radius(scene.nodes.radius[node : node + 1], camera.scale)[0])
    away = (radius + HANDLE_GAP_PX) * math.sqrt(0.5)
    return x + away, y - away, HANDLE_PX


def on_handle(scene: Scene, camera: Camera, node: int, x: float, y: float) -> bool:
    """Whether a place is on the handle of a node."""
    at_x, at_y, radius = handle_place(scene, camera, node)
    return math.hypot(x - at_x, y - at_y) <= radius + 3


def near_node(scene: Scene, camera: Camera, node: int, x: float, y: float) -> bool:
    """Whether a place is still so near a node that its handle stays."""
    at_x, at_y = camera.place(*(float(value) for value in scene.nodes.positions[node]))
    radius = float(view_radius(scene.nodes.radius[node : node + 1], camera.scale)[0])
    return math.hypot(x - at_x, y - at_y) <= radius + HANDLE_GAP_PX + 2 * HANDLE_PX


def edge_at(scene: Scene, camera: Camera, drawn: NDArray[np.int64], x: float, y: float) -> int:
    """The drawn edge that passes a place, -1 for none. Cost: O(drawn)."""
    if not len(drawn):
        return -1
    at = camera.to_view(scene.nodes.positions)
    a, b = at[scene.lines.source[drawn]].astype(np.float64), at[scene.lines.target[drawn]].astype(np.float64)
    along = b - a
    square = np.maximum((along**2).sum(axis=1), 1e-9)
    point = np.array((x, y))
    share = np.clip(((point - a) * along).sum(axis=1) / square, 0.0, 1.0)
    away = np.hypot(*(a + along * share[:, None] - point).T)
    with np.errstate(invalid="ignore"):
        away = np.where(scene.lines.shown[drawn] & np.isfinite(away), away, np.inf)
    best = int(np.argmin(away))
    return int(drawn[best]) if away[best] <= EDGE_NEAR_PX else -1


def closed_group_at(groups: Groups, camera: Camera, x: float, y: float) -> int:
    """The closed community under a place, -1 for none; of overlapping ones the smallest."""
    middle, wide = discs(groups, camera)
    at = camera.to_view(middle)
    radius = wide * camera.scale
    with np.errstate(invalid="ignore"):
        inside = np.hypot(at[:, 0] - x, at[:, 1] - y) <= np.maximum(radius, 8.0)
    found = np.flatnonzero(inside & closed_groups(groups, camera))
    return int(found[np.argmin(radius[found])]) if len(found) else -1


def inside_lasso(scene: Scene, camera: Camera, corners: list[tuple[float, float]]) -> NDArray[np.int64]:
    """Nodes inside a line drawn around them (even-odd rule). Cost: O(n * corners)."""
    if len(corners) < 3 or not len(scene):
        return np.empty(0, dtype=np.int64)
    at = camera.to_view(spread(scene, camera)).astype(np.float64)
    inside = np.zeros(len(at), dtype=np.bool_)
    line = np.asarray(corners)
    with np.errstate(invalid="ignore", divide="ignore"):
        for (ax, ay), (bx, by) in zip(line, np.roll(line, -1, axis=0), strict=True):
            between = (ay > at[:, 1]) != (by > at[:, 1])
            inside ^= between & (at[:, 0] < (bx - ax) * (at[:, 1] - ay) / (by - ay) + ax)
    return np.flatnonzero(inside & scene.nodes.shown & np.isfinite(at).all(axis=1))
