"""What SQL says of chats: sizes, numbers of floors, floors that hold a text, floors of memories."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import chain
from typing import Any

from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries_chat import FloorCounts

Rows = Callable[[str, tuple[Any, ...]], list[tuple[Any, ...]]]

_COUNTS = """
SELECT m.folder, count(*), sum(m.hidden), max(m.seq),
       sum(m.seq > f.last_processed_seq AND m.role = 'assistant' AND NOT m.hidden)
FROM message m JOIN folder f ON f.pk = m.folder GROUP BY m.folder
"""
_SPANS = """
SELECT pk, coalesce(seq_start, seq, seq_end), coalesce(seq_end, seq, seq_start) FROM memory
WHERE folder = ? AND deleted_at IS NULL AND coalesce(seq_start, seq, seq_end) IS NOT NULL
"""


def floor_counts(rows: Rows) -> dict[FolderPk, FloorCounts]:
    """Sizes of all chats. Cost: one pass over the messages' index and rows."""
    return {FolderPk(row[0]): FloorCounts(*row[1:]) for row in rows(_COUNTS, ())}


def floor_numbers(rows: Rows, folder: FolderPk, start: int, stop: int | None) -> array[int]:
    """Numbers of the floors of a stretch, ascending."""
    within, values = _within(folder, start, stop)
    return array("q", chain.from_iterable(rows(f"SELECT seq FROM message {within} ORDER BY seq", values)))


def floors_with(rows: Rows, folder: FolderPk, text: str, start: int, stop: int | None) -> array[int]:
    """Numbers of the floors whose text or speaker holds a text; case does not matter."""
    within, values = _within(folder, start, stop)
    wanted = text.casefold()
    found = rows(f"SELECT seq, name, text FROM message {within} ORDER BY seq", values)
    return array("q", (seq for seq, *said in found if any(wanted in each.casefold() for each in said)))


def floor_spans(rows: Rows, folder: FolderPk) -> dict[MemoryPk, tuple[int, int]]:
    """First and last floor of each memory of a folder, outside the trash."""
    return {MemoryPk(pk): (min(first, last), max(first, last)) for pk, first, last in rows(_SPANS, (folder,))}


def with_extra(rows: Rows, folder: FolderPk, key: str) -> list[MemoryPk]:
    """Memories of a folder, outside the trash, that keep something under a key, by pk."""
    sql = (
        "SELECT pk FROM memory WHERE folder = ? AND deleted_at IS NULL"
        " AND json_type(extra, '$.' || ?) IS NOT NULL ORDER BY pk"
    )
    return [MemoryPk(row[0]) for row in rows(sql, (folder, key))]


def _within(folder: FolderPk, start: int, stop: int | None) -> tuple[str, tuple[int, ...]]:
    if stop is None:
        return "WHERE folder = ? AND seq >= ?", (folder, start)
    return "WHERE folder = ? AND seq >= ? AND seq < ?", (folder, start, stop)
