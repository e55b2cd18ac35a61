"""The graph of a real library: loading, filters, live relations, ways, communities, positions, pins."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.domain import graph as g
from core.domain.commands import DeletePermanently, SetImportance, SetLocked, TrashMemories
from core.domain.commands_graph import EndEdges, GroupMemories, PinMemories, UnpinMemories
from core.domain.commands_transfer import ApplyImport
from core.domain.edge import Edge, alive, lives
from core.domain.errors import Invalid, NotFound, Unavailable, UserError
from core.domain.ids import EdgePk, FolderPk, MemoryPk, RelationId, TypeId
from core.domain.json_types import Json
from core.domain.queries import MemoryDetailOf, MemoryFilter
from core.domain.transfer import Format, ImportPlan, PlannedFolder, PlannedMemory
from core.engine import Engine
from core.ports.store import OpDraft
from core.services.graph import GraphService
from core.services.graph_answers import graph_answers
from tests.services.desk import PERSON, Desk

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class GraphDesk(Desk):
    """A desk whose engine answers about the graph; `vectors` are what the embedder would have made."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.vectors: dict[int, list[float]] = {}
        service = GraphService(self.store.graph, self._vectors_of)
        self.engine = Engine(self.store, PERSON, graph_answers(lambda: service))

    def _vectors_of(self, pks: Any) -> tuple[np.ndarray, np.ndarray]:
        there = [pk for pk in pks if pk in self.vectors]
        rows = np.array([self.vectors[pk] for pk in there], dtype=np.float32)
        return np.array(there, dtype=np.int64), rows

    def graph(self, arrangement: g.Arrangement = g.Arrangement.FORCE, **where: Any) -> g.GraphData:
        return self.ask(g.GraphOf(g.GraphFilter(**where), arrangement))

    def arranged(
        self, graph: g.GraphData, arrangement: g.Arrangement = g.Arrangement.FORCE, **more: Any
    ) -> Any:
        layout = self.ask(g.Arrange(graph=graph, arrangement=arrangement, **more))
        positions = np.empty((0, 2), dtype=np.float32)
        while (frame := layout.step()) is not None:
            positions = frame.positions
        return positions


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[GraphDesk]:
    desk = GraphDesk(tmp_path / "library")
    yield desk
    desk.store.close()


@pytest.fixture
def folder(desk: GraphDesk) -> FolderPk:
    return desk.folder("聊天/雾港")


# --- what is loaded ---------------------------------------------------------------------------------


def test_empty_library_is_an_empty_graph_that_can_be_arranged(desk: GraphDesk) -> None:
    graph = desk.graph()
    assert (len(graph), len(graph.edges), graph.total) == (0, 0, 0)
    for arrangement in g.Arrangement:
        assert len(desk.arranged(graph, arrangement)) == 0
    assert len(desk.ask(g.CommunitiesOf(graph))) == 0


def test_graph_says_what_the_rows_say(desk: GraphDesk, folder: FolderPk) -> None:
    first = desk.memory(folder, importance=7.5, seq=3)
    place = desk.memory(folder, "location", title="Harbour")
    desk.run(SetLocked(memories=(place,), locked=True))
    edge = desk.edge(first, place, "occurred_at", strength=0.4)
    graph = desk.graph()
    nodes, edges = graph.nodes, graph.edges
    assert nodes.pks.tolist() == [first, place]
    assert [graph.types[kind] for kind in nodes.type] == ["event", "location"]
    assert [g.LAYERS[layer].value for layer in nodes.layer] == ["memory", "memory"]
    assert [graph.folders[at] for at in nodes.folder] == [folder, folder]
    assert nodes.importance.tolist() == [7.5, 5.0]
    assert nodes.seq.tolist() == [3, g.NO_FLOOR]
    assert nodes.locked.tolist() == [False, True]
    assert g.time_of(nodes.created_at[0]) == desk.get(first).created_at
    assert (edges.pks.tolist(), edges.source.tolist(), edges.target.tolist()) == ([edge], [0], [1])
    assert graph.relations[edges.relation[0]] == "occurred_at"
    assert edges.strength[0] == pytest.approx(0.4)
    assert edges.live.tolist() == [True]
    assert desk.ask(g.TitlesOf((place, first, MemoryPk(99)))) == ("Harbour", "something happened", "")


def test_filters_leave_out_memories_with_their_relations(desk: GraphDesk, folder: FolderPk) -> None:
    other = desk.folder("b")
    a, b = desk.memory(folder), desk.memory(folder, "location", title="x")
    c = desk.memory(other)
    desk.edge(a, b)
    desk.edge(a, c, strength=0.2)
    desk.edge(b, c, "contradicts")
    assert len(desk.graph().edges) == 3
    in_folder = desk.graph(memories=MemoryFilter(folders=frozenset([folder])))
    assert (in_folder.nodes.pks.tolist(), len(in_folder.edges)) == ([a, b], 1)
    events = desk.graph(
        memories=MemoryFilter(folders=frozenset([folder]), types=frozenset([TypeId("event")]))
    )
    assert (events.nodes.pks.tolist(), events.total) == ([a], 2)
    assert len(desk.graph(strength_min=0.5).edges) == 2
    kinds = desk.graph(relations=frozenset([RelationId("contradicts")]))
    assert kinds.edges.inhibits.tolist() == [True]
    desk.run(TrashMemories(memories=(b,)))
    assert desk.graph().nodes.pks.tolist() == [a, c]


def test_text_filter_and_parents_are_shown(desk: GraphDesk) -> None:
    plan = ImportPlan(
        format=Format.SAMPLE,
        source_name="t",
        folders=(PlannedFolder(key="f", name="f"),),
        memories=tuple(
            PlannedMemory(
                key=key,
                folder="f",
                foreign_id=None,
                type=TypeId("event"),
                body=f"lantern {key}",
                parent=parent,
                created_at=NOW,
                updated_at=NOW,
            )
            for key, parent in (("top", None), ("one", "top"), ("two", "top"))
        ),
    )
    desk.run(ApplyImport(plan))
    graph = desk.graph(memories=MemoryFilter(text="lantern"))
    assert graph.nodes.parent.tolist() == [-1, 0, 0]
    assert len(desk.graph(memories=MemoryFilter(text="nothing"))) == 0
    positions = desk.arranged(graph, g.Arrangement.TREE)
    assert positions[0, 1] < positions[1, 1] == positions[2, 1]


@pytest.mark.parametrize("hours", [-5, 0, 1, 2, 3, 4, 9])
def test_arrays_live_by_the_same_rule_as_edges(desk: GraphDesk, folder: FolderPk, hours: int) -> None:
    """Every mixture of open and closed ends, looked at from before all to after all."""
    a, b = desk.memory(folder), desk.memory(folder)
    times = [None, *(NOW + timedelta(hours=hour) for hour in (1, 3))]
    made = [
        Edge(id=f"e{x}{y}{z}", source=a, target=b, created_at=NOW, valid_from=v, invalid_from=i, expired_at=e)
        for x, v in enumerate(times)
        for y, i in enumerate(times)
        for z, e in enumerate(times)
    ]
    draft_edges = tuple(made)
    desk.store.write(OpDraft("op.change", PERSON), lambda uow: uow.insert(draft_edges))
    at = NOW + timedelta(hours=hours)
    graph = desk.graph()
    expected = [lives(edge, at) for edge in draft_edges]
    assert graph.edges.live_at(at).tolist() == expected
    assert len(desk.graph(live_at=at).edges) == sum(expected)
    begins, ends = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert [
        alive(e.valid_from or begins, e.invalid_from or ends, e.expired_at or ends, at) for e in draft_edges
    ] == expected


def test_floors_of_relations_follow_from_memories_and_ends(desk: GraphDesk, folder: FolderPk) -> None:
    a, b = desk.memory(folder, seq=2), desk.memory(folder, seq=5)
    unsaid, said = desk.edge(a, b), desk.edge(b, a, from_seq=6)
    desk.memory(folder, seq=9)
    desk.run(EndEdges(edges=(unsaid,)))
    desk.run(EndEdges(edges=(said,), seq=8))
    edges = desk.graph().edges
    assert edges.from_seq.tolist() == [5, 6]
    assert edges.until_seq.tolist() == [9, 8]
    assert [edges.live_at_floor(seq).tolist() for seq in (4, 5, 7, 8, 9)] == [
        [False, False],
        [True, False],
        [True, True],
        [True, False],
        [False, False],
    ]


# --- ways and surroundings --------------------------------------------------------------------------


def chain(desk: GraphDesk, folder: FolderPk, count: int) -> tuple[list[MemoryPk], list[EdgePk]]:
    memories = [desk.memory(folder) for _ in range(count)]
    edges = [desk.edge(a, b) for a, b in zip(memories[1:], memories, strict=False)]
    return memories, edges


def test_surroundings_reach_as_far_as_asked(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 6)
    for hops, expected in ((0, 1), (1, 2), (3, 4), (99, 6)):
        around = desk.ask(g.GraphAround((memories[0],), hops))
        assert around.nodes.pks.tolist() == memories[:expected]
        assert len(around.edges) == expected - 1
    assert len(desk.ask(g.GraphAround((memories[0],), 5, limit=3))) == 3
    graph = desk.graph()
    assert desk.ask(g.HopsFrom(graph, (2,), 2)).tolist() == [2, 1, 0, 1, 2, -1]
    with pytest.raises(Invalid):
        desk.ask(g.HopsFrom(graph, (6,)))


def test_way_between_two_memories(desk: GraphDesk, folder: FolderPk) -> None:
    memories, edges = chain(desk, folder, 5)
    alone = desk.memory(folder)
    way = desk.ask(g.PathBetween(memories[0], memories[4]))
    assert way == g.GraphPath(tuple(memories), tuple(edges))
    assert desk.ask(g.PathBetween(memories[0], alone)) is None
    assert desk.ask(g.PathBetween(alone, alone)) == g.GraphPath((alone,), ())
    desk.run(EndEdges(edges=(edges[2],)))
    assert desk.ask(g.PathBetween(memories[0], memories[4])) is None
    with pytest.raises(NotFound):
        desk.ask(g.PathBetween(memories[0], MemoryPk(99)))


def test_community_is_named_by_its_most_important_memory(desk: GraphDesk, folder: FolderPk) -> None:
    groups = []
    for name in ("a", "b"):
        group = [desk.memory(folder, "location", title=f"{name}{number}") for number in range(4)]
        for one in range(4):
            for two in range(one):
                desk.edge(group[one], group[two])
        groups.append(group)
    desk.edge(groups[0][0], groups[1][0], strength=0.3)
    desk.run(SetImportance(memories=(groups[1][2],), importance=9))
    graph = desk.graph()
    found = desk.ask(g.CommunitiesOf(graph))
    assert found.sizes.tolist() == [4, 4]
    assert found.of_node.tolist() == [0] * 4 + [1] * 4
    assert found.titles == ("a0", "b2")
    assert (found.source.tolist(), found.target.tolist()) == ([0], [1])
    assert found.weight[0] == pytest.approx(0.3)
    centres, radii = found.circles(desk.arranged(graph))
    assert np.isfinite(centres).all()
    assert (radii > 0).all()


def test_part_of_a_graph_keeps_what_belongs_together(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 4)
    part = desk.graph().part(np.array([False, True, True, True]))
    assert part.nodes.pks.tolist() == memories[1:]
    assert (part.edges.source.tolist(), part.edges.target.tolist()) == ([1, 2], [0, 1])
    assert part.index_of([memories[0], memories[3]]).tolist() == [-1, 2]


# --- positions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrangement", list(g.Arrangement))
def test_every_arrangement_gives_places_that_are_kept(
    desk: GraphDesk, folder: FolderPk, arrangement: g.Arrangement
) -> None:
    memories, _ = chain(desk, folder, 6)
    desk.vectors = {pk: [float(pk), float(pk % 3), 1.0] for pk in memories[:-1]}
    graph = desk.graph(arrangement)
    assert np.isnan(graph.positions).all()
    positions = desk.arranged(graph, arrangement, focus=memories[2])
    assert np.isfinite(positions).all()
    assert len(np.unique(positions, axis=0)) == 6
    desk.ask(g.KeepPositions(graph.key, graph.nodes.pks, positions))
    again = desk.graph(arrangement)
    assert np.array_equal(again.positions, positions)
    assert np.array_equal(desk.arranged(again, arrangement), positions)
    assert desk.store.history(1, None)[0].op.label == "op.edge.add"  # keeping places is no op


def test_new_memory_comes_beside_its_neighbours(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 5)
    graph = desk.graph()
    before = desk.arranged(graph)
    desk.ask(g.KeepPositions(graph.key, graph.nodes.pks, before))
    new = desk.memory(folder)
    desk.edge(new, memories[4])
    after = desk.arranged(desk.graph())
    assert np.array_equal(after[:5], before)
    assert np.linalg.norm(after[5] - before[4]) < 3 * g.SPACING


def test_places_of_folders_and_arrangements_are_kept_apart() -> None:
    one = MemoryFilter(folders=frozenset([FolderPk(2), FolderPk(1)]))
    keys = {
        g.place_key(MemoryFilter()),
        g.place_key(MemoryFilter(), g.Arrangement.TIME),
        g.place_key(one),
        g.place_key(MemoryFilter(folders=one.folders, with_subfolders=True)),
    }
    assert len(keys) == 4
    assert g.place_key(one) == g.place_key(MemoryFilter(folders=one.folders, text="other words"))


def test_damaged_kept_places_are_ignored(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 3)
    graph = desk.graph()
    bad = np.array([[np.nan, 1], [1e30, np.inf], [5, 6]], dtype=np.float32)
    desk.ask(g.KeepPositions(graph.key, graph.nodes.pks, bad))
    again = desk.graph()
    assert np.isfinite(again.positions).all(axis=1).tolist() == [False, False, True]
    assert np.isfinite(desk.arranged(again)).all()
    with pytest.raises(Invalid):
        desk.ask(g.Arrange(graph=graph, start=bad[:2]))
    assert memories


def test_meaning_without_vectors_is_said(desk: GraphDesk, folder: FolderPk) -> None:
    chain(desk, folder, 2)
    with pytest.raises(Unavailable):
        desk.arranged(desk.graph(), g.Arrangement.MEANING)


# --- pins and groups ---------------------------------------------------------------------------------


def pin(desk: GraphDesk, key: str, *places: tuple[MemoryPk, float, float]) -> Any:
    return desk.run(PinMemories(key=key, places=places))


def test_pin_is_an_op_that_can_be_undone(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 3)
    key = desk.graph().key
    before = desk.dump()
    pin(desk, key, (memories[0], 1.5, -2.0), (memories[1], 7.0, 8.0))
    graph = desk.graph()
    assert graph.pinned.tolist() == [True, True, False]
    assert graph.positions[0].tolist() == [1.5, -2.0]
    assert desk.last_args()["count"] == 2
    pin(desk, key, (memories[0], 3.0, 4.0))
    assert desk.graph().positions[0].tolist() == [3.0, 4.0]
    assert pin(desk, key, (memories[0], 3.0, 4.0)).op is None
    desk.undo()
    assert desk.graph().positions[0].tolist() == [1.5, -2.0]
    desk.undo()
    assert desk.dump() == before
    desk.redo()
    assert desk.graph().pinned.tolist() == [True, True, False]


def test_pins_stay_in_every_arrangement_and_are_let_go(desk: GraphDesk, folder: FolderPk) -> None:
    memories, _ = chain(desk, folder, 4)
    for arrangement in (g.Arrangement.FORCE, g.Arrangement.TIME, g.Arrangement.COMMUNITY):
        key = desk.graph(arrangement).key
        pin(desk, key, (memories[1], 500.0, 600.0))
        positions = desk.arranged(desk.graph(arrangement), arrangement, afresh=True)
        assert positions[1].tolist() == [500.0, 600.0]
        desk.run(UnpinMemories(key=key, memories=tuple(memories)))
        assert not desk.graph(arrangement).pinned.any()
    assert desk.run(UnpinMemories(key="force:all", memories=tuple(memories))).op is None


def test_pin_at_no_number_or_of_no_memory_is_refused(desk: GraphDesk, folder: FolderPk) -> None:
    memory = desk.memory(folder)
    with pytest.raises(Invalid):
        pin(desk, "force:all", (memory, float("nan"), 0.0))
    with pytest.raises(NotFound):
        pin(desk, "force:all", (MemoryPk(99), 0.0, 0.0))
    assert not desk.graph().pinned.any()


def test_pin_of_a_deleted_memory_goes_with_it(desk: GraphDesk, folder: FolderPk) -> None:
    memory = desk.memory(folder)
    pin(desk, "force:all", (memory, 1.0, 2.0))
    desk.run(DeletePermanently(memories=(memory,)))
    with desk.store.read() as reader:
        assert reader.pins_of("force:all") == []
    assert len(desk.graph()) == 0


def test_group_is_a_tag_on_both(desk: GraphDesk, folder: FolderPk) -> None:
    a, b = desk.memory(folder), desk.memory(folder)
    before = desk.dump()
    desk.run(GroupMemories(memories=(a, b), name=" 灯塔 "))
    assert [desk.ask(MemoryDetailOf(pk)).tags.general for pk in (a, b)] == [("灯塔",), ("灯塔",)]
    named: Json = desk.last_args()["name"]
    assert named == "灯塔"
    desk.undo()
    assert desk.dump() == before
    with pytest.raises(UserError):
        desk.run(GroupMemories(memories=(a, b), name="  "))


def test_nodes_in_sight_are_parted(desk: GraphDesk) -> None:
    positions = np.zeros((5, 2), dtype=np.float32)
    parted = desk.ask(g.Separate(positions, np.full(5, 8, dtype=np.float32)))
    away = np.linalg.norm(parted[:, None] - parted[None], axis=2)
    assert away[~np.eye(5, dtype=bool)].min() > 15


def test_nodes_of_a_finished_layout_do_not_overlap(desk: GraphDesk, folder: FolderPk) -> None:
    hub = desk.memory(folder, importance=10.0)
    for number in range(80):
        desk.edge(hub, desk.memory(folder, importance=float(number % 10)))
    graph = desk.graph()
    positions = desk.arranged(graph).astype(float)
    away = np.linalg.norm(positions[:, None] - positions[None], axis=2)
    radii = g.node_radius(graph.nodes.importance)
    missing = (radii[:, None] + radii[None]) - away
    assert missing[~np.eye(len(graph), dtype=bool)].max() < 0.5


def test_what_an_arrangement_has_no_place_for_stands_apart(desk: GraphDesk, folder: FolderPk) -> None:
    a, b, c, alone = (desk.memory(folder) for _ in range(4))
    desk.edge(a, b)
    past = desk.edge(b, c)
    desk.run(EndEdges(edges=(past,)))
    graph = desk.graph()

    def apart(arrangement: g.Arrangement, **more: Any) -> set[int]:
        mask = desk.ask(g.StandApart(graph, arrangement, **more))
        return set(graph.nodes.pks[mask].tolist())

    assert apart(g.Arrangement.FORCE) == {c, alone}
    assert apart(g.Arrangement.RADIAL, focus=a) == {c, alone}
    assert apart(g.Arrangement.RADIAL, focus=c) == {a, b, alone}
    assert apart(g.Arrangement.TREE) == {a, b, c, alone}
    assert apart(g.Arrangement.COMMUNITY, groups=np.array([0, 1, 1, 2])) == {a, b, c, alone}
    assert apart(g.Arrangement.TIME) == set()


def test_chats_with_floors_have_bands_of_their_own(desk: GraphDesk, folder: FolderPk) -> None:
    chat, dated = desk.folder("chat"), desk.folder("dated")
    for floor in (1, 2, None):
        desk.memory(chat, seq=floor)
    desk.memory(dated, seq=5)
    desk.memory(dated)
    graph = desk.graph()
    names = [graph.folders[band] if band >= 0 else None for band in graph.bands().tolist()]
    assert names == [chat, chat, chat, None, None]
