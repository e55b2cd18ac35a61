"""The forms in which SillyTavern wrote times (spec/FORMATS §1): never "now", never 1970, None when unknown."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from core.adapters.formats.values import moment
from core.domain.json_types import Json

LOCAL = "local"
ASSUMED = "assumed"
_MILLISECONDS = 0.001
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_SPOKEN = re.compile(
    r"([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp])\.?[Mm]\.?"
)
_SPOKEN_24 = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s(?:\s*(\d{1,3})ms)?"
)
_ZONED = re.compile(r"(?:[Zz]|[+-]\d{2}:?\d{2})$")
_DIGITS = re.compile(r"\d{10,16}")


def sent_at(raw: Json) -> tuple[datetime | None, str]:
    """The time of a `send_date` and what is known of its zone: "" = UTC, LOCAL = unknown, ASSUMED.

    Times without a zone are taken as UTC, as SillyTavern does.
    """
    if isinstance(raw, bool):
        return None, ""
    if isinstance(raw, int | float):
        return moment(raw, _MILLISECONDS).value, ""
    if not isinstance(raw, str):
        return None, ""
    text = raw.strip()
    if _DIGITS.fullmatch(text):
        return moment(text, _MILLISECONDS).value, ""
    for form, zone in ((_SPOKEN, LOCAL), (_SPOKEN_24, LOCAL), (_HUMANIZED, ASSUMED)):
        if match := form.fullmatch(text):
            return _time(match, form), zone
    if not text[:4].isdigit() or "-" not in text:
        return None, ""
    return moment(text, 1.0).value, "" if _ZONED.search(text) else ASSUMED


def _time(match: re.Match[str], form: re.Pattern[str]) -> datetime | None:
    """The time of the parts; None when there is no such day or hour."""
    parts = match.groups()
    if form is _HUMANIZED:
        year, month, day, hour, minute, second = (int(part) for part in parts[:6])
        micros = int(parts[6] or 0) * 1000
    else:
        found = _MONTHS.get(parts[0][:3].lower())
        if found is None:
            return None
        month, day, year = found, int(parts[1]), int(parts[2])
        hour, minute, second, micros = int(parts[3]), int(parts[4]), int(parts[5] or 0), 0
        if form is _SPOKEN:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if parts[6] in "Pp" else 0)
    try:
        made = datetime(year, month, day, hour, minute, second, micros, tzinfo=UTC)
    except ValueError:
        return None
    return made if 1971 <= year < 2200 else None
