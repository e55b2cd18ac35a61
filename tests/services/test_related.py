"""What is related to a selection: hops, types, direction, past relations, mentions, folders."""

import pytest

from core.domain.commands import MoveMemories, TrashMemories
from core.domain.commands_graph import EndEdges
from core.domain.errors import Invalid, NotFound
from core.domain.ids import MemoryPk, RelationId
from core.domain.queries_related import Direction, RelatedMemories
from tests.services.desk import Desk


def related(desk: Desk, *memories: MemoryPk, **more: object) -> set[MemoryPk]:
    return set(desk.ask(RelatedMemories(memories=memories, **more)))  # type: ignore[arg-type]  # short form


def test_relations_are_followed_step_by_step_by_type_and_direction(desk: Desk) -> None:
    folder = desk.folder()
    a, b, c, d, e = (desk.memory(folder, title=name, body=name * 3) for name in "abcde")
    desk.edge(a, b, "related")
    desk.edge(b, c, "advances")
    desk.edge(c, d, "related")
    desk.edge(e, a, "related")
    assert related(desk, a) == {b, e}
    assert related(desk, a, hops=2) == {b, e, c}
    assert related(desk, a, hops=3) == {b, c, d, e}
    assert related(desk, a, hops=3, relations=frozenset({RelationId("related")})) == {b, e}
    assert related(desk, a, hops=3, direction=Direction.OUT) == {b, c, d}
    assert related(desk, a, direction=Direction.IN) == {e}
    assert related(desk, a, c) == {b, d, e}
    assert related(desk, a, hops=0) == set()


def test_past_relations_trashed_memories_and_other_folders_count_only_when_asked_for(desk: Desk) -> None:
    folder, other = desk.folder("a"), desk.folder("b")
    a, b, c = (desk.memory(folder, title=name) for name in "abc")
    ended = desk.edge(a, b)
    desk.edge(a, c)
    desk.run(EndEdges(edges=(ended,)))
    assert related(desk, a) == {c}
    assert related(desk, a, past=True) == {b, c}
    desk.run(MoveMemories(memories=(c,), folder=other))
    assert related(desk, a, folders=frozenset({folder})) == set()
    desk.run(TrashMemories(memories=(c,)))
    assert related(desk, a, past=True) == {b}
    for hops in (-1, 4):
        with pytest.raises(Invalid):
            related(desk, a, hops=hops)
    with pytest.raises(NotFound):
        related(desk, MemoryPk(4711))


def test_memories_that_name_a_selected_one_are_related_when_asked_for(desk: Desk) -> None:
    folder = desk.folder()
    irene = desk.memory(folder, "character", title="Irene", aliases=("小艾",))
    said = desk.memory(folder, body="Then Irene left.")
    also = desk.memory(folder, body="小艾来了。")
    desk.memory(folder, body="serene irenes")
    assert related(desk, irene) == set()
    assert related(desk, irene, mentions=True) == {said, also}
    assert related(desk, irene, said, hops=0, mentions=True) == {also}
