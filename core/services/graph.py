"""The graph of memories: what is shown, how it is arranged, and the ways through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.algos.adjacency import Adjacency, hops, shortest
from core.algos.arrange import as_tree, in_rings
from core.algos.arrange_groups import between, by_community
from core.algos.arrange_meaning import by_meaning
from core.algos.arrange_time import by_time
from core.algos.community import communities
from core.algos.layout import KEPT_SHARE, RunningLayout, by_force, completed
from core.algos.layout_overlap import remove_overlaps
from core.algos.layout_pieces import Lines
from core.domain import graph as g
from core.domain.errors import Invalid, NotFound, Unavailable
from core.domain.ids import EdgePk, MemoryPk
from core.ports.graph_store import GraphStore

VectorsOf = Callable[[Sequence[int]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Vectors of some memories: pks of those that have one (k,), and vectors (k, d)."""

ASPECTS = (0.2, 5.0)
MOST_HOPS = 50
PARTED_MOST, PARTED_GAP = 20_000, 1.5
"""Of so many nodes overlaps are taken out at the end, with so much room between two."""


class GraphService:
    """Answers about the graph. `vectors_of` None: there is no embedder."""

    def __init__(self, store: GraphStore, vectors_of: VectorsOf | None = None) -> None:
        self._store = store
        self._vectors_of = vectors_of

    # --- what is shown ---------------------------------------------------------------------

    def graph(self, query: g.GraphOf) -> g.GraphData:
        """The graph under a filter."""
        key = g.place_key(query.filter.memories, query.arrangement)
        return self._store.graph(query.filter, key)

    def around(self, query: g.GraphAround) -> g.GraphData:
        """The surroundings of some memories."""
        hops_ = min(max(query.hops, 0), MOST_HOPS)
        found = self._store.around(query.memories, hops_, query.filter, query.limit)
        return self._store.graph(query.filter, g.place_key(query.filter.memories), found)

    def path(self, query: g.PathBetween) -> g.GraphPath | None:
        """A shortest way between two memories. Errors: NotFound."""
        graph = self._store.graph(query.filter, "")
        ends = graph.index_of([query.source, query.target])
        if (ends < 0).any():
            raise NotFound("error.graph.not_shown", count=int((ends < 0).sum()))
        lines = _live(graph)
        way = shortest(_adjacency(lines), int(ends[0]), int(ends[1]), lines.strengths)
        if way is None:
            return None
        pks, edges = graph.nodes.pks, graph.edges.pks[graph.edges.live]
        return g.GraphPath(
            tuple(MemoryPk(int(pks[node])) for node in way[0]), tuple(EdgePk(int(edges[at])) for at in way[1])
        )

    def titles(self, query: g.TitlesOf) -> tuple[str, ...]:
        """Titles in the order asked."""
        return tuple(self._store.titles(query.memories))

    def communities(self, query: g.CommunitiesOf) -> g.Communities:
        """Communities, named by their most important memory (ties: most recalled, then most related)."""
        graph, lines = query.graph, _live(query.graph)
        label = communities(len(graph), lines.sources, lines.targets, _weights(lines))
        count = int(label.max()) + 1 if len(graph) else 0
        nodes = graph.nodes
        degrees = np.bincount(np.concatenate([lines.sources, lines.targets]), minlength=len(graph))
        order = np.lexsort((nodes.pks, -degrees, -nodes.activation_count, -nodes.importance, label))
        leaders = nodes.pks[order[np.searchsorted(label[order], np.arange(count))]]
        kinds = np.bincount(label * len(graph.types) + nodes.type, minlength=count * len(graph.types))
        source, target, weight = between(lines, label, count)
        return g.Communities(
            of_node=label.astype(np.int32),
            leaders=leaders,
            titles=tuple(self._store.titles(leaders.tolist())),
            sizes=np.bincount(label, minlength=count).astype(np.int32),
            type=kinds.reshape(count, -1).argmax(axis=1).astype(np.int16) if count else nodes.type,
            source=source.astype(np.int32),
            target=target.astype(np.int32),
            weight=weight,
        )

    def keep(self, query: g.KeepPositions) -> None:
        """Keep positions for the next time."""
        self._store.keep(query.key, query.memories, query.positions)

    def hops(self, query: g.HopsFrom) -> NDArray[np.int32]:
        """Distances in a graph that is there already. Errors: Invalid for a node that is not in it."""
        graph, edges = query.graph, query.graph.edges
        walked = edges.live if query.edges is None else query.edges
        if not all(0 <= node < len(graph) for node in query.nodes):
            raise Invalid("error.graph.start", count=len(graph))
        adjacency = Adjacency.of(len(graph), edges.source[walked], edges.target[walked])
        return hops(adjacency, query.nodes, query.most)

    def separate(self, query: g.Separate) -> NDArray[np.float32]:
        """Positions without overlaps."""
        return remove_overlaps(query.positions, query.radii, query.fixed)

    def apart(self, query: g.StandApart) -> NDArray[np.bool_]:
        """What an arrangement has no place for. Cost: O(n + m)."""
        graph, lines = query.graph, _live(query.graph)
        match query.arrangement:
            case g.Arrangement.FORCE:
                return _unrelated(lines, np.ones(len(lines.sources), dtype=np.bool_))
            case g.Arrangement.COMMUNITY if query.groups is not None:
                return _unrelated(lines, query.groups[lines.sources] == query.groups[lines.targets])
            case g.Arrangement.TREE:
                above = np.zeros(len(graph), dtype=np.bool_)
                above[graph.nodes.parent[graph.nodes.parent >= 0]] = True
                return (graph.nodes.parent < 0) & ~above
            case g.Arrangement.RADIAL if len(graph):
                focus = _focus(graph, query.focus)
                return np.asarray(hops(_adjacency(lines), [focus]) < 0)
            case _:
                return np.zeros(len(graph), dtype=np.bool_)

    # --- arranging -------------------------------------------------------------------------

    def arrange(self, query: g.Arrange) -> RunningLayout:
        """A layout that has not begun. Errors: see core.domain.graph.Arrange."""
        graph = query.graph
        start = np.array(graph.positions if query.start is None else query.start, dtype=np.float32)
        if start.shape != (len(graph), 2):
            raise Invalid("error.graph.start", count=len(graph))
        pinned = graph.pinned & np.isfinite(start).all(axis=1)
        return RunningLayout(self._frames(query, start, pinned), start, pinned)

    def _frames(
        self, query: g.Arrange, start: NDArray[np.float32], pinned: NDArray[np.bool_]
    ) -> Iterator[g.Frame]:
        lines, aspect, seed = _live(query.graph), float(np.clip(query.aspect, *ASPECTS)), query.seed
        known = np.isfinite(start).all(axis=1)
        if not query.afresh and known.all() and not query.unfinished:
            return iter([g.Frame(start, 1.0)] if len(start) else [])
        match query.arrangement:
            case g.Arrangement.FORCE:
                frames = by_force(
                    lines,
                    start,
                    pinned,
                    afresh=query.afresh,
                    aspect=aspect,
                    seed=seed,
                    unfinished=query.unfinished,
                )
                kept = not query.afresh and known.mean() >= KEPT_SHARE
                return frames if kept else _parted(frames, query.graph, pinned)
            case g.Arrangement.COMMUNITY | g.Arrangement.MEANING if not query.afresh and known.mean() >= 0.5:
                return iter([g.Frame(completed(lines, start, aspect, seed), 1.0)])
            case g.Arrangement.COMMUNITY:
                label = communities(len(query.graph), lines.sources, lines.targets, _weights(lines))
                return _parted(by_community(lines, label, aspect, seed), query.graph, pinned)
            case g.Arrangement.MEANING:
                return self._by_meaning(query.graph, aspect, seed)
            case _:
                return _at_once(query, lines, aspect)

    def _by_meaning(self, graph: g.GraphData, aspect: float, seed: int) -> Iterator[g.Frame]:
        if self._vectors_of is None:
            raise Unavailable("embedder", "switched off", key="error.embedder.off")
        pks, vectors = self._vectors_of(graph.nodes.pks.tolist())
        there = graph.index_of(pks)
        vectors, there = vectors[there >= 0], there[there >= 0]
        if not len(there) and len(graph):
            raise Unavailable("embedder", "no vectors", key="error.graph.no_vectors")
        order = np.argsort(there)
        return by_meaning(vectors[order], there[order].astype(np.int64), len(graph), aspect, seed)


def _parted(frames: Iterator[g.Frame], graph: g.GraphData, pinned: NDArray[np.bool_]) -> Iterator[g.Frame]:
    """The frames, and a last one in which no node lies on another. Of a huge graph none is added: its nodes
    are seen one by one only from so near that they stand apart."""
    frame = None
    for frame in frames:
        yield frame
    if frame is not None and len(graph) <= PARTED_MOST:
        radii = g.node_radius(graph.nodes.importance) + np.float32(PARTED_GAP)
        yield g.Frame(remove_overlaps(frame.positions, radii, pinned), 1.0)


def _at_once(query: g.Arrange, lines: Lines, aspect: float) -> Iterator[g.Frame]:
    """Arrangements of one frame, computed when it is asked for."""
    nodes = query.graph.nodes
    if not len(nodes):
        return
    match query.arrangement:
        case g.Arrangement.TIME:
            positions = by_time(nodes.seq, nodes.created_at, nodes.type, query.graph.bands(), aspect)
        case g.Arrangement.TREE:
            positions = as_tree(nodes.parent, aspect)
        case _:
            positions = in_rings(_adjacency(lines), _focus(query.graph, query.focus), aspect)
    yield g.Frame(positions, 1.0)


def _focus(graph: g.GraphData, focus: MemoryPk | None) -> int:
    """The node in the middle of the rings: the one asked for, else the most important."""
    nodes = graph.nodes
    if focus is not None:
        at = int(graph.index_of([focus])[0])
        if at >= 0:
            return at
    return int(np.lexsort((nodes.pks, -nodes.activation_count, -nodes.importance))[0])


def _unrelated(lines: Lines, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes without a counted relation to another one. Shape: (n,)."""
    counted = counted & (lines.sources != lines.targets)
    ends = np.concatenate([lines.sources[counted], lines.targets[counted]])
    return np.asarray(np.bincount(ends, minlength=lines.count) == 0)


def _live(graph: g.GraphData) -> Lines:
    """The live relations of a graph."""
    edges = graph.edges
    live = edges.live
    return Lines(len(graph), edges.source[live], edges.target[live], edges.strength[live])


def _weights(lines: Lines) -> NDArray[np.float32]:
    """A relation of strength 0 still is one."""
    return (0.25 + lines.strengths).astype(np.float32)


def _adjacency(lines: Lines) -> Adjacency:
    return Adjacency.of(lines.count, lines.sources, lines.targets)
