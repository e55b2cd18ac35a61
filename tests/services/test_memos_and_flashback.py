"""Memos with the rest of their lives, and draws of memories that come back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.domain.commands import ArchiveMemories
from core.domain.commands_upkeep import KeepMemo
from core.domain.enums import Layer
from core.domain.errors import Invalid
from core.domain.queries_upkeep import DrawFlashback, MemoRows
from core.domain.upkeep import Flashback, FlashbackLayer
from core.services import flashback, memos
from tests.services.desk import Desk


def draw(desk: Desk, **values: Any) -> Flashback:
    with desk.store.read() as reader:
        return flashback.draw(reader, DrawFlashback(**values))


def lives(desk: Desk, **values: Any) -> list[tuple[str, str, str]]:
    with desk.store.read() as reader:
        found = memos.rows(reader, MemoRows(at=desk.now, **values))
    return [(row.memo.content, row.left, row.unit.value) for row in found]


def test_memos_are_listed_by_the_rest_of_their_lives(desk: Desk) -> None:
    folder = desk.folder()
    for content, hours in (("long", 30.0), ("short", 0.5), ("middle", 1.5)):
        desk.run(KeepMemo(folder=folder, content=content, hours=hours))
    desk.now -= timedelta(seconds=1)
    assert lives(desk) == [("short", "30", "minutes"), ("middle", "1.5", "hours"), ("long", "30", "hours")]
    desk.now += timedelta(hours=1)
    assert [row[0] for row in lives(desk)] == ["middle", "long"]
    assert lives(desk, expired=True)[-1] == ("short", "", "over")


def test_a_refreshed_memo_lives_on_and_undo_gives_the_old_end_back(desk: Desk) -> None:
    folder = desk.folder()
    desk.run(KeepMemo(folder=folder, content="a", hours=1.0))
    before = desk.dump()
    desk.run(KeepMemo(folder=folder, content="a", hours=5.0))
    assert lives(desk) == [("a", "5", "hours")]
    desk.undo()
    assert desk.dump() == before


def test_the_layer_follows_from_the_share_and_the_draw(desk: Desk) -> None:
    folder = desk.folder()
    trial = desk.memory(folder, layer=Layer.EMERGENT)
    archived = desk.memory(folder)
    desk.run(ArchiveMemories(memories=(archived,)))
    low, high = draw(desk, layer_draw=0.2), draw(desk, layer_draw=0.6)
    assert (low.layer, low.drawn and low.drawn.row.pk) == (FlashbackLayer.ARCHIVED, archived)
    assert (high.layer, high.drawn and high.drawn.row.pk) == (FlashbackLayer.EMERGENT, trial)
    assert draw(desk, layer=FlashbackLayer.ARCHIVED, layer_draw=0.9).layer is FlashbackLayer.ARCHIVED


def test_seldom_recalled_memories_come_back_more_often(desk: Desk) -> None:
    folder = desk.folder()
    often, never = (desk.memory(folder, layer=Layer.EMERGENT) for _ in range(2))
    for _ in range(3):
        desk.store.usage.count([often])
    found = draw(desk, layer=FlashbackLayer.EMERGENT, memory_draw=0.5)
    chances = {each.row.pk: each.chance for each in found.candidates}
    assert chances == {never: pytest.approx(0.8), often: pytest.approx(0.2)}
    assert found.drawn is not None
    assert found.drawn.row.pk == never
    sharp = draw(desk, layer=FlashbackLayer.EMERGENT, exponent=1e308)
    assert {each.row.pk: each.chance for each in sharp.candidates} == {never: 1.0, often: 0.0}


def test_what_came_back_lately_is_skipped_and_nothing_left_draws_nothing(desk: Desk) -> None:
    pk = desk.memory(desk.folder(), layer=Layer.EMERGENT)
    found = draw(desk, layer=FlashbackLayer.EMERGENT, skip=(pk,))
    assert (found.drawn, found.candidates, found.skipped) == (None, (), 1)


def test_a_draw_touches_nothing_and_wrong_numbers_are_refused(desk: Desk) -> None:
    desk.memory(desk.folder(), layer=Layer.EMERGENT)
    before = desk.dump()
    draw(desk)
    assert desk.dump() == before
    for values in ({"candidates": 0}, {"layer_draw": 1.0}, {"memory_draw": -0.1}):
        with pytest.raises(Invalid):
            draw(desk, **values)
