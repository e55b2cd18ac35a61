"""Nodes: tiny ones as squares in bulk, the others as stamped pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from ui.graph.culling import Sight
from ui.graph.scene import Scene
from ui.graph.shapes import (
    BADGE_FROM_PX,
    ICON_FROM_PX,
    SIZE_STEPS,
    Shape,
    Stamp,
    Stamps,
    draw_node,
    mix,
)
from ui.graph.strokes import Strokes

SQUARES_BELOW_PX = 1.8
STAMPS_MOST = 6_000
"""With more nodes in sight than this all are drawn as squares: they are tiny then."""
DIM = 0.8
DOT_PX = 1.6

Indexes = NDArray[np.int64]


def paint_nodes(
    painter: QPainter, scene: Scene, sight: Sight, stamps: Stamps | None, strokes: Strokes
) -> None:
    """All nodes in sight, the dim ones below. Without stamps they are drawn as outlines."""
    if not len(sight.nodes):
        return
    small = sight.radii[sight.nodes] < SQUARES_BELOW_PX
    if len(sight.nodes) > STAMPS_MOST:
        small[:] = True
    paint_squares(painter, scene, sight, sight.nodes[small], strokes)
    _paint_stamps(painter, scene, sight, sight.nodes[~small], stamps)


def paint_squares(
    painter: QPainter,
    scene: Scene,
    sight: Sight,
    nodes: Indexes,
    strokes: Strokes,
    *,
    most_px: float = 99.0,
    fade: float = 0.0,
) -> None:
    """Nodes as filled squares, one call a colour; `fade` = how much of the ground is in it."""
    nodes_, paint = scene.nodes, scene.paint
    fill, dim = nodes_.fill[nodes], nodes_.dim[nodes] | nodes_.hollow[nodes]
    for faint in (True, False):
        for color in np.unique(fill[dim == faint]):
            which = nodes[(fill == color) & (dim == faint)]
            radius = np.minimum(np.maximum(sight.radii[which].astype(np.float64), 0.75), most_px)
            at = sight.places[which].astype(np.float64)
            boxes = np.stack([at[:, 0] - radius, at[:, 1] - radius, 2 * radius, 2 * radius], axis=1)
            rgb = scene.palette[int(color)]
            strokes.rects(painter, boxes, mix(rgb, paint.ground, max(0.6, fade) if faint else fade))


def _paint_stamps(
    painter: QPainter, scene: Scene, sight: Sight, nodes: Indexes, stamps: Stamps | None
) -> None:
    """The important ones last, so that they lie on top."""
    values = scene.nodes
    nodes = nodes[np.lexsort((values.priority[nodes], ~values.dim[nodes]))]
    radii = np.round(sight.radii[nodes] * SIZE_STEPS) / SIZE_STEPS
    rows = zip(
        sight.places[nodes].tolist(),
        radii.tolist(),
        values.shape[nodes].tolist(),
        values.type[nodes].tolist(),
        values.fill[nodes].tolist(),
        (values.hollow[nodes] * 4 + values.dim[nodes] * 2 + values.locked[nodes]).tolist(),
        strict=True,
    )
    pictures: dict[tuple[float, int, int, int, int], tuple[QImage, float]] = {}
    draw = painter.drawImage
    for (x, y), *key in rows:
        if stamps is None:
            draw_node(painter, _stamp(scene, *key), x, y, scene.paint.icons)
            continue
        radius, shape, kind, fill, flags = key
        found = pictures.get((radius, shape, kind, fill, flags))
        if found is None:
            image = stamps.of(_stamp(scene, radius, shape, kind, fill, flags))
            found = (image, image.width() / image.devicePixelRatio() / 2)
            pictures[radius, shape, kind, fill, flags] = found
        image, half = found
        draw(QPointF(x - half, y - half), image)


def _stamp(scene: Scene, radius: float, shape: int, kind: int, fill: int, flags: int) -> Stamp:
    """What a node looks like; flags: 4 hollow, 2 dim, 1 locked."""
    color = scene.palette[fill]
    return Stamp(
        Shape(shape),
        radius,
        mix(color, scene.paint.ground, DIM) if flags & 2 else color,
        scene.paint.ground,
        hollow=bool(flags & 4),
        glyph=scene.glyphs[kind] if 2 * radius >= ICON_FROM_PX and not flags & 2 else "",
        locked=bool(flags & 1) and 2 * radius >= BADGE_FROM_PX,
    )
