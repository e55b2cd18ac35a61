"""One message of a SillyTavern chat as a planned message: every variation that real files show (spec/FORMATS §1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from core.adapters.formats.chat_dates import sent_at
from core.adapters.formats.chat_text import (
    shown_message,
    split_thinking,
    storable_text,
    with_names,
    without_markup,
    without_packed,
)
from core.adapters.formats.foreign_chat import THINKING
from core.adapters.formats.problems import INFO, Problems
from core.domain.chat import NOTICE_KEY, RAW_KEY
from core.domain.enums import Role
from core.domain.json_types import Json
from core.domain.transfer import PlannedMessage

UNUSED = "unused"
"""What newer versions write instead of names in the header."""
_SYSTEM_NAMES = frozenset({"sillytavern system", "system"})
_NARRATOR = "narrator"
_READ_KEYS = frozenset({"name", "is_user", "is_system", "send_date", "mes", "swipes", "swipe_id"})
_SIGNS = ("mes", "is_user", "swipes")
_ROLES = {"user": True, "human": True, "assistant": False, "char": False, "bot": False, "model": False}


def is_header(value: Json) -> bool:
    """Whether a line is the first line of a chat: metadata or names, and nothing said."""
    if not isinstance(value, Mapping) or "mes" in value:
        return False
    return "chat_metadata" in value or "user_name" in value or "character_name" in value


def is_message(value: Json) -> bool:
    """Whether an object is a message, be it an empty one."""
    if not isinstance(value, Mapping):
        return False
    if any(key in value for key in _SIGNS):
        return True
    return ("role" in value or "name" in value) and ("content" in value or "send_date" in value)


@dataclass(slots=True)
class MessageReader:
    """Reads the messages of one chat in the order of the file; counts what is worth telling.

    `suspect`: whether the next message may hold texts that cannot be stored, or packed data. `plain`: texts are what
    was said, with nothing in them to resolve or to take out; thinking stands apart.
    """

    folder: str
    user: str = ""
    character: str = ""
    problems: Problems = field(default_factory=Problems)
    counts: Counter[str] = field(default_factory=Counter)
    speakers: Counter[str] = field(default_factory=Counter)
    users: Counter[str] = field(default_factory=Counter)
    group: bool = False
    suspect: bool = True
    plain: bool = False

    def read(self, value: Mapping[str, Json], seq: int, line: int) -> PlannedMessage:
        """The message at floor `seq`. `line` is where it stands, for problems."""
        extra: dict[str, Json] = {}
        raw = self._said(value, line)
        role, hidden = self._role(value, extra)
        name = self._clean(value.get("name")) or self._usual_name(role)
        text = self._memory_text(raw, extra, line, name if role is Role.ASSISTANT else self.character)
        self._note_speaker(value, role, name, extra)
        time = self._time(value, extra)
        self._swipes(value, extra, line)
        if self.plain:
            self._thinking(value, extra)
        rest = {
            key: item
            for key, item in value.items()
            if key not in _READ_KEYS and not (self.plain and key == THINKING) and item not in ({}, [])
        }
        if rest:
            extra["rest"] = self.clean_value(rest)
        self.counts["hidden"] += hidden and NOTICE_KEY not in extra
        self.counts["empty"] += not text.strip()
        self.counts[role.value] += 1
        return PlannedMessage(
            folder=self.folder,
            seq=seq,
            role=role,
            name=name,
            text=text,
            hidden=hidden,
            sent_at=time,
            extra=extra,
        )

    # --- the text ---

    def _said(self, value: Mapping[str, Json], line: int) -> str:
        raw = value.get("mes", value.get("content"))
        text = shown_message(raw)
        if raw is None and (swipe := _chosen_swipe(value)):
            text = swipe
        if text is None:
            self.problems.add("import.problem.message_no_text", str(line))
            text = ""
        text, packed = without_packed(self._clean(text))
        self.counts["packed"] += packed
        return text

    def _memory_text(self, raw: str, extra: dict[str, Json], line: int, character: str) -> str:
        if self.plain:
            return raw
        text, thinking, unclosed = split_thinking(raw)
        if unclosed:
            self.problems.add("import.problem.thinking_unclosed", str(line))
        if thinking:
            extra["thinking"] = thinking
            self.counts["thinking"] += 1
        text = without_markup(with_names(text, self.user, character))
        if text != raw:
            extra[RAW_KEY] = raw
        return text

    def _thinking(self, value: Mapping[str, Json], extra: dict[str, Json]) -> None:
        if thinking := self._clean(value.get(THINKING)):
            extra[THINKING] = thinking
            self.counts["thinking"] += 1

    def _clean(self, raw: Json) -> str:
        if not isinstance(raw, str):
            return ""
        if not self.suspect:
            return raw
        text, replaced = storable_text(raw)
        self.counts["cleaned"] += replaced
        return text

    def clean_value(self, value: Json) -> Json:
        """The value with every text in it storable, keys too."""
        if not self.suspect:
            return value
        match value:
            case str():
                text, packed = without_packed(self._clean(value))
                self.counts["packed"] += packed
                return text
            case list():
                return [self.clean_value(item) for item in value]
            case dict():
                return {self._clean(key): self.clean_value(item) for key, item in value.items()}
            case _:
                return value

    # --- who ---

    def _role(self, value: Mapping[str, Json], extra: dict[str, Json]) -> tuple[Role, bool]:
        hidden = truth(value.get("is_system")) or False
        inner = value.get("extra")
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        name = value.get("name")
        if hidden and kind != _NARRATOR:
            by_system = isinstance(name, str) and name.strip().lower() in _SYSTEM_NAMES
            if by_system or (isinstance(kind, str) and kind):
                extra[NOTICE_KEY] = True
                self.counts["notices"] += 1
                return Role.SYSTEM, True
        if kind == _NARRATOR or value.get("role") == "system":
            return Role.SYSTEM, hidden
        return (Role.USER if self._is_user(value, name) else Role.ASSISTANT), hidden

    def _is_user(self, value: Mapping[str, Json], name: Json) -> bool:
        said = truth(value.get("is_user"))
        if said is not None:
            return said
        role = value.get("role")
        if isinstance(role, str) and role.lower() in _ROLES:
            return _ROLES[role.lower()]
        if not isinstance(name, str) or not name or "swipes" in value:
            return False
        if self.user:
            return name == self.user
        return name != self.character and name in ("You", "User")

    def _usual_name(self, role: Role) -> str:
        if role is Role.SYSTEM:
            return ""
        return self.user if role is Role.USER else self.character

    def _note_speaker(
        self, value: Mapping[str, Json], role: Role, name: str, extra: Mapping[str, Json]
    ) -> None:
        if name and name != UNUSED and NOTICE_KEY not in extra:
            if role is Role.ASSISTANT:
                self.speakers[name] += 1
            elif role is Role.USER:
                self.users[name] += 1
        self.group = self.group or "original_avatar" in value or truth(value.get("is_group")) is True

    # --- when, and the alternatives ---

    def _time(self, value: Mapping[str, Json], extra: dict[str, Json]) -> datetime | None:
        raw = value.get("send_date")
        time, zone = sent_at(raw)
        if raw is not None and raw != "":
            extra["send_date"] = self.clean_value(raw)
            self.counts["unknown_times"] += time is None
        if time is not None and zone:
            extra["zone"] = zone
        return time

    def _swipes(self, value: Mapping[str, Json], extra: dict[str, Json], line: int) -> None:
        """Alternatives can be looked at; only `mes` is ever used for memory."""
        raw = value.get("swipes")
        if not isinstance(raw, list) or not raw:
            return
        texts = [without_packed(self._clean(shown_message(item) or ""))[0] for item in raw]
        extra["swipes"] = list[Json](texts)
        chosen = value.get("swipe_id")
        extra["swipe_id"] = chosen if isinstance(chosen, int | float | None) else None
        self.counts["swipes"] += len(texts) - 1
        if chosen is not None and _swipe_at(texts, chosen) is None:
            self.problems.add("import.problem.swipe_out_of_range", str(line))
        elif not isinstance(value.get("swipe_info"), list | None):
            self.problems.add("import.problem.swipe_info", str(line), severity=INFO)


def _swipe_at(texts: Sequence[str], chosen: Json) -> str | None:
    """The alternative of that number; None when there is none."""
    if isinstance(chosen, bool) or not isinstance(chosen, int):
        return None
    return texts[chosen] if 0 <= chosen < len(texts) else None


def _chosen_swipe(value: Mapping[str, Json]) -> str:
    """The chosen alternative of a message that lacks its text."""
    swipes = value.get("swipes")
    texts = [shown_message(item) or "" for item in swipes] if isinstance(swipes, list) else []
    return _swipe_at(texts, value.get("swipe_id")) or ""


def truth(raw: Json) -> bool | None:
    """A boolean, also as text or number; None when it says neither."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | float):
        return bool(raw)
    if isinstance(raw, str):
        return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            raw.strip().lower()
        )
    return None
