"""A list takes several ways through the indexes; all of them give the same memories."""

from __future__ import annotations

import itertools

import pytest

from core.domain.commands import ArchiveMemories, ChangeTags, SetLocked, TrashMemories
from core.domain.enums import Status
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import ListMemories, MemoryFilter, Sort, SortKey, TrashScope
from core.engine import Engine
from core.store import filters
from tests.store.conftest import Make

BODIES = ("雾里有钟声", "雾散了，钟停了", "the bell rings in fog", "a quiet harbour", "灯塔的钟声很远")


@pytest.fixture
def library(engine: Engine, make: Make) -> list[MemoryPk]:
    pks = [make(f"{body} {number}") for number, body in itertools.product(range(4), BODIES)]
    engine.run(ArchiveMemories(memories=tuple(pks[1::3])[:4]))
    engine.run(ChangeTags(memories=tuple(pks[::2]), add=("Harbour",)))
    engine.run(SetLocked(memories=tuple(pks[::5]), locked=True))
    engine.run(TrashMemories(memories=tuple(pks[::7])))
    return pks


@pytest.mark.parametrize("text", ["", "钟声", "钟", "bell", "-钟声", "雾 钟", "?", "nothing at all"])
@pytest.mark.parametrize("trash", list(TrashScope))
def test_every_order_gives_the_same_memories(
    engine: Engine, library: list[MemoryPk], folder: FolderPk, text: str, trash: TrashScope
) -> None:
    for where in (
        MemoryFilter(text=text, trash=trash),
        MemoryFilter(text=text, trash=trash, statuses=frozenset({Status.ACTIVE})),
        MemoryFilter(text=text, trash=trash, tags=((None, "harbour"),)),
        MemoryFilter(text=text, trash=trash, folders=frozenset({folder}), locked=False),
    ):
        listed = [
            engine.ask(ListMemories(where, Sort(key, descending)))
            for key in SortKey
            for descending in (True, False)
        ]
        assert all(len(set(pks)) == len(pks) for pks in listed)
        assert {frozenset(pks) for pks in listed} == {frozenset(listed[0])}, where


@pytest.mark.parametrize(
    "text",
    [
        "-type:rule",
        "type:event -tag:harbour",
        "level:0",
        "-is:locked",
        "tag:harbour OR is:locked",
        "钟声 -has:tag",
        "created>2020 -created:2019",
    ],
)
def test_every_order_gives_what_a_search_finds(engine: Engine, library: list[MemoryPk], text: str) -> None:
    listed = [
        engine.ask(ListMemories(MemoryFilter(text=text, language=True), Sort(key, descending)))
        for key in SortKey
        for descending in (True, False)
    ]
    assert listed[0]
    assert {tuple(sorted(pks)) for pks in listed} == {tuple(sorted(listed[0]))}


def test_best_matches_come_first_and_older_ones_after(
    engine: Engine, library: list[MemoryPk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "RANKED_MATCHES", 3)
    found = list(engine.ask(ListMemories(MemoryFilter(text="钟声"), Sort(SortKey.RELEVANCE))))
    newest = sorted(found, reverse=True)
    assert set(found[: len(found) - len(newest[3:])]) <= set(newest[:3])
    assert found[-len(newest[3:]) :] == newest[3:]
