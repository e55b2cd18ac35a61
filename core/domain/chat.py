"""What the records of a chat keep in their `extra`, and which floors memories are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.domain.folder import Folder, Message
from core.domain.json_types import Json, JsonObject

CHAT_KEY = "chat"
"""In `Folder.extra`: integrity, main_chat, user, members, create_date, metadata of the chat's file."""
BRANCH_KEY = "branch"
"""In the chat's entry: `parent` (folder) and `shared` (so many first floors are the parent's)."""
NOTICE_KEY = "notice"
"""In `Message.extra`: a notice of the program, no part of the story."""
RAW_KEY = "raw"
"""In `Message.extra`: the text as the file has it, where the message's text is cleaned of thinking or HTML."""
FLOORS_CHANGED_KEY = "floors_changed"
"""In `Memory.extra`: floors it came from that were changed or removed since, as `{"changed": [], "removed": []}`."""


def chat_of(folder: Folder) -> Mapping[str, Json]:
    """What the chat's file said about itself; empty where the folder is no imported chat."""
    found = folder.extra.get(CHAT_KEY)
    return found if isinstance(found, Mapping) else {}


def is_notice(message: Message) -> bool:
    """Whether the message is a notice of the program ("Checkpoint created")."""
    return message.extra.get(NOTICE_KEY) is True


def for_memory(messages: Iterable[Message], *, with_hidden: bool = False) -> list[Message]:
    """The floors from which memories may be made: no notices, nothing empty, hidden ones only when asked for."""
    return [
        message
        for message in messages
        if message.text.strip() and not is_notice(message) and (with_hidden or not message.hidden)
    ]


def raw_text(text: str, extra: JsonObject) -> str:
    """The text as the file has it, which is what tells an edited floor from an untouched one."""
    raw = extra.get(RAW_KEY)
    return raw if isinstance(raw, str) else text
