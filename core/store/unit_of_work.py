"""One op being written: rows, journal, derived columns and outbox in one transaction (or chunks of it)."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from sqlalchemy import Connection

from core.domain.api import Cancel
from core.domain.enums import Kind, OpState
from core.domain.ids import MemoryPk, OpId
from core.domain.memory import Alias, Tag, TagSet
from core.domain.results import OpInfo
from core.domain.safe_text import storable
from core.ports.progress import Progress, ignore_progress
from core.ports.store import OpDraft, R
from core.store import derived, journal
from core.store.codecs import encode, encode_record, to_micros
from core.store.database import Database
from core.store.erase import erase_memories
from core.store.filters import among, key_list
from core.store.history import read_op
from core.store.label_diff import alias_changes, tag_changes
from core.store.packed_rows import keep_hashed
from core.store.reader import SqlReader
from core.store.rows import Dirty, Row, RowWriter

COMMIT_AFTER_S = 0.2
"""A transaction older than this is committed at the next checkpoint (DESIGN §3)."""

_UNTOUCHED = frozenset({"updated_at", "revision"})


class SqlUnitOfWork(SqlReader):
    """Writes for one op (core.ports.store.UnitOfWork). Used within one thread."""

    def __init__(
        self,
        database: Database,
        draft: OpDraft,
        now: datetime,
        progress: Progress = ignore_progress,
        cancel: Cancel | None = None,
    ) -> None:
        self._database = database
        self._draft = draft
        self._now = now
        self._progress = progress
        self._cancel = cancel
        self._dirty = Dirty()
        self._inserted: dict[Kind, set[int]] = defaultdict(set)
        self._rehash: dict[Kind, set[int]] = defaultdict(set)
        self.touched: dict[Kind, set[int]] = defaultdict(set)
        self.memories: set[int] = set()
        self.committed_chunks = 0
        self._transaction: AbstractContextManager[Connection] | None = None
        self._begin()

    # --- life of the transaction ---------------------------------------------------------

    def _begin(self) -> None:
        self._transaction = self._database.writing()
        connection = self._transaction.__enter__()
        super().__init__(connection)
        self._writer = RowWriter(connection, self._dirty)
        self._began = time.monotonic()

    def _end(self) -> None:
        transaction, self._transaction = self._transaction, None
        if transaction is not None:
            transaction.__exit__(None, None, None)

    def abandon(self) -> None:
        """Roll back what is not committed. Chunks that are committed stay for the journal to undo."""
        transaction, self._transaction = self._transaction, None
        if transaction is not None:
            stop = RuntimeError("abandoned")
            try:
                transaction.__exit__(RuntimeError, stop, None)
            except RuntimeError as error:
                if error is not stop:
                    raise

    def complete(self) -> OpInfo | None:
        """Commit. The op's record, None when nothing was changed."""
        self._settle(OpState.COMPLETE)
        info = read_op(self._connection, OpId(self._draft.pk)) if self._draft.pk else None
        self._end()
        return info

    def checkpoint(self, done: int, total: int) -> None:
        """See core.ports.store.UnitOfWork."""
        self._progress(done, total)
        if self._cancel is not None:
            self._cancel.check()
        if time.monotonic() - self._began > COMMIT_AFTER_S and self._draft.pk:
            self._settle(OpState.OPEN)
            self._end()
            self.committed_chunks += 1
            self._begin()

    def _settle(self, state: OpState) -> None:
        derived.refresh(self._connection, self._dirty)
        if not self._draft.pk:
            return
        for kind, pks in self._rehash.items():
            if not pks:
                continue
            rows = self._writer.fetch(kind, pks)
            digests = [(pk, journal.digest(kind, row)) for pk, row in rows.items()]
            journal.rewrite_digests(self._connection, self._draft.pk, kind, digests)
        self._rehash.clear()
        self._connection.exec_driver_sql(
            'UPDATE op SET state = ?, args = ?, "rows" = ?, memories = ? WHERE pk = ?',
            (
                state.value,
                json.dumps(self._draft.args, ensure_ascii=False),
                sum(map(len, self.touched.values())),
                len(self.memories),
                self._draft.pk,
            ),
        )

    # --- the op --------------------------------------------------------------------------

    @property
    def op(self) -> OpId:
        """The op's id, 0 while nothing is written."""
        return OpId(self._draft.pk)

    @property
    def now(self) -> datetime:
        """Time of the op."""
        return self._now

    @property
    def by_program(self) -> bool:
        """Whether a program writes."""
        return self._draft.actor.kind.value == "program"

    def label(self, **args: object) -> None:
        """Arguments of the op's name."""
        safe = {name: storable(value) if isinstance(value, str) else value for name, value in args.items()}
        self._draft.args.update(safe)

    def _need_op(self) -> int:
        if not self._draft.pk:
            draft = self._draft
            row = self._connection.exec_driver_sql(
                'INSERT INTO op (label, args, actor_kind, actor_name, session, pid, "at", role, state, undoable,'
                ' of_op, undone_by, "rows", memories) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 0)'
                " RETURNING pk",
                (
                    draft.label,
                    "{}",
                    draft.actor.kind.value,
                    draft.actor.name,
                    draft.actor.session,
                    os.getpid(),
                    to_micros(self._now),
                    draft.role.value,
                    OpState.OPEN.value,
                    int(draft.undoable),
                    draft.of,
                ),
            ).one()
            draft.pk = row[0]
        return self._draft.pk

    def _record(self, kind: Kind, entries: Sequence[journal.Entry]) -> None:
        journal.write(self._connection, self._need_op(), entries)
        self.touched[kind].update(entry.pk for entry in entries)
        if kind in (Kind.MEMORY_TYPE, Kind.RELATION_TYPE):
            self._known_schema = None
        self.memories.update(entry.memory for entry in entries if entry.memory is not None)
        self.memories.update(entry.other for entry in entries if entry.other is not None)

    # --- writes --------------------------------------------------------------------------

    def insert(self, records: Sequence[R]) -> list[int]:
        """Store new records of one kind; returns their keys."""
        if not records:
            return []
        kind = records[0].KIND
        pks = self._writer.reserve(kind, len(records))
        rows = [encode_record(record) for record in records]
        for row, pk in zip(rows, pks, strict=True):
            row["pk"] = pk
        self.insert_rows(kind, rows)
        return list(pks)

    def bring_back(self, records: Sequence[R]) -> None:
        """Store records of one kind again under their keys."""
        if records:
            self.insert_rows(records[0].KIND, [encode_record(record) for record in records])

    def insert_rows(self, kind: Kind, rows: Sequence[Row]) -> None:
        """Store whole rows under the keys they carry (an undo brings rows back)."""
        if not rows:
            return
        self._writer.insert(kind, rows)
        self._inserted[kind].update(row["pk"] for row in rows)
        self._record(kind, [journal.inserted(kind, row) for row in rows])

    def update(self, kind: Kind, pks: Iterable[int], values: Mapping[str, object]) -> int:
        """The same values on many rows."""
        row = encode(kind, values)
        return self._update_rows(kind, dict.fromkeys(pks, row), same=row)

    def update_each(self, kind: Kind, values: Mapping[int, Mapping[str, object]]) -> int:
        """Different values on many rows."""
        return self._update_rows(kind, {pk: encode(kind, change) for pk, change in values.items()})

    def update_rows(self, kind: Kind, rows: Mapping[int, Row]) -> int:
        """Encoded values on rows (an undo sets rows back)."""
        return self._update_rows(kind, rows)

    def _update_rows(self, kind: Kind, rows: Mapping[int, Row], same: Row | None = None) -> int:
        names = sorted({name for row in rows.values() for name in row})
        if not names:
            return 0
        looked_at = dict.fromkeys([*names, *journal.owner_columns(kind)])
        if kind is Kind.MEMORY:
            looked_at["updated_at"] = None
        present = self._writer.fetch(kind, rows, list(looked_at))
        entries: list[journal.Entry] = []
        changed: dict[int, Row] = {}
        for pk, old in present.items():
            new = {name: value for name, value in rows[pk].items() if value != old[name]}
            if new.keys() <= _UNTOUCHED:
                continue
            if kind is Kind.MEMORY:
                new.setdefault("updated_at", rows[pk].get("updated_at", to_micros(self._now)))
            changed[pk] = new
            if pk not in self._inserted[kind]:
                entries.append(self._updated(kind, pk, old, new))
        if not changed:
            return 0
        self._write_changes(kind, changed, same)
        kept = [pk for pk in changed if pk in self._inserted[kind]]
        self._rehash[kind].update(kept)
        if entries:
            self._record(kind, entries)
        return len(changed)

    @staticmethod
    def _updated(kind: Kind, pk: int, old: Row, new: Row) -> journal.Entry:
        before = {name: old[name] for name in new}
        memory, other = journal.owners(kind, {**old, "pk": pk})
        return journal.Entry(kind, pk, journal.UPDATE, before, new, None, memory, other)

    def _write_changes(self, kind: Kind, changed: Mapping[int, Row], same: Row | None) -> None:
        if same is None or len(changed) < 2:
            self._writer.update(kind, changed)
            return
        row = dict(same)
        if kind is Kind.MEMORY:
            row.setdefault("updated_at", to_micros(self._now))
        self._writer.update_same(kind, list(changed), row)

    def delete(self, kind: Kind, pks: Iterable[int]) -> int:
        """Delete rows; their images stay in the journal."""
        rows = self._writer.fetch(kind, pks)
        if not rows:
            return 0
        self._writer.delete(kind, rows)
        entries = []
        for pk, row in rows.items():
            memory, other = journal.owners(kind, row)
            entries.append(journal.Entry(kind, pk, journal.DELETE, row, None, None, memory, other))
            self._inserted[kind].discard(pk)
            self._rehash[kind].discard(pk)
        self._record(kind, entries)
        return len(rows)

    def erase(self, memories: Iterable[MemoryPk]) -> int:
        """Delete memories for ever, with all that is about them and their images."""
        pks = list(self._writer.fetch(Kind.MEMORY, memories, ()))
        if not pks:
            return 0
        self._need_op()
        erase_memories(self._connection, self._dirty, pks)
        self.touched[Kind.MEMORY].update(pks)
        self.memories.update(pks)
        return len(pks)

    def replace_tags(self, tags: Mapping[MemoryPk, TagSet]) -> int:
        """Make these the tags of the memories."""
        old = self.tags_of(tags)
        dropped: list[int] = []
        moved: dict[int, dict[str, object]] = {}
        added: list[Tag] = []
        changed = 0
        for pk, wanted in tags.items():
            change = tag_changes(pk, old.get(pk, []), wanted)
            changed += bool(change)
            dropped += change.dropped
            moved |= change.moved
            added += change.added
        self.delete(Kind.TAG, dropped)
        self.update_each(Kind.TAG, moved)
        self.insert(added)
        return changed

    def replace_aliases(self, aliases: Mapping[MemoryPk, Sequence[str]]) -> int:
        """Make these the aliases of the memories."""
        old = self.aliases_of(aliases)
        dropped: list[int] = []
        moved: dict[int, dict[str, object]] = {}
        added: list[Alias] = []
        changed = 0
        for pk, wanted in aliases.items():
            change = alias_changes(pk, old.get(pk, []), wanted)
            changed += bool(change)
            dropped += change.dropped
            moved |= change.moved
            added += change.added
        self.delete(Kind.ALIAS, dropped)
        self.update_each(Kind.ALIAS, moved)
        self.insert(added)
        return changed

    def keep_vectors(self, model_key: str, vectors: Sequence[tuple[MemoryPk, bytes]]) -> None:
        """Store vectors that came with an import under the hash of their memory's text."""
        derived.refresh(self._connection, self._dirty)
        keys = key_list(pk for pk, _ in vectors)
        sql = f"SELECT pk, text_hash FROM memory WHERE {among('pk')} AND text_hash <> ''"
        hashes = {row[0]: row[1] for row in self._connection.exec_driver_sql(sql, (keys,))}
        rows = [(model_key, hashes[pk], data) for pk, data in vectors if pk in hashes]
        if rows:
            self._connection.exec_driver_sql(
                "INSERT INTO vector (model_key, text_hash, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                rows,
            )

    def keep_hashed_vectors(self, model_key: str, vectors: Sequence[tuple[str, bytes]]) -> int:
        """Store vectors whose text a memory has."""
        derived.refresh(self._connection, self._dirty)
        return keep_hashed(self._connection, model_key, vectors)

    # --- for undo ------------------------------------------------------------------------

    def present(self, kind: Kind, pks: Iterable[int], columns: Sequence[str] | None = None) -> dict[int, Row]:
        """Encoded rows as they are now."""
        return self._writer.fetch(kind, pks, columns)

    def mark_undone(self, op: OpId) -> None:
        """Record that this op undid another one."""
        self._connection.exec_driver_sql("UPDATE op SET undone_by = ? WHERE pk = ?", (self._need_op(), op))

    @property
    def connection(self) -> Connection:
        """The connection of the current transaction (store modules only)."""
        return self._connection
