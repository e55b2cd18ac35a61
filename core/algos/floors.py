"""Which floor of a chat is which, after its file was edited elsewhere: kept, changed, moved, removed or new."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Floor:
    """One floor: `content` tells texts apart, `hint` (time and speaker) finds a floor whose text was edited."""

    seq: int
    content: bytes
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorChanges:
    """How the old floors became the new ones, all by floor number (`Floor.seq`).

    `place`: where each old floor is now, None = removed. `changed`: old floors whose text is another now.
    """

    place: dict[int, int | None]
    changed: tuple[int, ...] = ()
    added: tuple[int, ...] = ()

    @property
    def removed(self) -> tuple[int, ...]:
        """Old floors that are gone."""
        return tuple(old for old, new in self.place.items() if new is None)

    @property
    def moved(self) -> tuple[int, ...]:
        """Old floors that have another number now."""
        return tuple(old for old, new in self.place.items() if new is not None and new != old)

    @property
    def first(self) -> int | None:
        """The first old floor that is changed, removed or moved, or the first new one when there is none."""
        touched = (*self.changed, *self.removed, *self.moved)
        return min(touched, default=min(self.added, default=None))

    @property
    def alters(self) -> bool:
        """Whether a floor that was there is changed, removed or moved (growth at the end alters nothing)."""
        return bool(self.changed or self.removed or self.moved)

    def before(self, old: int) -> int | None:
        """Where the nearest floor at or before `old` is now, that still is; None when there is none."""
        first = min(self.place, default=0)
        return self._nearest(range(old, first - 1, -1))

    def after(self, old: int) -> int | None:
        """The same at or after `old`."""
        last = max(self.place, default=-1)
        return self._nearest(range(old, last + 1))

    def _nearest(self, candidates: Iterable[int]) -> int | None:
        return next((place for seq in candidates if (place := self.place.get(seq)) is not None), None)


def common_start(old: Sequence[Floor], new: Sequence[Floor]) -> int:
    """How many floors are the same from the start."""
    for count, (one, other) in enumerate(zip(old, new, strict=False)):
        if one.content != other.content:
            return count
    return min(len(old), len(new))


def compare_floors(old: Sequence[Floor], new: Sequence[Floor]) -> FloorChanges:
    """The changes from `old` to `new`. Cost: O(n log n).

    Floors are aligned by their text (texts that occur once on both sides are the anchors); what lies between is
    paired by hint, then in order.
    """
    pairs = _aligned(old, new)
    place: dict[int, int | None] = {floor.seq: None for floor in old}
    changed = []
    for i, j in pairs:
        place[old[i].seq] = new[j].seq
        if old[i].content != new[j].content:
            changed.append(old[i].seq)
    used = {j for _, j in pairs}
    added = tuple(floor.seq for j, floor in enumerate(new) if j not in used)
    return FloorChanges(place=place, changed=tuple(changed), added=added)


def _aligned(old: Sequence[Floor], new: Sequence[Floor]) -> list[Pair]:
    one, other = [floor.content for floor in old], [floor.content for floor in new]
    pairs = _matched(one, other)
    found: list[Pair] = []
    for (i0, j0), (i1, j1) in zip([(-1, -1), *pairs], [*pairs, (len(old), len(new))], strict=True):
        found += _between(old, new, (i0 + 1, i1), (j0 + 1, j1))
        if i1 < len(old) and j1 < len(new):
            found.append((i1, j1))
    return found


def _matched(one: Sequence[bytes], other: Sequence[bytes]) -> list[Pair]:
    """Equal contents in order: the longest rising run of unique ones, and equal neighbours on both sides."""
    counts, others = Counter(one), Counter(other)
    where = {content: j for j, content in enumerate(other)}
    anchors = [
        (i, where[content])
        for i, content in enumerate(one)
        if counts[content] == 1 and others.get(content) == 1
    ]
    pairs: list[Pair] = []
    at = (0, 0)
    for i, j in [*_rising(anchors), (len(one), len(other))]:
        pairs += _run(one, other, at, (i, j))
        if i < len(one):
            pairs.append((i, j))
        at = (i + 1, j + 1)
    return pairs


def _run(one: Sequence[bytes], other: Sequence[bytes], start: Pair, end: Pair) -> list[Pair]:
    """Equal contents at the start and at the end of a stretch."""
    (i0, j0), (i1, j1) = start, end
    head: list[Pair] = []
    while i0 < i1 and j0 < j1 and one[i0] == other[j0]:
        head.append((i0, j0))
        i0, j0 = i0 + 1, j0 + 1
    tail: list[Pair] = []
    while i0 < i1 and j0 < j1 and one[i1 - 1] == other[j1 - 1]:
        i1, j1 = i1 - 1, j1 - 1
        tail.append((i1, j1))
    return head + tail[::-1]


def _rising(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest subsequence whose second numbers rise (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        back.append(ends[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(j)
            ends.append(index)
        else:
            tops[pile], ends[pile] = j, index
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = back[at]
    return found[::-1]


def _between(old: Sequence[Floor], new: Sequence[Floor], left: Pair, right: Pair) -> list[Pair]:
    """Edited floors of a stretch without equal texts: those with the same hint, then the others in order."""
    if left[0] == left[1] or right[0] == right[1]:
        return []
    hints: dict[str, list[int]] = {}
    for j in range(*right):
        hints.setdefault(new[j].hint, []).append(j)
    anchors = [
        (i, hints[old[i].hint][0])
        for i in range(*left)
        if old[i].hint and len(hints.get(old[i].hint, ())) == 1
    ]
    found: list[Pair] = []
    at = (left[0], right[0])
    for i, j in [*_rising(anchors), (left[1], right[1])]:
        found += zip(range(at[0], i), range(at[1], j), strict=False)
        if i < left[1]:
            found.append((i, j))
        at = (i + 1, j + 1)
    return found
