"""From the state of a graph to the scene that is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.domain.graph import Arrangement, Communities
from ui.graph.coloring import Colors
from ui.graph.scene import Groups, Lines, Nodes, Paint, Scene, Titles, degrees, lines_of, nodes_of
from ui.graph.state import GraphState

GROUPED = frozenset({Arrangement.FORCE, Arrangement.COMMUNITY, Arrangement.MEANING})
"""Only here members of a community stand together, so that a disc can stand for them."""
SINGLE = 3
"""Communities of fewer memories are not closed into discs."""


@dataclass(frozen=True, slots=True)
class Names:
    """How types and relations are drawn."""

    glyph: Callable[[str], str]
    relation_name: Callable[[str], str]
    relation_color: Callable[[str], int]


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """Nodes and lines of the data, whatever is shown: made once for each load."""

    nodes: Nodes
    lines: Lines
    degree: NDArray[np.int64]


def base_of(state: GraphState) -> Base:
    """What never changes while the data stay the same. Cost: O(n + m log m)."""
    degree = degrees(state.data)
    return Base(nodes_of(state.data, state.positions, degree), lines_of(state.data), degree)


def scene_of(
    state: GraphState,
    base: Base,
    colors: Colors,
    paint: Paint,
    names: Names,
    titles: Titles,
    arrangement: Arrangement = Arrangement.FORCE,
) -> Scene:
    """The scene as it stands. Cost: O(n + m)."""
    data, highlight = state.data, state.highlight
    dim = np.zeros(len(data), dtype=np.bool_)
    bold = np.zeros(len(data.edges), dtype=np.bool_)
    if highlight is not None:
        lit = np.fromiter(highlight.energy, dtype=np.int64, count=len(highlight.energy))
        dim = ~np.isin(data.nodes.pks, lit)
        bold = np.isin(data.edges.pks, np.fromiter(highlight.edges, dtype=np.int64))
        ends = np.concatenate((data.edges.source[bold], data.edges.target[bold]))
        dim[ends] = False
    past = base.lines.past if state.moment is None else np.zeros(len(data.edges), dtype=np.bool_)
    shown = state.node_mask()
    return Scene(
        nodes=replace(base.nodes, positions=state.positions, shown=shown, fill=colors.fill, dim=dim),
        lines=replace(base.lines, shown=state.edge_mask(), past=past, bold=bold),
        paint=paint,
        palette=colors.palette,
        glyphs=tuple(names.glyph(name) for name in data.types),
        relation_names=tuple(names.relation_name(name) for name in data.relations),
        relation_colors=tuple(names.relation_color(name) for name in data.relations),
        groups=groups_of(state, state.communities, shown, colors) if arrangement in GROUPED else None,
        titles=titles,
        quiet=quiet_edges(state, arrangement),
        branches=branches_of(state) if arrangement is Arrangement.TREE else None,
    )


def quiet_edges(state: GraphState, arrangement: Arrangement) -> NDArray[np.bool_] | None:
    """Edges that would hide what the arrangement shows: all where time or compression decides, elsewhere
    those of what stands apart; rings of very many are one grey disc otherwise. Shape: (m,)."""
    edges, apart = state.data.edges, state.apart
    ringed = arrangement is Arrangement.RADIAL and len(state.data) > MANY_SHOWN
    if ringed or arrangement in {Arrangement.TIME, Arrangement.TREE}:
        return np.ones(len(edges), dtype=np.bool_)
    return apart[edges.source] | apart[edges.target] if apart is not None else None


def branches_of(state: GraphState) -> NDArray[np.int32]:
    """What was compressed, with what it became. Shape: (k, 2)."""
    parent = state.data.nodes.parent
    below = np.flatnonzero(parent >= 0)
    return np.stack([parent[below], below], axis=1).astype(np.int32)


def groups_of(
    state: GraphState, communities: Communities | None, shown: NDArray[np.bool_], colors: Colors
) -> Groups | None:
    """Communities as discs, when the graph is large and nothing is picked out of it."""
    if communities is None or not len(communities) or state.highlight is not None:
        return None
    if not state.many or shown.sum() <= MANY_SHOWN:
        return None
    seen = np.where(shown[:, None], state.positions, np.float32(np.nan))
    centre, radius = communities.circles(seen)
    sizes = np.bincount(communities.of_node[shown], minlength=len(communities)).astype(np.int32)
    centre = np.where((sizes >= SINGLE)[:, None], centre, np.float32(np.nan)).astype(np.float32)
    spot, snug = state.spots if state.spots is not None else (centre, radius)
    return Groups(
        of_node=communities.of_node,
        centre=centre,
        radius=radius,
        spot=np.where(np.isfinite(spot), spot, centre).astype(np.float32),
        snug=np.where(np.isfinite(snug), snug, radius).astype(np.float32),
        sizes=sizes,
        color=_commonest(communities, colors),
        names=communities.titles,
        opened=np.isin(communities.leaders, np.fromiter(state.opened, dtype=np.int64)),
        source=communities.source,
        target=communities.target,
        weight=communities.weight,
    )


MANY_SHOWN = 600
"""When filters leave fewer, each of them is shown."""


def _commonest(communities: Communities, colors: Colors) -> NDArray[np.int32]:
    """The colour that most members of a community have. Shape: (k,)."""
    width = len(colors.palette)
    key = communities.of_node.astype(np.int64) * width + colors.fill
    count = np.bincount(key, minlength=len(communities) * width).reshape(len(communities), width)
    return np.asarray(count.argmax(axis=1), dtype=np.int32)
