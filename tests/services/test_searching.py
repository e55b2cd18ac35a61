"""What a search finds that SQL alone does not tell: what is related, and what the check-up finds."""

import pytest

from core.domain import queries_search as qs
from core.domain.commands import ChangeTags, TrashMemories
from core.domain.commands_graph import EndEdges
from core.domain.ids import MemoryPk
from core.domain.queries import FacetCounts, ListMemories, MemoryFilter, Sort, SortKey
from core.services.searching import Searching
from tests.services.desk import Desk


def test_related_memories_stand_behind_the_hits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, other = desk.folder("a"), desk.folder("b")
    one, two = (desk.memory(folder, body=f"bell {number}") for number in (1, 2))
    ended, trashed, far, friend, near = (desk.memory(other, body=f"fog {number}") for number in range(5))
    for source, target in (
        (one, near),
        (friend, one),
        (two, friend),
        (one, two),
        (near, far),
        (one, trashed),
    ):
        desk.edge(source, target)
    desk.run(EndEdges(edges=(desk.edge(one, ended),)))
    desk.run(TrashMemories(memories=(trashed,)))
    searching = Searching(desk.store, lambda _text, _limit, _allowed: (), lambda: desk.now)

    def listed(sort: Sort, text: str = "bell") -> tuple[list[MemoryPk], list[MemoryPk], bool]:
        found = searching.with_related(qs.ListWithRelated(MemoryFilter(text=text, language=True), sort), None)
        pks = [MemoryPk(pk) for pk in found.pks]
        return pks[: found.found], pks[found.found :], found.limited

    assert listed(Sort(SortKey.CREATED)) == ([two, one], [near, friend], False)
    assert listed(Sort(SortKey.CREATED, descending=False)) == ([one, two], [friend, near], False)
    assert listed(Sort(SortKey.RELEVANCE))[1] == [friend, near]
    assert listed(Sort(SortKey.CREATED), "nothing") == ([], [], False)
    monkeypatch.setattr(qs, "RELATED_OF", 1)
    assert listed(Sort(SortKey.CREATED)) == ([two, one], [friend], True)


def test_problems_are_those_of_the_check_up_until_the_next_change(desk: Desk) -> None:
    folder = desk.folder("a")
    sound, faulty = desk.memory(folder, body="bell"), desk.memory(folder, body="fog")
    searching = Searching(desk.store, lambda _text, _limit, _allowed: (), lambda: desk.now)

    def found(text: str) -> list[int]:
        return [*searching.list(ListMemories(MemoryFilter(text=text, language=True)), None)]

    assert found("has:problem") == []
    with desk.store._database.writing() as connection:
        connection.exec_driver_sql("UPDATE memory SET seq = -3 WHERE pk = ?", (faulty,))
    desk.run(ChangeTags(memories=(sound,), add=("sea",)))
    assert found("has:problem") == found("有：问题 fog") == [faulty]
    assert found("-has:problem OR bell") == [sound]
    assert searching.facets(FacetCounts(MemoryFilter(text="has:problem", language=True)), None).total == 1


def test_what_a_regular_expression_found_is_used_for_the_counts_and_goes_with_the_next_change(
    desk: Desk,
) -> None:
    folder = desk.folder("a")
    one, two = desk.memory(folder, body="the bell"), desk.memory(folder, body="bells in the fog")
    searching = Searching(desk.store, lambda _text, _limit, _allowed: (), lambda: desk.now)
    where = MemoryFilter(text="/bell.?/ the", language=True)

    def found(sort: Sort) -> list[int]:
        return [*searching.list(ListMemories(where, sort), None)]

    assert found(Sort(SortKey.CREATED)) == [two, one]
    assert found(Sort(SortKey.CREATED, descending=False)) == [one, two]
    assert sorted(found(Sort(SortKey.RELEVANCE))) == [one, two]
    assert searching.facets(FacetCounts(where), None).total == 2
    desk.run(TrashMemories(memories=(one,)))
    assert found(Sort(SortKey.CREATED)) == [two]
    assert searching.facets(FacetCounts(where), None).total == 1
