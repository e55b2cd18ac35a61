"""What was merged is recalled once, as its survivor, also when archived memories are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain.commands_merge import MergeMemories, UnmergeMemories
from core.domain.recall import Stage
from tests.recall.desk import RecallDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[RecallDesk]:
    made = RecallDesk(tmp_path / "library")
    yield made
    made.engine.close()


@pytest.mark.parametrize("archived", [False, True])
def test_merged_memory_is_recalled_once_as_its_survivor(desk: RecallDesk, archived: bool) -> None:
    folder = desk.folder("a")
    one = desk.memory(folder, "location", title="钟楼", body="旧钟楼的地下有一扇暗门")
    other = desk.memory(folder, "location", title="旧钟楼", body="旧钟楼的地下有一扇暗门，上了锁")
    message = "旧钟楼地下的暗门在哪里"
    assert set(desk.selected(message, folder)) == {one, other}
    desk.run(MergeMemories(survivor=one, losers=(other,)))
    result = desk.recall(message, folder, include_archived=archived)
    assert [each.pk for each in result.selected] == [one]
    answer = desk.why(other, message, folder, include_archived=archived)
    assert (answer.recalled.stage, answer.remedy) == (Stage.STATUS, None)
    desk.run(UnmergeMemories(memories=(other,)))
    assert set(desk.selected(message, folder)) == {one, other}
