"""Conversations of a Claude export: `chat_messages` with a text, or blocks of text, thinking and tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from core.adapters.formats.foreign_chat import (
    ATTACHMENTS,
    OTHER_BRANCHES,
    THINKING,
    ForeignChat,
    identity,
    joined,
    objects,
    said,
    shown_files,
    text_of,
)
from core.domain.json_types import Json

PROGRAM = "Claude"
Message = Mapping[str, Json]


def is_conversation(value: Json) -> bool:
    """Whether an object has the form of one."""
    return isinstance(value, Mapping) and isinstance(value.get("chat_messages"), list)


def claude_chat(value: Mapping[str, Json]) -> ForeignChat:
    """One conversation; where the file says which end was shown last, the way to that end."""
    messages = list(objects(value["chat_messages"]))
    shown = _path(messages, text_of(value.get("current_leaf_message_uuid")))
    left_out: Counter[str] = Counter({OTHER_BRANCHES: len(messages) - len(shown)})
    return ForeignChat(
        PROGRAM,
        tuple(_message(each, left_out) for each in shown),
        character=PROGRAM,
        title=text_of(value.get("name")),
        id=identity(value.get("uuid")),
        plain=True,
        left_out=left_out,
    )


def _path(messages: list[Message], end: str) -> list[Message]:
    known = {text_of(each.get("uuid")): each for each in messages}
    if not end or end not in known:
        return messages
    path: list[Message] = []
    at: Message | None = known[end]
    while at is not None and len(path) <= len(messages):
        path.append(at)
        at = known.get(text_of(at.get("parent_message_uuid")))
    return path[::-1] if len(path) <= len(messages) else messages


def _message(value: Message, left_out: Counter[str]) -> dict[str, Json]:
    by_user = text_of(value.get("sender")) in ("human", "user")
    blocks = list(objects(value.get("content")))
    files = [
        text_of(each.get("file_name")) or text_of(each.get("name")) or "file"
        for key in ("attachments", "files", "files_v2")
        for each in objects(value.get(key))
    ]
    files = list(dict.fromkeys(files))
    left_out[ATTACHMENTS] += len(files)
    spoken = joined(text_of(each.get("text")) for each in blocks if each.get("type") in ("text", None))
    made = said(
        "" if by_user else PROGRAM,
        spoken or _plain(value, blocks) or shown_files(files),
        user=by_user,
        time=value.get("created_at"),
    )
    if thoughts := joined(text_of(each.get("thinking")) for each in blocks):
        made[THINKING] = thoughts
    if files:
        made["files"] = list[Json](files)
    if tools := [text_of(each.get("name")) for each in blocks if each.get("type") == "tool_use"]:
        made["tools"] = list[Json](tools)
    return made


def _plain(value: Message, blocks: list[Message]) -> str:
    """The text beside the blocks, which only says that blocks cannot be shown when there are some."""
    content = value.get("content")
    return text_of(content) or ("" if blocks else text_of(value.get("text")))
