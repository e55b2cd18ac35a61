"""The graph of memories as arrays: what is drawn, where, and what can be asked about it.

Node i is row i of every node array, edge j row j of every edge array; edges name nodes by index. Arrays
are read-only. numpy is imported only where a function computes, so that a command line that never looks
at a graph does not load it.

How a window uses it: ask `GraphOf`, draw `positions` where there are any, ask `Arrange` and call `step`
of the layout in a worker until it is None, then `KeepPositions`. A dragged node is pinned with the
command `PinMemories` (an op, undoable); where the layout put the others is a cache and no op.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from core.domain.edge import alive
from core.domain.enums import Layer, Status
from core.domain.ids import EdgePk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.queries import MemoryFilter, Query
from core.domain.transfer import ExportReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Keys = NDArray[np.int64]
    Indexes = NDArray[np.int32]
    Small = NDArray[np.int16]
    Reals = NDArray[np.float32]
    Flags = NDArray[np.bool_]

SPACING = 40.0
"""Positions are in units in which a node has about SPACING x SPACING to itself; y grows downwards."""
NO_FLOOR = -1
"""A memory without a floor."""
ALWAYS, NEVER = -(2**63), 2**63 - 1
"""Times and floors of an edge that begins before everything, or does not end."""
MOST_BANDS = 40
"""So many chats have a band of their own when arranged by time."""
MANY_NODES = 2_000
"""Above this a graph is first shown as labelled communities."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

LAYERS = tuple(Layer)
STATUSES = tuple(Status)
"""What the small numbers in GraphNodes.layer and .status mean."""


def micros(time: datetime) -> int:
    """A time as in the arrays: UTC microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def time_of(value: int) -> datetime:
    """The aware time of a number in the arrays."""
    return _EPOCH + timedelta(microseconds=int(value))


RADIUS_LEAST, RADIUS_STEP = 5.5, 0.85
"""Radius of a node in these units: at importance 0, and more for each point of importance."""


def node_radius(importance: Reals) -> Reals:
    """Radius of nodes by importance 0..10. Shape: (n,) -> (n,)."""
    import numpy as np

    radius: Reals = (RADIUS_LEAST + RADIUS_STEP * np.clip(importance, 0, 10)).astype(np.float32)
    return radius


class Arrangement(StrEnum):
    """How nodes are arranged."""

    FORCE = "force"
    """Related ones near each other."""
    TIME = "time"
    """Story order on x, a band a chat (by floors) and one by date, in each a lane a type."""
    COMMUNITY = "community"
    """Each community a disc of its own."""
    TREE = "tree"
    """Compression: what was compressed below what it became."""
    RADIAL = "radial"
    """Rings by distance from a focus."""
    MEANING = "meaning"
    """Near in meaning, near in the picture. Needs vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFilter:
    """Which memories and relations are shown; empty sets do not filter.

    `live_at`: only relations that live then. None = past ones too (`GraphEdges.live` tells them).
    """

    memories: MemoryFilter = field(default_factory=MemoryFilter)
    relations: frozenset[RelationId] = frozenset()
    strength_min: float = 0.0
    live_at: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GraphNodes:
    """The memories, by pk. `type` indexes GraphData.types, `layer` LAYERS, `status` STATUSES, `folder`
    GraphData.folders. Times are UTC microseconds (0 = never), `seq` the floor (seq_end where there is a
    range) or NO_FLOOR, `parent` the index of the parent or -1 when it is none or not shown."""

    pks: Keys
    type: Small
    layer: Small
    status: Small
    folder: Indexes
    importance: Reals
    activation_count: Indexes
    last_activated_at: Keys
    created_at: Keys
    updated_at: Keys
    seq: Indexes
    level: Small
    parent: Indexes
    locked: Flags

    def __len__(self) -> int:
        return len(self.pks)


@dataclass(frozen=True, slots=True, eq=False)
class GraphEdges:
    """The relations among these memories, by pk. `source` and `target` are node indexes, `relation`
    indexes GraphData.relations. Times in UTC microseconds, ALWAYS and NEVER where open.

    `from_seq`, `until_seq`: the floors from and until which it lives. Where the edge does not say, it
    begins with the later of its two memories and ends with the floor that was written when it ended.
    """

    pks: Keys
    source: Indexes
    target: Indexes
    relation: Small
    strength: Reals
    inhibits: Flags
    valid_from: Keys
    invalid_from: Keys
    expired_at: Keys
    from_seq: Keys
    until_seq: Keys
    live: Flags

    def __len__(self) -> int:
        return len(self.pks)

    def live_at(self, at: datetime) -> Flags:
        """Which edges live at a time: the one rule (core.domain.edge.alive). Shape: (m,)."""
        live: Flags = alive(self.valid_from, self.invalid_from, self.expired_at, micros(at))
        return live

    def live_at_floor(self, seq: int) -> Flags:
        """Which edges live at a floor: the same rule on floors. Shape: (m,)."""
        live: Flags = alive(self.from_seq, self.until_seq, self.until_seq, seq)
        return live


@dataclass(frozen=True, slots=True, eq=False)
class GraphData:
    """A graph to draw. `positions` (n, 2) float32 hold NaN where nothing was saved; `pinned` ones stay
    where they are. `total` = memories that the scope holds without the other filters ("n of m").
    `key` names the place where positions of this scope and arrangement are kept."""

    nodes: GraphNodes
    edges: GraphEdges
    types: tuple[TypeId, ...]
    relations: tuple[RelationId, ...]
    folders: tuple[FolderPk, ...]
    positions: Reals
    pinned: Flags
    total: int
    key: str

    def __len__(self) -> int:
        return len(self.nodes.pks)

    def index_of(self, pks: Sequence[int] | Keys) -> Indexes:
        """Index of each memory, -1 where it is not in the graph. Cost: O(k log n)."""
        import numpy as np

        wanted = np.asarray(pks, dtype=np.int64)
        if not len(self):
            return np.full(len(wanted), -1, dtype=np.int32)
        at = np.minimum(np.searchsorted(self.nodes.pks, wanted), len(self) - 1)
        return np.where(self.nodes.pks[at] == wanted, at, -1).astype(np.int32)

    def bands(self) -> Indexes:
        """Band of each node when arranged by time: the index of its folder where that counts floors, else -1
        (it goes by date). At most MOST_BANDS folders, the largest, have one. Cost: O(n log n)."""
        import numpy as np

        folder, told = self.nodes.folder, self.nodes.seq != NO_FLOOR
        pairs = np.unique(np.stack([folder[told], self.nodes.seq[told]]), axis=1)
        floors = np.bincount(pairs[0], minlength=len(self.folders))
        sizes = np.where(floors > 1, np.bincount(folder, minlength=len(self.folders)), 0)
        largest = np.argsort(-sizes, kind="stable")[:MOST_BANDS]
        own = np.zeros(len(self.folders), dtype=np.bool_)
        own[largest] = sizes[largest] > 0
        return np.where(own[folder], folder, -1).astype(np.int32)

    def part(self, shown: Flags, edges: Flags | None = None) -> GraphData:
        """The graph of the nodes of a mask (n,) and the edges among them (of the mask (m,)).

        Cost: O(n + m).
        """
        import numpy as np

        place = np.where(shown, np.cumsum(shown) - 1, -1).astype(np.int32)
        kept = shown[self.edges.source] & shown[self.edges.target]
        if edges is not None:
            kept = kept & edges
        nodes = GraphNodes(*(getattr(self.nodes, item.name)[shown] for item in fields(GraphNodes)))
        parent = np.where(nodes.parent >= 0, place[nodes.parent], -1).astype(np.int32)
        lines = GraphEdges(*(getattr(self.edges, item.name)[kept] for item in fields(GraphEdges)))
        return replace(
            self,
            nodes=replace(nodes, parent=parent),
            edges=replace(lines, source=place[lines.source], target=place[lines.target]),
            positions=self.positions[shown],
            pinned=self.pinned[shown],
        )

    def at_positions(self, positions: Reals) -> GraphData:
        """The same graph with other positions (n, 2)."""
        return replace(self, positions=positions)


@dataclass(frozen=True, slots=True, eq=False)
class Communities:
    """Groups of memories that hang together, largest first. `of_node` (n,) is each node's community.

    Of each of the k: `leaders` the pk of its most important memory, `titles` that memory's title (the
    community's name), `sizes`, `type` the commonest type. `source`, `target`, `weight`: relations between
    communities with the sum of their strengths.
    """

    of_node: Indexes
    leaders: Keys
    titles: tuple[str, ...]
    sizes: Indexes
    type: Small
    source: Indexes
    target: Indexes
    weight: Reals

    def __len__(self) -> int:
        return len(self.sizes)

    def circles(self, positions: Reals) -> tuple[Reals, Reals]:
        """Centre (k, 2) and radius (k,) of each community in a drawing; NaN where no member has a place.

        The radius holds most members (root of the mean square distance, times 1.4). Cost: O(n).
        """
        import numpy as np

        there = np.isfinite(positions).all(axis=1)
        of, count = self.of_node[there], len(self)
        number = np.bincount(of, minlength=count).astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            centre = np.stack(
                [
                    np.bincount(of, weights=positions[there, axis], minlength=count) / number
                    for axis in (0, 1)
                ],
                axis=1,
            )
            away = ((positions[there] - centre[of]) ** 2).sum(axis=1)
            radius = 1.4 * np.sqrt(np.bincount(of, weights=away, minlength=count) / number) + SPACING / 2
        return centre.astype(np.float32), radius.astype(np.float32)


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A shortest way: memories from one end to the other and the relations between them."""

    memories: tuple[MemoryPk, ...]
    edges: tuple[EdgePk, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A step of a layout: positions (n, 2) float32 (an array of its own), and how far it is (0..1)."""

    positions: Reals
    done: float


class Layout(Protocol):
    """A running arrangement. `step` is called by one thread; the others may be called from any."""

    def step(self) -> Frame | None:
        """One step further; None when the picture is stable. About 10 ms at 10,000 nodes."""

    def hold(self, node: int, x: float, y: float) -> None:
        """Keep a node at a place (it is being dragged) until released. Index, not pk."""

    def release(self, node: int) -> None:
        """Let a held node go."""


# --- queries -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GraphOf(Query[GraphData]):
    """The graph under a filter, with the positions kept for its scope.

    Cost: about 0.1 s at 10,000 memories, 1.5 s at 100,000.
    """

    filter: GraphFilter = field(default_factory=GraphFilter)
    arrangement: Arrangement = Arrangement.FORCE


@dataclass(frozen=True, slots=True)
class GraphAround(Query[GraphData]):
    """The memories at most `hops` relations away from some, whatever their direction, and these.

    Relations and memories on the way pass the filter; at most `limit` memories, nearest first.
    """

    memories: tuple[MemoryPk, ...]
    hops: int = 2
    filter: GraphFilter = field(default_factory=GraphFilter)
    limit: int = 2_000


@dataclass(frozen=True, slots=True)
class PathBetween(Query["GraphPath | None"]):
    """A shortest way between two memories through live relations, whatever their direction; the strongest
    of equally short ones. None when there is none. Errors: NotFound."""

    source: MemoryPk
    target: MemoryPk
    filter: GraphFilter = field(default_factory=GraphFilter)


@dataclass(frozen=True, slots=True, eq=False)
class HopsFrom(Query["Indexes"]):
    """Distance of each node of a graph from the nearest of some nodes (indexes), -1 out of reach.

    `edges` (m,) = which may be walked; None = the live ones. Asks no store.
    """

    graph: GraphData
    nodes: tuple[int, ...]
    most: int | None = None
    edges: Flags | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CommunitiesOf(Query[Communities]):
    """Communities of a graph by its live relations, the same each time. Asks the store for titles only."""

    graph: GraphData


@dataclass(frozen=True, slots=True)
class TitlesOf(Query[tuple[str, ...]]):
    """Shown title of each memory in the order asked, "" where it is missing."""

    memories: tuple[MemoryPk, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Arrange(Query[Layout]):
    """Start arranging a graph; nothing is computed before its first step. The same for the same input.

    Starts from `start` (n, 2), else from the graph's own positions; where a row is NaN the node is put
    beside its neighbours. When most have a place, the others go beside them and the rest stays where it
    is. `afresh`: all anew. `unfinished`: `start` is where a force layout had come to when the graph changed;
    it goes on from there instead of ending. Pinned nodes stay in any case. `focus`: the centre of RADIAL (else the most
    important memory). `aspect` = width / height of the view.
    Errors: Unavailable(embedder) for MEANING when no memory of the graph has a vector.
    """

    graph: GraphData
    arrangement: Arrangement = Arrangement.FORCE
    start: Reals | None = None
    afresh: bool = False
    unfinished: bool = False
    focus: MemoryPk | None = None
    aspect: float = 1.5
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class StandApart(Query["Flags"]):
    """Which memories an arrangement has no place for and puts into a block apart. Shape: (n,).

    FORCE: without live relations; COMMUNITY: without one inside their community (`groups`); TREE: neither
    compressed nor made by compression; RADIAL: out of reach of the focus. None of the others.
    """

    graph: GraphData
    arrangement: Arrangement
    focus: MemoryPk | None = None
    groups: Indexes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Separate(Query["Reals"]):
    """Positions moved a little so that discs of these radii (n,) no longer overlap. For the visible set.

    `fixed` (n,) ones stay. Cost: about 20 ms for 2,000 nodes.
    """

    positions: Reals
    radii: Reals
    fixed: Flags | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ExportGraph(Query[ExportReport]):
    """Write some memories (pks), where they stand, and some relations (pks) among them as GraphML.

    Shapes: memories (k,), positions (k, 2), NaN where there is no place. Errors: UserError as for ExportFolder.
    """

    memories: Keys
    positions: Reals
    edges: Keys
    path: Path
    overwrite: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class KeepPositions(Query[None]):
    """Keep where a layout put the nodes, for the next time. A cache: no op, no undo."""

    WRITES: ClassVar[bool] = True

    key: str
    memories: Keys
    positions: Reals


def place_key(where: MemoryFilter, arrangement: Arrangement = Arrangement.FORCE) -> str:
    """Names the place where positions are kept: one for each set of folders and arrangement."""
    scope = ",".join(map(str, sorted(where.folders))) or "all"
    below = "/" if where.folders and where.with_subfolders else ""
    return f"{arrangement.value}:{scope}{below}"
