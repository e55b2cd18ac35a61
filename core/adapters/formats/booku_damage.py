"""A damaged SQLite database: whether it is one, and the rows that lie beside the damage."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

Cell = str | int | float | bytes | None
_SHOWN_PLACES = 3
_LISTED_PLACES = 20
_HARMLESS = re.compile(r"ok$|.*(?:value in |never used)|CHECK constraint failed|Fragmentation")
"""Values that a column does not allow, and space that nothing uses: faults, but no damage."""
_HEADER_BYTES = 100
_LARGEST_PAGE = 65_536
_MOST_TIMES = 100
"""A file that says it is more times larger than it is says nothing about itself."""
_MOST_STEPS = 20_000
_BLIND_ROWS = 100_000


def filled_up(copy: Path) -> str:
    """Fill a copy that is shorter than it says with empty pages, without which SQLite opens none of it.

    Returns what is to be said of it, "" for a whole file. A number of pages that is no longer true is not looked at.
    """
    with copy.open("r+b") as file:
        head = file.read(_HEADER_BYTES)
        if len(head) < _HEADER_BYTES:
            return ""
        size = int.from_bytes(head[16:18], "big")
        pages = int.from_bytes(head[28:32], "big")
        known = head[24:28] == head[92:96]
        page = _LARGEST_PAGE if size == 1 else size
        whole = page * pages
        there = file.seek(0, 2)
        if not known or there >= whole or whole > there * _MOST_TIMES:
            return ""
        file.truncate(
            there // page * page
        )  # of a page that is cut, what it holds is gone: rows lie at its end
        file.truncate(whole)
    return f"cut off after {there} of {whole} bytes"


def damaged_places(connection: sqlite3.Connection) -> str:
    """The first places at which the database is damaged; "" when it is whole. Cost: one walk over all pages."""
    try:
        with closing(connection.execute(f"PRAGMA quick_check({_LISTED_PLACES})")) as found:
            said = [line for row in found for line in str(row[0]).splitlines()]
    except sqlite3.DatabaseError as error:
        return str(error)
    places = [line for line in said if line.strip() and not _HARMLESS.match(line.strip())]
    real = [line for line in places if not line.startswith("*** in database")]
    return "; ".join(real[:_SHOWN_PLACES])


def rows_around_damage(connection: sqlite3.Connection, table: str) -> list[dict[str, Cell]]:
    """The rows of a table that can be read, by rowid: behind a damaged page reading goes on with the next one."""
    found: list[dict[str, Cell]] = []
    last = _end(connection, table)
    at, steps = 0, 0
    while at <= last and steps < _MOST_STEPS:
        steps += 1
        try:
            with closing(
                connection.execute(
                    f'SELECT rowid AS "row id", * FROM "{table}" WHERE rowid >= ? ORDER BY rowid', (at,)
                )
            ) as rows:
                for row in rows:
                    at = row["row id"] + 1
                    steps = 0
                    found.append({name: row[name] for name in row.keys() if name != "row id"})  # noqa: SIM118
            break
        except sqlite3.DatabaseError:
            at += 1
    return found


def _end(connection: sqlite3.Connection, table: str) -> int:
    """The last rowid; where that page is damaged, a number that is surely behind it."""
    try:
        end = connection.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0]
    except sqlite3.DatabaseError:
        return _BLIND_ROWS
    return int(end) if isinstance(end, int) else 0
