"""What changed in a memory's fields, as the text of an update event.

Source: spec/STBME §3.6. We differ: equal lists and objects are no change (§8.15; the original compared identity).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from core.algos.js_values import text
from core.domain.json_types import Json

EMPTY = "空"
JOINT = "；"
SHOWN_CHANGES = 3
_MISSING = object()


def changed_keys(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    """Keys with another value, those of `before` first; a key that only one has counts too."""
    keys = dict.fromkeys([*before, *after])
    return [key for key in keys if not _same(before.get(key, _MISSING), after.get(key, _MISSING))]


def change_summary(before: Mapping[str, Json], after: Mapping[str, Json]) -> str:
    """`key: before -> after` of the first three changes, joined by a full-width semicolon; "" without any."""
    keys = changed_keys(before, after)[:SHOWN_CHANGES]
    return JOINT.join(f"{key}: {_shown(before.get(key))} -> {_shown(after.get(key))}" for key in keys)


def _shown(value: Json) -> str:
    return (text(value) if value is not None else "") or EMPTY


def _same(left: object, right: object) -> bool:
    """Equal as JSON: 1 and true differ, 1 and 1.0 do not, NaN never equals."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, float) and math.isnan(left):
        return False
    return left is right or left == right
