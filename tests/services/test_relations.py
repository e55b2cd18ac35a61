"""Relations between memories, and the schema."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from core.domain import commands as c
from core.domain import commands_graph as cg
from core.domain import commands_schema as cs
from core.domain.errors import Invalid, NotFound, UserError
from core.domain.ids import EdgePk, MemoryPk, RelationId, TypeId
from core.domain.queries import LibrarySchema, LiveEdges, MemoryDetailOf
from core.domain.schema import Column, ColumnRole, Compression, MemoryType, RelationType
from tests.services.desk import Desk

RELATED = RelationId("related")


@pytest.fixture
def pair(desk: Desk) -> tuple[MemoryPk, MemoryPk]:
    folder = desk.folder()
    return desk.memory(folder, body="a"), desk.memory(folder, body="b")


def test_same_live_relation_is_strengthened(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    first, second = pair
    edge = desk.edge(first, second, strength=0.4)
    result = desk.run(cg.AddEdge(source=first, target=second, relation=RELATED, strength=0.9))
    assert (result.created_edge, dict(result.counts)) == (edge, {"strengthened": 1})
    weaker = desk.run(cg.AddEdge(source=first, target=second, relation=RELATED, strength=0.1))
    assert weaker.op is None
    views = desk.ask(LiveEdges(first))
    assert [view.edge.strength for view in views] == [0.9]
    assert desk.edge(second, first) != edge
    assert desk.edge(first, second, "updates") != edge


def test_ended_relation_does_not_count_as_the_same(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    edge = desk.edge(*pair)
    desk.run(cg.EndEdges(edges=(edge,), seq=118))
    view = desk.ask(MemoryDetailOf(pair[0])).edges[0]
    assert (view.edge.ended_seq, view.edge.invalid_from, view.live) == (118, desk.now, False)
    assert desk.ask(LiveEdges(pair[0], desk.now)) == ()
    assert desk.edge(*pair) != edge
    assert desk.run(cg.EndEdges(edges=(edge,))).op is None


def test_contradiction_inhibits_and_follows_the_relation(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    edge = desk.edge(*pair, "contradicts")
    assert desk.ask(LiveEdges(pair[0]))[0].edge.inhibits
    desk.run(cg.EditEdge(edge=edge, relation=RELATED, reverse=True, strength=0.2))
    changed = desk.ask(LiveEdges(pair[0]))[0].edge
    assert (changed.source, changed.target, changed.inhibits, changed.strength) == (
        pair[1],
        pair[0],
        False,
        0.2,
    )


def test_bad_relations_are_refused(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    first, second = pair
    edge = desk.edge(first, second)
    other = desk.edge(first, second, "updates")
    early = desk.now - timedelta(days=1)
    bad: list[tuple[c.Command, type[UserError]]] = [
        (cg.AddEdge(source=first, target=first, relation=RELATED), Invalid),
        (cg.AddEdge(source=first, target=MemoryPk(99), relation=RELATED), NotFound),
        (cg.AddEdge(source=first, target=second, relation=RelationId("loves")), Invalid),
        (cg.AddEdge(source=first, target=second, relation=RELATED, strength=1.5), Invalid),
        (cg.AddEdge(source=first, target=second, relation=RELATED, strength=float("nan")), Invalid),
        (cg.EditEdge(edge=other, relation=RELATED), Invalid),
        (cg.EditEdge(edge=edge, from_seq=-1), Invalid),
        (cg.EndEdges(edges=(edge,), at=early), Invalid),
        (cg.EndEdges(edges=(EdgePk(99),)), NotFound),
        (cg.RemoveEdges((edge, EdgePk(99))), NotFound),
    ]
    before = desk.dump()
    for command, error in bad:
        with pytest.raises(error):
            desk.run(command)
    assert desk.dump() == before
    desk.run(c.TrashMemories(memories=(second,)))
    with pytest.raises(Invalid):
        desk.edge(first, second, "evolves")


def test_removed_relation_comes_back_by_undo(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    edge = desk.edge(*pair)
    before = desk.dump()
    desk.run(cg.RemoveEdges((edge,)))
    assert desk.ask(LiveEdges(pair[0])) == ()
    desk.undo()
    assert desk.dump() == before


# --- schema ----------------------------------------------------------------------------------


def own_type(**values: object) -> MemoryType:
    columns = (Column(name="what", required=True, role=ColumnRole.BODY), Column(name="where"))
    base = MemoryType(id=TypeId("own"), labels={"en": "Own"}, table_name="own_table", columns=columns)
    return replace(base, **values)  # type: ignore[arg-type]


def test_own_type_is_saved_used_changed_and_removed(desk: Desk) -> None:
    desk.run(cs.SaveMemoryType(own_type()))
    found = desk.ask(LibrarySchema()).type("own")
    assert found is not None
    assert (found.position, found.built_in) == (13, False)
    pk = desk.memory(desk.folder(), "own", fields={"what": "x", "where": "y"})
    assert (desk.get(pk).body, desk.get(pk).fields) == ("x", {"where": "y"})
    with pytest.raises(Invalid) as caught:
        desk.run(cs.RemoveMemoryType(TypeId("own")))
    assert caught.value.key == "error.schema.type_in_use"
    columns = (Column(name="what", required=True), Column(name="where"))
    with pytest.raises(Invalid) as caught:
        desk.run(cs.SaveMemoryType(own_type(columns=columns)))
    assert caught.value.key == "error.schema.role_in_use"
    desk.run(c.DeletePermanently(memories=(pk,)))
    desk.run(cs.RemoveMemoryType(TypeId("own")))
    assert desk.ask(LibrarySchema()).type("own") is None


def test_built_in_type_keeps_its_mark_and_cannot_be_removed(desk: Desk) -> None:
    event = desk.ask(LibrarySchema()).type("event")
    assert event is not None
    desk.run(cs.SaveMemoryType(replace(event, labels={"en": "Happening"}, built_in=False)))
    changed = desk.ask(LibrarySchema()).type("event")
    assert changed is not None
    assert (changed.labels, changed.built_in) == ({"en": "Happening"}, True)
    for command in (cs.RemoveMemoryType(TypeId("event")), cs.RemoveRelationType(RELATED)):
        with pytest.raises(Invalid):
            desk.run(command)


TWICE = (Column(name="a", required=True), Column(name="a"))
TWO_BODIES = (
    Column(name="a", role=ColumnRole.BODY, required=True),
    Column(name="b", role=ColumnRole.BODY),
)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"id": TypeId("")}, "error.schema.id"),
        ({"id": TypeId("a b")}, "error.schema.id"),
        ({"labels": {}}, "error.schema.label_empty"),
        ({"table_name": " "}, "error.schema.table_empty"),
        ({"table_name": "event_table"}, "error.schema.table_taken"),
        ({"columns": ()}, "error.schema.no_columns"),
        ({"columns": (Column(name=" "),)}, "error.schema.column_empty"),
        ({"columns": TWICE}, "error.schema.column_twice"),
        ({"columns": TWO_BODIES}, "error.schema.role_twice"),
        ({"columns": (Column(name="a"),)}, "error.schema.none_required"),
        ({"latest_only": True}, "error.schema.latest_key"),
        ({"key_column": "none"}, "error.schema.key_column"),
        ({"compression": Compression(threshold=3, fan_in=1, max_depth=1)}, "error.schema.compression"),
        ({"compression": Compression(threshold=-1)}, "error.schema.compression"),
        ({"color": "red"}, "error.schema.color"),
    ],
)
def test_bad_type_is_refused_in_words(desk: Desk, values: dict[str, object], key: str) -> None:
    with pytest.raises(Invalid) as caught:
        desk.run(cs.SaveMemoryType(own_type(**values)))
    assert caught.value.key == key


def test_own_relation_type_is_used_and_protected(desk: Desk, pair: tuple[MemoryPk, MemoryPk]) -> None:
    desk.run(cs.SaveRelationType(RelationType(id=RelationId("hates"), labels={"en": "Hates"}, inhibits=True)))
    edge = desk.edge(*pair, "hates")
    assert desk.ask(LiveEdges(pair[0]))[0].edge.inhibits
    with pytest.raises(Invalid):
        desk.run(cs.RemoveRelationType(RelationId("hates")))
    desk.run(cg.RemoveEdges((edge,)))
    desk.run(cs.RemoveRelationType(RelationId("hates")))
