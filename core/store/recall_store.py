"""Bulk reads for recall, and the runs that were handed out (core.ports.recall_store.RecallStore)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from sqlalchemy import Connection

from core.algos.decay import MOST_IMPORTANT
from core.domain.enums import Kind
from core.domain.ids import FolderPk, MemoryPk, OpId
from core.domain.recall import RecallMode, RecallRun
from core.domain.safe_text import storable
from core.domain.schema import Schema
from core.domain.tags import TRIPLE
from core.ports.recall_store import (
    ALWAYS,
    EDGE_COLUMNS,
    NEVER,
    Folders,
    HandedOut,
    Posting,
    StoredEdges,
    StoredMemory,
    StoredName,
    StoredScope,
    StoredTag,
    Touched,
)
from core.store import journal
from core.store.codecs import from_micros, to_micros
from core.store.database import PLACES_VIEW, WORDS_VIEW, Database
from core.store.evaluations import SqlEvaluations
from core.store.filters import among, key_list
from core.store.reader import SqlReader
from core.store.rows import Dirty, RowWriter

MOST_TOUCHED = 3_000
"""With more memories touched, reading the scope anew is quicker."""
RECENT_OPS = 500
_MEMORY = (
    "m.pk, m.id, coalesce(m.foreign_id, m.id), m.folder, m.type, m.layer, m.status, m.status_reason, m.title,"
    " CASE WHEN m.title = '' THEN substr(m.body, 1, 120) ELSE '' END,"
    " coalesce(json_extract(m.fields, '$.name'), json_extract(m.fields, '$.title'), ''), m.importance,"
    " m.activation_count, m.last_activated_at, m.seq, m.seq_start, m.seq_end, m.parent, m.visibility, m.document,"
    " m.span_start, m.created_at, m.updated_at, length(CAST(m.body AS BLOB)) + length(CAST(m.fields AS BLOB)),"
    " length(m.search_text) - length(replace(m.search_text, ' ', '')) + 1, m.text_hash <> '',"
    " coalesce(json_extract(m.fields, '$.participants'), '') || ','"
    " || coalesce(json_extract(m.fields, '$.related_people'), ''),"
    " m.body LIKE '%?' OR m.body LIKE '%？' OR instr(m.body, '?' || char(10)) OR instr(m.body, '？' || char(10))"
)
_SECOND_NAME, _VISIBILITY = 10, 18
_EDGE = (
    f"e.pk, e.source, e.target, e.strength, e.inhibits, coalesce(e.valid_from, {ALWAYS}),"
    f" coalesce(e.invalid_from, {NEVER}), coalesce(e.expired_at, {NEVER}), coalesce(e.from_seq, {ALWAYS}),"
    f" coalesce(e.ended_seq, {NEVER})"
)
_TRIPLE = ", ".join(f"'{kind.value}'" for kind in TRIPLE)
_RUN = 'pk, "at", folder, viewer, message, recipe, selected, scores, injection, tokens, mode, caller'
_NEXT, _LAST = "\u0001", "\U0010ffff"
"""Behind a term: nothing longer comes before it, and everything that begins with it does."""


class SqlRecallStore:
    """Recall's side of the library file. Calls may come from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def evaluations(self) -> SqlEvaluations:
        """Runs over the saved cases."""
        return SqlEvaluations(self._database)

    # --- what changed --------------------------------------------------------------------

    def state(self) -> OpId:
        """The newest op up to which everything is complete."""
        with self._database.reading() as connection:
            return _state(connection)

    def touched_since(self, state: OpId) -> Touched:
        """Memories that ops have touched since; None when one emptied the trash or changed types or folders."""
        with self._database.reading() as connection:
            now = _state(connection)
            if now <= state:
                return Touched(now, frozenset())
            final: int = connection.exec_driver_sql(
                "SELECT count(*) FROM op WHERE pk > ? AND undoable = 0", (state,)
            ).scalar_one()
            rows = connection.exec_driver_sql(
                "SELECT kind, memory, other FROM journal WHERE op > ? LIMIT ?", (state, MOST_TOUCHED + 1)
            ).all()
        if final or len(rows) > MOST_TOUCHED or any(row[0] in ("memory_type", "folder") for row in rows):
            return Touched(now, None)
        return Touched(now, frozenset(pk for row in rows for pk in row[1:] if pk is not None))

    # --- the scope -----------------------------------------------------------------------

    def load(self, folders: Folders, memories: Collection[int] | None = None) -> StoredScope:
        """A scope, or some of its memories, in one view. Cost: four statements."""
        scope, scoped = ("", ()) if folders is None else (f" AND {among('m.folder')}", (key_list(folders),))
        some, chosen = ("", ()) if memories is None else (f" AND {among('m.pk')}", (key_list(memories),))
        where, parameters = f"m.deleted_at IS NULL{scope}{some}", (*scoped, *chosen)
        with self._database.reading() as connection:
            return StoredScope(
                memories=_memories(connection, where, parameters),
                edges=_edges(connection, folders, memories),
                aliases=[
                    StoredName._make(row)
                    for row in _plain(
                        connection,
                        "SELECT a.memory, a.value FROM alias a JOIN memory m ON m.pk = a.memory"
                        f" WHERE {where} ORDER BY a.memory, a.position",
                        parameters,
                    )
                ],
                tags=[
                    StoredTag._make(row)
                    for row in _plain(
                        connection,
                        "SELECT t.memory, t.kind, t.value FROM tag t JOIN memory m ON m.pk = t.memory"
                        f" WHERE t.kind IN ({_TRIPLE}) AND {where} ORDER BY t.memory, t.position",
                        parameters,
                    )
                ],
            )

    def schema(self) -> Schema:
        """Memory types and relation types."""
        with self._database.reading() as connection:
            return SqlReader(connection).schema()

    # --- words ---------------------------------------------------------------------------

    def spellings(self, terms: Collection[str], beginnings: Collection[str]) -> Mapping[str, int]:
        """Known ones of these terms and all that begin so, with the number of memories that hold each."""
        ranges = [[term, term + _NEXT] for term in terms] + [[start, start + _LAST] for start in beginnings]
        with self._database.reading() as connection:
            connection.exec_driver_sql(WORDS_VIEW)
            rows = _plain(
                connection,
                "SELECT w.term, w.doc FROM json_each(?) b CROSS JOIN temp.recall_words w"
                " ON w.term >= json_extract(b.value, '$[0]') AND w.term < json_extract(b.value, '$[1]')",
                (json.dumps(ranges),),
            )
        return dict(rows)

    def size(self) -> int:
        """Number of memories in the library."""
        with self._database.reading() as connection:
            count: int = connection.exec_driver_sql("SELECT count(*) FROM memory").scalar_one()
            return count

    def postings(self, terms: Collection[str]) -> Sequence[Posting]:
        """Where these terms stand, and how often: term, memory, times."""
        with self._database.reading() as connection:
            connection.exec_driver_sql(PLACES_VIEW)
            return _plain(
                connection,
                "SELECT p.term, p.doc, count(*) FROM json_each(?) t CROSS JOIN temp.recall_places p"
                " ON p.term = t.value GROUP BY p.term, p.doc",
                (key_list(terms),),
            )

    def other_vectors(self, model_key: str, memories: Collection[int]) -> Mapping[str, int]:
        """How many of the memories have a vector of another model, by model key."""
        found: dict[str, int] = {}
        with self._database.reading() as connection:
            for key in _model_keys(connection):
                if key != model_key:
                    count: int = connection.exec_driver_sql(
                        "SELECT count(*) FROM memory m CROSS JOIN vector v"  # else all vectors would be gone through
                        " ON v.model_key = ? AND v.text_hash = m.text_hash"
                        f" WHERE {among('m.pk')} AND m.text_hash <> ''",
                        (key, key_list(memories)),
                    ).scalar_one()
                    found |= {key: count} if count else {}
        return found

    # --- runs ----------------------------------------------------------------------------

    def keep(self, handed_out: HandedOut) -> int:
        """Keep a run and count what it recalled: no op, no journal, no revision."""
        run, at = handed_out.run, to_micros(handed_out.run.at)
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE memory SET activation_count = activation_count + 1, last_activated_at = ?"
                f" WHERE {among('pk')}",
                (at, key_list(handed_out.activated)),
            )
            if handed_out.reinforcement > 0:
                _reinforce(connection, handed_out.reinforced, handed_out.reinforcement)
            pk: int = connection.exec_driver_sql(
                'INSERT INTO recall_run ("at", folder, viewer, message, recipe, selected, scores, injection, injected,'
                " tokens, mode, caller) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk",
                (
                    at,
                    run.folder,
                    storable(run.viewer),
                    storable(run.message),
                    run.recipe,
                    key_list(run.selected),
                    json.dumps(run.scores),
                    storable(run.injection),
                    key_list(handed_out.injected),
                    run.tokens,
                    run.mode.value,
                    storable(run.caller),
                ),
            ).scalar_one()
        return pk

    def runs(self, folder: FolderPk | None, limit: int) -> Sequence[RecallRun]:
        """Runs that were handed out, newest first."""
        where, parameters = ("", ()) if folder is None else ("WHERE folder = ?", (folder,))
        return self._runs(f"{where} ORDER BY pk DESC LIMIT ?", (*parameters, limit))

    def last_run(self, folder: FolderPk | None) -> RecallRun | None:
        """The newest run of a folder."""
        found = self._runs("WHERE folder IS ? ORDER BY pk DESC LIMIT 1", (folder,))
        return found[0] if found else None

    def runs_with(self, memory: MemoryPk, limit: int) -> Sequence[RecallRun]:
        """Runs in which a memory was recalled. Cost: looks through all runs."""
        return self._runs(
            "WHERE EXISTS (SELECT 1 FROM json_each(recall_run.selected) s WHERE s.value = ?)"
            " ORDER BY pk DESC LIMIT ?",
            (memory, limit),
        )

    def _runs(self, tail: str, parameters: tuple[Any, ...]) -> list[RecallRun]:
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(f"SELECT {_RUN} FROM recall_run {tail}", parameters).all()
        return [_run(row) for row in rows]


def _state(connection: Connection) -> OpId:
    newest: int = connection.exec_driver_sql("SELECT coalesce(max(pk), 0) FROM op").scalar_one()
    still_open: int | None = connection.exec_driver_sql(
        "SELECT min(pk) FROM (SELECT pk, state FROM op ORDER BY pk DESC LIMIT ?) WHERE state = 'open'",
        (RECENT_OPS,),
    ).scalar_one()
    return OpId(newest if still_open is None else still_open - 1)


def _plain(connection: Connection, sql: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Rows as the driver gives them: tens of thousands without a wrapper around each."""
    with connection.exec_driver_sql(sql, parameters) as result:
        rows: list[tuple[Any, ...]] = list(result.cursor.fetchall())
    return rows


def _memories(connection: Connection, where: str, parameters: tuple[Any, ...]) -> list[StoredMemory]:
    names: dict[str, tuple[str, ...]] = {}
    found: list[StoredMemory] = []
    for row in _plain(connection, f"SELECT {_MEMORY} FROM memory m WHERE {where} ORDER BY m.pk", parameters):
        text = row[_VISIBILITY]
        if text not in names:
            names[text] = tuple(json.loads(text))
        values = list(row)
        values[_VISIBILITY] = names[text]
        if not isinstance(row[_SECOND_NAME], str):
            values[_SECOND_NAME] = ""
        found.append(StoredMemory._make(values))
    return found


def _edges(connection: Connection, folders: Folders, memories: Collection[int] | None) -> StoredEdges:
    conditions, parameters = ["e.source <> e.target"], []
    source = "edge e"
    if folders is not None:
        source += " JOIN memory s ON s.pk = e.source JOIN memory t ON t.pk = e.target"
        conditions += [among("s.folder"), among("t.folder")]
        parameters += [key_list(folders)] * 2
    if memories is not None:
        conditions.append(
            f"e.pk IN (SELECT pk FROM edge WHERE {among('source')} UNION SELECT pk FROM edge WHERE {among('target')})"
        )
        parameters += [key_list(memories)] * 2
    sql = f"SELECT {_EDGE} FROM {source} WHERE {' AND '.join(conditions)} ORDER BY e.pk"
    with connection.exec_driver_sql(sql, tuple(parameters)) as result:
        rows: StoredEdges = np.fromiter(cast("Iterable[Any]", result.cursor), dtype=EDGE_COLUMNS)
    return rows


def _model_keys(connection: Connection) -> list[str]:
    """All model keys, each by one look into the primary key."""
    keys: list[str] = []
    while True:
        last = keys[-1] if keys else ""
        key: str | None = connection.exec_driver_sql(
            "SELECT min(model_key) FROM vector WHERE model_key > ?", (last,)
        ).scalar_one()
        if key is None:
            return keys
        keys.append(key)


def _reinforce(connection: Connection, memories: Sequence[MemoryPk], amount: float) -> None:
    """More importance, outside the journal: undoing the creation of such a memory meets no conflict for it."""
    writer = RowWriter(connection, Dirty())
    before = writer.fetch(Kind.MEMORY, memories)
    connection.exec_driver_sql(
        f"UPDATE memory SET importance = min(?, importance + ?) WHERE {among('pk')}",
        (MOST_IMPORTANT, amount, key_list(memories)),
    )
    after = writer.fetch(Kind.MEMORY, memories)
    digests = [
        (journal.digest(Kind.MEMORY, after[pk]), pk, journal.digest(Kind.MEMORY, row))
        for pk, row in before.items()
    ]
    if digests:
        connection.exec_driver_sql(
            "UPDATE journal SET digest = ? WHERE memory = ? AND kind = 'memory' AND action = 'i' AND digest = ?",
            digests,
        )


def _run(row: Sequence[Any]) -> RecallRun:
    return RecallRun(
        pk=row[0],
        at=from_micros(row[1]),
        folder=None if row[2] is None else FolderPk(row[2]),
        viewer=row[3],
        message=row[4],
        recipe=row[5],
        selected=tuple(MemoryPk(pk) for pk in json.loads(row[6])),
        scores=tuple(map(float, json.loads(row[7]))),
        injection=row[8],
        tokens=row[9],
        mode=RecallMode(row[10]),
        caller=row[11],
    )
