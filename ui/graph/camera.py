"""Where the picture is looked at from: world units (see core.domain.graph.SPACING) to pixels of the view."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float32]

SCALE_MIN, SCALE_MAX = 0.002, 6.0
"""Pixels a unit: the whole of a million memories, and one memory filling a hand's breadth."""
FIT_SCALE_MAX = 1.7
"""A graph of three memories is not blown up to fill the window."""
FIT_MARGIN_PX = 56


@dataclass(frozen=True, slots=True)
class Camera:
    """`x`, `y`: the world point in the middle of the view; `scale`: pixels a unit; the view's size in px."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: int = 800
    height: int = 600

    def to_view(self, points: Points) -> Points:
        """Places in the view of world points (k, 2)."""
        middle = np.array((self.x, self.y), dtype=np.float32)
        half = np.array((self.width / 2, self.height / 2), dtype=np.float32)
        return ((points - middle) * np.float32(self.scale) + half).astype(np.float32, copy=False)

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """The world point at a place of the view."""
        return (
            self.x + (x - self.width / 2) / self.scale,
            self.y + (y - self.height / 2) / self.scale,
        )

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The place in the view of one world point."""
        return (
            (x - self.x) * self.scale + self.width / 2,
            (y - self.y) * self.scale + self.height / 2,
        )

    def panned(self, dx: float, dy: float) -> Camera:
        """The picture moved by pixels."""
        return replace(self, x=self.x - dx / self.scale, y=self.y - dy / self.scale)

    def zoomed(self, factor: float, x: float, y: float) -> Camera:
        """Nearer by a factor; the world point at this place of the view stays there."""
        scale = min(max(self.scale * factor, SCALE_MIN), SCALE_MAX)
        at_x, at_y = self.to_world(x, y)
        return replace(
            self,
            scale=scale,
            x=at_x - (x - self.width / 2) / scale,
            y=at_y - (y - self.height / 2) / scale,
        )

    def centred(self, x: float, y: float, scale: float | None = None) -> Camera:
        """Looking at a world point."""
        return replace(self, x=x, y=y, scale=self.scale if scale is None else scale)

    def resized(self, width: int, height: int) -> Camera:
        """The same middle in a view of another size."""
        return replace(self, width=max(width, 1), height=max(height, 1))

    def widened(self, share: float) -> Camera:
        """A larger view around the same middle: a margin of this share of the size at each side."""
        return replace(
            self, width=round(self.width * (1 + 2 * share)), height=round(self.height * (1 + 2 * share))
        )

    def fitting(
        self,
        points: Points,
        margin_px: float = FIT_MARGIN_PX,
        most: float = FIT_SCALE_MAX,
        left_px: float = 0.0,
    ) -> Camera:
        """A view that holds all these points; the same view when there are none. `left_px`: free at the left,
        at most a third of the view."""
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            return self
        low, high = points.min(axis=0), points.max(axis=0)
        middle = (low + high) / 2
        left = max(min(left_px, self.width / 3) - margin_px, 0.0)
        room_x = max(self.width - 2 * margin_px - left, 40.0)
        room_y = max(self.height - 2 * margin_px, 40.0)
        span_x, span_y = max(float(high[0] - low[0]), 1e-3), max(float(high[1] - low[1]), 1e-3)
        scale = min(room_x / span_x, room_y / span_y, most)
        scale = min(max(scale, SCALE_MIN), SCALE_MAX)
        return replace(self, x=float(middle[0]) - left / 2 / scale, y=float(middle[1]), scale=scale)

    def between(self, other: Camera, share: float) -> Camera:
        """On the way to another camera: zooming evenly to the eye."""
        scale = self.scale * (other.scale / self.scale) ** share
        return replace(
            other,
            x=self.x + (other.x - self.x) * share,
            y=self.y + (other.y - self.y) * share,
            scale=scale,
        )

    def rect_of(self, inner: Camera) -> tuple[float, float, float, float]:
        """Where the whole view of another camera lies in this one: x, y, width, height."""
        ratio = self.scale / inner.scale
        width, height = inner.width * ratio, inner.height * ratio
        x, y = self.place(inner.x, inner.y)
        return x - width / 2, y - height / 2, width, height

    def holds(self, other: Camera) -> bool:
        """Whether everything that the other camera sees lies in this view."""
        x, y, width, height = other.rect_of(self)
        return x <= 0 and y <= 0 and x + width >= other.width and y + height >= other.height
