"""Doubles and contradictions: what is found, how sure it is, and what keeps two memories apart."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from core.domain.commands import ArchiveMemories
from core.domain.commands_merge import MarkNotDuplicate, MergeMemories, SettleContradiction
from core.domain.enums import Apart
from core.domain.errors import Cancelled
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_merge import (
    Contradiction,
    ContradictionKind,
    DuplicateGroup,
    FindContradictions,
    FindDuplicates,
    Verdict,
)
from core.ports.embedder import Thresholds
from core.ports.progress import CancelToken
from core.services.contradictions import ContradictionSearch
from core.services.duplicates import DuplicateSearch
from tests.services.desk import Desk

LIMITS = Thresholds(same_text=0.95, duplicate=0.85, related=0.25)


def doubles(desk: Desk, **more: object) -> tuple[DuplicateGroup, ...]:
    return DuplicateSearch(desk.store).find(FindDuplicates(**more))  # type: ignore[arg-type]


def contradictions(desk: Desk, **more: object) -> tuple[Contradiction, ...]:
    search = ContradictionSearch(desk.store, DuplicateSearch(desk.store))
    return search.find(FindContradictions(**more))  # type: ignore[arg-type]


@pytest.fixture
def folder(desk: Desk) -> FolderPk:
    return desk.folder("a")


def fact(desk: Desk, folder: FolderPk, body: str, **more: Any) -> MemoryPk:
    return desk.memory(folder, "event", body=body, **more)


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("用户养了一只叫七七的猫。", "用戶養了一隻叫七七的貓", Verdict.SURE),
        ("Erin is afraid of the dark.", "Erin is very afraid of the dark", Verdict.SURE),
        ("用户养了一只猫，名叫七七，住在南城。", "用户养了一只猫，名叫七七", Verdict.LIKELY),
        ("用户每月的房租是三千元", "用户每月的房租是五千元", Verdict.MAYBE),
        ("The user eats meat on sundays", "The user does not eat meat on sundays", Verdict.MAYBE),
        ("艾琳在周一去了北边的旧钟楼", "艾琳在周三去了北边的旧钟楼", Verdict.MAYBE),
    ],
)
def test_pair_gets_the_verdict_that_its_words_allow(
    desk: Desk, folder: FolderPk, one: str, other: str, verdict: Verdict
) -> None:
    pks = {fact(desk, folder, one), fact(desk, folder, other)}
    groups = doubles(desk)
    assert [group.verdict for group in groups] == [verdict]
    assert {row.pk for row in groups[0].rows} == pks
    assert groups[0].pairs[0].reasons


def test_other_person_with_the_same_text_is_never_sure(desk: Desk, folder: FolderPk) -> None:
    for name in ("艾琳", "博"):
        desk.memory(folder, "character", title=name, fields={"traits": "谨慎，喜欢修钟表"})
    assert {group.verdict for group in doubles(desk)} <= {Verdict.MAYBE}


def test_same_name_of_a_character_is_likely_one_character(desk: Desk, folder: FolderPk) -> None:
    desk.memory(folder, "character", title="艾琳", fields={"traits": "谨慎"})
    desk.memory(folder, "character", title="艾琳 ", fields={"traits": "寡言的钟表匠"})
    other = desk.folder("b")
    desk.memory(other, "character", title="艾琳", fields={"traits": "谨慎"})
    (group,) = doubles(desk)
    assert (group.verdict, len(group.rows)) == (Verdict.LIKELY, 2)
    assert len(doubles(desk, across=True)[0].rows) == 3
    assert doubles(desk, folder=other) == ()


def test_pairs_told_apart_merged_and_archived_are_left_out(desk: Desk, folder: FolderPk) -> None:
    one, other, third = (fact(desk, folder, "钟楼已经荒废多年。") for _ in range(3))
    assert [len(group.rows) for group in doubles(desk)] == [3]
    desk.run(MarkNotDuplicate(pairs=((one, other),)))
    desk.run(ArchiveMemories(memories=(third,)))
    assert doubles(desk) == ()
    desk.undo()
    desk.run(MergeMemories(survivor=one, losers=(third,)))
    assert doubles(desk) == ()


def test_the_memory_to_keep_stands_first(desk: Desk, folder: FolderPk) -> None:
    fact(desk, folder, "钟楼已经荒废多年。", importance=9)
    used = fact(desk, folder, "钟楼已经荒废多年", importance=2)
    desk.store.usage.count([used])
    assert doubles(desk)[0].rows[0].pk == used


def test_memories_that_differ_are_not_joined_over_a_third(desk: Desk, folder: FolderPk) -> None:
    fact(desk, folder, "小队在旧钟楼里住了两天")
    fact(desk, folder, "小队在旧钟楼里住了四天")
    fact(desk, folder, "小队在旧钟楼里住了")
    for group in doubles(desk):
        bodies = " ".join(desk.get(row.pk).body for row in group.rows)
        assert group.verdict is Verdict.MAYBE or not ("两天" in bodies and "四天" in bodies)


def test_vectors_find_what_shares_no_words(desk: Desk, folder: FolderPk) -> None:
    pks = [fact(desk, folder, text) for text in ("猫咪病了", "家里的小宠物身体抱恙", "明日开会")]
    rows = np.array([[1, 0, 0], [0.9, np.sqrt(1 - 0.81), 0], [0, 0, 1]], dtype=np.float32)
    vectors = {pk: rows[at] for at, pk in enumerate(pks)}

    def vectors_of(asked):  # type: ignore[no-untyped-def]
        return np.array(list(asked)), np.stack([vectors[pk] for pk in asked])

    (group,) = DuplicateSearch(desk.store, vectors_of, LIMITS).find(FindDuplicates())
    assert {row.pk for row in group.rows} == set(pks[:2])
    assert group.verdict is Verdict.LIKELY


def test_search_tells_progress_and_stops_when_cancelled(desk: Desk, folder: FolderPk) -> None:
    for number in range(5):
        fact(desk, folder, f"钟楼的第 {number} 个传说")
    told: list[int] = []
    doubles(desk, progress=lambda done, total: told.append(done))
    assert told == sorted(told)
    assert told[-1] <= 1000
    token = CancelToken()
    threading.Thread(target=token.cancel).start()
    while not token.cancelled:
        pass
    with pytest.raises(Cancelled):
        DuplicateSearch(desk.store).find(FindDuplicates(), token)


def test_contradictions_by_relation_words_number_and_value(desk: Desk, folder: FolderPk) -> None:
    love, hate = (
        desk.memory(folder, "knowledge", title=title, body=body)
        for title, body in (("口味", "我爱吃中餐"), ("饮食口味", "我讨厌吃中餐"))
    )
    cat, none = fact(desk, folder, "用户家里养了猫"), fact(desk, folder, "用户家里没有养猫")
    one, other = (desk.memory(folder, "knowledge", title="技术栈", body=b) for b in ("PostgreSQL", "MySQL"))
    light, heavy = (
        desk.memory(folder, "asset", title="背包", body="登山背包", fields={"weight": w})
        for w in (2040, 2100)
    )
    tower, ruin = fact(desk, folder, "钟楼有人看守"), fact(desk, folder, "码头空无一人")
    desk.edge(tower, ruin, "contradicts")
    found = {(each.a.pk, each.b.pk): each for each in contradictions(desk)}
    assert found[tower, ruin].kind is ContradictionKind.RELATION
    assert found[love, hate].kind is ContradictionKind.WORD
    assert found[cat, none].kind is ContradictionKind.NEGATION
    assert found[one, other].kind is ContradictionKind.KEY
    assert found[light, heavy].reasons[0].args == {"column": "weight", "a": "2040", "b": "2100"}
    desk.run(MarkNotDuplicate(pairs=((love, hate),), about=Apart.CONTRADICTION))
    desk.run(SettleContradiction(keep=one, other=other))
    left = {(each.a.pk, each.b.pk) for each in contradictions(desk)}
    assert left == {(tower, ruin), (cat, none), (light, heavy)}


def test_later_state_of_a_character_is_no_contradiction(desk: Desk, folder: FolderPk) -> None:
    for seq, state in ((3, "受伤"), (40, "康复")):
        desk.memory(folder, "character", title="艾琳", fields={"state": state}, seq=seq)
    assert contradictions(desk) == ()
