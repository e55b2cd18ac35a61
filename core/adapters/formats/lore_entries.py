"""One lorebook entry in the forms that programs write it in, and what of it our memories say (spec/FORMATS §2).

An entry is kept whole beside the memory; writing it again changes only what was changed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.adapters.formats.chat_message import truth
from core.adapters.formats.kept import differences, give_back
from core.domain.json_types import Json

REGEX_KEY = re.compile(r"/.+/[a-z]*", re.DOTALL)
_COMMAS = re.compile(r"[,，]")


class Dialect(StrEnum):
    """Who writes entries this way."""

    WORLDINFO = "worldinfo"
    BOOK = "character_book"
    NOVELAI = "novelai"
    AGNAI = "agnai"
    RISU = "risu"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """Under which names a dialect keeps what we read. `titles`: the first that is filled counts."""

    keys: str
    titles: tuple[str, ...]
    content: str
    constant: str = ""
    enabled: str = ""
    disabled: str = ""
    keys_as_text: bool = False


_NAMES: Mapping[Dialect, _Names] = {
    Dialect.WORLDINFO: _Names(
        keys="key", titles=("comment", "name"), content="content", constant="constant", disabled="disable"
    ),
    Dialect.BOOK: _Names(
        keys="keys", titles=("comment", "name"), content="content", constant="constant", enabled="enabled"
    ),
    Dialect.NOVELAI: _Names(
        keys="keys", titles=("displayName",), content="text", constant="forceActivation", enabled="enabled"
    ),
    Dialect.AGNAI: _Names(keys="keywords", titles=("name",), content="entry", enabled="enabled"),
    Dialect.RISU: _Names(
        keys="key", titles=("comment",), content="content", constant="alwaysActive", keys_as_text=True
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What an entry says. `names`: its keys that are no patterns; `patterns`: those that are."""

    title: str
    content: str
    names: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    constant: bool = False
    disabled: bool = False
    title_from: str = ""


def dialect_of(entry: Mapping[str, Json]) -> Dialect | None:
    """The dialect of one entry, by its fields; None when it is no entry."""
    if "keywords" in entry and "entry" in entry:
        return Dialect.AGNAI
    if "text" in entry and "content" not in entry and ("keys" in entry or "displayName" in entry):
        return Dialect.NOVELAI
    if "alwaysActive" in entry or "insertorder" in entry or "secondkey" in entry:
        return Dialect.RISU
    if "keys" in entry or "insertion_order" in entry or "enabled" in entry:
        return Dialect.BOOK
    if "key" in entry or "uid" in entry or "content" in entry or "keysecondary" in entry:
        return Dialect.WORLDINFO
    return None


def read_entry(raw: Mapping[str, Json], dialect: Dialect) -> Entry:
    """What an entry says; missing and odd fields count as empty."""
    names = _NAMES[dialect]
    keys = keys_of(raw.get(names.keys), as_text=names.keys_as_text)
    regex = truth(raw.get("use_regex", raw.get("useRegex"))) is True
    patterns = tuple(key for key in keys if regex or REGEX_KEY.fullmatch(key))
    plain = tuple(dict.fromkeys(key.strip() for key in keys if key not in patterns and key.strip()))
    title_from = next((name for name in names.titles if _text(raw.get(name)).strip()), "")
    return Entry(
        title=_text(raw.get(title_from)) if title_from else (plain[0] if plain else ""),
        content=_text(raw.get(names.content)),
        names=plain,
        patterns=patterns,
        constant=truth(raw.get(names.constant)) is True if names.constant else False,
        disabled=_is_off(raw, names),
        title_from=title_from,
    )


def keys_of(raw: Json, *, as_text: bool = False) -> list[str]:
    """Keys in a list, or in a text with commas; a pattern may hold commas of its own."""
    if isinstance(raw, str):
        if REGEX_KEY.fullmatch(raw.strip()):
            return [raw.strip()]
        return [part.strip() for part in _COMMAS.split(raw) if part.strip()] if as_text or raw else []
    if not isinstance(raw, list):
        return []
    return [str(key) for key in raw if isinstance(key, str | int | float) and not isinstance(key, bool)]


def _text(raw: Json) -> str:
    if isinstance(raw, str):
        return raw
    return str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else ""


def _is_off(raw: Mapping[str, Json], names: _Names) -> bool:
    if names.disabled:
        return truth(raw.get(names.disabled)) is True
    return truth(raw.get(names.enabled)) is False if names.enabled else False


def fields_of(entry: Entry, dialect: Dialect) -> dict[str, Json]:
    """The fields of a dialect that say what an entry says."""
    names = _NAMES[dialect]
    keys = [*entry.names, *entry.patterns]
    made: dict[str, Json] = {
        names.keys: ", ".join(keys) if names.keys_as_text else list[Json](keys),
        entry.title_from or names.titles[0]: entry.title,
        names.content: entry.content,
    }
    if names.constant:
        made[names.constant] = entry.constant
    if names.disabled:
        made[names.disabled] = entry.disabled
    if names.enabled:
        made[names.enabled] = not entry.disabled
    return made


def kept_of(raw: Mapping[str, Json], entry: Entry, dialect: Dialect) -> dict[str, Json]:
    """What the file's entry says otherwise than our form of it would."""
    written = fields_of(entry, dialect)
    return differences(written, {key: raw[key] for key in raw if key in written})


def write_entry(raw: Mapping[str, Json], kept: Json, entry: Entry, dialect: Dialect) -> dict[str, Json]:
    """The file's entry with what was changed since; every other field as it came."""
    written = fields_of(entry, dialect)
    give_back(written, kept)
    return {**raw, **written}


def is_wide(keys: Sequence[str]) -> bool:
    """Whether a key is written without spaces between words: matching whole words never finds it."""
    return any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for key in keys for char in key)


def book_entry_of(entry: Entry, order: int, number: int) -> dict[str, Json]:
    """A new entry in the form of cards."""
    return {
        "id": number,
        "keys": list[Json](entry.names),
        "secondary_keys": [],
        "comment": entry.title,
        "content": entry.content,
        "constant": entry.constant,
        "selective": False,
        "insertion_order": order,
        "enabled": not entry.disabled,
        "position": "before_char",
        "use_regex": False,
        "extensions": {},
    }
