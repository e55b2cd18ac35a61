"""Communities as discs of their own: each drawn by itself, related ones near each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.algos.community import Ints
from core.algos.layout_overlap import remove_overlaps
from core.algos.layout_pack import packed
from core.algos.layout_pieces import Lines, Pieces, Reals
from core.domain.graph import Frame

MOST_ROUNDS = 12
WIDER = 1.15
"""When discs cannot be parted where they are, all move apart by this."""
GAP = 1.1


def by_community(lines: Lines, community: Ints, aspect: float, seed: int) -> Iterator[Frame]:
    """The drawing step by step. Shape: community (n,). Cost: that of a force layout."""
    if not lines.count:
        return
    inside = community[lines.sources] == community[lines.targets]

    def places(radii: Reals, parts: Ints) -> Reals:
        return _beside_related(lines.where(~inside), pieces.component, radii, parts, aspect, seed)

    pieces = Pieces(lines.where(inside), aspect, seed, places)
    for positions, done in pieces.grow():
        yield Frame(positions, done)


def between(lines: Lines, group: Ints, count: int) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """The graph of the groups: ends and summed strengths of the relations between two.

    Shapes: group (n,) below count -> (e,), (e,), (e,). Cost: O(m log m).
    """
    one, two = group[lines.sources], group[lines.targets]
    apart = one != two
    low, high = np.minimum(one, two)[apart], np.maximum(one, two)[apart]
    keys, place = np.unique(low * count + high, return_inverse=True)
    sums = np.bincount(place.ravel(), weights=lines.strengths[apart], minlength=len(keys))
    return keys // count, keys % count, sums.astype(np.float32)


def _beside_related(
    lines: Lines, component: Ints, radii: Reals, parts: Ints, aspect: float, seed: int
) -> Reals:
    """Centres for discs so that related ones are near each other and none overlap."""
    number = np.full(int(component.max()) + 1, -1, dtype=np.int64)
    number[parts] = np.arange(len(parts))
    shown = number[component] >= 0
    kept = shown[lines.sources] & shown[lines.targets]
    source, target, weight = between(lines.where(kept), number[component], len(parts))
    if not len(source):
        return packed(radii, aspect)
    weight = weight / weight.max()
    *_, (drawn, _) = Pieces(Lines(len(parts), source, target, weight), aspect, seed).grow()
    return _parted(drawn.astype(np.float64), radii)


def _parted(drawn: Reals, radii: Reals) -> Reals:
    """The drawing as large as the discs need, which are then pushed apart."""
    spread = np.sqrt(2 * ((drawn - drawn.mean(axis=0)) ** 2).sum(axis=1).mean())
    centres = drawn * (np.sqrt((radii**2).sum()) / max(float(spread), 1e-9))
    sizes = (radii * GAP).astype(np.float32)
    for _ in range(MOST_ROUNDS):
        centres = remove_overlaps(centres.astype(np.float32), sizes).astype(np.float64)
        if not _overlapping(centres, radii):
            return centres
        centres = centres * WIDER
    return packed(radii)


def _overlapping(centres: Reals, radii: Reals) -> bool:
    for at in range(len(radii) - 1):
        away = np.sqrt(((centres[at + 1 :] - centres[at]) ** 2).sum(axis=1))
        if (away < radii[at + 1 :] + radii[at]).any():
            return True
    return False
