"""A scripted language model: replies from a list or from a function; every request is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from core.domain.endpoints import Usage
from core.domain.json_types import JsonObject
from core.ports.language_model import ChatMessage
from core.ports.progress import CancelToken

Reply = str | dict[str, Any] | list[Any] | BaseException
Script = Callable[[Sequence[ChatMessage]], Reply]


class ScriptedModel:
    """Answers with `script`, one reply a call, or with what the function gives for the messages.

    Objects and lists are sent as JSON, errors are raised. `asked` holds the messages of each call,
    `schemas` what form was wanted. A list that ran out is a failing test.
    """

    def __init__(self, script: Iterable[Reply] | Script = (), name: str = "scripted") -> None:
        self.name = name
        self._script: Script = script if callable(script) else _one_by_one(script)
        self.asked: list[list[ChatMessage]] = []
        self.schemas: list[JsonObject | None] = []
        self.used = Usage()

    def complete(
        self,
        messages: Sequence[ChatMessage],
        json_schema: JsonObject | None = None,
        max_tokens: int | None = None,
        cancel: CancelToken | None = None,
    ) -> str:
        if cancel is not None:
            cancel.check()
        self.asked.append(list(messages))
        self.schemas.append(json_schema)
        reply = self._script(messages)
        if isinstance(reply, BaseException):
            raise reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        self.used += Usage(1, sum(len(each.text) for each in messages), len(text))
        return text


def _one_by_one(script: Iterable[Reply]) -> Script:
    replies = list(script)

    def next_reply(_messages: Sequence[ChatMessage]) -> Reply:
        assert replies, "the model was asked more often than the test has replies"
        return replies.pop(0)

    return next_reply
