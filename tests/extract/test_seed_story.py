"""The story the project starts from: the clock tower, and what becomes of it, from chat to injection and back."""

from __future__ import annotations

from typing import Any

from core.domain.memory import Memory
from core.domain.queries_extract import PromptTask, RunTask
from tests.extract.desk import ExtractDesk, turns
from tests.fakes.model import ScriptedModel

STORY = turns(
    "失踪的人最后都在钟楼附近出现过，会不会和钟楼有关？",
    "艾琳推开钟楼尘封的大门，在齿轮间发现一扇隐藏的暗门，下面是通往地下入口的石阶。",
)


def reply(tower: int) -> dict[str, Any]:
    return {
        "thought": "一条事件、一处更新、一条主线",
        "operations": [
            {
                "action": "create",
                "type": "event",
                "ref": "e1",
                "importance": 8,
                "fields": {"summary": "艾琳在钟楼发现通往地下入口的隐藏暗门", "participants": "艾琳"},
                "links": [
                    {"targetNodeId": f"M{tower}", "relation": "occurred_at", "strength": 0.9},
                    {"targetRef": "t1", "relation": "advances"},
                ],
            },
            {
                "action": "create",
                "type": "location",
                "fields": {"name": "钟楼", "state": "暗门后是通往地下入口的石阶"},
            },
            {
                "action": "create",
                "type": "thread",
                "ref": "t1",
                "fields": {
                    "title": "失踪案",
                    "summary": "线索指向钟楼下的地下入口",
                    "status": "active",
                },
            },
        ],
    }


def types(memories: list[Memory]) -> list[str]:
    return sorted(memory.type for memory in memories)


def test_clock_tower_from_chat_to_injection_and_back(desk: ExtractDesk) -> None:
    chat = desk.chat(STORY)
    tower = desk.memory(chat, "location", title="钟楼", fields={"state": "尘封多年"}, seq=0)
    for at, text in enumerate(("镇上第三个人失踪了", "有人在钟楼附近见过失踪者")):
        desk.memory(chat, body=text, seq=at)
    before = desk.dump()

    desk.chosen = ScriptedModel([reply(tower)])
    report = desk.extract(chat)
    assert desk.dump() == before  # a proposal changes nothing
    result = desk.apply(report.proposal)

    places = [memory for memory in desk.all_of(chat) if memory.type == "location"]
    assert [place.pk for place in places] == [tower]
    assert places[0].fields["state"] == "暗门后是通往地下入口的石阶"
    assert types(desk.all_of(chat)) == ["event", "event", "event", "event", "location", "thread"]
    assert desk.stored(chat).last_processed_seq == 1

    event = next(m for m in desk.all_of(chat) if "隐藏暗门" in m.body)
    old = next(m for m in desk.all_of(chat) if "见过失踪者" in m.body)
    desk.chosen = ScriptedModel(
        [
            {
                "should_evolve": True,
                "reason": "暗门解释了失踪者的去向",
                "suggested_connections": [f"M{old.pk}"],
                "neighbor_updates": [
                    {
                        "nodeId": f"M{old.pk}",
                        "newContext": "失踪者可能从钟楼的地下入口离开",
                        "newTags": ["线索"],
                    }
                ],
            }
        ]
    )
    extracted = desk.dump()
    evolution = desk.ask(RunTask(folder=chat, task=PromptTask.EVOLVE, memories=(event.pk,)))
    desk.apply(evolution.proposal)
    assert desk.get(old.pk).body == "失踪者可能从钟楼的地下入口离开"

    evolved = desk.dump()
    desk.chosen = ScriptedModel([{"summary": "接连有人失踪，艾琳在钟楼找到通往地下入口的暗门。"}])
    synopsis = desk.ask(RunTask(folder=chat, task=PromptTask.SYNOPSIS))
    desk.apply(synopsis.proposal)
    assert [m.body for m in desk.all_of(chat) if m.type == "synopsis"] == [
        "接连有人失踪，艾琳在钟楼找到通往地下入口的暗门。"
    ]

    desk.chosen = None
    desk.embed_all()
    recalled = desk.recall("地下入口在哪里？", chat)
    for said in ("钟楼", "隐藏暗门", "失踪案"):
        assert said in recalled.injection.text
    chosen = {each.pk for each in recalled.selected} | set(recalled.core)
    thread = next(m.pk for m in desk.all_of(chat) if m.type == "thread")
    assert {tower, event.pk, thread} <= chosen

    desk.undo()
    assert desk.dump() == evolved
    desk.undo()
    assert desk.dump() == extracted
    desk.undo()
    assert desk.dump() == before
    assert result.created
