"""Forces of a graph drawing: repulsion by particle mesh, attraction by springs, adaptive speed.

Repulsion is that of ForceAtlas2, charge_i * charge_j / distance, summed on a grid: charges are spread
bilinearly on G x G cells, convolved with the 1/d kernel by FFT (zero-padded to 2G, so the field does not
wrap around), and sampled back. Source: particle-mesh method (Hockney & Eastwood); ForceAtlas2 (Jacomy et
al. 2014) for forces and adaptive speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

NEAR_CELLS = 0.35
"""Softening of the kernel at its own cell, in cells."""
SPEED_TOLERANCE = 1.0
"""ForceAtlas2's tau: how much swinging is tolerated before the drawing slows down."""
MOST_SPEED = 10.0
SPEED_RISE = 1.5


@lru_cache(maxsize=8)
def _kernel(cells: int) -> tuple[NDArray[np.complex64], NDArray[np.complex64]]:
    """Transforms of the field d / |d|^2 on a 2G x 2G torus, x and y part."""
    axis = np.fft.fftfreq(2 * cells, 1.0 / (2 * cells)).astype(np.float32)
    dx, dy = axis[None, :], axis[:, None]
    square = dx * dx + dy * dy + np.float32(NEAR_CELLS**2)
    return (
        np.fft.rfft2(dx / square).astype(np.complex64),
        np.fft.rfft2(dy / square).astype(np.complex64),
    )


def repulsion(positions: Floats, charges: Floats, cells: int) -> Floats:
    """Repulsive force on each node.

    Shapes: positions (n, 2), charges (n,) -> (n, 2). `cells` = G. Cost: O(n + G^2 log G).
    """
    low = np.array([column.min() for column in positions.T], dtype=np.float32)
    size = max(*(float(column.max() - least) for column, least in zip(positions.T, low, strict=True)), 1e-6)
    unit = size / (cells - 2)
    place = (positions - low) / np.float32(unit) + np.float32(0.5)
    corner = place.astype(np.int32)
    x, y = (place - corner).T
    at = corner[:, 1].astype(np.int64) * cells + corner[:, 0]
    shares = ((1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y)
    places = [at + offset for offset in (0, 1, cells, cells + 1)]
    spread = np.zeros(cells * cells)
    for share, where in zip(shares, places, strict=True):
        spread += np.bincount(where, weights=charges * share, minlength=cells * cells)
    padded = np.zeros((2 * cells, 2 * cells), dtype=np.float32)
    padded[:cells, :cells] = spread.reshape(cells, cells)
    transformed = np.fft.rfft2(padded)
    forces = np.empty_like(positions)
    for axis, kernel in enumerate(_kernel(cells)):
        pushed = np.fft.irfft2(transformed * kernel, s=padded.shape)[:cells, :cells].ravel()
        sampled = shares[0] * pushed[places[0]]
        for share, where in zip(shares[1:], places[1:], strict=True):
            sampled += share * pushed[where]
        forces[:, axis] = sampled * charges
    forces /= np.float32(unit)
    return forces


def attraction(positions: Floats, sources: Ints, targets: Ints, weights: Floats) -> Floats:
    """Linear spring force along each edge. Shapes: (n, 2), (m,), (m,), (m,) -> (n, 2). Cost: O(n + m)."""
    count = len(positions)
    forces = np.empty_like(positions)
    for axis in (0, 1):
        along = positions[:, axis]
        pull = (along[targets] - along[sources]) * weights
        forces[:, axis] = np.bincount(sources, weights=pull, minlength=count) - np.bincount(
            targets, weights=pull, minlength=count
        )
    return forces


@dataclass(slots=True)
class Motion:
    """State of the adaptive speed between steps."""

    last: Floats
    speed: float = 1.0

    @classmethod
    def at_rest(cls, count: int) -> Motion:
        """Before the first step."""
        return cls(np.zeros((count, 2), dtype=np.float32))

    def way(self, forces: Floats, charges: Floats, most: Floats) -> Floats:
        """How far each node goes in this step: at most `most` times the force, so that a hub which
        thousands of springs hold does not fly past its place. Shapes: (n, 2), (n,), (n,) -> (n, 2)."""
        change, both = forces - self.last, forces + self.last
        swing = np.sqrt(np.einsum("ij,ij->i", change, change))
        traction = np.sqrt(np.einsum("ij,ij->i", both, both)) / 2
        swinging = float((charges * swing).sum()) + 1e-12
        wanted = SPEED_TOLERANCE * float((charges * traction).sum()) / swinging
        self.speed = min(max(wanted, 1e-4), self.speed * SPEED_RISE, MOST_SPEED)
        factor = self.speed / (1.0 + self.speed * np.sqrt(swing))
        self.last = forces
        way: Floats = forces * np.minimum(factor, most)[:, None].astype(np.float32)
        return way
