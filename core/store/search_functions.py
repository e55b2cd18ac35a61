"""What SQLite cannot do by itself for a search: functions that each connection gets."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import OperationalError

from core.algos import lexical
from core.domain.errors import Invalid
from core.domain.search import Term

PATTERN_SECONDS = 4.0
"""All texts of one search together may keep a regular expression busy for so long."""
_TOO_SLOW = "user-defined function raised exception"


def add_functions(connection: sqlite3.Connection) -> None:
    """What SQLite cannot do by itself: regular expressions with a time limit, and levelled text."""
    connection.create_function("text_matches", 4, _text_matches)
    connection.create_function("folded_in", 2, _folded_in, deterministic=True)


def _text_matches(pattern: str, deadline: float, *texts: str) -> bool:
    import regex

    compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)  # kept by the module
    for text in texts:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if compiled.search(text, timeout=left, concurrent=True):
            return True
    return False


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
