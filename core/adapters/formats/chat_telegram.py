"""Chats of a Telegram Desktop export: one chat, or all of them below `chats.list` and `left_chats.list`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from core.adapters.formats.foreign_chat import (
    ATTACHMENTS,
    ForeignChat,
    identity,
    notice,
    said,
    shown_files,
    text_of,
)
from core.domain.json_types import Json

PROGRAM = "Telegram"
_TYPES = frozenset(
    {
        "personal_chat",
        "bot_chat",
        "saved_messages",
        "replies",
        "verification_codes",
        "private_group",
        "private_supergroup",
        "private_channel",
        "public_supergroup",
        "public_channel",
    }
)
_PAIRS = frozenset({"personal_chat", "bot_chat"})
_TITLES = {"saved_messages": "Saved Messages", "replies": "Replies"}
_FILE_KEYS = ("file_name", "file", "photo")
_NO_FILE = "(File not included."


def is_header(value: Mapping[str, Json]) -> bool:
    """Whether an object, its messages aside, has the form of a chat."""
    return text_of(value.get("type")) in _TYPES


def telegram_chat(header: Mapping[str, Json], raw: Iterator[Mapping[str, Json]]) -> ForeignChat:
    """The chat. With a person or a bot alone, that one is who answers; in groups everybody is a user."""
    left_out: Counter[str] = Counter()
    kind, name = text_of(header.get("type")), text_of(header.get("name"))
    partner = _Partner(name, identity(header.get("id"))) if kind in _PAIRS else None
    messages = [_message(each, partner, left_out) for each in raw]
    return ForeignChat(
        PROGRAM,
        tuple(messages),
        title=name or _TITLES.get(kind, ""),
        id=identity(header.get("id")),
        plain=True,
        left_out=left_out,
    )


class _Partner:
    """The other one of a chat of two; a name may have changed, so the id counts too."""

    def __init__(self, name: str, number: str) -> None:
        self._name, self._id = name, f"user{number}"

    def said(self, value: Mapping[str, Json]) -> bool:
        """Whether a message is theirs."""
        return text_of(value.get("from_id")) == self._id or (
            self._name != "" and self._name == value.get("from")
        )


def _message(value: Mapping[str, Json], partner: _Partner | None, left_out: Counter[str]) -> dict[str, Json]:
    time = value.get("date_unixtime") or value.get("date")
    shown = _text(value.get("text"))
    if value.get("type", "message") != "message":
        action = text_of(value.get("action"))
        words = " ".join(
            each for each in (text_of(value.get("actor")), action.replace("_", " "), shown) if each
        )
        return notice(action or text_of(value.get("type")), words, time=time)
    files = _files(value)
    left_out[ATTACHMENTS] += len(files)
    answers = partner is not None and partner.said(value)
    made = said(text_of(value.get("from")), shown or shown_files(files), user=not answers, time=time)
    if files:
        made["files"] = list[Json](files)
    for key, ours in (
        ("id", "id"),
        ("edited", "edited"),
        ("reply_to_message_id", "reply_to"),
        ("forwarded_from", "forwarded_from"),
    ):
        if found := identity(value.get(key)):
            made[ours] = found
    return made


def _text(raw: Json) -> str:
    """A text, or its parts: plain ones and objects with a text of a kind (link, bold, code ...)."""
    if isinstance(raw, list):
        return "".join(_part(each) for each in raw).strip()
    return text_of(raw)


def _part(raw: Json) -> str:
    found = raw.get("text") if isinstance(raw, Mapping) else raw
    return found if isinstance(found, str) else ""


def _files(value: Mapping[str, Json]) -> list[str]:
    """What was sent beside a text: a sticker's sign, a file by its name, else by its kind."""
    if sign := text_of(value.get("sticker_emoji")):
        return [sign]
    for key in _FILE_KEYS:
        if found := text_of(value.get(key)):
            name = found.replace("\\", "/").rpartition("/")[2]
            return [text_of(value.get("media_type")) or key if found.startswith(_NO_FILE) else name]
    for key in ("location_information", "contact_information", "poll"):
        if isinstance(value.get(key), Mapping):
            return [key.partition("_")[0]]
    return []
