"""A prompt tried on one input."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain.errors import Invalid
from core.domain.proposal import ChangePart, CreatePart
from core.domain.queries_extract import PromptTask, PromptTrial, TryPrompt
from core.services.extract.trial import try_prompt
from tests.extract.desk import ExtractDesk
from tests.fakes.model import ScriptedModel


def tried(desk: ExtractDesk, *replies: Any, **more: Any) -> PromptTrial:
    query = TryPrompt(
        **{
            "task": PromptTask.EXTRACT,
            "language": "zh_CN",
            "text": "只记要事。{types}",
            "sample": "艾琳去了钟楼",
        }
        | more
    )
    return try_prompt(desk.store, ScriptedModel(list(replies)) if replies else None, query, None)


def test_extraction_shows_request_reply_and_parts_and_keeps_nothing(desk: ExtractDesk) -> None:
    chat = desk.chat(())
    tower = desk.memory(chat, "location", title="钟楼")
    before = desk.dump()
    reply = {
        "operations": [
            {"action": "create", "type": "event", "fields": {"summary": "艾琳去了钟楼"}},
            {"action": "update", "nodeId": f"M{tower}", "fields": {"state": "有人"}},
            {"action": "delete", "nodeId": "M99"},
        ]
    }
    trial = tried(desk, reply, folder=chat)
    assert [type(part) for part in trial.parts] == [CreatePart, ChangePart]
    assert [problem.key for problem in trial.problems] == ["extract.note.delete_unknown"]
    assert "只记要事。event(事件)" in trial.request
    assert "艾琳去了钟楼" in trial.request
    assert trial.readable
    assert desk.dump() == before


@pytest.mark.parametrize(
    ("task", "reply"), [("synopsis", {"summary": "x"}), ("conflict", {"action": "skip"})]
)
def test_other_tasks_show_the_reply(desk: ExtractDesk, task: str, reply: dict[str, Any]) -> None:
    trial = tried(desk, reply, task=PromptTask(task))
    assert (trial.readable, trial.parts, trial.model) == (True, (), "scripted")


def test_unreadable_reply_is_shown_and_said(desk: ExtractDesk) -> None:
    trial = tried(desk, "I would rather not.")
    assert (trial.readable, trial.reply) == (False, "I would rather not.")
    assert trial.problems[0].severity == "error"
    assert not tried(desk, {"thought": "x"}).readable


def test_without_input_or_model_nothing_is_asked(desk: ExtractDesk) -> None:
    with pytest.raises(Invalid):
        tried(desk, {"operations": []}, sample="  ")
    with pytest.raises(Invalid):
        tried(desk)
