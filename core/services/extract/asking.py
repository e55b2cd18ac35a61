"""Asking a model for an object: again after a reply that cannot be read, at most so often (spec/STBME §3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.algos.model_reply import read_reply
from core.domain.endpoints import Usage
from core.domain.errors import BadReply
from core.domain.json_types import Json, JsonObject
from core.domain.results import Problem
from core.ports.language_model import ChatMessage, LanguageModel
from core.ports.progress import CancelToken
from core.services.prompts import frame_words

EXTRACTION_ATTEMPTS = 3
OTHER_ATTEMPTS = 2
_SHOWN_REPLY = 4_000


@dataclass(slots=True)
class Answered:
    """What a reply held; `repairs` say what was put right in it, `used` what it took."""

    value: Json
    repairs: tuple[Problem, ...] = ()
    used: Usage = field(default_factory=Usage)
    messages: list[ChatMessage] = field(default_factory=list)


def ask(
    model: LanguageModel,
    messages: Sequence[ChatMessage],
    schema: JsonObject,
    language: str,
    cancel: CancelToken | None,
    attempts: int = OTHER_ATTEMPTS,
) -> Answered:
    """The object that the model replied with. After an unreadable reply it is asked for JSON alone.

    Errors: Unavailable("model"), Cancelled, BadReply after the last attempt.
    """
    before, told = model.used, list(messages)
    for attempt in range(attempts):
        if cancel is not None:
            cancel.check()
        reply = model.complete(told, schema, cancel=cancel)
        try:
            read = read_reply(reply, schema)
        except BadReply:
            if attempt + 1 == attempts:
                raise
            if reply.strip():
                told += [ChatMessage("assistant", reply[:_SHOWN_REPLY])]
                told += [ChatMessage("user", frame_words(language)["json_only"])]
            continue
        notes = tuple(Problem(key, {}, "info") for key in read.repairs)
        told.append(ChatMessage("assistant", reply[:_SHOWN_REPLY]))
        return Answered(read.value, notes, model.used.since(before), told)
    raise BadReply("reply.empty")
