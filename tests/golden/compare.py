"""Differences between an expected and an actual value: numbers to a tolerance, text exactly, made-up ids up to renaming."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_MADE_ID = re.compile(r"0{8}-0000-4000-8000-[0-9a-f]{12}")


class Renaming:
    """One-to-one names of ids that the recorder made up; ids of the inputs keep their names."""

    def __init__(self, inputs: object) -> None:
        known = set(_MADE_ID.findall(json.dumps(inputs, default=str)))
        self._ours = {name: name for name in known}
        self._theirs = {name: name for name in known}

    def same(self, expected: str, actual: str) -> bool:
        if not _MADE_ID.fullmatch(expected):
            return expected == actual
        return (
            self._ours.setdefault(expected, actual) == actual
            and self._theirs.setdefault(actual, expected) == expected
        )

    def known(self, expected: str) -> str:
        return self._ours.get(expected, expected)


def differences(
    expected: Any, actual: Any, tolerance: float, names: Renaming, at: str = "$"
) -> Iterator[str]:
    """What differs, each with its place; nothing when the two are the same."""
    if isinstance(expected, Mapping) and expected.get("nonempty_placeholder") is True:
        if not isinstance(actual, str) or not actual.strip():
            yield f"{at}: a placeholder expected, got {actual!r}"
    elif isinstance(expected, Mapping) and isinstance(actual, Mapping):
        yield from _objects(expected, actual, tolerance, names, at)
    elif _is_list(expected) and _is_list(actual):
        if len(expected) != len(actual):
            yield f"{at}: {len(expected)} items expected, got {len(actual)}: {_short(actual)}"
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(left, right, tolerance, names, f"{at}[{index}]")
    elif not _same_scalar(expected, actual, tolerance, names):
        yield f"{at}: expected {_short(expected)}, got {_short(actual)}"


def _objects(
    expected: Mapping[str, Any], actual: Mapping[str, Any], tolerance: float, names: Renaming, at: str
) -> Iterator[str]:
    renamed = {names.known(key): key for key in expected}
    for key in actual:
        if key not in renamed:
            yield f"{at}: unexpected key {key!r} = {_short(actual[key])}"
    for name, key in renamed.items():
        if name not in actual:
            yield f"{at}: missing key {key!r}"
        else:
            yield from differences(expected[key], actual[name], tolerance, names, f"{at}.{key}")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _same_scalar(expected: Any, actual: Any, tolerance: float, names: Renaming) -> bool:
    if isinstance(expected, str) and isinstance(actual, str):
        return names.same(expected, actual)
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return expected is actual
    if isinstance(expected, int) and isinstance(actual, int):
        return expected == actual  # a tolerance would hide a second of an epoch time
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        return math.isclose(expected, actual, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
    return bool(expected == actual)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 160 else text[:157] + "..."
