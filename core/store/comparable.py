"""What a library holds, row by row, as two states of it are compared (DESIGN §3, "equal")."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from core.store.journal import OUTSIDE

JOURNALED = (
    "folder",
    "document",
    "memory",
    "tag",
    "alias",
    "edge",
    "message",
    "memo",
    "memory_type",
    "relation_type",
    "not_duplicate",
    "pin",
    "recall_case",
    "saved_search",
    "merge_record",
    "decision",
)
"""Tables whose rows the journal keeps images of."""
HIDDEN = OUTSIDE - {"pk"} | {"search_text", "text_hash"}
"""Columns outside images and comparison, and derived ones."""
Cell = str | int | float | bytes | None
Rows = dict[str, list[dict[str, Cell]]]


def comparable_rows(database: Path) -> Rows:
    """All rows that an undo must bring back, by table, in the order of their keys. Cost: O(rows)."""
    found: Rows = {}
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        for table in JOURNALED:
            rows = connection.execute(f"SELECT * FROM {table} ORDER BY pk").fetchall()
            found[table] = [{k: row[k] for k in row.keys() if k not in HIDDEN} for row in rows]  # noqa: SIM118
    return found
