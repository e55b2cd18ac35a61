"""Vectors made anew beside those in use: estimate, pause, resume, decision by recall tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.domain.commands import EditMemory
from core.domain.commands_folders import CreateFolder
from core.domain.commands_recall import SaveRecallCases
from core.domain.errors import Cancelled, Invalid, Unavailable
from core.domain.health import RebuildScope, RebuildState
from core.domain.ids import MemoryPk
from core.domain.queries_health import (
    AcceptRebuild,
    CurrentRebuild,
    DropRebuild,
    EstimateRebuild,
    RunRebuild,
)
from core.domain.queries_index import SearchByMeaning
from core.domain.recall import RecallCase
from core.ports.clock import system_clock
from core.ports.embedder import Vectors
from core.ports.progress import CancelToken
from tests.health.conftest import Desk

TEXTS = ("钟楼的门锁着", "艾琳找到了暗门", "老陈修好了怀表", "雾天停渡", "灯塔的灯灭了")


def filled(desk: Desk) -> list[MemoryPk]:
    pks = [desk.add(text) for text in TEXTS]
    desk.library.indexer.embed_missing()
    desk.embedder.calls.clear()
    return pks


def embedded(desk: Desk) -> int:
    return sum(map(len, desk.embedder.calls))


def case(desk: Desk, message: str, expected: MemoryPk) -> None:
    made = RecallCase(
        name=message, message=message, expected=(expected,), folder=desk.folder, created_at=system_clock()
    )
    desk.engine.run(SaveRecallCases((made,)))


def vectors(desk: Desk, key: str) -> dict[int, Vectors]:
    pks, rows = desk.library.store.queue.matrix(key)
    return {int(pk): row for pk, row in zip(pks, rows, strict=True)}


def test_estimate_counts_texts_and_measures_the_speed(desk: Desk) -> None:
    filled(desk)
    desk.add("新的一条，还没有向量")
    everything = desk.engine.ask(EstimateRebuild(RebuildScope.ALL))
    assert (everything.memories, everything.texts) == (6, 6)
    assert everything.characters >= sum(map(len, TEXTS))
    assert everything.tokens > 0
    stale = desk.engine.ask(EstimateRebuild(RebuildScope.STALE))
    assert stale.texts == 1
    assert desk.engine.ask(CurrentRebuild()) is None, "an estimate begins nothing"


def test_old_vectors_stay_in_use_until_the_new_ones_are_accepted(desk: Desk) -> None:
    pks = filled(desk)
    key = desk.embedder.identity.key
    old = vectors(desk, key)
    original = desk.embedder._one  # the same model, whose weights are others now
    desk.embedder._one = lambda text: -original(text)  # type: ignore[method-assign]
    case(desk, "谁修好了怀表", pks[2])
    job = desk.engine.ask(RunRebuild(RebuildScope.ALL))
    assert (job.state, job.done, job.total) == (RebuildState.READY, 5, 5)
    assert set(job.old) == set(job.new) != set()
    assert all(np.array_equal(vectors(desk, key)[pk], old[pk]) for pk in pks)
    assert desk.engine.ask(AcceptRebuild()) == 5
    assert all(np.allclose(vectors(desk, key)[pk], -old[pk]) for pk in pks)
    assert desk.engine.ask(CurrentRebuild()) is None
    assert desk.engine.ask(SearchByMeaning("雾天停渡"))[0][0] == pks[3]


def test_paused_rebuild_goes_on_where_it_stopped_also_in_another_process(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.services.rebuild.BATCH", 2)
    filled(desk)
    cancel = CancelToken()
    calls = 0

    def stop(done: int, _total: int) -> None:
        nonlocal calls
        calls = done
        cancel.cancel()

    with pytest.raises(Cancelled):
        desk.library.health.rebuilder.run(RebuildScope.ALL, None, cancel, stop)
    assert calls == 2
    job = desk.engine.ask(CurrentRebuild())
    assert job is not None
    assert (job.state, job.done, job.total) == (RebuildState.PAUSED, 2, 5)
    desk.library.close()
    desk.open()
    desk.embedder.calls.clear()
    job = desk.engine.ask(RunRebuild())
    assert job.state is RebuildState.READY
    assert embedded(desk) == 3
    assert desk.engine.ask(AcceptRebuild()) == 5


def test_job_that_a_crash_left_running_counts_as_paused(desk: Desk) -> None:
    filled(desk)
    desk.library.store.jobs.add(
        "rebuild", "running", [{"scope": "all", "folder": None, "model": desk.embedder.identity.key}]
    )
    job = desk.engine.ask(CurrentRebuild())
    assert job is not None
    assert job.state is RebuildState.PAUSED
    with pytest.raises(Invalid):
        desk.engine.ask(RunRebuild(RebuildScope.ALL))
    assert desk.engine.ask(RunRebuild()).state is RebuildState.READY


def test_model_that_stops_answering_pauses_and_says_why(desk: Desk) -> None:
    filled(desk)
    desk.embedder.down = True
    with pytest.raises(Unavailable):
        desk.engine.ask(RunRebuild(RebuildScope.ALL))
    job = desk.engine.ask(CurrentRebuild())
    assert job is not None
    assert job.state is RebuildState.PAUSED
    assert job.error
    desk.embedder.down = False
    assert desk.engine.ask(RunRebuild()).done == 5


def test_given_up_rebuild_leaves_the_old_vectors(desk: Desk) -> None:
    filled(desk)
    old = vectors(desk, desk.embedder.identity.key)
    desk.engine.ask(RunRebuild(RebuildScope.ALL))
    assert desk.engine.ask(DropRebuild())
    assert [name for name, _ in desk.library.store.health.vector_models()] == [desk.embedder.identity.key]
    assert vectors(desk, desk.embedder.identity.key).keys() == old.keys()
    assert not desk.engine.ask(DropRebuild())
    with pytest.raises(Invalid):
        desk.engine.ask(AcceptRebuild())


def test_one_folder_is_made_anew_and_the_others_are_compared_with_it(desk: Desk) -> None:
    pks = filled(desk)
    other = desk.engine.run(CreateFolder("别处")).created_folder
    assert other is not None
    there = desk.add("渡口的缆绳", folder=other)
    desk.library.indexer.embed_missing()
    desk.embedder.calls.clear()
    case(desk, "渡口的缆绳在哪里", there)
    job = desk.engine.ask(RunRebuild(RebuildScope.FOLDER, other))
    assert (job.done, job.total) == (1, 1)
    assert set(job.new) == set(job.old)
    assert ["渡口的缆绳"] in desk.embedder.calls
    assert desk.engine.ask(AcceptRebuild()) == len(pks) + 1


def test_stale_texts_go_straight_into_use(desk: Desk) -> None:
    pks = filled(desk)
    desk.engine.run(EditMemory(memory=pks[0], body="钟楼的门开着"))
    with desk.damage() as db:
        db.execute("DELETE FROM outbox")
    job = desk.engine.ask(RunRebuild(RebuildScope.STALE))
    assert (job.state, job.done) == (RebuildState.READY, 5)
    assert desk.embedder.calls == [["钟楼的门开着"]]
    assert desk.library.indexer.waiting() == 1, "only what was made goes into the index"
    assert desk.engine.ask(CurrentRebuild()) is None


def test_text_that_the_model_refuses_never_sinks_the_others(desk: Desk) -> None:
    filled(desk)
    desk.embedder.refuses = {TEXTS[1]}
    job = desk.engine.ask(RunRebuild(RebuildScope.ALL))
    assert (job.done, job.failed, job.state) == (4, 1, RebuildState.READY)


def test_vectors_of_a_wrong_shape_are_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(desk)

    def wrong(texts: Sequence[str], _cancel: object = None) -> Vectors:
        return np.zeros((len(texts), 3), dtype=np.float32)

    monkeypatch.setattr(desk.embedder, "embed_documents", wrong)
    with pytest.raises(Unavailable):
        desk.engine.ask(RunRebuild(RebuildScope.ALL))
