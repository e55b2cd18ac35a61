"""The JSON values that stand in a text, strictly read where that is possible."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from core.algos.lenient_json import Lenient, NoJson, join_surrogates, paths_kept, read_value, starts_value
from core.domain.json_types import Json

REJECTS = 1000
"""Brackets that begin no value count for one attempt together."""
ATTEMPTS = 300
"""Places at which a value is tried: a reply of nothing but brackets must not take for ever."""
MOST_READ = 10_000_000
"""Characters that failed attempts may look at; at least eight times the reply."""

_OPENERS = re.compile(r"[{\[｛［]")
_ESCAPED = re.compile(r"^\W*\{(?:\s|\\[nrt])*\\\"|^\W*\[(?:\s|\\[nrt])*(?:\\\"|\{(?:\s|\\[nrt])*\\\")")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Found:
    """A value with what was put right on the way to it; `start` and `end` in its text."""

    value: Json
    notes: tuple[str, ...] = ()
    truncated: bool = False
    ambiguous: bool = False
    start: int = 0
    end: int = 0


def strict(text: str) -> Found | None:
    """The value of a text that is JSON, but for real line breaks, NaN, halves of characters and double keys."""
    if not text or text[0] not in '{["' or paths_kept(text) != text:
        return None
    notes: dict[str, None] = {}

    def constant(_name: str) -> Json:
        notes["numbers"] = None
        return None

    def number(digits: str) -> Json:
        value = float(digits)
        return value if math.isfinite(value) else constant(digits)

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key, value in items:
            before = found.get(key)
            joins = isinstance(before, list) and isinstance(value, list)
            if joins:
                notes["twice"] = None
            found[key] = [*cast("list[Json]", before), *cast("list[Json]", value)] if joins else value
        return found

    try:
        value = json.loads(
            text, strict=False, parse_constant=constant, parse_float=number, object_pairs_hook=pairs
        )
    except (ValueError, RecursionError):
        return None
    if _SURROGATE.search(text):
        value = joined_halves(value)
    return Found(value, tuple(notes), end=len(text))


def joined_halves(value: Json) -> Json:
    if isinstance(value, str):
        return join_surrogates(value)
    if isinstance(value, Mapping):
        return {join_surrogates(key): joined_halves(each) for key, each in value.items()}
    return [joined_halves(each) for each in value] if isinstance(value, list) else value


def decoded(text: str) -> str | None:
    """The text inside a text that is a JSON string as a whole, with or without its quotes."""
    if _ESCAPED.match(text):
        text = f'"{text[: text.rfind(max("}", "]", key=text.rfind)) + 1]}"'
    if len(text) < 2 or text[0] != '"' or not re.match(r'"\s*(?:\\[nrt]\s*)*[\[{"\\]', text):
        return None
    try:
        inside = json.loads(text, strict=False)
    except ValueError:
        return None
    return inside if isinstance(inside, str) else None


def values(text: str, unread: list[int]) -> Iterator[Found]:
    """Every object or list that begins in the text, outermost only; `unread` takes where reading failed."""
    at = spent = 0
    attempts = 0.0
    while attempts < ATTEMPTS and (opener := _OPENERS.search(text, at)):
        at = opener.start()
        if not starts_value(text, at):
            at, attempts = at + 1, attempts + 1 / REJECTS
            continue
        attempts += 1
        try:
            read = _strict_at(text, at) or read_value(text, at)
            if read.truncated and not read.value:
                raise NoJson
        except (NoJson, RecursionError):
            unread.append(at)
            at += 1
            spent += len(text) - at
            if spent > max(MOST_READ, 8 * len(text)):
                return
            continue
        yield Found(read.value, read.notes, read.truncated, read.ambiguous, at, read.end)
        at = max(read.end, at + 1)


_DECODER = json.JSONDecoder(strict=False)


def _strict_at(text: str, at: int) -> Lenient | None:
    """A value that is JSON as it stands; what needs a closer look is left to the lenient reader."""
    if text[at] not in "{[":
        return None
    try:
        _value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    whole = strict(text[at:end])
    return None if whole is None else Lenient(whole.value, end, whole.notes)
