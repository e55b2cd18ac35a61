"""Text, thinking and tool call of a message, as the servers of this world write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from core.algos.reply_shape import objects
from core.domain.json_types import Json, JsonObject, canonical


def is_answer(value: JsonObject) -> bool:
    """Whether the object is an answer of an API or a message of one, not what the model meant to say."""
    lists = ("choices", "tool_calls", "candidates")
    if any(isinstance(value.get(key), list) for key in lists) or isinstance(value.get("message"), Mapping):
        return True
    said = value.get("output") if isinstance(value.get("output"), list) else [value]
    return any(
        "text" in part or "type" in part
        for each in objects(said)
        for part in objects(each.get("content") or [])
    )


def text_of(reply: str | JsonObject) -> tuple[str, str, str | None]:
    """Text, thinking, and the arguments of a tool call of a reply."""
    if isinstance(reply, str):
        return reply, "", None
    choices = reply.get("choices")
    if isinstance(choices, Sequence) and choices and isinstance(choices[0], Mapping):
        inner = choices[0].get("message") or choices[0].get("delta") or {"content": choices[0].get("text")}
        return text_of(inner) if isinstance(inner, Mapping) else ("", "", None)
    if (parts := _parts(reply)) is not None:
        return text_of({"content": parts})
    if isinstance(reply.get("message"), Mapping):
        return text_of(cast("JsonObject", reply["message"]))
    thoughts = [reply.get(key) for key in ("reasoning_content", "reasoning", "thinking")]
    thinking = next((str(each) for each in thoughts if isinstance(each, str) and each), "")
    content, more = _content(reply.get("content"))
    return content, thinking or more, _called(reply)


def _parts(reply: JsonObject) -> list[Json] | None:
    """The parts of an answer that lists its contents (`candidates`) or its messages (`output`); None for others."""
    candidates, output = reply.get("candidates"), reply.get("output")
    if isinstance(candidates, list) and (first := objects(candidates[:1])):
        inner = first[0].get("content")
        parts = inner.get("parts") if isinstance(inner, Mapping) else None
        return parts if isinstance(parts, list) else []
    if isinstance(output, list):
        return [part for each in objects(output) for part in objects(each.get("content") or [])]
    return None


def _content(content: Json) -> tuple[str, str]:
    if isinstance(content, str):
        return content, ""
    said: list[str] = []
    thought: list[str] = []
    for each in content if isinstance(content, list) else ():
        if isinstance(each, str):
            said.append(each)
        elif isinstance(each, Mapping):
            kind = str(each.get("type", "text"))
            for key in ("text", "thinking", "reasoning"):
                if isinstance(each.get(key), str):
                    hidden = key != "text" or kind in ("thinking", "reasoning") or each.get("thought") is True
                    (thought if hidden else said).append(str(each[key]))
    return "".join(said), "\n".join(thought)


def _called(message: JsonObject) -> str | None:
    calls = message.get("tool_calls")
    single = message.get("function_call")
    found = [each.get("function") for each in objects(calls)] if isinstance(calls, list) else [single]
    arguments = [each.get("arguments") for each in found if isinstance(each, Mapping)]
    parts = message.get("content")
    used = objects(parts) if isinstance(parts, list) else ()
    arguments += [each.get("input") for each in used if each.get("type") == "tool_use"]
    texts = [each if isinstance(each, str) else canonical(each) for each in arguments if each]
    return "\n".join(texts) if texts else None
