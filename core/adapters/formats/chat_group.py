"""The group of a SillyTavern chat: `groups/<id>.json` beside the directory `group chats`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.domain.errors import BadFile
from core.domain.json_types import Json
from core.domain.safe_text import storable

GROUPS, CHATS, ENDING = "groups", "group chats", ".jsonl"
_SHOWN_CHATS = 3
_MOST_FILES = 2000
_MAX_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Group:
    """A group: `members` are the names of its cards, those that are switched off among them too."""

    id: str
    name: str
    members: tuple[str, ...]
    disabled: tuple[str, ...] = ()

    @property
    def kept(self) -> dict[str, Json]:
        """What the chat's folder keeps of it."""
        return {
            "id": self.id,
            "name": self.name,
            "members": list[Json](self.members),
            "disabled": list[Json](self.disabled),
        }


def group_of(chat: Path) -> Group | None:
    """The group that lists this chat; None when there is none beside it, or none that can be read."""
    for place in (chat.parent / GROUPS, chat.parent.parent / GROUPS):
        for number, file in enumerate(_files(place)):
            if number >= _MOST_FILES:
                break
            value = _read(file)
            if value is not None and chat.stem in _chats(value):
                return _group(value, file)
    return None


def refusal(file: Path, value: Json) -> BadFile:
    """Why the list of a group's members and chats is no file to import, and where its chats are."""
    listed = value if isinstance(value, Mapping) else {}
    name = _group(listed, file).name or file.stem
    chats = sorted(_chats(listed))
    places = (file.parent.parent / CHATS, file.parent / CHATS, file.parent)
    place = next((each for each in places if any(_is_there(each, chat) for chat in chats)), None)
    if place is None:
        return BadFile("error.file.is_group", name=file.name, group=name, count=len(chats))
    there = [f"{storable(chat)}{ENDING}" for chat in chats if _is_there(place, chat)]
    shown = ", ".join(there[:_SHOWN_CHATS]) + (" …" if len(there) > _SHOWN_CHATS else "")
    return BadFile(
        "error.file.is_group_with_chats",
        name=file.name,
        group=name,
        chats=shown,
        count=len(there),
        place=storable(str(place)),
    )


def _is_there(place: Path, chat: str) -> bool:
    try:
        return PurePosixPath(chat).name == chat and (place / f"{chat}{ENDING}").is_file()
    except (OSError, ValueError):
        return False


def _files(place: Path) -> list[Path]:
    try:
        return sorted(place.glob("*.json"))
    except OSError:
        return []


def _read(file: Path) -> Mapping[str, Json] | None:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return None
        value = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _chats(value: Mapping[str, Json]) -> set[str]:
    listed = value.get("chats")
    found = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
    current = value.get("chat_id")
    return found | ({current} if isinstance(current, str) else set())


def _group(value: Mapping[str, Json], file: Path) -> Group:
    name, number = value.get("name"), value.get("id")
    return Group(
        id=storable(str(number)) if isinstance(number, str | int) else storable(file.stem),
        name=storable(name).strip() if isinstance(name, str) else "",
        members=_names(value.get("members")),
        disabled=_names(value.get("disabled_members")),
    )


def _names(value: Json) -> tuple[str, ...]:
    """Cards by their names, without the ending of the picture."""
    files = (
        [each for each in value if isinstance(each, str) and each.strip()] if isinstance(value, list) else []
    )
    return tuple(dict.fromkeys(storable(PurePosixPath(each).name.removesuffix(".png")) for each in files))
