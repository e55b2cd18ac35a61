"""The JSON value in a model's reply, found the way ST-BME finds it.

Source: spec/STBME §3.4. Reasoning with braces defeats it (§8.23): ours strips that first and repairs (DESIGN §6).
"""

from __future__ import annotations

import json
import re

from core.algos.js_values import trim
from core.domain.json_types import Json

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_CLOSERS = {"{": "}", "[": "]"}


def first_json(reply: str) -> Json:
    """The whole reply, else its first fenced block, else from the first opening brace to the last closer; None if none is JSON."""
    for candidate in _candidates(trim(reply)):
        try:
            value: Json = json.loads(candidate, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
        return value
    return None


def _candidates(reply: str) -> list[str]:
    found = [reply]
    if fence := _FENCE.search(reply):
        found.append(trim(fence[1]))
    start = min((at for opener in _CLOSERS if (at := reply.find(opener)) >= 0), default=-1)
    if start >= 0:
        end = reply.rfind(_CLOSERS[reply[start]])
        found.append(reply[start : end + 1])
    return found


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is no JSON")
