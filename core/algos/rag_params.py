"""Booku's hot file `rag_params.json`: the few numbers of retrieval that it overrides.

Source: spec/BOOKU §1.9.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

_BOOST_RANGE = (1.0, 2.0)
_PAIR = 2


@dataclass(frozen=True, slots=True)
class RagParams:
    """Numbers of retrieval; the defaults are those of the settings."""

    deduplication_threshold: float = 0.88
    core_boost_min: float = 1.2
    core_boost_max: float = 1.4
    energy_cutoff: float = 0.1


def read_rag_params(text: str | None, defaults: RagParams) -> RagParams:
    """The numbers of the file over the defaults; the defaults as they are without a readable object.

    Thresholds are cut to 0..1; boosts to 1..2, swapped if reversed; a range that is no pair counts as absent.
    Errors: ValueError or TypeError for a value that is no number.
    """
    if text is None:
        return defaults
    try:
        data = json.loads(text)
    except ValueError:
        return defaults
    return _over(data, defaults) if isinstance(data, Mapping) else defaults


def _over(data: Mapping[str, object], defaults: RagParams) -> RagParams:
    boosts = data.get("coreBoostRange")
    if not isinstance(boosts, list | tuple) or len(boosts) < _PAIR:
        boosts = (defaults.core_boost_min, defaults.core_boost_max)
    low, high = sorted(map(_number, boosts[:_PAIR]))
    return RagParams(
        deduplication_threshold=_cut(
            _number(data.get("deduplicationThreshold", defaults.deduplication_threshold))
        ),
        core_boost_min=_cut(low, *_BOOST_RANGE),
        core_boost_max=_cut(high, *_BOOST_RANGE),
        energy_cutoff=_cut(_number(data.get("energyCutoff", defaults.energy_cutoff))),
    )


def _number(value: object) -> float:
    if isinstance(value, str | int | float):
        return float(value)
    raise TypeError(f"not a number: {value!r}")


def _cut(value: float, low: float = 0.0, high: float = 1.0) -> float:
    return min(high, max(low, value))
