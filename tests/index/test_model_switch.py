"""Another embedding model for a library that has vectors (case c513)."""

from __future__ import annotations

import pytest

from core.domain.errors import Cancelled, Unavailable
from core.ports.progress import CancelToken
from core.services.index_check import verify
from core.services.indexer import Indexer
from core.services.model_switch import fill_beside, plan_switch
from tests.fakes.embedder import HashEmbedder
from tests.index.conftest import Desk


@pytest.mark.parametrize(("dims", "model"), [(96, "m-b"), (64, "m-c")])
def test_both_models_are_shown_and_nothing_is_mixed(desk: Desk, dims: int, model: str) -> None:
    desk.add("甲", "乙", "丙", "丁", "戊")
    desk.indexer.drain()
    new = HashEmbedder(dims, model)
    beside = Indexer(desk.queue, new, desk.index.beside())
    plan = plan_switch(beside, desk.embedder.identity)
    assert plan.needed
    assert (plan.old.dims, plan.new.dims, plan.new.model) == (64, dims, model)
    assert (plan.memories, plan.old_vectors, plan.new_vectors, plan.to_embed) == (5, 5, 0, 5)
    assert fill_beside(beside)
    assert (desk.index.count(), beside.index.count()) == (5, 5)
    assert set(map(len, beside.index.vectors_of(sorted(beside.index.entries())).values())) == {dims}
    assert set(map(len, desk.index.vectors_of(sorted(desk.index.entries())).values())) == {64}
    assert verify(beside, sample=None).healthy
    assert verify(desk.indexer, sample=None).healthy
    assert plan_switch(beside, desk.embedder.identity).to_embed == 0


def test_same_model_needs_no_switch(desk: Desk) -> None:
    desk.add("甲")
    assert not plan_switch(desk.indexer, desk.embedder.identity).needed


def test_cancelled_switch_keeps_the_old_index_and_goes_on_where_it_stopped(desk: Desk) -> None:
    desk.add_many(1200)
    desk.indexer.drain()
    new = HashEmbedder(32, "m-b")
    beside = Indexer(desk.queue, new, desk.index.beside())
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        fill_beside(beside, lambda _done, _total: cancel.cancel(), cancel)
    assert verify(desk.indexer).healthy
    assert 0 < plan_switch(beside, desk.embedder.identity).to_embed < 1200
    embedded = sum(map(len, new.calls))
    assert fill_beside(beside)
    assert sum(map(len, new.calls)) - embedded == 1200 - embedded
    assert verify(beside).healthy


def test_new_model_that_does_not_answer_leaves_the_old_index_usable(desk: Desk) -> None:
    pk = desk.add("甲")[0]
    desk.indexer.drain()
    new = HashEmbedder(32, "m-b")
    new.down = True
    with pytest.raises(Unavailable):
        fill_beside(Indexer(desk.queue, new, desk.index.beside()))
    assert desk.search().by_meaning("甲", 1)[0].pk == pk


def test_changes_made_during_the_switch_are_in_the_new_index(desk: Desk) -> None:
    pks = desk.add("甲", "乙")
    desk.indexer.drain()
    beside = Indexer(desk.queue, HashEmbedder(32, "m-b"), desk.index.beside())
    assert fill_beside(beside)
    desk.add("丙")
    desk.engine.undo()
    desk.add("丁")
    desk.indexer.drain()
    assert fill_beside(beside)
    assert len(beside.index.entries()) == len(pks) + 1
    assert verify(beside, sample=None).healthy
