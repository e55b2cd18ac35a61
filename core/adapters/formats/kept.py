"""What an imported object had that our record says differently, so that it can leave again as it came.

At import the writer's own form of a record is compared with what was read; every key that differs is kept as
`[mark of the written form, raw value]`. At export a raw value goes out again as long as the written form still
has that mark, that is: as long as nobody changed what it stands for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from core.domain.json_types import Json, canonical

_ABSENT_MARK = ""
_MARK_CHARS = 40


def mark(value: Json) -> str:
    """A short text that tells values apart: the JSON itself, or a digest of a long one."""
    text = canonical(value)
    if len(text) <= _MARK_CHARS:
        return text
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def differences(
    written: Mapping[str, Json], raw: Mapping[str, Json], leave_out: Collection[str] = ()
) -> dict[str, Json]:
    """The keys of `written` and `raw` that differ, as kept entries; `leave_out` were put right on purpose."""
    kept: dict[str, Json] = {}
    for key, value in written.items():
        if key in leave_out:
            continue
        if key not in raw:
            kept[key] = [mark(value)]
        elif not same(raw[key], value):
            kept[key] = [mark(value), raw[key]]
    for key, value in raw.items():
        if key not in written and key not in leave_out:
            kept[key] = [_ABSENT_MARK, value]
    return kept


def give_back(written: dict[str, Json], kept: Json) -> None:
    """Put the raw values back into `written` where nothing was changed since."""
    if not isinstance(kept, Mapping):
        return
    for key, entry in kept.items():
        if not isinstance(entry, list) or not entry:
            continue
        now = mark(written[key]) if key in written else _ABSENT_MARK
        if now != entry[0]:
            continue
        if len(entry) > 1:
            written[key] = entry[1]
        else:
            written.pop(key, None)


def same(one: Json, other: Json) -> bool:
    """Equality that tells booleans from numbers and the order of keys, but not 5 from 5.0."""
    if one is other:
        return True
    if isinstance(one, bool) or isinstance(other, bool):
        return isinstance(one, bool) and isinstance(other, bool) and one == other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def in_order(written: dict[str, Json], order: Json) -> dict[str, Json]:
    """The same object with its keys in the imported order; keys that came later follow."""
    if not isinstance(order, list):
        return written
    first = {key: written[key] for key in order if isinstance(key, str) and key in written}
    return first | {key: value for key, value in written.items() if key not in first}
