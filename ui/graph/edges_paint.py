"""Edges: lines by colour and strength, arrows and names when near, dashes and bars for what inhibits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from ui.graph.culling import Sight
from ui.graph.labels import Spots, halo_text
from ui.graph.scene import Scene
from ui.graph.shapes import mix
from ui.graph.strokes import Strokes, pen_of

ARROWS_AT_SCALE, ARROWS_AT_MOST = 0.75, 1_500
NAMES_AT_SCALE, NAMES_AT_MOST = 1.5, 60
TINTED_AT_MOST = 4_000
"""With more lines in sight colours of relations are noise; all are drawn in the plain edge colour."""
BOLD_NAMES_AT_SCALE = 0.9
"""Of highlighted relations the names are of interest sooner."""
LANE_PX = 7.0
PLAIN, FAR, PAST = 0.28, 0.6, 0.8
"""How much of the ground is mixed into an edge: the plain one, one across the picture, one of the past."""
DIM, QUIET = 0.88, 0.84
BRANCH = 0.25
FAR_SHARE = 0.35
"""An edge longer than this share of the view is drawn fainter."""
HEAD_PX = 6.0
HEADS_AT_MOST = 24
"""Where more arrows meet at one node their heads are one dark blot; they are left out."""
BAR_PX = 5.0

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Where the drawn edges run: from and to (k, 2) at the rims of their nodes, the direction, the length."""

    edges: NDArray[np.int64]
    start: Reals
    end: Reals
    along: Reals
    length: Reals


def course(scene: Scene, sight: Sight, *, near: bool) -> Course:
    """The lines of the edges in sight; when near they end at the rim of a node and parallel ones part."""
    lines, edges = scene.lines, sight.edges
    edges = edges[lines.source[edges] != lines.target[edges]]
    source, target = lines.source[edges], lines.target[edges]
    start, end = sight.places[source].astype(np.float64), sight.places[target].astype(np.float64)
    along = end - start
    length = np.hypot(along[:, 0], along[:, 1])
    along /= np.maximum(length, 1e-6)[:, None]
    if near and len(edges):
        # The side is that of the lower end, as the lanes are numbered from there.
        side = np.stack([-along[:, 1], along[:, 0]], axis=1) * np.where(source < target, 1.0, -1.0)[:, None]
        shift = side * (lines.lane[edges] * LANE_PX)[:, None]
        start, end = start + shift, end + shift
        room = np.maximum(length - 4.0, 0.0)
        start = start + along * np.minimum(sight.radii[source], room / 2)[:, None]
        end = end - along * np.minimum(sight.radii[target] + 2.0, room / 2)[:, None]
    return Course(edges, start, end, along, length)


def paint_edges(
    painter: QPainter, scene: Scene, sight: Sight, strokes: Strokes, scale: float, view: tuple[int, int]
) -> Course:
    """All edges in sight. Returns where they run, for arrows and names."""
    near = scale >= ARROWS_AT_SCALE and len(sight.edges) <= ARROWS_AT_MOST
    way = course(scene, sight, near=near)
    lines, paint = scene.lines, scene.paint
    edges = way.edges
    segments = np.concatenate([way.start, way.end], axis=1)
    inhibits, past, bold = lines.inhibits[edges], lines.past[edges], lines.bold[edges]
    dim = (scene.nodes.dim[lines.source[edges]] | scene.nodes.dim[lines.target[edges]]) & ~bold
    far = way.length > FAR_SHARE * max(view)
    fade = np.where(past, PAST, np.where(far, FAR, PLAIN))
    if scene.quiet is not None:
        fade = np.where(scene.quiet[edges], np.maximum(fade, QUIET), fade)
    fade = np.where(dim, DIM, fade)
    kind = lines.relation[edges].astype(np.int64) if len(edges) <= TINTED_AT_MOST else np.full(len(edges), -1)
    strong = lines.weight[edges] >= 0.7
    wide = near & strong & ~past
    ordinary = ~inhibits & ~bold
    for fading in np.unique(fade[ordinary])[::-1]:
        for relation in np.unique(kind[ordinary & (fade == fading)]):
            which = ordinary & (fade == fading) & (kind == relation)
            rgb = mix(_tint(scene, int(relation)), paint.ground, float(fading))
            for broad in (False, True):
                part = which & (wide == broad)
                if part.any():
                    strokes.lines(painter, segments[part], pen_of(rgb, 1.5 if broad else 1.0))
    _paint_inhibiting(painter, scene, segments, inhibits & ~bold, fade, strokes)
    _paint_branches(painter, scene, sight, strokes)
    if bold.any():
        strokes.lines(painter, segments[bold], pen_of(paint.accent, 2.2))
    if near:
        _paint_heads(painter, scene, way, fade, strokes)
        _paint_loops(painter, scene, sight)
    return way


def _paint_branches(painter: QPainter, scene: Scene, sight: Sight, strokes: Strokes) -> None:
    """From what was compressed to what it became."""
    if scene.branches is None or not len(scene.branches):
        return
    above, below = scene.branches[:, 0], scene.branches[:, 1]
    shown = scene.nodes.shown & np.isfinite(sight.places).all(axis=1)
    kept = shown[above] & shown[below]
    segments = np.concatenate([sight.places[above[kept]], sight.places[below[kept]]], axis=1)
    pen = pen_of(mix(scene.paint.secondary, scene.paint.ground, BRANCH), 1.6)
    strokes.lines(painter, segments.astype(np.float64), pen)


def _tint(scene: Scene, relation: int) -> int:
    if relation < 0 or relation >= len(scene.relation_colors):
        return scene.paint.edge
    return mix(scene.relation_colors[relation], scene.paint.edge, 0.55)


def _paint_inhibiting(
    painter: QPainter,
    scene: Scene,
    segments: Reals,
    which: NDArray[np.bool_],
    fade: Reals,
    strokes: Strokes,
) -> None:
    for fading in np.unique(fade[which]):
        share = float(fading) if fading >= QUIET else float(fading) * 0.8
        pen = pen_of(mix(scene.paint.inhibits, scene.paint.ground, share), 1.4)
        pen.setDashPattern([4.0, 3.0])
        strokes.lines(painter, segments[which & (fade == fading)], pen)


def _paint_heads(painter: QPainter, scene: Scene, way: Course, fade: Reals, strokes: Strokes) -> None:
    """Arrow heads, and bars where the edge inhibits; the symmetric relation "related" needs none."""
    lines, paint = scene.lines, scene.paint
    inhibits = lines.inhibits[way.edges]
    room = way.length > 26
    side = np.stack([-way.along[:, 1], way.along[:, 0]], axis=1)
    crowd = np.bincount(lines.target[way.edges], minlength=len(scene))
    bars = inhibits & room
    if bars.any():
        a, b = way.end[bars] - side[bars] * BAR_PX, way.end[bars] + side[bars] * BAR_PX
        strokes.lines(painter, np.concatenate([a, b], axis=1), pen_of(paint.inhibits, 2.4))
    heads = ~inhibits & room & (crowd[lines.target[way.edges]] <= HEADS_AT_MOST)
    for fading in np.unique(fade[heads]):
        which = heads & (fade == fading)
        back = way.end[which] - way.along[which] * HEAD_PX
        pen = pen_of(mix(paint.edge, paint.ground, float(fading)), 1.4)
        for sign in (-1.0, 1.0):
            wing = back + side[which] * (HEAD_PX * 0.5 * sign)
            strokes.lines(painter, np.concatenate([way.end[which], wing], axis=1), pen)


def _paint_loops(painter: QPainter, scene: Scene, sight: Sight) -> None:
    """Relations of a memory with itself, as a small ring above it."""
    lines, edges = scene.lines, sight.edges
    for edge in edges[lines.source[edges] == lines.target[edges]][:200].tolist():
        node = int(lines.source[edge])
        x, y = (float(value) for value in sight.places[node])
        radius = float(sight.radii[node])
        painter.setPen(QPen(QColor(scene.paint.edge), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, y - radius * 1.5), radius * 0.7, radius * 0.8)


def paint_names(
    painter: QPainter, scene: Scene, way: Course, spots: Spots, nodes: Spots, scale: float
) -> None:
    """Names of relations on their lines, where there is room."""
    if scale < min(NAMES_AT_SCALE, BOLD_NAMES_AT_SCALE if scene.lines.bold.any() else 9.0) or not len(
        way.edges
    ):
        return
    metrics = QFontMetricsF(scene.paint.small)
    painter.setFont(scene.paint.small)
    lines, dim = scene.lines, scene.nodes.dim
    faint = (dim[lines.source[way.edges]] | dim[lines.target[way.edges]]) & ~lines.bold[way.edges]
    order = np.argsort(-lines.weight[way.edges], kind="stable")
    order = order[~faint[order]]
    placed = 0
    for at in order.tolist():
        if placed >= NAMES_AT_MOST:
            break
        edge = int(way.edges[at])
        name = scene.relation_names[int(scene.lines.relation[edge])]
        width = metrics.horizontalAdvance(name)
        if way.length[at] < width + 60:
            continue
        middle = (way.start[at] + way.end[at]) / 2
        box = QRectF(middle[0] - width / 2 - 2, middle[1] - metrics.height() / 2, width + 4, metrics.height())
        if not nodes.free(box) or not spots.take(box):
            continue
        placed += 1
        color = scene.paint.inhibits if scene.lines.inhibits[edge] else scene.paint.secondary
        if scene.lines.past[edge]:
            color = mix(color, scene.paint.ground, 0.4)
        halo_text(
            painter, QPointF(box.left() + 2, box.top() + metrics.ascent()), name, color, scene.paint.ground
        )
