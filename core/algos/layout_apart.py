"""A compact block for the nodes that an arrangement has no place for: below the others or to their right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algos.layout_pack import grid
from core.domain.graph import SPACING

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

GAP = 3.0
"""Empty rows between the block and the others; its name stands there."""
LEAST_SHAPE, MOST_SHAPE = 0.5, 3.5
"""A block is no long row: its width is between so many times its height."""
SHAPES = 9


@dataclass(frozen=True, slots=True)
class Block:
    """Columns of the block, and whether it stands to the right of the others instead of below them."""

    columns: int
    right: bool


def block_of(count: int, width: float, height: float, aspect: float) -> Block:
    """The block with which everything fits best into a view. Width and height of the others, in spacings."""
    best, least = Block(max(1, round(float(np.sqrt(count * aspect)))), right=False), np.inf
    for shape in np.geomspace(LEAST_SHAPE, MOST_SHAPE, SHAPES):
        columns = min(max(1, round(float(np.sqrt(count * shape)))), count)
        rows = -(-count // columns)
        below = max(max(width, columns) / aspect, height + GAP + rows)
        beside = max((width + GAP + columns) / aspect, height, rows)
        for need, right in ((below, False), (beside * 1.02, True)):
            if need < least - 1e-9:
                best, least = Block(columns, right), need
    return best


def with_apart(positions: Floats, apart: Flags, aspect: float, block: Block | None = None) -> Floats:
    """The positions with those of a mask (n,) in a block beside the others. `block` None = the best one.

    Shape: (n, 2). Cost: O(n).
    """
    number = int(apart.sum())
    if not number:
        return positions
    placed = positions.copy()
    others = positions[~apart]
    if not len(others):
        columns = max(1, int(np.ceil(np.sqrt(number * aspect))))
        placed[apart] = grid(number, columns, SPACING)
        return placed
    low, high = others.min(axis=0).astype(np.float64), others.max(axis=0).astype(np.float64)
    if block is None:
        wide, tall = (high - low) / SPACING + 1
        block = block_of(number, float(wide), float(tall), aspect)
    rows = -(-number // block.columns)
    size = np.array((min(block.columns, number) - 1, rows - 1)) * SPACING
    middle = (low + high) / 2
    if block.right:
        corner = np.array((high[0] + GAP * SPACING, middle[1] - size[1] / 2))
    else:
        corner = np.array((middle[0] - size[0] / 2, high[1] + GAP * SPACING))
    placed[apart] = grid(number, block.columns, SPACING) + corner.astype(np.float32)
    return placed
