"""Memories by the names in their words, and by the names that they bear: through the word index alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from core.algos import lexical
from core.algos.mentions import folded_names
from core.domain.ids import FolderPk, MemoryPk, TypeId
from core.store.filters import among, key_list

Rows = Callable[..., list[tuple[Any, ...]]]


def pks_naming(rows: Rows, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
    """Memories outside the trash whose search text holds one of the names as a phrase, newest first.

    Cost: the matches in the word index; no row of the wide table is read.
    """
    match = _match(names)
    if not match:
        return []
    within, values = _within(folders)
    sql = f"{_HOLDING} AND {within.format('rowid')} ORDER BY rowid DESC"
    return [MemoryPk(row[0]) for row in rows(sql, (match, *values))]


def pks_called(rows: Rows, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
    """Memories outside the trash whose title or other name is one of the names, newest first.

    A title begins the search text and another name one of its parts. Cost: the titles and other names of these.
    """
    wanted = set(folded_names(names))
    if not (phrases := [phrase for name in wanted if (phrase := _phrase(name))]):
        return []
    within, values = _within(folders)
    # Titles through their index: rows are wide, and many texts without a title begin with a name.
    titles = rows(
        "SELECT pk, title FROM memory INDEXED BY ix_memory_live_title WHERE deleted_at IS NULL"
        f" AND title COLLATE NOCASE > '' AND +pk IN ({_HOLDING}) AND {within.format('+pk')}",
        (" OR ".join(f"^ {phrase}" for phrase in phrases), *values),
    )
    aliases = rows(
        f"SELECT memory, value FROM alias WHERE +memory IN ({_HOLDING}) AND {within.format('+memory')}",
        (" OR ".join(f'"{lexical.PART_BREAK} {phrase[1:]}' for phrase in phrases), *values),
    )
    found = {pk for pk, name in (*titles, *aliases) if not wanted.isdisjoint(folded_names([name]))}
    return sorted((MemoryPk(pk) for pk in found), reverse=True)


def naming_by_floor(
    rows: Rows,
    names: Sequence[str],
    folders: Collection[FolderPk] | None,
    also: Sequence[MemoryPk],
    type_id: TypeId,
    limit: int,
) -> tuple[list[MemoryPk], int]:
    """Those of a type that hold a name or are among `also`, the last floors first; and how many. Reads indexes only."""
    within, values = _within(folders)
    found = rows(
        "SELECT pk, count(*) OVER () FROM memory INDEXED BY ix_memory_list WHERE deleted_at IS NULL AND type = ?"
        f" AND ({among('+pk')} OR +pk IN ({_HOLDING}) AND {within.format('+pk')})"
        " ORDER BY coalesce(seq_end, seq, -1) DESC, pk DESC LIMIT ?",
        (type_id, key_list(also), _match(names) or '""', *values, limit),
    )
    return [MemoryPk(row[0]) for row in found], found[0][1] if found else 0


_HOLDING = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?"


def _within(folders: Collection[FolderPk] | None) -> tuple[str, tuple[str, ...]]:
    """A condition that a key (`{}`) is that of a memory of the folders outside the trash, and its parameters."""
    if folders is None:
        return "{} NOT IN (SELECT pk FROM memory WHERE deleted_at IS NOT NULL)", ()
    listed = "SELECT pk FROM memory WHERE deleted_at IS NULL AND folder IN (SELECT value FROM json_each(?))"
    return f"{{}} IN ({listed})", (key_list(sorted(folders)),)


def _match(names: Sequence[str]) -> str:
    return " OR ".join(phrase for name in names if (phrase := _phrase(name)))


def _phrase(name: str) -> str:
    quoted = name.replace('"', " ").replace("“", " ").replace("”", " ")
    return lexical.fts_match(lexical.parse_query(f'"{quoted}"'))
