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
    return _matching(rows, [match for name in names if (match := _phrase(name))], folders)


def pks_called(rows: Rows, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
    """Memories outside the trash whose title or other name is one of the names, newest first.

    A title begins the search text and another name one of its parts, so few are looked at. Cost: these.
    """
    wanted = set(folded_names(names))
    phrases = [match for name in wanted if (match := _phrase(name))]
    by_title = _matching(rows, [f"^ {match}" for match in phrases], folders)
    # Titles through their index: rows are wide, and many texts without a title begin with a name.
    titles = rows(
        "SELECT pk, title FROM memory INDEXED BY ix_memory_live_title WHERE deleted_at IS NULL"
        f" AND title COLLATE NOCASE > '' AND {among('+pk')}",
        (key_list(by_title),),
    )
    by_part = _matching(rows, [f'"{lexical.PART_BREAK} {match[1:]}' for match in phrases], folders)
    aliases = rows(f"SELECT memory, value FROM alias WHERE {among('memory')}", (key_list(by_part),))
    found = {pk for pk, name in (*titles, *aliases) if not wanted.isdisjoint(folded_names([name]))}
    return sorted((MemoryPk(pk) for pk in found), reverse=True)


def of_type_by_floor(
    rows: Rows, memories: Sequence[MemoryPk], type_id: TypeId, limit: int
) -> tuple[list[MemoryPk], int]:
    """Those of the memories that have a type, the last floors first, and how many they are. Reads an index only."""
    found = rows(
        "SELECT pk, count(*) OVER () FROM memory INDEXED BY ix_memory_list WHERE deleted_at IS NULL AND type = ?"
        f" AND {among('+pk')} ORDER BY coalesce(seq_end, seq, -1) DESC, pk DESC LIMIT ?",
        (type_id, key_list(memories), limit),
    )
    return [MemoryPk(row[0]) for row in found], found[0][1] if found else 0


def _matching(rows: Rows, phrases: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
    if not phrases:
        return []
    values: tuple[str, ...] = (" OR ".join(phrases),)
    within = "rowid NOT IN (SELECT pk FROM memory WHERE deleted_at IS NOT NULL)"
    if folders is not None:
        listed = (
            "SELECT pk FROM memory WHERE deleted_at IS NULL AND folder IN (SELECT value FROM json_each(?))"
        )
        within, values = f"rowid IN ({listed})", (*values, key_list(sorted(folders)))
    sql = f"SELECT rowid FROM memory_fts WHERE memory_fts MATCH ? AND {within} ORDER BY rowid DESC"
    return [MemoryPk(row[0]) for row in rows(sql, values)]


def _phrase(name: str) -> str:
    quoted = name.replace('"', " ").replace("“", " ").replace("”", " ")
    return lexical.fts_match(lexical.parse_query(f'"{quoted}"'))
