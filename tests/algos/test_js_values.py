"""Values read and written as JavaScript does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.algos.js_values import clamp_float, clamp_int, number, text, truthy, utf16_cut, utf16_length


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "1"),
        (12.5, "12.5"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        (-0.0, "0"),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        (["a", None, [1, 2]], "a,,1,2"),
        ({"a": 1}, "[object Object]"),
    ],
)
def test_text_of_a_value(value: object, shown: str) -> None:
    assert text(value) == shown


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_of_a_number_reads_back_as_the_number(value: float) -> None:
    assert number(text(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("12", 12),
        ("12.9", 12),
        (" 7x", 7),
        (-4, 1),
        (999, 50),
        ("abc", 5),
        (None, 5),
        ("", 5),
        (True, 5),
        ([3], 3),
    ],
)
def test_whole_setting_is_parsed_by_prefix_and_clamped(value: object, expected: int) -> None:
    assert clamp_int(value, 5, 1, 50) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(".5z", 0.5), ("1e-1q", 0.1), ("x", 0.6), (-1, 0), ("Infinity", 1)]
)
def test_setting_is_parsed_by_prefix_and_clamped(value: object, expected: float) -> None:
    assert clamp_float(value, 0.6, 0, 1) == expected


@pytest.mark.parametrize("value", [None, 0, 0.0, "", False, math.nan])
def test_falsy_values(value: object) -> None:
    assert not truthy(value)


@pytest.mark.parametrize("value", [[], {}, "0", -1, " "])
def test_truthy_values(value: object) -> None:
    assert truthy(value)


@given(st.text(), st.integers(0, 20))
def test_cut_text_fits_and_never_ends_in_half_a_character(value: str, units: int) -> None:
    cut = utf16_cut(value, units)
    assert value.startswith(cut)
    assert utf16_length(cut) <= units
    cut.encode("utf-8")
