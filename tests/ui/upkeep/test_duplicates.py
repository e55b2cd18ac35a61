"""The tasks Duplicates and Contradictions of the page Upkeep."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from core import model_settings as kept
from core.domain.endpoints import Endpoint, ModelTask
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.queries_merge import Verdict
from tests.fakes.model import ScriptedModel
from tests.ui.upkeep.conftest import Bench
from ui.models.merge_choice import DeskItem
from ui.theme import Scheme
from ui.views.merge.desk import MergeDesk
from ui.views.merge.merged_strip import MergedStrip
from ui.views.upkeep.contradictions import ContradictionsTask
from ui.views.upkeep.duplicates import DuplicatesTask


def looked(bench: Bench) -> DuplicatesTask:
    task = DuplicatesTask(bench.context, bench.operations)
    bench.show(task)
    assert task.stack.shows == "notice"
    bench.qtbot.mouseClick(task.stack.notice.button, Qt.MouseButton.LeftButton)
    bench.until(lambda: not task.running)
    bench.settle()
    return task


@pytest.fixture
def doubles(bench: Bench) -> list[MemoryPk]:
    return [
        bench.create(body="钟楼已经荒废多年。"),
        bench.create(body="钟楼已经荒废多年"),
        bench.create(body="小队在北边的山里住了两天"),
        bench.create(body="小队在北边的山里住了四天"),
    ]


def test_groups_are_listed_by_verdict_and_opened_on_the_desk(bench: Bench, doubles: list[MemoryPk]) -> None:
    task = looked(bench)
    assert task.tree.topLevelItemCount() == 1
    task.verdicts[Verdict.MAYBE].click()
    assert task.tree.topLevelItemCount() == 2
    asked: list[list[DeskItem]] = []
    bench.operations.merge_wanted.connect(asked.append)
    bench.qtbot.keyClick(task.tree, Qt.Key.Key_Return)
    assert [item.pks for item in asked[0]] == [tuple(doubles[:2]), (doubles[2], doubles[3])]
    assert asked[0][0].why
    desk = MergeDesk(bench.context, bench.operations, asked[0], None)
    desk.handled.connect(bench.operations.merge_handled)
    desk.open()
    bench.settle()
    assert "Sure" in desk.why.text()
    bench.qtbot.keyClick(desk, Qt.Key.Key_Return)
    bench.settle()
    assert bench.memory(doubles[1]).merged_into == doubles[0]
    assert task.tree.topLevelItemCount() == 1
    desk.close()


@pytest.mark.usefixtures("doubles")
def test_groups_follow_the_theme(bench: Bench) -> None:
    task = looked(bench)
    task.verdicts[Verdict.MAYBE].click()
    theme = bench.context.theme

    def icon() -> QImage:
        item = task.tree.topLevelItem(0)
        assert item is not None
        return item.icon(0).pixmap(16, 16).toImage()

    theme.set_scheme(Scheme.LIGHT)
    before = icon()
    theme.set_scheme(Scheme.DARK)
    assert icon() != before
    assert task.tree.topLevelItemCount() == 2


def test_groups_told_apart_are_gone_and_stay_away(bench: Bench, doubles: list[MemoryPk]) -> None:
    task = looked(bench)
    bench.qtbot.mouseClick(task.apart_button, Qt.MouseButton.LeftButton)
    bench.settle()
    assert len(bench.dump()["not_duplicate"]) == 1
    task.look()
    bench.until(lambda: not task.running)
    bench.settle()
    assert task.found is not None
    assert [group.verdict for group in task.found[0]] == [Verdict.MAYBE]


def test_library_without_doubles_says_so_and_a_search_can_be_stopped(bench: Bench) -> None:
    bench.create(body="钟楼")
    task = looked(bench)
    assert task.stack.shows == "notice"
    assert "No duplicates" in task.stack.notice.message.text()
    task.look()
    assert task.running
    task.stop()
    assert not task.running
    bench.settle()


def test_contradiction_is_settled_or_remembered(bench: Bench) -> None:
    has = bench.create(body="用户家里养了猫")
    none = bench.create(body="用户家里没有养猫")
    first = bench.create("knowledge", title="技术栈", body="PostgreSQL")
    second = bench.create("knowledge", title="技术栈", body="MySQL")
    task = ContradictionsTask(bench.context, bench.operations)
    bench.show(task)
    task.look()
    bench.until(lambda: not task.running)
    bench.settle()
    assert task.current is not None
    assert {task.current.a.pk, task.current.b.pk} == {first, second}
    bench.qtbot.mouseClick(task.b_button, Qt.MouseButton.LeftButton)
    bench.settle()
    assert bench.memory(first).status is Status.EXPIRED
    assert bench.memory(second).status is Status.ACTIVE
    assert task.current is not None
    assert {task.current.a.pk, task.current.b.pk} == {has, none}
    bench.qtbot.mouseClick(task.both_button, Qt.MouseButton.LeftButton)
    bench.settle()
    assert task.stack.shows == "notice"
    task.look()
    bench.until(lambda: not task.running)
    bench.settle()
    assert task.found == ()


def test_model_is_asked_about_the_pairs_shown_and_only_its_opinion_is_there(bench: Bench) -> None:
    first = bench.create("knowledge", title="技术栈", body="PostgreSQL")
    second = bench.create("knowledge", title="技术栈", body="MySQL")
    task = ContradictionsTask(bench.context, bench.operations)
    bench.show(task)
    task.look()
    bench.until(lambda: not task.running)
    bench.settle()
    assert not task.ask_button.isEnabled()
    assert "No language model" in task.ask_button.toolTip()
    settings = bench.context.settings
    kept.save_endpoint(settings, Endpoint(id="chat", name="Chat", url="http://127.0.0.1:1", model="m"))
    kept.choose(settings, ModelTask.CONSOLIDATE, "chat")
    reply = {"pairs": [{"pair": 1, "verdict": "replaced", "holds": "second", "reason": "moved in May"}]}
    bench.library.extracting.instead = ScriptedModel([reply])
    task.say_texts()
    before = bench.dump()
    bench.qtbot.mouseClick(task.ask_button, Qt.MouseButton.LeftButton)
    bench.settle()
    item = task.tree.topLevelItem(0)
    assert item is not None
    assert item.text(4) == "one followed the other, the second holds: moved in May"
    assert bench.dump() == before
    assert {bench.memory(pk).status for pk in (first, second)} == {Status.ACTIVE}


def test_strip_says_what_was_merged_and_unmerges(bench: Bench, doubles: list[MemoryPk]) -> None:
    from core.domain.commands_merge import MergeMemories

    engine = bench.library.engine
    engine.run(MergeMemories(survivor=doubles[0], losers=(doubles[1],)))
    strip = MergedStrip(bench.context)
    bench.show(strip)
    strip.show_memory(doubles[1])
    bench.until(strip.isVisible)
    assert "Merged into" in strip.text.text()
    opened: list[int] = []
    strip.open_memory.connect(opened.append)
    bench.qtbot.mouseClick(strip.open_button, Qt.MouseButton.LeftButton)
    assert opened == [doubles[0]]
    strip.show_memory(doubles[0])
    bench.until(lambda: "was merged into this one" in strip.text.text())
    taken: list[tuple[MemoryPk, ...]] = []
    strip.unmerge_wanted.connect(taken.append)
    bench.qtbot.mouseClick(strip.unmerge_button, Qt.MouseButton.LeftButton)
    assert taken == [(doubles[1],)]
