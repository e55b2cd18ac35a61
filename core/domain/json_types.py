"""JSON values as types, and the one canonical text form in which the store keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"
JsonObject: TypeAlias = "Mapping[str, Json]"

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""Kept: `json.dumps` would make a new one at each call."""


def canonical(value: Json) -> str:
    """Compact JSON text with the keys in their given order.

    Key order is kept (not sorted): imported objects must leave again as they came.
    Errors: ValueError for NaN and infinities, which JSON cannot hold.
    """
    return _ENCODER.encode(value)


def parse(text: str) -> Json:
    """The value of a JSON text. Errors: ValueError when it is not JSON."""
    value: Json = json.loads(text)
    return value


class KeyTwice(ValueError):
    """A key stands twice in one object of a JSON text."""

    def __init__(self, key: str) -> None:
        super().__init__(f"“{key}” × 2")
        self.key = key


def parse_exactly(text: str) -> Json:
    """The value of a JSON text in which nothing is said twice.

    Errors: ValueError when it is not JSON, KeyTwice for a key of which one value would be lost.
    """
    value: Json = json.loads(text, object_pairs_hook=_without_twins)
    return value


def _without_twins(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyTwice(next(key for key in keys if keys.count(key) > 1))
    return found


def parse_object(text: str) -> dict[str, Json]:
    """The object of a JSON text. Errors: ValueError when it is something else."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - bad data, not a bad call
    return value


def texts_of(value: Json) -> Iterator[str]:
    """Every text in a value, in order; keys are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from texts_of(item)
