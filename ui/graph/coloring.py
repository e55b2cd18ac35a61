"""One way of colouring at a time: what each colour means, and which node gets which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.domain.graph import LAYERS, Communities, GraphData
from core.domain.ids import FolderPk
from ui.graph.shapes import mix

STEPS = 24
SCALE_LIGHT, SCALE_DARK = (0.0, 0.78), (0.28, 1.0)
"""The part of the scale that stands out from the ground: no yellow on white, no violet on black."""
NONE_COLOR_SHARE = 0.45
COMMUNITY_LEAST = 3


class Coloring(StrEnum):
    """What colours mean."""

    TYPE = "type"
    COMMUNITY = "community"
    FOLDER = "folder"
    LAYER = "layer"
    AGE = "age"
    RECALLS = "recalls"
    ENERGY = "energy"


@dataclass(frozen=True, slots=True)
class Entry:
    """One colour of the legend. `part` and `value` say what a click on it filters ("" = nothing)."""

    label: str
    rgb: int
    count: int
    part: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """A row of colours from little to much with what its ends mean."""

    colors: tuple[int, ...]
    low: str
    high: str


@dataclass(frozen=True, slots=True, eq=False)
class Colors:
    """`fill` (n,) indexes `palette`. Either `entries` or a `scale` (with entries for what has no number)."""

    fill: NDArray[np.int32]
    palette: tuple[int, ...]
    entries: tuple[Entry, ...] = ()
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Names and colours that the window knows."""

    type_color: Callable[[str], int]
    type_label: Callable[[str], str]
    layer_label: Callable[[str], str]
    folder_label: Callable[[FolderPk], str]
    hues: tuple[int, ...]
    """Colours apart from each other for what has no colour of its own."""
    ground: int
    secondary: int
    dark: bool
    relative: Callable[[int], str]
    """A time of the arrays as distance from now."""
    tr: Callable[[str], str]


def colors_of(
    mode: Coloring,
    data: GraphData,
    communities: Communities | None,
    energy: Mapping[int, float],
    words: Words,
) -> Colors:
    """Colours of all nodes in a mode. Cost: O(n)."""
    match mode:
        case Coloring.TYPE:
            return _by_type(data, words)
        case Coloring.COMMUNITY if communities is not None:
            return _by_community(communities, words)
        case Coloring.FOLDER:
            labels = [words.folder_label(pk) for pk in data.folders]
            return _by_value(data.nodes.folder, labels, [str(pk) for pk in data.folders], "folder", words)
        case Coloring.LAYER:
            labels = [words.layer_label(layer.value) for layer in LAYERS]
            return _by_value(data.nodes.layer, labels, [layer.value for layer in LAYERS], "layer", words)
        case Coloring.AGE:
            return _by_age(data, words)
        case Coloring.RECALLS:
            return _by_recalls(data, words)
        case Coloring.ENERGY:
            return _by_energy(data, energy, words)
        case _:
            return _by_type(data, words)


def _by_type(data: GraphData, words: Words) -> Colors:
    palette = tuple(words.type_color(name) for name in data.types) or (words.secondary,)
    counts = np.bincount(data.nodes.type, minlength=len(data.types))
    entries = [
        Entry(words.type_label(name), palette[at], int(counts[at]), "type", name)
        for at, name in enumerate(data.types)
    ]
    entries.sort(key=lambda entry: -entry.count)
    return Colors(data.nodes.type.astype(np.int32), palette, tuple(entries))


def _by_community(communities: Communities, words: Words) -> Colors:
    """A colour for each of the large ones; memories that hang together with hardly any other are quiet."""
    hues = words.hues
    quiet = mix(words.secondary, words.ground, NONE_COLOR_SHARE)
    entries = tuple(
        Entry(communities.titles[at], hues[at % len(hues)], int(communities.sizes[at]))
        for at in range(min(len(communities), len(hues)))
        if communities.sizes[at] >= COMMUNITY_LEAST
    )
    small = communities.sizes[communities.of_node] < COMMUNITY_LEAST
    fill = np.where(small, len(hues), communities.of_node % len(hues)).astype(np.int32)
    return Colors(fill, (*hues, quiet), entries)


def _by_value(
    values: NDArray[np.int16] | NDArray[np.int32], labels: list[str], keys: list[str], part: str, words: Words
) -> Colors:
    hues, counts = words.hues, np.bincount(values, minlength=len(labels))
    entries = [
        Entry(labels[at], hues[at % len(hues)], int(counts[at]), part, keys[at])
        for at in range(len(labels))
        if counts[at]
    ]
    return Colors((values % len(hues)).astype(np.int32), hues, tuple(sorted(entries, key=lambda e: -e.count)))


def number_colors(dark: bool) -> tuple[int, ...]:
    """A scale that colour-blind people can read (viridis), as far as it stands out from the ground."""
    from pyqtgraph import colormap

    low, high = SCALE_DARK if dark else SCALE_LIGHT
    table = colormap.get("viridis").map(np.linspace(low, high, STEPS), mode="byte")
    return tuple(int(r) << 16 | int(g) << 8 | int(b) for r, g, b, *_ in np.asarray(table).tolist())


def _scaled(
    share: NDArray[np.float64], none: NDArray[np.bool_], scale: Scale, none_label: str, words: Words
) -> Colors:
    """Colours by a share 0..1; those without a number get the quiet colour at the end of the palette."""
    fill = np.clip(np.nan_to_num(share) * (STEPS - 1), 0, STEPS - 1).round().astype(np.int32)
    fill[none] = STEPS
    quiet = mix(words.secondary, words.ground, NONE_COLOR_SHARE)
    entries = (Entry(none_label, quiet, int(none.sum())),) if none.any() else ()
    return Colors(fill, (*scale.colors, quiet), entries, scale)


def _by_age(data: GraphData, words: Words) -> Colors:
    created = data.nodes.created_at.astype(np.float64)
    order = np.argsort(np.argsort(created, kind="stable"), kind="stable") / max(len(created) - 1, 1)
    oldest, newest = (int(created.min()), int(created.max())) if len(created) else (0, 0)
    scale = Scale(number_colors(words.dark), words.relative(oldest), words.relative(newest))
    return _scaled(order, np.zeros(len(created), dtype=np.bool_), scale, "", words)


def _by_recalls(data: GraphData, words: Words) -> Colors:
    count = data.nodes.activation_count.astype(np.float64)
    most = max(float(count.max()) if len(count) else 1.0, 1.0)
    scale = Scale(number_colors(words.dark), "1", f"{int(most):,}")
    share = np.log(np.maximum(count, 1.0)) / np.log(max(most, 2.0))
    return _scaled(share, count <= 0, scale, words.tr("graph.never_recalled"), words)


def _by_energy(data: GraphData, energy: Mapping[int, float], words: Words) -> Colors:
    share = np.full(len(data), np.nan)
    if energy:
        at = data.index_of(list(energy))
        values = np.fromiter(energy.values(), dtype=np.float64, count=len(energy))
        share[at[at >= 0]] = values[at >= 0] / max(float(values.max()), 1e-9)
    scale = Scale(number_colors(words.dark), words.tr("graph.energy.low"), words.tr("graph.energy.high"))
    return _scaled(share, np.isnan(share), scale, words.tr("graph.energy.none"), words)
