"""Times as fields keep them (Unix seconds, 0 = none) and as people type them."""

from __future__ import annotations

from datetime import UTC, datetime

from core.domain.json_types import Json
from ui.language import Language

SECONDS_A_MINUTE = 60


def shown_time(value: Json) -> str:
    """Unix seconds as a local date and time; midnight as the date alone; other values as they are."""
    if value in (None, 0, ""):
        return ""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    try:
        moment = datetime.fromtimestamp(value, UTC).astimezone()
    except (OverflowError, OSError, ValueError):
        return str(value)
    if not (moment.hour or moment.minute or moment.second):
        return f"{moment:%Y-%m-%d}"
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment.second else f"{moment:%Y-%m-%d %H:%M}"


def duration(seconds: float, tr: Language) -> str:
    """About how long, in whole seconds or minutes; at least one."""
    if seconds < SECONDS_A_MINUTE:
        return tr("health.seconds", count=max(1, round(seconds)))
    return tr("health.minutes", count=max(1, round(seconds / SECONDS_A_MINUTE)))


def typed_time(text: str) -> Json:
    """Unix seconds of a typed date or time (local unless it names a zone); None for nothing typed.

    What cannot be read comes back as the text, so that it is said and not lost.
    """
    text = text.strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text.replace("/", "-")).astimezone(UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        return text
