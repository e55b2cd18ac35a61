"""Colours of the score parts: seen on every row, told apart also by people who do not see red or green."""

from itertools import combinations

import pytest

from ui.theme import load_colors
from ui.views.recall.words import PART_COLORS

# Machado, Oliveira, Fernandes (2009), severity 1.0.
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
NORMAL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Triple = tuple[float, ...]


def linear(name: str) -> Triple:
    channels = [int(name[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def seen(color: Triple, eye: tuple[Triple, ...]) -> Triple:
    return tuple(min(1.0, max(0.0, sum(a * b for a, b in zip(row, color, strict=True)))) for row in eye)


def luminance(color: Triple) -> float:
    return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]


def lab(color: Triple) -> Triple:
    r, g, b = color
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        luminance(color),
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return (116 * y - 16, 500 * (x - y), 200 * (y - z))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("ground", ["base", "alternate", "selected"])
def test_parts_stand_out_from_every_row(dark: bool, ground: str) -> None:
    names = load_colors(dark).names
    behind = luminance(linear(names[ground]))
    for color in PART_COLORS.values():
        low, high = sorted((behind, luminance(linear(names[color]))))
        assert (high + 0.05) / (low + 0.05) >= 3.0, color


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("eye", [NORMAL, DEUTERANOPIA, PROTANOPIA])
def test_parts_are_told_apart_by_every_eye(dark: bool, eye: tuple[Triple, ...]) -> None:
    names = load_colors(dark).names
    labs = {color: lab(seen(linear(names[color]), eye)) for color in PART_COLORS.values()}
    for one, other in combinations(labs, 2):
        apart = sum((a - b) ** 2 for a, b in zip(labs[one], labs[other], strict=True)) ** 0.5
        assert apart >= 20, (one, other)
