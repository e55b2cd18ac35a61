"""Which memories of a level are summed up together, and what the sum inherits.

Source: spec/STBME §3.8, Compression. We differ (DESIGN §5): forced, exactly fan-in memories are enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SMALLEST_GROUP = 2
"""A rest of one memory is left alone."""


@dataclass(frozen=True, slots=True)
class GroupingRule:
    """When and how a type is compressed (a row of the type schema)."""

    threshold: int
    fan_in: int
    max_depth: int
    keep_recent: int


def group_sizes(count: int, rule: GroupingRule, *, forced: bool = False) -> list[int]:
    """Sizes of the groups from the oldest memory on, of `count` memories of one type and level in order of seq.

    Nothing until there are more than the threshold; the newest `keep_recent` are left. `forced` ignores both and
    takes whole groups from fan-in memories on.
    """
    if rule.fan_in < 1:
        return []
    enough = max(SMALLEST_GROUP, rule.fan_in) if forced else rule.threshold + 1
    candidates = count - (0 if forced else rule.keep_recent)
    if count < enough or candidates < rule.fan_in:
        return []
    whole, rest = divmod(candidates, rule.fan_in)
    return [rule.fan_in] * whole + ([rest] if rest >= SMALLEST_GROUP else [])


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a group as the sum sees it."""

    seq: int
    start: int
    end: int
    importance: float


@dataclass(frozen=True, slots=True)
class Inherited:
    """Floors and importance of the sum of a group."""

    seq: int
    start: int
    end: int
    importance: float


def inherit(group: Sequence[Member]) -> Inherited:
    """Place of the newest member, range over all by their order, greatest importance. `group` is in order of seq."""
    return Inherited(group[-1].seq, group[0].start, group[-1].end, max(member.importance for member in group))
