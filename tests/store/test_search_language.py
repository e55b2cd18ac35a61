"""What is typed in the search language finds what it names, through the engine."""

from __future__ import annotations

import sqlite3

import pytest

from core.algos.search_language import parse
from core.domain.commands import ChangeTags, SetLocked, TrashMemories
from core.domain.errors import Cancelled, Invalid
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import FacetCounts, ListMemories, MemoryFilter, Sort, SortKey
from core.domain.queries_search import CanonicalSearch
from core.engine import Engine
from core.services.searching import fused
from core.store.search_sql import term_sql
from tests.store.conftest import Make

BODIES = ("雾里有钟声", "the bell rings at 10:30", "a quiet harbour", "灯塔的钟声很远", "the end of the bell")


@pytest.fixture
def pks(engine: Engine, make: Make) -> list[MemoryPk]:
    made = [make(body) for body in BODIES]
    engine.run(ChangeTags(memories=(made[0], made[2]), add=("Harbour",)))
    engine.run(SetLocked(memories=(made[1],), locked=True))
    engine.run(TrashMemories(memories=(made[4],)))
    return made


def found(engine: Engine, pks: list[MemoryPk], text: str) -> set[int]:
    where = MemoryFilter(text=text, language=True)
    listed = [engine.ask(ListMemories(where, Sort(key))) for key in (SortKey.RELEVANCE, SortKey.LAYER)]
    assert set(listed[0]) == set(listed[1])
    assert engine.ask(FacetCounts(where)).total == len(listed[0])
    return {pks.index(MemoryPk(pk)) for pk in listed[0]}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", {0, 1, 2, 3}),
        ("钟声", {0, 3}),
        ("10:30", {1}),
        ("bell", {1}),
        ("bell is:trash", {4}),
        ("bell (is:trash OR -is:trash)", {1, 4}),
        ("钟声 OR harbour", {0, 2, 3}),
        ("(钟声 | bell) -灯塔", {0, 1}),
        ("-(钟声 | bell)", {2}),
        ("tag:harbour", {0, 2}),
        ("标签：harb*", {0, 2}),
        ("-tag:harbour", {1, 3}),
        ("has:tag quiet", {2}),
        ("是:锁定", {1}),
        ("/钟声.远/", {3}),
        ("/^the BELL/", {1}),
        ("never:recalled recalled:0 创建>=2020-01 updated>=2020", {0, 1, 2, 3}),
        ("created<2020", set()),
        ("created:2026 (is:trash OR created>2030)", {4}),
        ("recalled:30d", set()),
        ("-recalled>2020", {0, 1, 2, 3}),
        ("created:2020..2099", {0, 1, 2, 3}),
        ("importance>=0 level:0", {0, 1, 2, 3}),
        ("body:bell", {1}),
        ("in:body 钟声", {0, 3}),
        ("in:tags harbour", {0, 2}),
        ("in:title 钟声", set()),
        ("has:duplicate", set()),
        ("has:vector", set()),
        ("-has:relation -has:alias -has:document -has:proposal -has:draft", {0, 1, 2, 3}),
        ("related:nobody", set()),
        ("relation:相关", set()),
        ("has:problem", set()),
        ("-has:problem -is:outdated", {0, 1, 2, 3}),
        ("-(type:rule OR has:problem)", {0, 1, 2, 3}),
        ("level<1 -has:duplicate", {0, 1, 2, 3}),
        ("person:nobody", set()),
        ("-floor:3-9", {0, 1, 2, 3}),
        ("field.mood:calm", set()),
        ("-field.mood:calm", {0, 1, 2, 3}),
    ],
)
def test_each_term_finds_what_it_names(
    engine: Engine, pks: list[MemoryPk], folder: FolderPk, text: str, wanted: set[int]
) -> None:
    assert found(engine, pks, text) == wanted


def test_drafts_are_those_of_memories_and_others_hide_nothing(
    engine: Engine, pks: list[MemoryPk], folder: FolderPk
) -> None:
    engine.drafts.save("mem-x", {"pk": pks[1]})
    engine.drafts.save("new:1", {"pk": None})
    engine.drafts.save("view/graph", {"color": "age"})
    assert found(engine, pks, "has:draft") == {1}
    assert found(engine, pks, "-has:draft") == {0, 2, 3}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("type:nothing", "error.search.value"),
        ("tpye:event", "error.search.key"),
        ("folder:", "error.search.value_missing"),
        ("(a", "error.search.bracket"),
        ("/a", "error.search.regex_open"),
        ("/(/", "error.search.regex"),
        ("importance>much", "error.search.number"),
        ("created:someday", "error.search.date"),
        ("tag>3", "error.search.sign"),
        ("-~fog", "error.search.meaning_inside"),
    ],
)
def test_what_is_wrong_is_said(engine: Engine, folder: FolderPk, text: str, key: str) -> None:
    with pytest.raises(Invalid) as caught:
        engine.ask(ListMemories(MemoryFilter(text=text, language=True)))
    assert caught.value.key == key
    assert caught.value.text_args["at"] == 1 + text.index("~") if "~" in text else True


def test_pattern_that_never_ends_is_stopped(
    engine: Engine, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.store.search_functions.PATTERN_SECONDS", 0.1)
    make("a" * 60 + "b")
    with pytest.raises(Invalid) as caught:
        engine.ask(ListMemories(MemoryFilter(text="/^(a|aa)+$/", language=True)))
    assert caught.value.key == "error.search.regex_slow"


def test_search_that_is_overtaken_ends_in_the_middle(
    engine: Engine, pks: list[MemoryPk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.store.database.STEPS_BETWEEN_LOOKS", 10)
    everything = ListMemories(MemoryFilter(text="/./", language=True))
    with pytest.raises(Cancelled):
        engine.ask(everything, cancel=Gone())
    assert len(engine.ask(everything)) == len(pks) - 1


class Gone:
    """A cancel token that says so at the second look."""

    looked_at = 0

    @property
    def cancelled(self) -> bool:
        self.looked_at += 1
        return self.looked_at > 1

    def check(self) -> None:
        pass


def test_canonical_text_names_keys_and_types_by_their_ids(engine: Engine, folder: FolderPk) -> None:
    typed = "类型：事件 层：长期 状态：归档 楼层：3～9 重要性＞7 雾"
    assert engine.ask(CanonicalSearch(typed)) == (
        "type:event layer:memory status:archived floor:3-9 importance>7 雾"
    )


def test_words_and_meaning_together_stand_first() -> None:
    assert fused([1, 2], [(3, 0.8), (2, 0.7), (4, 0.1)]) == [2, 1, 3]


@pytest.mark.parametrize("text", ["field.day:5", "field.days:5", "field.seen:true", "-field.day!=5"])
def test_numbers_and_truths_of_fields_are_found_by_their_text(text: str) -> None:
    term = parse(text)
    condition, parameters = term_sql(term)
    fields = '{"day": 5, "days": [4, 5], "seen": true}'
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE memory (fields TEXT)")
        connection.execute("INSERT INTO memory VALUES (?)", [fields])
        found = connection.execute(f"SELECT count(*) FROM memory m WHERE {condition}", parameters).fetchone()
    finally:
        connection.close()
    assert found == (1,)
