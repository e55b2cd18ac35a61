"""Many lines, rectangles and points at once, from numpy arrays (pyqtgraph's arrays shared with Qt)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

CHUNK = 3_000
"""Drawn in one call: the window's thread gets its turn between calls."""

Segments = NDArray[np.float64]


class Strokes:
    """Buffers that are used again and again. For one thread at a time."""

    def __init__(self) -> None:
        self._lines = PrimitiveArray(QLineF, 4)
        self._rects = PrimitiveArray(QRectF, 4)

    def lines(self, painter: QPainter, segments: Segments, pen: QPen) -> None:
        """Lines (k, 4) x1 y1 x2 y2 with a pen."""
        painter.setPen(pen)
        for part in _parts(segments):
            self._lines.resize(len(part))
            self._lines.ndarray()[:] = part
            painter.drawLines(*self._lines.drawargs())

    def rects(self, painter: QPainter, boxes: Segments, rgb: int) -> None:
        """Filled rectangles (k, 4) x y width height."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(rgb))
        for part in _parts(boxes):
            self._rects.resize(len(part))
            self._rects.ndarray()[:] = part
            painter.drawRects(*self._rects.drawargs())


def _parts(rows: Segments) -> Iterator[Segments]:
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]


def pen_of(rgb: int, width: float = 1.0) -> QPen:
    """An opaque pen that keeps its width in pixels at every zoom."""
    pen = QPen(QColor(rgb), width)
    pen.setCosmetic(True)
    return pen
