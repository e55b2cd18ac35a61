"""What the page knows of its graph: the data, where nodes are, and what is shown of it. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.domain.edge import alive
from core.domain.enums import Layer, Status
from core.domain.graph import (
    LAYERS,
    MANY_NODES,
    NO_FLOOR,
    STATUSES,
    Communities,
    GraphData,
)
from core.domain.ids import FolderPk, RelationId, TypeId

FOLLOWING_MOST = 500
"""So many memories that came during a layout follow their neighbours until it ends."""

EVER, NEVER = "ever", "never"

Reals = NDArray[np.float32]
Flags = NDArray[np.bool_]
Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the legend and the filters leave out. `words` and `tags` are answered by the store (`found`)."""

    types_off: frozenset[TypeId] = frozenset()
    relations_off: frozenset[RelationId] = frozenset()
    layers_off: frozenset[Layer] = frozenset()
    statuses_off: frozenset[Status] = frozenset()
    folders_off: frozenset[FolderPk] = frozenset()
    recalled_off: frozenset[str] = frozenset()
    """EVER, NEVER: memories that a recall has handed out, or none."""
    importance_min: float = 0.0
    strength_min: float = 0.0
    past_edges: bool = True
    words: str = ""
    tags: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether anything is left out."""
        return self != Shown()


@dataclass(frozen=True, slots=True)
class Moment:
    """A place on the time slider: a floor, or UTC microseconds."""

    value: int
    floors: bool


@dataclass(frozen=True, slots=True)
class Highlight:
    """What stands out: memories with their energy 0..1, and relations by pk. `name` is said on screen."""

    name: str
    energy: Mapping[int, float] = field(default_factory=dict)
    edges: frozenset[int] = frozenset()


class GraphState:
    """One graph and what is shown of it. Nodes are named by index, memories by pk."""

    def __init__(self, data: GraphData) -> None:
        self.data = data
        self.positions: Reals = data.positions.copy()
        self.communities: Communities | None = None
        self.shown = Shown()
        self.found: NDArray[np.int64] | None = None
        self.moment: Moment | None = None
        self.hidden: set[int] = set()
        self.unfolded: set[int] = set()
        self.focus: frozenset[int] | None = None
        self.highlight: Highlight | None = None
        self.opened: set[int] = set()
        self.communities_before: Communities | None = None
        self.apart: Flags | None = None
        """Which nodes the arrangement has put into a block apart."""
        self.bands: NDArray[np.int32] | None = None
        """Band of each node when arranged by time (GraphData.bands)."""
        self.spots: tuple[Reals, Reals] | None = None
        """Where the discs of communities stand from far, and how wide they are."""
        self._links: tuple[Indexes, Indexes, Indexes] | None = None

    # --- the data ---

    def replace_data(self, data: GraphData, moved: Collection[int] = (), *, keep: bool = True) -> None:
        """Other data: memories stay where they are, unless they are pinned elsewhere or named in `moved`."""
        before, places = self.data, self.positions
        self.data, self._links = data, None
        self.positions = data.positions.copy()
        if keep and len(before) and len(data):
            at = before.index_of(data.nodes.pks)
            pinned = data.pinned | np.isin(data.nodes.pks, np.fromiter(moved, dtype=np.int64))
            stay = (at >= 0) & ~(pinned & np.isfinite(data.positions).all(axis=1))
            self.positions[stay] = places[at[stay]]
        self.communities = self.apart = self.bands = None
        known = set(data.nodes.pks.tolist())
        self.hidden &= known
        self.unfolded &= known

    def take_positions(self, pks: NDArray[np.int64], positions: Reals) -> Indexes:
        """Positions of a layout that was begun with these memories; those that came since are put among
        their neighbours for the time being. Returns these. Cost: O(n log n)."""
        taken = self.positions.copy()
        at = self.data.index_of(pks)
        taken[at[at >= 0]] = positions[at >= 0]
        known = np.zeros(len(self.data), dtype=np.bool_)
        known[at[at >= 0]] = True
        new = np.flatnonzero(~known)
        for node in new[:FOLLOWING_MOST].tolist():
            around = [other for _, other in self.neighbours(node) if known[other]]
            if around:
                taken[node] = taken[around].mean(axis=0) + np.array((node % 7 - 3, node % 5 - 2))
        self.positions = taken
        return new

    @property
    def placed(self) -> Flags:
        """Which nodes have a place."""
        return np.asarray(np.isfinite(self.positions).all(axis=1))

    @property
    def many(self) -> bool:
        """Whether the graph is first seen as communities."""
        return len(self.data) > MANY_NODES

    def index(self, pk: int) -> int:
        """The node of a memory, -1 when it is not in the graph."""
        return int(self.data.index_of([pk])[0])

    def pk(self, node: int) -> int:
        """The memory of a node."""
        return int(self.data.nodes.pks[node])

    def take_communities(self, communities: Communities | None) -> None:
        """Communities of the data; the discs of those known before stay where they stood."""
        before, spots = self.communities_before, self.spots
        self.communities, self.spots = communities, None
        if before is not None and spots is not None and communities is not None:
            order = np.argsort(before.leaders, kind="stable")
            place = np.searchsorted(before.leaders[order], communities.leaders)
            place = order[np.minimum(place, len(order) - 1)]
            same = before.leaders[place] == communities.leaders
            self.spots = (
                np.where(same[:, None], spots[0][place], np.float32(np.nan)),
                np.where(same, spots[1][place], np.float32(np.nan)),
            )
        self.communities_before = communities

    # --- what is shown ---

    def node_mask(self) -> Flags:
        """Which nodes are shown. Cost: O(n)."""
        data, shown = self.data, self.shown
        nodes = data.nodes
        mask = np.ones(len(data), dtype=np.bool_)
        for values, names, off in (
            (nodes.type, data.types, shown.types_off),
            (nodes.layer, LAYERS, shown.layers_off),
            (nodes.status, STATUSES, shown.statuses_off),
            (nodes.folder, data.folders, shown.folders_off),
        ):
            if off:
                mask &= ~np.isin(values, [at for at, name in enumerate(names) if name in off])
        for name, used in ((EVER, True), (NEVER, False)):
            if name in shown.recalled_off:
                mask &= (nodes.activation_count > 0) != used
        if shown.importance_min > 0:
            mask &= nodes.importance >= shown.importance_min
        if self.found is not None:
            mask &= np.isin(nodes.pks, self.found)
        if self.focus is not None:
            mask &= np.isin(nodes.pks, np.fromiter(self.focus, dtype=np.int64, count=len(self.focus)))
        if self.unfolded:
            mask |= np.isin(nodes.pks, np.fromiter(self.unfolded, dtype=np.int64, count=len(self.unfolded)))
        if self.hidden:
            mask &= ~np.isin(nodes.pks, np.fromiter(self.hidden, dtype=np.int64, count=len(self.hidden)))
        if self.moment is not None:
            mask &= self._there_at(self.moment)
        return mask

    def edge_mask(self) -> Flags:
        """Which edges may be shown, whatever their ends. Cost: O(m)."""
        data, shown = self.data, self.shown
        edges = data.edges
        mask = np.ones(len(edges), dtype=np.bool_)
        if shown.relations_off:
            off = [at for at, name in enumerate(data.relations) if name in shown.relations_off]
            mask &= ~np.isin(edges.relation, off)
        if shown.strength_min > 0:
            mask &= edges.strength >= shown.strength_min
        if self.moment is not None:
            mask &= self.lives_at(self.moment)
        elif not shown.past_edges:
            mask &= edges.live
        return mask

    def lives_at(self, moment: Moment) -> Flags:
        """Which edges live at a moment: the one rule, on floors or on times."""
        edges = self.data.edges
        if moment.floors:
            return edges.live_at_floor(moment.value)
        live: Flags = alive(edges.valid_from, edges.invalid_from, edges.expired_at, moment.value)
        return live

    def _there_at(self, moment: Moment) -> Flags:
        """Memories that were there: written until that floor (those without a floor always), or created."""
        nodes = self.data.nodes
        if moment.floors:
            return np.asarray((nodes.seq == NO_FLOOR) | (nodes.seq <= moment.value))
        return np.asarray(nodes.created_at <= moment.value)

    # --- time ---

    def time_range(self) -> tuple[Moment, Moment] | None:
        """First and last moment of the slider: floors where most memories have one, else dates."""
        nodes = self.data.nodes
        if not len(nodes):
            return None
        with_floor = nodes.seq != NO_FLOOR
        if with_floor.mean() >= 0.5:
            low, high = int(nodes.seq[with_floor].min()), int(nodes.seq.max())
            return (Moment(low, floors=True), Moment(high, floors=True)) if high > low else None
        low, high = int(nodes.created_at.min()), int(nodes.created_at.max())
        return (Moment(low, floors=False), Moment(high, floors=False)) if high > low else None

    # --- neighbours ---

    def neighbours(self, node: int, edges: Flags | None = None) -> list[tuple[int, int]]:
        """(edge, other node) of a node in the order of strength; only edges of the mask. Cost: O(degree)."""
        offsets, others, links = self._linked()
        part = slice(int(offsets[node]), int(offsets[node + 1]))
        pairs = [
            (int(edge), int(other))
            for edge, other in zip(links[part], others[part], strict=True)
            if edges is None or edges[edge]
        ]
        strength = self.data.edges.strength
        return sorted(pairs, key=lambda pair: -float(strength[pair[0]]))

    def _linked(self) -> tuple[Indexes, Indexes, Indexes]:
        """Neighbours of all nodes as one list: offsets (n + 1,), other ends and edges."""
        if self._links is None:
            edges, count = self.data.edges, len(self.data)
            ends = np.concatenate((edges.source, edges.target)).astype(np.int64)
            others = np.concatenate((edges.target, edges.source)).astype(np.int64)
            links = np.tile(np.arange(len(edges), dtype=np.int64), 2)
            order = np.argsort(ends, kind="stable")
            offsets = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=count)))).astype(np.int64)
            self._links = (offsets, others[order], links[order])
        return self._links

    # --- by hand ---

    def unfold(self, node: int) -> int:
        """Show all neighbours of a node, whatever the filters; returns how many that adds."""
        shown = self.node_mask()
        new = {self.pk(other) for _, other in self.neighbours(node) if not shown[other]}
        self.hidden -= new
        self.unfolded |= new
        return len(new)

    def fold(self, node: int) -> int:
        """Hide the neighbours of a node that hang on it alone; returns how many."""
        shown = self.node_mask()
        gone = set()
        for _, other in self.neighbours(node):
            around = {end for _, end in self.neighbours(other) if shown[end] and end != other}
            if shown[other] and other != node and around <= {node}:
                gone.add(self.pk(other))
        self.hidden |= gone
        self.unfolded -= gone
        return len(gone)

    def hide(self, pks: Collection[int]) -> None:
        """Leave memories out of the picture until the filters are cleared."""
        self.hidden |= set(pks)
        self.unfolded -= set(pks)

    @property
    def narrowed(self) -> bool:
        """Whether anything is left out of the picture."""
        return (
            self.shown.active
            or bool(self.hidden)
            or self.focus is not None
            or self.moment is not None
            or self.found is not None
        )

    def clear(self) -> None:
        """Show everything again."""
        self.shown, self.found, self.moment, self.focus = Shown(), None, None, None
        self.hidden, self.unfolded = set(), set()

    def toggled(self, part: str, value: str) -> Shown:
        """The filter with one entry of the legend switched."""
        shown = self.shown
        match part:
            case "type":
                return replace(shown, types_off=shown.types_off ^ {TypeId(value)})
            case "relation":
                return replace(shown, relations_off=shown.relations_off ^ {RelationId(value)})
            case "layer":
                return replace(shown, layers_off=shown.layers_off ^ {Layer(value)})
            case "recalled":
                return replace(shown, recalled_off=shown.recalled_off ^ {value})
            case "status":
                return replace(shown, statuses_off=shown.statuses_off ^ {Status(value)})
            case _:
                return replace(shown, folders_off=shown.folders_off ^ {FolderPk(int(value))})
