"""What check-up and Health page need of the file (core.ports.health_store.HealthStore)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from sqlalchemy import Connection

from core.domain.embedding_text import EMBEDDED_TEXT_CHARS
from core.domain.enums import Kind
from core.domain.health import Fault, Finding, FolderCard, Plots
from core.domain.ids import FolderPk, MemoryPk
from core.domain.json_types import JsonObject, parse_object
from core.ports.clock import Clock
from core.ports.progress import CancelToken, Progress, ignore_progress
from core.store import check, derived, figures
from core.store.codecs import to_micros
from core.store.database import Database
from core.store.filters import among, key_list
from core.store.index_queue import texts_of
from core.store.rows import Dirty

PAGE = 2_000
_BELONGS = "m.deleted_at IS NULL AND m.text_hash <> ''"
_IN_FOLDER = "(:folder IS NULL OR m.folder = :folder)"


class SqlHealth:
    """Short transactions; long work goes page by page."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    # --- what is wrong -------------------------------------------------------------------

    def file_findings(self) -> list[Finding]:
        """Structure, references that no other check covers, word search, counters."""
        with self._database.reading() as connection:
            found = check.file_findings(connection)
            wrong = len(_low_sequences(connection)) + _low_recalls(connection, to_micros(self._clock()))
        if wrong:
            found.append(Finding(fault=Fault.COUNTERS, count=wrong))
        return found

    def unfit_vectors(self, model_key: str, dims: int) -> list[MemoryPk]:
        """Memories whose vector has another length, or numbers that are none."""
        with self._database.reading() as connection:
            hashes = _unfit(connection, model_key, dims)
            rows = connection.exec_driver_sql(
                f"SELECT pk FROM memory m WHERE {_BELONGS} AND {among('text_hash')} ORDER BY pk",
                (key_list(hashes),),
            )
            return [MemoryPk(row[0]) for row in rows]

    def drop_unfit(self, model_key: str, dims: int) -> list[MemoryPk]:
        """Remove them; their memories wait for new ones."""
        pks = self.unfit_vectors(model_key, dims)
        with self._database.writing() as connection:
            hashes = _unfit(connection, model_key, dims)
            connection.exec_driver_sql(
                f"DELETE FROM vector WHERE model_key = ? AND {among('text_hash')}",
                (model_key, key_list(hashes)),
            )
            _enqueue(connection, f"WHERE {among('pk')}", (key_list(pks),))
        return pks

    # --- making anew ---------------------------------------------------------------------

    def rebuild_search(self, progress: Progress = ignore_progress, cancel: CancelToken | None = None) -> int:
        """Derived columns page by page, then the word index as a whole."""
        after, done = 0, 0
        with self._database.reading() as connection:
            total: int = connection.exec_driver_sql("SELECT count(*) FROM memory").scalar_one()
        while True:
            if cancel is not None:
                cancel.check()
            with self._database.writing() as connection:
                rows = connection.exec_driver_sql(
                    "SELECT pk FROM memory WHERE pk > ? ORDER BY pk LIMIT ?", (after, PAGE)
                )
                pks = [row[0] for row in rows]
                if pks:
                    derived.refresh(connection, Dirty(text=set(pks)))
            if not pks:
                break
            after, done = pks[-1], done + len(pks)
            progress(done, total)
        with self._database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
        return done

    def recount(self) -> int:
        """Next keys above all keys in use; times recalled at least as the kept runs say."""
        now = to_micros(self._clock())
        with self._database.writing() as connection:
            low = _low_sequences(connection)
            if low:
                connection.exec_driver_sql(
                    "INSERT INTO sequence (kind, next) VALUES (?, ?)"
                    " ON CONFLICT (kind) DO UPDATE SET next = excluded.next",
                    list(low.items()),
                )
            recalls = _low_recalls(connection, now)
            if recalls:
                connection.exec_driver_sql(
                    f"WITH used AS ({_USED}) UPDATE memory SET"
                    " activation_count = max(activation_count, (SELECT runs FROM used WHERE used.pk = memory.pk)),"
                    " last_activated_at = (SELECT last FROM used WHERE used.pk = memory.pk)"
                    " WHERE pk IN (SELECT pk FROM used WHERE runs > memory.activation_count)"
                )
                connection.exec_driver_sql(
                    "UPDATE memory SET last_activated_at = ? WHERE last_activated_at > ?",
                    (now, now + _LATE),
                )
        return len(low) + recalls

    # --- figures -------------------------------------------------------------------------

    def card(self, folder: FolderPk | None, model_key: str | None) -> FolderCard:
        """Figures of a folder, or of the library. Errors: NotFound."""
        with self._database.reading() as connection:
            return figures.card(connection, folder, model_key, to_micros(self._clock()))

    def plots(self, folder: FolderPk | None) -> Plots:
        """Numbers over memories and time."""
        with self._database.reading() as connection:
            return figures.plots(connection, folder)

    def sizes(self, *, journal: bool) -> Mapping[str, int]:
        """Bytes and rows; those of the journal when they are asked for."""
        path = self._database.path
        files = (path, path.with_name(path.name + "-wal"))
        with self._database.reading() as connection:
            one = partial(_number, connection)
            return {
                "store": sum(file.stat().st_size for file in files if file.exists()),
                "journal": one(_JOURNAL_BYTES) if journal else 0,
                "memories": one("SELECT count(*) FROM memory WHERE deleted_at IS NULL"),
                "ops": one("SELECT count(*) FROM op"),
                "waiting": one("SELECT count(*) FROM outbox"),
            }

    def fact(self, key: str) -> JsonObject:
        """A small fact about the library."""
        with self._database.reading() as connection:
            row = connection.exec_driver_sql("SELECT value FROM state WHERE key = ?", (key,)).one_or_none()
        try:
            return {} if row is None else parse_object(row[0])
        except ValueError:
            return {}

    def keep_fact(self, key: str, value: JsonObject) -> None:
        """Keep one. Not where the library is only read."""
        if self._database.read_only is not None:
            return
        with self._database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO state (key, value) VALUES (?, ?)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, json.dumps(value, ensure_ascii=False)),
            )

    # --- vectors of two sets -------------------------------------------------------------

    def text_sizes(
        self, folder: FolderPk | None, model_key: str, *, only_missing: bool
    ) -> tuple[int, int, int]:
        """Memories, different texts to embed, characters of them. An estimate: lengths are those of title and body."""
        missing = (
            " AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.model_key = :key AND v.text_hash = m.text_hash)"
            if only_missing
            else ""
        )
        sql = (
            "SELECT coalesce(sum(n), 0), count(*), coalesce(sum(chars), 0) FROM (SELECT count(*) n,"
            " min(:cut, max(length(m.title) + length(m.body) + 3)) chars FROM memory m"
            f" WHERE {_BELONGS} AND {_IN_FOLDER}{missing} GROUP BY m.text_hash)"
        )
        with self._database.reading() as connection:
            row = connection.exec_driver_sql(
                sql, {"folder": folder, "key": model_key, "cut": EMBEDDED_TEXT_CHARS}
            ).one()
        return row[0], row[1], row[2]

    def texts_without(
        self, folder: FolderPk | None, model_key: str, after: MemoryPk, limit: int
    ) -> list[tuple[MemoryPk, str, str]]:
        """The next memories whose text has no vector of that model."""
        sql = (
            f"SELECT m.pk, m.text_hash FROM memory m WHERE {_BELONGS} AND {_IN_FOLDER} AND m.pk > :after"
            " AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.model_key = :key AND v.text_hash = m.text_hash)"
            " ORDER BY m.pk LIMIT :limit"
        )
        given = {"folder": folder, "key": model_key, "after": after, "limit": limit}
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql(sql, given).all()
            texts = texts_of(connection, [row[0] for row in rows])
        return [(MemoryPk(row[0]), row[1], texts.get(row[0], "")) for row in rows]

    def enqueue(self, memories: Sequence[MemoryPk]) -> None:
        """Put memories into the outbox."""
        with self._database.writing() as connection:
            _enqueue(connection, f"WHERE {among('pk')}", (key_list(memories),))

    def vectors_in(self, model_key: str, folder: FolderPk | None) -> tuple[int, int]:
        """Different texts with a vector of that model, and different texts at all."""
        sql = (
            "SELECT count(v.text_hash), count(*) FROM (SELECT DISTINCT m.text_hash h FROM memory m"
            f" WHERE {_BELONGS} AND {_IN_FOLDER}) LEFT JOIN vector v ON v.model_key = :key AND v.text_hash = h"
        )
        with self._database.reading() as connection:
            row = connection.exec_driver_sql(sql, {"folder": folder, "key": model_key}).one()
        return row[0], row[1]

    def fill_vectors(self, source: str, target: str) -> int:
        """Copy what the target lacks."""
        with self._database.writing() as connection:
            return connection.exec_driver_sql(
                "INSERT INTO vector (model_key, text_hash, data) SELECT ?, text_hash, data FROM vector"
                " WHERE model_key = ? ON CONFLICT DO NOTHING",
                (target, source),
            ).rowcount

    def take_vectors(self, source: str, target: str) -> int:
        """Put one set in place of the other; all memories wait for the index then."""
        with self._database.writing() as connection:
            count = connection.exec_driver_sql(
                "INSERT INTO vector (model_key, text_hash, data) SELECT ?, text_hash, data FROM vector"
                " WHERE model_key = ? ON CONFLICT DO UPDATE SET data = excluded.data",
                (target, source),
            ).rowcount
            connection.exec_driver_sql("DELETE FROM vector WHERE model_key = ?", (source,))
            _enqueue(connection, "WHERE true", ())
        return count

    def drop_vectors(self, model_key: str) -> int:
        """Remove a set."""
        with self._database.writing() as connection:
            return connection.exec_driver_sql("DELETE FROM vector WHERE model_key = ?", (model_key,)).rowcount

    def vector_models(self) -> Sequence[tuple[str, int]]:
        """Model keys with numbers of vectors."""
        with self._database.reading() as connection:
            rows = connection.exec_driver_sql("SELECT model_key, count(*) FROM vector GROUP BY 1 ORDER BY 1")
            return [(row[0], row[1]) for row in rows]


_JOURNAL_BYTES = (
    "SELECT coalesce(sum(coalesce(length(CAST(before AS BLOB)), 0)"
    " + coalesce(length(CAST(after AS BLOB)), 0)), 0) FROM journal"
)
_LATE = 86_400_000_000
"""A day in microseconds: clocks of two machines may differ."""
_USED = (
    'SELECT s.value pk, count(*) runs, max(r."at") last FROM recall_run r, json_each(r.selected) s'
    " WHERE r.mode = 'commit' GROUP BY 1"
)


def _number(connection: Connection, sql: str) -> int:
    value: int = connection.exec_driver_sql(sql).scalar_one()
    return value


def _enqueue(connection: Connection, where: str, parameters: tuple[object, ...]) -> None:
    connection.exec_driver_sql(
        f"INSERT INTO outbox (memory, id, version) SELECT pk, id, 1 FROM memory {where}"
        " ON CONFLICT (memory) DO UPDATE SET version = outbox.version + 1",
        parameters,
    )


def _low_sequences(connection: Connection) -> dict[str, int]:
    """Kinds whose next key is in use already, with the first free one."""
    known = {row[0]: row[1] for row in connection.exec_driver_sql("SELECT kind, next FROM sequence")}
    low = {}
    for kind in Kind:
        free = _number(connection, f'SELECT coalesce(max(pk), 0) + 1 FROM "{kind.value}"')
        if free > known.get(kind.value, 1):
            low[kind.value] = free
    return low


def _low_recalls(connection: Connection, now: int) -> int:
    """Memories recalled more often than they count, or last in the future."""
    return _number(
        connection,
        f"SELECT (SELECT count(*) FROM ({_USED}) u JOIN memory m ON m.pk = u.pk WHERE u.runs > m.activation_count)"
        f" + (SELECT count(*) FROM memory WHERE last_activated_at > {now + _LATE})",
    )


def _unfit(connection: Connection, model_key: str, dims: int) -> list[str]:
    """Hashes of vectors of another length, or with numbers that are not finite. Cost: reads all of them."""
    found: list[str] = []
    rows = connection.exec_driver_sql("SELECT text_hash, data FROM vector WHERE model_key = ?", (model_key,))
    for page in rows.partitions(PAGE):
        good = [row for row in page if len(row[1]) == 4 * dims]
        found += [row[0] for row in page if len(row[1]) != 4 * dims]
        if good:
            values = np.frombuffer(b"".join(row[1] for row in good), dtype="<f4").reshape(len(good), dims)
            finite = np.isfinite(values).all(axis=1)
            found += [row[0] for row, fine in zip(good, finite, strict=True) if not fine]
    return found
