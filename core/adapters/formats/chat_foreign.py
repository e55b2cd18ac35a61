"""Chats of other programs, known by their shape, as messages of SillyTavern's form (spec/FORMATS §1)."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

from core.adapters.formats.chat_exports import export_values
from core.adapters.formats.foreign_chat import ForeignChat, objects, said, text_of
from core.domain.json_types import Json

_INPUT, _OUTPUT = "{{[INPUT]}}", "{{[OUTPUT]}}"
_KOBOLD_SEPARATOR = "||$||"
_ROLES = ("user", "assistant", "system", "human", "char", "bot", "model")


def foreign_chats(value: Json) -> tuple[ForeignChat, ...]:
    """The chats that a JSON value holds; () when it is none that can be read."""
    for reader in (export_values, _risu, _kobold, _cai, _ooba, _agnai, _roles, _lines):
        if found := reader(value):
            return found
    return ()


def foreign_name(value: Json) -> str:
    """The program whose chat a value looks like, when its chats cannot be read; "" for none."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, Mapping):
        return ""
    for program, keys in _UNREAD.items():
        if keys <= first.keys():
            return program
    return ""


_UNREAD: Mapping[str, set[str]] = {
    "ChatGPT": {"mapping", "current_node"},
    "Claude": {"chat_messages"},
    "Discord": {"guild", "channel", "messages"},
    "Telegram": {"messages", "type", "id"},
    "NovelAI": {"storyContainerVersion"},
    "Character.AI": {"turns"},
    "Kobold Lite": {"savedsettings"},
    "Oobabooga": {"data_visible"},
    "Agnai": {"messages"},
    "CAI Tools": {"histories"},
}


def _risu(value: Json) -> tuple[ForeignChat, ...]:
    if not isinstance(value, Mapping) or not str(value.get("type", "")).startswith("risu"):
        return ()
    data = value.get("data")
    chats = [data] if isinstance(data, Mapping) else list(objects(data))
    return tuple(
        ForeignChat(
            "RisuAI",
            tuple(
                said(
                    text_of(item.get("name")),
                    item.get("data"),
                    user=item.get("role") == "user",
                    time=item.get("time"),
                )
                for item in objects(chat["message"])
            ),
            title=text_of(chat.get("name")),
        )
        for chat in chats
        if isinstance(chat.get("message"), list)
    )


def _kobold(value: Json) -> tuple[ForeignChat, ...]:
    if not isinstance(value, Mapping) or not isinstance(value.get("savedsettings"), Mapping):
        return ()
    saved = value["savedsettings"]
    assert isinstance(saved, Mapping)
    if not isinstance(value.get("actions"), list) and not isinstance(value.get("prompt"), str):
        return ()
    user = text_of(saved.get("chatname"))
    character = text_of(saved.get("chatopponent")).split(_KOBOLD_SEPARATOR)[0]
    actions = value.get("actions")
    turns = [value.get("prompt"), *(actions if isinstance(actions, list) else [])]
    messages = [
        said(user if by_user else character, text, user=by_user)
        for turn in turns
        if isinstance(turn, str)
        for by_user, text in _kobold_turns(turn)
    ]
    return (ForeignChat("Kobold Lite", tuple(messages), user, character),)


def _kobold_turns(turn: str) -> Iterator[tuple[bool, str]]:
    """Who says what in one action; one without marks is the story's."""
    at, by_user = 0, False
    while at <= len(turn):
        marks = [(place, mark) for mark in (_INPUT, _OUTPUT) if (place := turn.find(mark, at)) >= 0]
        place, mark = min(marks, default=(len(turn), ""))
        if text := turn[at:place].strip():
            yield by_user, text
        if not mark:
            return
        at, by_user = place + len(mark), mark == _INPUT


def _cai(value: Json) -> tuple[ForeignChat, ...]:
    if not isinstance(value, Mapping):
        return ()
    histories = value.get("histories")
    if isinstance(histories, Mapping):
        histories = histories.get("histories")
    info = value.get("info")
    character = info.get("character") if isinstance(info, Mapping) else None
    name = text_of(character.get("name")) if isinstance(character, Mapping) else ""
    return tuple(
        ForeignChat(
            "CAI Tools",
            tuple(_cai_message(item, name) for item in objects(history["msgs"])),
            character=name,
        )
        for history in objects(histories)
        if isinstance(history.get("msgs"), list)
    )


def _cai_message(item: Mapping[str, Json], character: str) -> dict[str, Json]:
    source = item.get("src")
    source = source if isinstance(source, Mapping) else {}
    user = source.get("is_human") is True
    name = text_of(source.get("name")) or ("" if user else character)
    return said(name, item.get("text"), user=user, time=item.get("created"))


def _ooba(value: Json) -> tuple[ForeignChat, ...]:
    if not isinstance(value, Mapping):
        return ()
    pairs = value.get("data_visible", value.get("visible"))
    if not isinstance(pairs, list):
        return ()
    messages: list[dict[str, Json]] = []
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str):
            continue
        for by_user, spoken in zip((True, False), pair, strict=False):
            if text := html.unescape(text_of(spoken)):
                messages.append(said("", text, user=by_user))
    user, character = text_of(value.get("your_name") or value.get("name1")), text_of(value.get("name2"))
    return (ForeignChat("Oobabooga", tuple(messages), user, character),)


def _agnai(value: Json) -> tuple[ForeignChat, ...]:
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
        return ()
    found = [item for item in objects(value["messages"]) if "msg" in item]
    if not found:
        return ()
    character = text_of(value.get("name"))
    messages = tuple(
        said(
            text_of(item.get("name")) or ("" if item.get("userId") else character),
            item.get("msg"),
            user=bool(item.get("userId")),
            time=item.get("createdAt"),
        )
        for item in found
    )
    return (ForeignChat("Agnai", messages, character=character),)


def _roles(value: Json) -> tuple[ForeignChat, ...]:
    """Lists of `{role, content}`, as model servers take them."""
    raw = value.get("messages") if isinstance(value, Mapping) else value
    found = [item for item in objects(raw) if item.get("role") in _ROLES and "content" in item]
    if not found or not isinstance(raw, list) or len(found) < len(raw):
        return ()
    messages = tuple(
        said(
            text_of(item.get("name")),
            _content(item["content"]),
            user=item["role"] in ("user", "human"),
        )
        | ({"extra": {"type": "narrator"}} if item["role"] == "system" else {})
        for item in found
    )
    return (ForeignChat("role/content", messages),)


def _content(raw: Json) -> Json:
    if isinstance(raw, list):
        return "\n".join(text for item in objects(raw) if (text := text_of(item.get("text"))))
    return raw


def _lines(value: Json) -> tuple[ForeignChat, ...]:
    """A SillyTavern chat whose lines were put into one JSON list."""
    items = list(objects(value))
    if not any("mes" in item for item in items):
        return ()
    header = items[0] if "mes" not in items[0] else {}
    user, character = text_of(header.get("user_name")), text_of(header.get("character_name"))
    messages = tuple(item for item in items if "mes" in item)
    return (ForeignChat("SillyTavern", messages, user, character),)
