"""Reading single values as they occur in real files: numbers as text, times in other units, names in lists."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from core.domain.json_types import Json
from core.domain.safe_text import storable

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_BELOW = 1e11
"""Epoch numbers: below are seconds, below a thousand times that milliseconds, above microseconds."""
_EXACT = 2**53
"""Up to here every whole number is a float of its own."""
_EARLIEST_S = 86_400.0 * 365
_LATEST_S = 7_258_118_400.0
"""From 1971 to 2200: other times are no dates of a memory."""
_NAME_SEPARATORS = re.compile(r"[,，、;；\n]")


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """A value and whether it had to be put right (then the raw form is not written back)."""

    value: T
    repaired: bool = False


def number(raw: Json) -> float | None:
    """A finite number, also when it is written as text; None for everything else."""
    if type(raw) is int and -_EXACT < raw < _EXACT:  # the usual case first: millions of numbers pass here
        return float(raw)
    if isinstance(raw, bool):
        return None
    if isinstance(raw, str):
        try:
            raw = float(raw.strip())
        except ValueError:
            return None
    if isinstance(raw, int | float):
        try:
            value = float(raw)
        except OverflowError:
            return None
        return value if math.isfinite(value) else None
    return None


def clamped(raw: Json, low: float, high: float, default: float) -> Read[float]:
    """A number within bounds; what is no number takes the default."""
    value = number(raw)
    if value is None:
        return Read(default, repaired=True)
    inside = min(high, max(low, value))
    return Read(inside, repaired=inside != value or not isinstance(raw, int | float))


def whole(raw: Json, default: int = 0, low: int | None = 0) -> Read[int]:
    """A whole number, not below `low`; fractions are cut."""
    value = number(raw)
    if value is None or abs(value) > _EXACT:
        return Read(default, repaired=True)
    cut = int(value)
    if low is not None and cut < low:
        return Read(low, repaired=True)
    return Read(cut, repaired=isinstance(raw, str))


def moment(raw: Json, usual: float) -> Read[datetime | None]:
    """The time of an epoch number whose usual unit is `usual` seconds (1.0 or 0.001), or of an ISO text.

    0 and null mean "none". A number in another unit is recognised by its size and counts as put right; what is
    no date between 1971 and 2200 gives None and counts as put right too.
    """
    if raw is None or raw == "" or (raw == 0 and not isinstance(raw, bool)):
        return Read(None)
    value = number(raw)
    if value is None:
        return Read(_iso(raw) if isinstance(raw, str) else None, repaired=True)
    unit = 1.0 if abs(value) < _SECONDS_BELOW else 0.001 if abs(value) < _SECONDS_BELOW * 1000 else 1e-6
    if not _EARLIEST_S <= value * unit < _LATEST_S:
        return Read(None, repaired=True)
    found = EPOCH + timedelta(microseconds=round(value * unit * 1_000_000))
    return Read(found, repaired=unit != usual or isinstance(raw, str))


def _iso(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.strip())
        found = (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # at both ends of the calendar another zone lies beyond it
        return None
    return found if _EARLIEST_S <= epoch_s(found) < _LATEST_S else None


def epoch_ms(time: datetime) -> int | float:
    """Epoch milliseconds, a whole number where it is one."""
    return shortest((time - EPOCH) / timedelta(microseconds=1) / 1000)


def epoch_s(time: datetime) -> float:
    """Epoch seconds."""
    return (time - EPOCH) / timedelta(microseconds=1) / 1_000_000


def shortest(value: float) -> int | float:
    """5 for 5.0, as JavaScript writes numbers."""
    return int(value) if value == int(value) else value


def text(raw: Json) -> str:
    """Text of a value that should be one: numbers as written, lists joined, names of objects; never a repr."""
    match raw:
        case str():
            return raw
        case bool():
            return "true" if raw else "false"
        case int() | float():
            return str(shortest(raw)) if number(raw) is not None else ""
        case list():
            return ", ".join(part for item in raw if (part := text(item)))
        case dict():
            named = next((raw[key] for key in ("name", "title", "label", "value") if raw.get(key)), None)
            if named is not None:
                return text(named)
            return ", ".join(f"{key}: {part}" for key, item in raw.items() if (part := text(item)))
        case _:
            return ""


def names(raw: Json) -> tuple[str, ...]:
    """Names in a list or a text (ASCII or Chinese commas, semicolons, lines); () when everyone is meant.

    `*` anywhere, nothing, and values that are neither text nor list mean everyone (spec/STBME §4.2).
    """
    if isinstance(raw, str):
        found = [part.strip() for part in _NAME_SEPARATORS.split(raw)]
    elif isinstance(raw, list):
        found = [part.strip() for item in raw for part in _NAME_SEPARATORS.split(text(item))]
    else:
        return ()
    kept = dict.fromkeys(name for name in found if name)
    return () if "*" in kept else tuple(kept)


def clean(value: Json) -> tuple[Json, bool]:
    """The value with every text storable (keys too), and whether anything had to be escaped."""
    match value:
        case str():
            safe = storable(value)
            return safe, safe is not value and safe != value
        case list():
            pairs = [clean(item) for item in value]
            changed = any(flag for _, flag in pairs)
            return ([item for item, _ in pairs] if changed else value), changed
        case dict():
            changed = False
            result: dict[str, Json] = {}
            for key, item in value.items():
                safe_item, flag = clean(item)
                safe_key = storable(key)
                changed = changed or flag or safe_key != key
                result[safe_key] = safe_item
            return (result if changed else value), changed
        case _:
            return value, False
