"""A channel as DiscordChatExporter writes it: `guild`, `channel`, `messages`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from core.adapters.formats.foreign_chat import (
    ATTACHMENTS,
    ForeignChat,
    identity,
    inner,
    notice,
    objects,
    said,
    shown_files,
    text_of,
)
from core.domain.json_types import Json

PROGRAM = "Discord"
_SPOKEN = frozenset({"", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand"})
_DIRECT = "DirectTextChat"


def is_header(value: Mapping[str, Json]) -> bool:
    """Whether an object, its messages aside, has the form of an export."""
    return isinstance(value.get("guild"), Mapping) and isinstance(value.get("channel"), Mapping)


def discord_title(header: Mapping[str, Json]) -> str:
    """Server and channel; of direct messages whom they were with."""
    channel = text_of(inner(header, "channel", "name"))
    server = text_of(inner(header, "guild", "name"))
    direct = text_of(inner(header, "channel", "type")).startswith("Direct")
    return channel if direct or not server else f"{server} #{channel}"


def discord_chat(header: Mapping[str, Json], raw: Iterator[Mapping[str, Json]]) -> ForeignChat:
    """The channel. Bots are the ones who answer; in direct messages without one it is the other person."""
    left_out: Counter[str] = Counter()
    partner = text_of(inner(header, "channel", "name")) if inner(header, "channel", "type") == _DIRECT else ""
    messages = [_message(each, partner, left_out) for each in raw]
    return ForeignChat(
        PROGRAM,
        tuple(messages),
        title=discord_title(header),
        id=identity(inner(header, "channel", "id")),
        plain=True,
        left_out=left_out,
    )


def _message(value: Mapping[str, Json], partner: str, left_out: Counter[str]) -> dict[str, Json]:
    author = value.get("author")
    names = [text_of(inner(author, key)) for key in ("nickname", "name")]
    name = next((each for each in names if each), "")
    kind, time = text_of(value.get("type")), value.get("timestamp")
    shown = text_of(value.get("content"))
    if kind not in _SPOKEN:
        return notice(kind, f"{name}: {shown}" if name else shown, time=time)
    files = [text_of(each.get("fileName")) or "file" for each in objects(value.get("attachments"))]
    files += [text_of(each.get("name")) or "sticker" for each in objects(value.get("stickers"))]
    left_out[ATTACHMENTS] += len(files)
    answers = inner(author, "isBot") is True or (partner != "" and partner in names)
    made = said(name, shown or _embeds(value) or shown_files(files), user=not answers, time=time)
    if files:
        made["files"] = list[Json](files)
    for key, ours in (("id", "id"), ("timestampEdited", "edited")):
        if found := identity(value.get(key)):
            made[ours] = found
    if reply := identity(inner(value, "reference", "messageId")):
        made["reply_to"] = reply
    return made


def _embeds(value: Mapping[str, Json]) -> str:
    """What bots say in frames instead of in a message."""
    lines = [
        line
        for each in objects(value.get("embeds"))
        for line in (text_of(each.get("title")), text_of(each.get("description")))
        if line
    ]
    return "\n".join(lines)
