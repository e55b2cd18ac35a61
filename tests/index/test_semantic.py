"""Search by meaning: exact and through Chroma, always joined back to SQL."""

from __future__ import annotations

import os
import signal

import pytest

from core.domain.commands import EmptyTrash, TrashMemories, UntrashMemories
from core.domain.errors import Unavailable
from tests.index.conftest import Desk

TEXTS = [
    f"第{number}条：{word}" for number, word in enumerate("灯雾码头集市钥匙猫信雨海边石阶镜子守夜旧历", 1)
]


@pytest.mark.parametrize("large", [1, 10**9])
def test_both_ways_find_the_nearest_memory(desk: Desk, large: int) -> None:
    pks = desk.add(*TEXTS)
    desk.indexer.drain()
    hits = desk.search(large).by_meaning(TEXTS[4], 3)
    assert hits[0].pk == pks[4]
    assert hits[0].score == pytest.approx(1, abs=1e-5)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_both_ways_agree(desk: Desk) -> None:
    desk.add_many(300)
    desk.indexer.drain()
    for query in ("第7条", "记忆：700", "no such words"):
        exact = desk.search(10**9).by_meaning(query, 20)
        through_index = desk.search(1).by_meaning(query, 20)
        assert [hit.score for hit in exact] == pytest.approx([hit.score for hit in through_index], abs=1e-5)


@pytest.mark.parametrize("large", [1, 10**9])
def test_trashed_and_deleted_memories_are_never_found_before_the_drain(desk: Desk, large: int) -> None:
    pks = desk.add(*TEXTS)
    desk.indexer.drain()
    search = desk.search(large)
    assert search.by_meaning(TEXTS[0], 30)
    desk.engine.run(TrashMemories(memories=tuple(pks[:3])))
    assert not {hit.pk for hit in search.by_meaning(TEXTS[0], 30)} & set(pks[:3])
    desk.engine.run(UntrashMemories(memories=(pks[0],)))
    assert search.by_meaning(TEXTS[0], 1)[0].pk == pks[0]
    desk.engine.run(EmptyTrash())
    assert {hit.pk for hit in search.by_meaning(TEXTS[0], 30)} == {pks[0], *pks[3:]}


def test_allowed_memories_alone_are_found(desk: Desk) -> None:
    pks = desk.add(*TEXTS)
    desk.indexer.drain()
    hits = desk.search(1).by_meaning(TEXTS[0], 5, {pks[7], pks[9]})
    assert {hit.pk for hit in hits} == {pks[7], pks[9]}
    assert desk.search(1).by_meaning(TEXTS[0], 5, set()) == []


def test_blank_question_finds_nothing(desk: Desk) -> None:
    desk.add(*TEXTS)
    desk.indexer.drain()
    assert desk.search(1).by_meaning("  ", 5) == []
    assert desk.search().by_meaning("灯", 0) == []


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_index_that_died_is_replaced_by_exact_search(desk: Desk) -> None:
    pks = desk.add(*TEXTS)
    desk.indexer.drain()
    desk.index.close()
    assert desk.search(1).by_meaning(TEXTS[2], 1)[0].pk == pks[2]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_index_killed_between_questions_answers_again(desk: Desk) -> None:
    pks = desk.add(*TEXTS)
    desk.indexer.drain()
    pid = desk.index.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert desk.search(1).by_meaning(TEXTS[2], 1)[0].pk == pks[2]


def test_memories_that_wait_for_the_index_are_found_by_exact_search(desk: Desk) -> None:
    desk.add(*TEXTS)
    desk.indexer.drain()
    late = desk.add("一句全新的话")[0]
    desk.indexer.embed_missing()
    assert desk.search(1).by_meaning("一句全新的话", 1)[0].pk == late


def test_embedder_down_is_unavailable(desk: Desk) -> None:
    desk.add(*TEXTS)
    desk.indexer.drain()
    desk.embedder.down = True
    with pytest.raises(Unavailable) as told:
        desk.search().by_meaning("灯", 5)
    assert told.value.port == "embedder"
