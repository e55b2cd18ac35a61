"""Random recall of a forgotten memory, and how long a memo still lives.

Source: spec/BOOKU §6. Random numbers are arguments, so that a run can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

_MINUTE_SECONDS = 60
_HOUR_MINUTES = 60


class FlashbackLayer(StrEnum):
    """Where a flashback comes from."""

    ARCHIVED = "archived"
    EMERGENT = "emergent"


class LifeUnit(StrEnum):
    """Unit in which the rest of a memo's life is said."""

    MINUTES = "minutes"
    HOURS = "hours"


@dataclass(frozen=True, slots=True)
class RemainingLife:
    """Number as shown and its unit."""

    text: str
    unit: LifeUnit


def probability(value: float) -> float:
    """The value cut to 0..1."""
    return min(1.0, max(0.0, value))


def triggers(chance: float, draw: float) -> bool:
    """Whether a flashback happens for a draw in [0, 1)."""
    return draw < probability(chance)


def flashback_layer(archived_chance: float, draw: float) -> FlashbackLayer:
    """Layer from which a flashback is taken for a draw in [0, 1)."""
    return FlashbackLayer.ARCHIVED if draw < probability(archived_chance) else FlashbackLayer.EMERGENT


def activation_weight(activations: int, exponent: float) -> float:
    """Weight 1 / (activations + 1)^exponent: seldom recalled memories come back more often.

    Negative counts are 0; an exponent of 0 or less is 1.
    """
    try:
        return float(1.0 / (max(0, activations) + 1) ** (exponent if exponent > 0 else 1.0))
    except OverflowError:  # smaller than any number that there is
        return 0.0


def weighted_choice(items: Sequence[T], weights: Sequence[float], draw: float) -> T | None:
    """The first item whose summed weight reaches draw x total; the last one when nothing has weight, None of none.

    Errors: ValueError when there is not one weight for each item.
    """
    if len(items) != len(weights):
        raise ValueError(f"{len(items)} items, {len(weights)} weights")
    if not items:
        return None
    positive = [max(0.0, float(weight)) for weight in weights]
    total = sum(positive)
    if total <= 0:
        return items[-1]
    reached = 0.0
    for item, weight in zip(items, positive, strict=True):
        reached += weight
        if reached >= draw * total:
            return item
    return items[-1]


def remaining_life(seconds_left: float) -> RemainingLife:
    """The rest of a memo's life in whole minutes (at least 1, rounded up), from 60 on in hours with one decimal."""
    minutes = max(1, math.ceil(seconds_left / _MINUTE_SECONDS))
    if minutes < _HOUR_MINUTES:
        return RemainingLife(str(minutes), LifeUnit.MINUTES)
    hours, rest = divmod(minutes, _HOUR_MINUTES)
    return RemainingLife(str(hours) if not rest else f"{minutes / _HOUR_MINUTES:.1f}", LifeUnit.HOURS)
