"""What SQLite cannot do by itself for a search: functions that each connection gets."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from sqlalchemy.exc import OperationalError

from core.algos import lexical
from core.domain.errors import Invalid
from core.domain.search import Term

PATTERN_SECONDS = 4.0
"""All texts of one search together may keep a regular expression busy for so long."""
HELD_SECONDS = 0.02
"""So long one text may keep other threads waiting: letting them in for each of many short ones costs more."""
_TOO_SLOW = "user-defined function raised exception"


def add_functions(connection: sqlite3.Connection) -> None:
    """What SQLite cannot do by itself: regular expressions with a time limit, and levelled text."""
    connection.create_function("text_matches", 4, _text_matches)
    connection.create_function("folded_in", 2, _folded_in, deterministic=True)


def _text_matches(pattern: str, deadline: float, *texts: str) -> bool:
    compiled = _compiled(pattern)
    for text in texts:
        if not text:
            continue
        try:
            found = compiled.search(text, timeout=HELD_SECONDS)
        except TimeoutError:  # again, and others may run meanwhile
            found = compiled.search(text, timeout=_left(deadline), concurrent=True)
        if found:
            return True
    _left(deadline)
    return False


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> Any:
    """As often as there are rows: the module's own way to one it knows already takes longer than a search."""
    import regex

    return regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)


def _left(deadline: float) -> float:
    """Seconds until then. Errors: TimeoutError when there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _folded_in(folded: str, text: str) -> bool:
    return folded in lexical.fold(text)


@contextmanager
def said_when_slow(term: Term | None) -> Iterator[None]:
    """A regular expression that ran too long is said as one. Errors: Invalid."""
    try:
        yield
    except (sqlite3.OperationalError, OperationalError) as error:
        if term is not None and _TOO_SLOW in str(error):
            raise Invalid("error.search.regex_slow", seconds=int(PATTERN_SECONDS)) from error
        raise
