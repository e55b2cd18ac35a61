"""JSON that hands, models and forums broke in small ways, put right where nothing has to be guessed.

Comments, commas too many or too few, other quotation marks, Python's words, real line breaks inside texts, a fence of
Markdown, an assignment before it, JSON inside a JSON text, and several values one after the other. What breaks off is
not for here: half a file is never taken for a whole one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from core.adapters.formats.json_text import BrokenJson, TooDeep, check_depth, parse
from core.algos.lenient_json import NoJson, read_value
from core.domain.json_types import Json

LONGEST_TEXT = 20_000_000
"""Characters: longer texts are whole exports of a program, and the patient reader needs seconds for each million."""
MOST_VALUES = 200_000
_PATIENT_CHARS = 3_000_000
_LAYERS = 3
_BETWEEN = re.compile(r"(?:[\s\ufeff\u200b\x00,;]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_ASSIGNED = re.compile(r"(?:export\s+default|(?:(?:var|let|const)\s+)?[A-Za-z_$][\w$.]*\s*=)\s*(?=[\[{])")
_GUESSED = frozenset({"inner_quotes", "brackets", "gap", "cut"})
"""Repairs that may join what a torn place put side by side: good enough for a reply, not for a file."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Mended:
    """The value, or the list of the values that stood one after the other (then `several` is their number).

    `repaired`: something in it was put right.
    """

    value: Json
    several: int = 0
    repaired: bool = True


def mended(text: str) -> Mended | None:
    """What a text means that is not JSON; None when that would have to be guessed. Cost: O(n), seconds for a megabyte."""
    if len(text) > LONGEST_TEXT:
        return None
    fences = [found[2] for found in _FENCE.finditer(text) if found[2].lstrip()[:1] in ("{", "[")]
    for candidate in (text, *(fences if len(fences) == 1 else [])):
        if (found := _mended(candidate, _LAYERS)) is not None:
            return found
    return None


def _mended(text: str, layers: int) -> Mended | None:
    start = _past(text, 0)
    if assigned := _ASSIGNED.match(text, start):
        start = assigned.end()
    values: list[Json] = []
    at = start
    repaired = at > 0
    while at < len(text):
        found = _value(text, at)
        if found is None or len(values) >= MOST_VALUES:
            return None
        value, at, patient = found
        values.append(value)
        repaired = repaired or patient
        at = _past(text, at)
    if len(values) == 1 and isinstance(values[0], str):
        return _inside(values[0], layers)
    if not values or not all(isinstance(value, dict | list) for value in values):
        return None
    if all(value == values[0] for value in values):  # one, or written twice by mistake
        return Mended(values[0])
    return Mended(values, len(values), repaired)


def _past(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _inside(text: str, layers: int) -> Mended | None:
    """The JSON that a JSON text holds."""
    if layers <= 0:
        return None
    try:
        value = parse(text)
    except BrokenJson:
        return _mended(text, layers - 1)
    if isinstance(value, str):
        return _inside(value, layers - 1)
    return Mended(value) if isinstance(value, dict | list) else None


def _value(text: str, at: int) -> tuple[Json, int, bool] | None:
    """The value at `at`, where it ends, and whether it took patience; None when it breaks off or can be read in more than one way."""
    try:
        end = _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return _patiently(text, at)
    try:
        return parse(text[at:end]), end, False
    except BrokenJson:  # line breaks inside texts
        return _patiently(text, at)


def _patiently(text: str, at: int) -> tuple[Json, int, bool] | None:
    if text[at] not in "{[" or len(text) - at > _PATIENT_CHARS:
        return None
    try:
        read = read_value(text, at)
        check_depth(read.value)
    except (NoJson, RecursionError, TooDeep):
        return None
    if read.truncated or read.ambiguous or not _GUESSED.isdisjoint(read.notes):
        return None
    return read.value, read.end, True
