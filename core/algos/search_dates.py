"""Dates to choose from after a key of the search language, each with the key of a text that says what it means."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

_SINCE = (("7d", "days7"), ("30d", "days30"))


def date_choices(op: str, today: date) -> Iterator[tuple[str, str]]:
    """(value, text key) by the sign before it. `>` begins after the end of what is named, `<` ends before it."""
    month, year = f"{today:%Y-%m}", f"{today:%Y}"
    last_month = f"{today.year - (today.month == 1):04}-{(today.month - 2) % 12 + 1:02}"
    last_year = f"{today.year - 1:04}"
    match op:
        case ">":
            rows = [("yesterday", "after_yesterday"), *_SINCE]
            rows += [(last_month, "after_last_month"), (last_year, "after_last_year")]
        case ">=":
            rows = [("today", "since_today"), *_SINCE, (month, "since_month"), (year, "since_year")]
        case "<":
            rows = [("7d", "older7"), ("30d", "older30"), (month, "before_month"), (year, "before_year")]
        case "<=":
            rows = [
                ("7d", "older7"),
                ("30d", "older30"),
                (last_month, "until_last_month"),
                (last_year, "until_last_year"),
            ]
        case _:
            rows = [("today", "today"), ("yesterday", "yesterday"), *_SINCE]
            rows += [(month, "month"), (last_month, "last_month"), (year, "year"), (last_year, "last_year")]
    for value, name in rows:
        yield value, f"search.date.{name}"
