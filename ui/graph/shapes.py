"""Family shapes, and the small pictures of nodes that are stamped on the canvas.

A node shows its type by an icon; where there is no room for it, by the shape of its family (GLOSSARY).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen

ICON_FROM_PX = 14.0
"""Nodes of this diameter and more show the icon of their type."""
BADGE_FROM_PX = 16.0
RADIUS_PX = (1.0, 24.0)
SIZE_STEPS = 2
"""Sizes of stamped pictures, in steps a pixel."""


class Shape(IntEnum):
    """Shapes of families of types."""

    CIRCLE = 0
    SQUARE = 1
    DIAMOND = 2
    HEXAGON = 3
    TRIANGLE = 4


FAMILY = {
    "event": Shape.CIRCLE,
    "thread": Shape.CIRCLE,
    "character": Shape.SQUARE,
    "person": Shape.SQUARE,
    "location": Shape.DIAMOND,
    "place": Shape.DIAMOND,
    "rule": Shape.HEXAGON,
    "procedure": Shape.HEXAGON,
    "knowledge": Shape.HEXAGON,
    "asset": Shape.HEXAGON,
    "synopsis": Shape.TRIANGLE,
    "reflection": Shape.TRIANGLE,
    "pov_memory": Shape.TRIANGLE,
}


def shape_of(type_id: str) -> Shape:
    """The shape of a type's family; types of the user's own are circles."""
    return FAMILY.get(type_id, Shape.CIRCLE)


def view_radius(world: NDArray[np.float32], scale: float) -> NDArray[np.float32]:
    """Radius in pixels at a zoom: never so small that a node vanishes, never a poster."""
    radius: NDArray[np.float32] = np.clip(world * np.float32(scale), *RADIUS_PX).astype(np.float32)
    return radius


def outline(shape: Shape, x: float, y: float, radius: float) -> QPainterPath:
    """The shape around a point; shapes of equal radius look equally large."""
    path = QPainterPath()
    match shape:
        case Shape.CIRCLE:
            path.addEllipse(QPointF(x, y), radius, radius)
        case Shape.SQUARE:
            half = radius * 0.9
            path.addRoundedRect(QRectF(x - half, y - half, 2 * half, 2 * half), radius * 0.35, radius * 0.35)
        case Shape.DIAMOND:
            _polygon(path, x, y, radius * 1.18, 4, -90)
        case Shape.HEXAGON:
            _polygon(path, x, y, radius * 1.06, 6, -90)
        case Shape.TRIANGLE:
            _polygon(path, x, y + radius * 0.18, radius * 1.25, 3, -90)
    return path


def _polygon(path: QPainterPath, x: float, y: float, radius: float, corners: int, start: float) -> None:
    for corner in range(corners):
        angle = math.radians(start + 360 * corner / corners)
        point = QPointF(x + radius * math.cos(angle), y + radius * math.sin(angle))
        if corner:
            path.lineTo(point)
        else:
            path.moveTo(point)
    path.closeSubpath()


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a node looks like; equal nodes share one picture. Colours are 0xRRGGBB."""

    shape: Shape
    radius: float
    color: int
    ground: int
    hollow: bool = False
    glyph: str = ""
    locked: bool = False


class Stamps:
    """Pictures of nodes, drawn once. Used by one thread at a time."""

    KEPT = 4_000

    def __init__(self, font: QFont, ratio: float = 1.0) -> None:
        """`font`: the icon font; `ratio`: pixels of the screen a point."""
        self._font, self._ratio = font, ratio
        self._kept: dict[Stamp, QImage] = {}

    def of(self, stamp: Stamp) -> QImage:
        """The picture; its middle is the node's place."""
        found = self._kept.get(stamp)
        if found is None:
            if len(self._kept) > self.KEPT:
                self._kept.clear()
            found = self._kept[stamp] = self._draw(stamp)
        return found

    def _draw(self, stamp: Stamp) -> QImage:
        side = 2 * math.ceil(stamp.radius * 1.3 + 2)
        image = QImage(
            math.ceil(side * self._ratio),
            math.ceil(side * self._ratio),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        image.setDevicePixelRatio(self._ratio)
        image.fill(0)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_node(painter, stamp, side / 2, side / 2, self._font)
        painter.end()
        return image


def draw_node(painter: QPainter, stamp: Stamp, x: float, y: float, font: QFont) -> None:
    """A node: filled, or hollow for what is out of use; a thin ground line keeps neighbours apart."""
    color, ground = QColor(stamp.color), QColor(stamp.ground)
    path = outline(stamp.shape, x, y, stamp.radius)
    if stamp.hollow:
        line = QPen(color, max(1.2, stamp.radius * 0.16))
        painter.setPen(line)
        painter.setBrush(ground)
        painter.drawPath(outline(stamp.shape, x, y, max(stamp.radius - line.widthF() / 2, 0.6)))
    else:
        if stamp.radius >= 3:
            painter.strokePath(path, QPen(ground, 2.0))
        painter.fillPath(path, color)
    if stamp.glyph:
        font = QFont(font)
        font.setPixelSize(max(6, round(stamp.radius * 1.15)))
        painter.setFont(font)
        painter.setPen(color if stamp.hollow else on_color(stamp.color))
        lower = stamp.radius * 0.12 if stamp.shape is Shape.TRIANGLE else 0.0
        area = QRectF(x - stamp.radius, y - stamp.radius + lower, 2 * stamp.radius, 2 * stamp.radius)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, stamp.glyph)
    if stamp.locked:
        _padlock(painter, x + stamp.radius * 0.68, y + stamp.radius * 0.68, stamp)


def _padlock(painter: QPainter, x: float, y: float, stamp: Stamp) -> None:
    """A small padlock on a ground disc at the lower right."""
    size = max(3.5, stamp.radius * 0.36)
    painter.setPen(QPen(QColor(stamp.color), 1.0))
    painter.setBrush(QColor(stamp.ground))
    painter.drawEllipse(QPointF(x, y), size, size)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(stamp.color), max(0.9, size * 0.2)))
    painter.drawArc(QRectF(x - size * 0.32, y - size * 0.62, size * 0.64, size * 0.8), 0, 180 * 16)
    painter.fillRect(QRectF(x - size * 0.48, y - size * 0.18, size * 0.96, size * 0.7), QColor(stamp.color))


def on_color(rgb: int) -> QColor:
    """Black or white, whichever is read better on a colour (WCAG relative luminance)."""
    return QColor(0x10141A if luminance(rgb) > 0.32 else 0xFFFFFF)


def luminance(rgb: int) -> float:
    """Relative luminance 0..1 of a colour 0xRRGGBB."""
    parts = []
    for shift in (16, 8, 0):
        part = ((rgb >> shift) & 255) / 255
        parts.append(part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def mix(rgb: int, other: int, share: float) -> int:
    """A colour on its way to another: opaque, since transparent lines cost three times as much."""
    mixed = 0
    for shift in (16, 8, 0):
        a, b = (rgb >> shift) & 255, (other >> shift) & 255
        mixed |= round(a + (b - a) * share) << shift
    return mixed
