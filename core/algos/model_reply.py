"""What a model replied, as a value: the one reader of all replies (DESIGN §6).

Thinking is stripped first and never read. Of several values the one that fits the schema is taken. What is
no JSON is put right step by step (`lenient_json`, then the library json-repair), and every step is named.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

from core.algos.lenient_json import (
    INVISIBLE,
)
from core.algos.reply_message import is_answer, text_of
from core.algos.reply_shape import Wanted, fit, items_of, objects, wanted_by, without_repeats
from core.algos.reply_thinking import part
from core.algos.reply_values import Found, decoded, joined_halves, strict, values
from core.domain.errors import BadReply
from core.domain.json_types import Json, JsonObject

__all__ = ["ReplyStatus", "ReplyValue", "items_of", "read_reply", "without_repeats"]

MAX_CHARS = 10_000_000
SHOWN_CHARS = 500
UNWRAPPED = 4
"""Layers of text, tool call or envelope that are taken off at most."""
LIBRARY_CHARS = 100_000
"""json-repair needs minutes for a broken text of a million characters."""

_ARGUMENTS = ("arguments", "parameters", "input", "args")
_CALLED = ("name", "function", "tool", "tool_name", "recipient_name", "type")
_ENVELOPES = (
    "result",
    "output",
    "response",
    "data",
    "json",
    "answer",
    "reply",
    "content",
    "value",
    "properties",
)
_BARE_MEMBER = re.compile(
    r"""\s*(?:```\w*\s)?\s*(?P<member>["']?(?P<key>[A-Za-z_]\w*)["']?\s*[:：]\s*[\[{])"""
)
_HTML = re.compile(r"^\s*(?:<!doctype\s+html|<html\b|<head\b|<body\b)", re.IGNORECASE)


class ReplyStatus(StrEnum):
    """How sure the reading is. Truncated: the end is missing. Ambiguous: it can be read in another way."""

    OK = "ok"
    TRUNCATED = "truncated"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class ReplyValue:
    """The value, how sure it is, the text keys of what was put right, and what the model thought aloud."""

    value: Json
    status: ReplyStatus = ReplyStatus.OK
    repairs: tuple[str, ...] = ()
    thinking: str = ""


def read_reply(reply: str | JsonObject, schema: JsonObject | None = None) -> ReplyValue:
    """The value that a model meant: of a text, of a message, or of a whole answer of the API.

    Errors: BadReply with the reason and the beginning of the reply.
    """
    text, thinking, called = text_of(reply)
    if len(text) > MAX_CHARS:
        raise BadReply("reply.too_long", details=text[:SHOWN_CHARS], millions=MAX_CHARS // 1_000_000)
    wanted = wanted_by(schema or {})
    found = _read_text(text, wanted, UNWRAPPED) if text.strip(INVISIBLE + " \t\r\n") else None
    parted_thinking = part(text).thinking
    if found is None and called is not None:
        found = _read_text(called, wanted, UNWRAPPED)
        if found is not None:
            found = _with(found, "tool_call")
    thinking = "\n".join(each for each in (thinking, parted_thinking) if each)
    if found is None:
        raise _refusal(text, thinking)
    notes = dict.fromkeys(found.notes)
    if thinking:
        notes = {"thinking": None, **notes}
    if _loops(found.value):
        notes["repeats"] = None
    status = ReplyStatus.AMBIGUOUS if found.ambiguous else ReplyStatus.OK
    return ReplyValue(
        found.value,
        ReplyStatus.TRUNCATED if found.truncated else status,
        tuple(f"reply.repair.{note}" for note in notes),
        thinking,
    )


def _loops(value: Json) -> bool:
    lists = [value] if isinstance(value, list) else list(value.values()) if isinstance(value, Mapping) else []
    return any(
        isinstance(each, list) and len(each) > 3 and without_repeats(each)[1] > len(each) / 2
        for each in lists
    )


# --- texts -----------------------------------------------------------------------------------


def _read_text(text: str, wanted: Wanted, layers: int) -> Found | None:
    """The best value of a text, without what surrounds it."""
    trimmed = text.strip(INVISIBLE + " \t\r\n\u00a0\u3000")
    whole = strict(trimmed)
    if whole is not None:
        if len(trimmed) != len(text.strip()):
            whole = _with(whole, "invisible")
        return _unwrapped(whole, wanted, layers)
    answer = part(trimmed).answer
    if answer != trimmed:
        whole = strict(answer.strip())
        if whole is not None:
            return _unwrapped(whole, wanted, layers)
    if layers and (inside := decoded(answer.strip())) is not None:
        found = _read_text(inside, wanted, layers - 1)
        return None if found is None else _with(found, "encoded")
    if layers and "&quot;" in answer and '"' not in answer:
        found = _read_text(html.unescape(answer), wanted, layers - 1)
        return None if found is None else _with(found, "encoded")
    if (bare := _BARE_MEMBER.match(answer)) is not None and bare["key"] in wanted.named:
        found = _braced(answer[bare.start("member") :].strip(INVISIBLE + " \t\r\n`"), wanted, layers)
        if found is not None:
            return found
    unread: list[int] = []
    candidates = [
        found for each in values(answer, unread) if (found := _unwrapped(each, wanted, layers)) is not None
    ]
    best = _best(_joined(candidates, answer, wanted), wanted) if candidates else None
    if unread and (best is None or fit(best.value, wanted)[0] < 2):
        guess = _by_library(answer[unread[0] :], wanted, layers)
        fits = guess is not None and fit(guess.value, wanted)[0] > 0
        if (
            guess is not None
            and fits
            and (best is None or fit(guess.value, wanted) > fit(best.value, wanted))
        ):
            return guess
    return best


def _braced(text: str, wanted: Wanted, layers: int) -> Found | None:
    """The object whose braces are missing (the first, or both), when it is all that is asked for."""
    for end in ("", "}"):
        found = strict("{" + text + end)
        found = None if found is None else _unwrapped(found, wanted, layers)
        if found is not None and fit(found.value, wanted)[0] == 2:
            return _with(found, "brackets")
    return None


def _by_library(text: str, wanted: Wanted, layers: int) -> Found | None:
    """What json-repair makes of a text that begins with a bracket; a guess, so always ambiguous."""
    if len(text) > LIBRARY_CHARS:
        return None
    import json_repair

    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list) or not value:
        return None
    found = Found(joined_halves(cast("Json", value)), ("library",), ambiguous=True)
    return _unwrapped(found, wanted, layers)


# --- choosing --------------------------------------------------------------------------------


def _best(candidates: Sequence[Found], wanted: Wanted) -> Found:
    """The value that fits best; of equals the last, since what comes first is a draft or an example."""
    scored = [(fit(each.value, wanted), each) for each in candidates]
    top = max(score for score, _ in scored)
    fitting = [each for score, each in scored if score == top]
    if not wanted.keys and not wanted.is_list and not wanted.any_of:
        longest = max(each.end - each.start for each in fitting)
        fitting = [each for each in fitting if (each.end - each.start) * 2 >= longest]
    whole = [each for each in fitting if not each.truncated] or fitting
    best = whole[-1]
    others = [each for each in fitting if each is not best and each.value != best.value]
    return _with(best, "several") if others else best


def _joined(candidates: Sequence[Found], text: str, wanted: Wanted) -> Sequence[Found]:
    """Objects one after another with nothing but space between them are the items of a list."""
    if len(candidates) < 2 or any(not isinstance(each.value, Mapping) for each in candidates):
        return candidates
    if any(fit(each.value, wanted)[0] == 2 for each in candidates):
        return candidates
    gaps = (text[a.end : b.start] for a, b in itertools.pairwise(candidates))
    if any(gap.strip(" \t\r\n,，") for gap in gaps):
        return candidates
    notes = dict.fromkeys(note for each in candidates for note in each.notes)
    whole = [each for each in candidates if not each.truncated]
    return [
        Found(
            [each.value for each in whole],
            (*notes, "joined"),
            len(whole) < len(candidates),
            any(each.ambiguous for each in whole),
            candidates[0].start,
            candidates[-1].end,
        )
    ]


def _unwrapped(found: Found, wanted: Wanted, layers: int) -> Found | None:
    """The value itself out of a string, a tool call, an answer of the API or an envelope."""
    value = found.value
    if isinstance(value, str):
        if not layers:
            return None
        inside = _read_text(value, wanted, layers - 1)
        return None if inside is None else _over(found, inside, "encoded")
    if not isinstance(value, Mapping | list) or not layers:
        return found if isinstance(value, Mapping | list) else None
    if isinstance(value, list):
        calls = objects(value)
        if len(calls) == 1 == len(value) and (inner := _call(calls[0])) is not None:
            return _unwrapped(_over(found, Found(inner), "tool_call"), wanted, layers - 1)
        return found
    if fit(value, wanted)[0] == 2:
        return Found(
            _lists_decoded(value, wanted),
            found.notes,
            found.truncated,
            found.ambiguous,
            found.start,
            found.end,
        )
    return _opened(found, value, wanted, layers)


def _opened(found: Found, value: JsonObject, wanted: Wanted, layers: int) -> Found:
    inner = _call(value)
    if inner is not None:
        return _unwrapped(_over(found, Found(inner), "tool_call"), wanted, layers - 1) or found
    if is_answer(value):
        text, _, called = text_of(value)
        inside = _read_text(called or text, wanted, layers - 1)
        return found if inside is None else _over(found, inside, "tool_call" if called else "envelope")
    for key in _ENVELOPES:
        held = value.get(key)
        if not isinstance(held, str | Mapping | list) or not held:
            continue
        inside = _unwrapped(Found(held), wanted, layers - 1)
        if inside is not None and fit(inside.value, wanted) > max(fit(value, wanted), (1, 0)):
            return _over(found, inside, "envelope")
    return found


def _call(value: JsonObject) -> Json:
    """The arguments of a tool call, None when it is none."""
    function = value.get("function")
    if isinstance(function, Mapping) and any(key in function for key in _ARGUMENTS):
        return _call({"name": "", **function})
    if not any(key in value for key in _CALLED):
        return None
    held = next((value[key] for key in _ARGUMENTS if isinstance(value.get(key), str | Mapping)), None)
    return held or None


def _lists_decoded(value: JsonObject, wanted: Wanted) -> Json:
    """Lists that were written as text become lists."""
    decoded = dict(value)
    lists = wanted.lists.union(*(each.lists for each in wanted.any_of))
    for key in lists & value.keys():
        held = value[key]
        if (
            isinstance(held, str)
            and (found := strict(held.strip())) is not None
            and isinstance(found.value, list)
        ):
            decoded[key] = found.value
    return decoded


def _with(found: Found, note: str) -> Found:
    return Found(found.value, (*found.notes, note), found.truncated, found.ambiguous, found.start, found.end)


def _over(outer: Found, inner: Found, note: str) -> Found:
    """The inner value in the place of the outer one, with the notes of both."""
    return Found(
        inner.value,
        (*outer.notes, note, *inner.notes),
        outer.truncated or inner.truncated,
        outer.ambiguous or inner.ambiguous,
        outer.start,
        outer.end,
    )


_REASONS: Sequence[tuple[str, Callable[[str, str], bool]]] = (
    ("reply.html", lambda text, _thinking: bool(_HTML.match(text))),
    ("reply.only_thinking", lambda text, thinking: bool(thinking) and not part(text).answer.strip()),
    ("reply.empty", lambda text, _thinking: not text.strip(INVISIBLE + " \t\r\n")),
)


def _refusal(text: str, thinking: str) -> BadReply:
    key = next((key for key, holds in _REASONS if holds(text, thinking)), "reply.no_value")
    return BadReply(key, details=text.strip()[:SHOWN_CHARS])
