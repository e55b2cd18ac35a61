"""Deleting for ever: a memory's text, vector, tags, relations and every image of them in the journal."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from core.store.filters import among, key_list
from core.store.manual_requests import erase_texts
from core.store.proposal_rows import erase_parts
from core.store.rows import Dirty

_ABOUT = ("memory", "other")
ERASED_TITLE = "—"
SEEN_CHARS, LEAST_CHARS = 80, 2
"""A memory is recognised in a request by its title or the beginning of its text; one character names nothing."""


def erase_memories(connection: Connection, dirty: Dirty, pks: Sequence[int]) -> None:
    """Erase memories. Nothing of it is journaled; the op that asks cannot be undone."""
    keys = key_list(pks)
    found = connection.exec_driver_sql(
        f"SELECT pk, id, title, substr(body, 1, ?) FROM memory WHERE {among('pk')}", (SEEN_CHARS, keys)
    ).all()
    dirty.gone.update((row[0], row[1]) for row in found)
    erase_texts(connection, [text for row in found for text in (row[2], row[3]) if len(text) >= LEAST_CHARS])
    _erase_images(connection, keys)
    _erase_vectors(connection, keys)
    for table, columns in (
        ("tag", ("memory",)),
        ("alias", ("memory",)),
        ("edge", ("source", "target")),
        ("not_duplicate", ("a", "b")),
        ("pin", ("memory",)),
        ("merge_record", ("survivor", "loser")),
    ):
        for column in columns:
            connection.exec_driver_sql(f"DELETE FROM {table} WHERE {among(column)}", (keys,))
    for column in ("parent", "merged_into"):
        connection.exec_driver_sql(
            f"UPDATE memory SET {column} = NULL, revision = revision + 1 WHERE {among(column)}", (keys,)
        )
    connection.exec_driver_sql(
        "UPDATE recall_run SET injection = '' WHERE injection <> '' AND EXISTS"
        " (SELECT 1 FROM json_each(recall_run.injected) i WHERE i.value IN (SELECT value FROM json_each(?)))",
        (keys,),
    )
    erase_parts(connection, keys)
    drafts = key_list([row[1] for row in found])
    connection.exec_driver_sql(f"DELETE FROM draft WHERE {among('key')}", (drafts,))
    connection.exec_driver_sql(f"DELETE FROM memory WHERE {among('pk')}", (keys,))


def _erase_images(connection: Connection, keys: str) -> None:
    about = " OR ".join(among(column) for column in _ABOUT)
    connection.exec_driver_sql(
        "UPDATE op SET args = json_set(args, '$.title', ?) WHERE json_extract(args, '$.title') IS NOT NULL"
        f" AND pk IN (SELECT op FROM journal WHERE {about})",
        (ERASED_TITLE, keys, keys),
    )
    connection.exec_driver_sql(f"DELETE FROM journal WHERE {about}", (keys, keys))


def _erase_vectors(connection: Connection, keys: str) -> None:
    connection.exec_driver_sql(
        "DELETE FROM vector WHERE text_hash IN"
        f" (SELECT text_hash FROM memory WHERE {among('pk')}) AND text_hash NOT IN"
        f" (SELECT text_hash FROM memory WHERE pk NOT IN (SELECT value FROM json_each(?)))",
        (keys, keys),
    )


def scrub(connection: Connection) -> None:
    """Make the full-text index forget deleted words too (it keeps them until its segments merge)."""
    connection.exec_driver_sql("INSERT INTO memory_fts(memory_fts) VALUES ('optimize')")
