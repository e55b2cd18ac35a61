"""Why not: the stage, the number, and a change that really brings the memory in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain.commands import SetAliases
from core.domain.enums import Status
from core.domain.ids import FolderPk, MemoryPk
from core.domain.recall import RecallRequest, Remedy, Stage, WhyNotAnswer
from core.domain.recipes import RECIPES
from core.services.recall.why import WhyNot
from tests.recall.desk import RecallDesk

ASKED = "守夜人在钟楼看见了什么"
PLAIN = {"near_weight": 0.0, "session_weight": 0.0, "scene": False}


def many(desk: RecallDesk, count: int = 20) -> tuple[FolderPk, list[MemoryPk]]:
    folder = desk.folder("many")
    made = [
        desk.memory(
            folder, "knowledge", title=f"夜{at}", body=f"守夜人在钟楼看见了第{at}颗流星" + "，天很冷" * at
        )
        for at in range(count)
    ]
    desk.embed_all()
    return folder, made


def applied(request: RecallRequest, answer: WhyNotAnswer) -> RecallRequest:
    """The request with the remedy, as the window's button applies it."""
    value = answer.value
    match answer.remedy:
        case Remedy.RAISE_TOP_K:
            assert isinstance(value, float)
            return replace(request, top_k=int(value))
        case Remedy.LOWER_CUTOFF:
            assert isinstance(value, float)
            return replace(request, settings={**request.settings, "cutoff": value})
        case Remedy.LOWER_DIVERSITY:
            assert isinstance(value, float)
            key = "dedup_threshold" if request.recipe == "booku" else "diversity"
            return replace(request, settings={**request.settings, key: value})
        case Remedy.RAISE_BUDGET:
            assert isinstance(value, float)
            return replace(request, budget_tokens=int(value))
        case _:
            raise AssertionError(answer.remedy)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_memory_of_the_scope_has_its_stage_and_its_remedy_works(
    vector_desk: RecallDesk, recipe: str
) -> None:
    folder, made = many(vector_desk)
    settings = {"dedup_threshold": 0.97} if recipe == "booku" else {"rerank": False}
    request = RecallRequest(
        message=ASKED, folder=folder, recipe=recipe, top_k=4, settings=settings, budget_tokens=0
    )
    selected = {each.pk for each in vector_desk.service.recall(request).selected}
    remedies = 0
    for memory in made:
        answer = WhyNot(vector_desk.service, request, memory).answer()
        assert answer.selected == (memory in selected)
        assert (answer.recalled.stage is Stage.SELECTED) == answer.selected
        if answer.remedy in {Remedy.RAISE_TOP_K, Remedy.LOWER_CUTOFF, Remedy.LOWER_DIVERSITY}:
            changed = vector_desk.service.recall(applied(request, answer))
            assert memory in {each.pk for each in changed.selected}
            remedies += 1
    assert remedies


def test_rank_beyond_the_limit_is_the_number_of_memories_to_ask_for(vector_desk: RecallDesk) -> None:
    folder, _ = many(vector_desk)
    settings = {**PLAIN, "diversity": 0.0, "cutoff": 0.0}
    request = RecallRequest(message=ASKED, folder=folder, top_k=5, settings=settings, budget_tokens=0)
    result = vector_desk.service.recall(request)
    eighth = next(each for each in result.left_out if each.ranks.get(Stage.SCORE) == 8)
    assert (eighth.stage, eighth.number, eighth.threshold) == (Stage.LIMIT, 8.0, 5.0)
    answer = WhyNot(vector_desk.service, request, eighth.pk).answer()
    assert (answer.remedy, answer.value) == (Remedy.RAISE_TOP_K, 8.0)


def test_memory_that_nothing_speaks_for_gets_an_alias(desk: RecallDesk) -> None:
    folder = desk.folder()
    desk.memory(folder, "knowledge", title="灯", body="灯塔的灯在雨夜里亮着")
    other = desk.memory(folder, "knowledge", title="账目", body="bread 3, milk 2")
    request = RecallRequest(message="lighthouse 的灯", folder=folder, settings=PLAIN)
    answer = WhyNot(desk.service, request, other).answer()
    assert answer.recalled.stage is Stage.CANDIDATES
    assert (answer.remedy, answer.value) == (Remedy.ADD_ALIAS, "lighthouse")
    desk.run(SetAliases(memory=other, aliases=("lighthouse",)))
    assert other in {each.pk for each in desk.service.recall(request).selected}


def test_offered_alias_is_no_pair_of_characters_torn_out_of_two_words(desk: RecallDesk) -> None:
    folder = desk.folder()
    desk.memory(folder, "knowledge", title="港务所", body="港务所管着码头，账册在柜子里")
    other = desk.memory(folder, "knowledge", title="bread", body="bread 3, milk 2")
    for message in ("港务所的账册", "她在哪里的了吗"):
        request = RecallRequest(message=message, folder=folder, settings=PLAIN)
        answer = WhyNot(desk.service, request, other).answer()
        assert set("的在哪了吗她").isdisjoint(str(answer.value or "")), message


def test_double_of_a_recalled_memory_is_to_be_merged(vector_desk: RecallDesk) -> None:
    folder, made = many(vector_desk, 15)
    twin = vector_desk.memory(folder, "knowledge", title="夜0", body="守夜人在钟楼看见了第0颗流星")
    vector_desk.embed_all()
    settings = {**PLAIN, "diversity": 0.9, "cutoff": 0.0}
    request = RecallRequest(message=ASKED, folder=folder, top_k=6, settings=settings, budget_tokens=0)
    selected = {each.pk for each in vector_desk.service.recall(request).selected}
    out = twin if twin not in selected else made[0]
    answer = WhyNot(vector_desk.service, request, out).answer()
    assert answer.recalled.stage is Stage.DIVERSITY
    assert answer.recalled.number is not None
    assert answer.recalled.number > 0.99
    assert answer.remedy is Remedy.MERGE_TWIN
    assert answer.twin in selected


def test_core_memory_is_said_to_be_core(desk: RecallDesk) -> None:
    folder = desk.folder()
    event = desk.memory(folder, body="雨下了三天")
    answer = desk.why(event, "lighthouse", folder)
    assert answer.core
    assert not answer.selected


def test_no_change_is_named_that_does_not_work(desk: RecallDesk) -> None:
    folder = desk.folder()
    memory = desk.memory(folder, "knowledge", title="账目", body="bread 3", status=Status.ARCHIVED)
    answer = desk.why(memory, "。。。", folder)
    assert answer.recalled.stage is Stage.STATUS
    assert answer.remedy is None


def test_path_tells_through_whom_a_memory_was_reached(desk: RecallDesk) -> None:
    folder = desk.folder()
    named = desk.memory(folder, "character", title="罗安")
    bridge = desk.memory(folder, "location", title="渡口")
    end = desk.memory(folder, "thread", title="失踪的船")
    first, second = desk.edge(named, bridge), desk.edge(bridge, end)
    for recipe in ("blend", "stbme"):
        for at in range(20):
            desk.memory(folder, "asset", title=f"箱子{recipe}{at}", body="木箱")
        result = desk.recall(
            "罗安", folder, recipe=recipe, settings={**PLAIN} if recipe == "blend" else {"rerank": False}
        )
        reached = next(each for each in result.selected if each.pk == end)
        assert [step.memory for step in reached.path] == [named, named, bridge]
        assert [step.edge for step in reached.path] == [None, first, second]
        assert reached.path[0].energy == 2.0
        assert reached.path[1].energy > reached.path[2].energy > 0


def test_parts_add_up_to_the_score_before_the_decay(vector_desk: RecallDesk) -> None:
    folder, _ = many(vector_desk)
    for recipe in RECIPES:
        result = vector_desk.recall(ASKED, folder, recipe=recipe)
        for each in (*result.selected, *result.left_out):
            parts = dict(each.parts)
            decay = parts.pop("decay", 1.0)
            assert sum(parts.values()) * decay == pytest.approx(each.score)


def test_stages_are_counted_in_order_and_ranks_are_told(vector_desk: RecallDesk) -> None:
    folder, made = many(vector_desk)
    order = list(Stage)
    for recipe in RECIPES:
        result = vector_desk.recall(
            ASKED, folder, recipe=recipe, settings={} if recipe == "booku" else {"rerank": False}
        )
        places = [order.index(count.stage) for count in result.stages]
        assert places == sorted(places)
        assert result.stages[0].entered == len(made)
        assert all(count.took_ms >= 0 for count in result.stages)
        best = max(result.selected, key=lambda each: each.score)
        assert best.ranks[Stage.SCORE] == 1


@pytest.mark.parametrize("recipe", RECIPES)
def test_named_remedy_works_when_the_name_is_really_given(vector_desk: RecallDesk, recipe: str) -> None:
    """The recipes of ST-BME know no other names, so none is offered; a longer name swallows a shorter one."""
    folder, _ = many(vector_desk, 30)
    vector_desk.memory(folder, "location", title="钟鼓楼", fields={"state": "很高"})
    lost = vector_desk.memory(folder, "location", title="茶馆", fields={"state": "安静"})
    vector_desk.embed_all()
    for message in ("钟鼓楼的守夜人看见了流星", "流星 lighthouse", "在哪里"):
        request = RecallRequest(message=message, folder=folder, recipe=recipe, top_k=3, budget_tokens=0)
        answer = WhyNot(vector_desk.service, request, lost).answer()
        if answer.remedy is Remedy.ADD_ALIAS:
            assert recipe == "blend"
            assert isinstance(answer.value, str)
            vector_desk.run(SetAliases(memory=lost, aliases=(answer.value,)))
            assert lost in {each.pk for each in vector_desk.service.recall(request).selected}
            vector_desk.undo()
