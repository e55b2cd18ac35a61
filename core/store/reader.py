"""Typed reads over one connection (core.ports.store.Reader)."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from core.domain.document import DocumentRow
from core.domain.edge import Edge, EdgeEnds
from core.domain.enums import Kind, Layer, Status, StatusReason, TagKind
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.health import Fault, Faulty
from core.domain.ids import DocumentPk, FolderPk, MemoryId, MemoryPk, OpId, RelationId, TypeId
from core.domain.memory import Alias, MemoryState, Tag, TagSet, cut_title
from core.domain.merge import MergeRecord
from core.domain.pin import Pin
from core.domain.proposal import Proposal, ProposalKind, ProposalRow
from core.domain.queries import MemoryFilter, Sort
from core.domain.queries_chat import FloorCounts
from core.domain.results import Facets, FolderNode, LibraryCounts, MemoryRow
from core.domain.sayings import SaidChange
from core.domain.schema import MemoryType, RelationType, Schema
from core.ports.store import R
from core.store import chat_rows, faults, filters, naming, proposal_rows, said
from core.store.codecs import FIELDS, decode, from_micros, to_micros
from core.store.neighbours import edge_ends, neighbours
from core.store.packed_rows import keys_of, stored_vectors, vector_groups
from core.store.search_functions import said_when_slow
from core.store.search_sql import live_edges

SNIPPET_CHARS = 160
_LEADS_TO_MEMORY = (
    ("edge", "source"),
    ("edge", "target"),
    ("memory", "parent"),
    ("memory", "merged_into"),
    ("not_duplicate", "a"),
    ("not_duplicate", "b"),
    ("pin", "memory"),
)
_TAG_ORDER = {kind: place for place, kind in enumerate(TagKind)}


class SqlReader:
    """Reads of one consistent view. Cost of a call: one statement, whatever the number of pks."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known_schema: Schema | None = None

    # --- helpers -------------------------------------------------------------------------

    def _rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The driver's own rows: SQLAlchemy's would cost as much again as reading them."""
        with self._connection.exec_driver_sql(sql, parameters) as result:
            return list(result.cursor.fetchall())

    def _keys(self, sql: str, parameters: tuple[Any, ...] = ()) -> array[int]:
        return array("q", chain.from_iterable(self._rows(sql, parameters)))

    def _records(
        self, kind: type[R], tail: str, parameters: tuple[Any, ...] = (), alias: str = "t"
    ) -> list[R]:
        return [decode(kind, row) for row in self._rows(_select(kind.KIND, tail, alias), parameters)]

    # --- records -------------------------------------------------------------------------

    def records(self, kind: type[R], pks: Iterable[int]) -> list[R]:
        """Records in the order asked; unknown pks are left out."""
        wanted = list(pks)
        listed = self._records(kind, f"WHERE {filters.among('t.pk')}", (filters.key_list(wanted),))
        found: dict[int, R] = {record.pk: record for record in listed}
        return [found[pk] for pk in wanted if pk in found]

    def states(self, pks: Iterable[int]) -> list[MemoryState]:
        """States of memories in the order asked; unknown pks are left out."""
        wanted = list(pks)
        sql = (
            "SELECT pk, id, foreign_id, folder, type, layer, status, status_reason, locked,"
            f" deleted_at IS NOT NULL, merged_into FROM memory WHERE {filters.among('pk')}"
        )
        found = {row[0]: _state(row) for row in self._rows(sql, (filters.key_list(wanted),))}
        return [found[pk] for pk in wanted if pk in found]

    def changed_since(self, memory: MemoryPk, revision: int) -> bool:
        """See Reader. Revisions only rise, with undo too; so the changes since are looked up in the journal."""
        now = self._rows("SELECT revision FROM memory WHERE pk = ?", (memory,))
        left = now[0][0] - revision if now else -1
        if left <= 0:
            return left < 0
        rows = self._rows(
            "SELECT j.op, count(*), o.of_op FROM journal j JOIN op o ON o.pk = j.op"
            " WHERE j.memory = ? AND j.kind = 'memory' AND j.\"action\" = 'u'"
            " GROUP BY j.op ORDER BY j.op DESC LIMIT ?",
            (memory, left),
        )
        since: dict[int, int | None] = {}
        for op, times, of in rows:
            if left > 0:
                since[op] = of
                left -= times
        for op in tuple(since):  # newest first: an undo takes away what it undid, a redo the undo
            of = since.get(op)
            if of is not None and of in since:
                del since[op], since[of]
        return left > 0 or bool(since)

    def all_records(self, kind: type[R]) -> list[R]:
        """All records of a small table, by pk."""
        return self._records(kind, "ORDER BY t.pk")

    # --- memories ------------------------------------------------------------------------

    def memory_ids(self, where: MemoryFilter, sort: Sort) -> array[int]:
        """Pks that pass the filter, in order."""
        with said_when_slow(where.where):
            return self._keys(*filters.list_sql(where, sort))

    def memory_rows(self, pks: Sequence[int]) -> list[MemoryRow]:
        """Rows for the table, in the order asked."""
        sql = (
            "SELECT m.pk, m.id, m.type, m.folder, f.name, m.title, substr(m.body, 1, ?), m.layer, m.status,"
            " m.importance, m.activation_count, m.last_activated_at, m.created_at, m.updated_at, m.seq,"
            " m.level, m.locked, m.deleted_at IS NOT NULL, m.revision"
            f" FROM memory m JOIN folder f ON f.pk = m.folder WHERE {filters.among('m.pk')}"
        )
        found = {row[0]: row for row in self._rows(sql, (SNIPPET_CHARS * 2, filters.key_list(pks)))}
        return [_memory_row(found[pk]) for pk in pks if pk in found]

    def facets(self, where: MemoryFilter) -> Facets:
        """Counts under a filter."""
        clause = filters.where_of(where)
        with said_when_slow(where.where):
            rows = self._rows(
                f"SELECT m.type, m.layer, m.status, count(*) FROM {clause.source}{clause.sql} GROUP BY 1, 2, 3",
                tuple(clause.parameters),
            )
        counts: tuple[dict[str, int], ...] = ({}, {}, {})
        for *names, number in rows:
            for group, name in zip(counts, names, strict=True):
                group[name] = group.get(name, 0) + number
        return Facets(sum(row[3] for row in rows), *counts)

    def memories_in(self, folder: FolderPk) -> array[int]:
        """All memories of a folder, trashed ones too, by pk."""
        return self._keys("SELECT pk FROM memory WHERE folder = ? ORDER BY pk", (folder,))

    def resolve(self, ids: Sequence[str], folder: FolderPk | None) -> dict[str, list[MemoryPk]]:
        """Pks by public or foreign id."""
        wanted = filters.key_list(ids)
        found: dict[str, list[MemoryPk]] = defaultdict(list)
        for text, pk in self._rows(f"SELECT id, pk FROM memory WHERE {filters.among('id')}", (wanted,)):
            found[text].append(pk)
        within = "" if folder is None else " AND folder = ?"
        parameters = (wanted,) if folder is None else (wanted, folder)
        sql = f"SELECT foreign_id, pk FROM memory WHERE {filters.among('foreign_id')}{within} ORDER BY pk"
        for text, pk in self._rows(sql, parameters):
            if pk not in found[text]:
                found[text].append(pk)
        return {text: pks for text, pks in found.items() if pks}

    def children_of(self, parents: Iterable[MemoryPk]) -> array[int]:
        """Memories whose parent is one of these, by pk."""
        sql = f"SELECT pk FROM memory WHERE {filters.among('parent')} ORDER BY pk"
        return self._keys(sql, (filters.key_list(parents),))

    def said_at(self, memories: Sequence[MemoryPk]) -> dict[MemoryPk, OpId]:
        """The op by which each memory came to say what it says."""
        return said.said_at(self._rows, memories)

    def said_changes(self, memory: MemoryPk, limit: int) -> list[SaidChange]:
        """What a memory said before, newest change first."""
        return said.said_changes(self._rows, memory, limit)

    def pks_naming(self, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
        """Memories whose search text holds one of the names, newest first."""
        return naming.pks_naming(self._rows, names, folders)

    def pks_called(self, names: Sequence[str], folders: Collection[FolderPk] | None) -> list[MemoryPk]:
        """Memories that bear one of the names, newest first."""
        return naming.pks_called(self._rows, names, folders)

    def naming_by_floor(
        self,
        names: Sequence[str],
        folders: Collection[FolderPk] | None,
        also: Sequence[MemoryPk],
        type_id: TypeId,
        limit: int,
    ) -> tuple[list[MemoryPk], int]:
        """Those of a type that hold a name, or are among some, the last floors first; and how many."""
        return naming.naming_by_floor(self._rows, names, folders, also, type_id, limit)

    # --- tags and aliases ----------------------------------------------------------------

    def tags_of(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, list[Tag]]:
        """Tag rows by memory, in order of group and position."""
        found: dict[MemoryPk, list[Tag]] = defaultdict(list)
        condition = f"WHERE {filters.among('t.memory')} ORDER BY t.memory, t.position, t.pk"
        for tag in self._records(Tag, condition, (filters.key_list(memories),)):
            found[tag.memory].append(tag)
        for tags in found.values():
            tags.sort(key=lambda tag: _TAG_ORDER[tag.kind])
        return dict(found)

    def tag_sets(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, TagSet]:
        """TagSet of every memory asked for."""
        wanted = list(memories)
        rows = self.tags_of(wanted)
        return {pk: _tag_set(rows.get(pk, [])) for pk in wanted}

    def tag_names(self, kind: TagKind | None, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Tags in use with counts, most used first."""
        where = filters.Where()
        where.add("tag.memory NOT IN (SELECT pk FROM memory WHERE deleted_at IS NOT NULL)")
        counted = "count(DISTINCT tag.memory)" if kind is None else "count(*)"
        if kind is not None:
            where.add("tag.kind = ?", kind.value)
        if prefix:
            where.add("substr(lower(tag.value), 1, ?) = ?", len(prefix), prefix.lower())
        sql = f"SELECT tag.value, {counted} AS n FROM tag{where.sql} GROUP BY tag.value ORDER BY n DESC, tag.value LIMIT ?"
        return [(value, count) for value, count in self._rows(sql, (*where.parameters, limit))]

    def aliases_of(self, memories: Iterable[MemoryPk]) -> dict[MemoryPk, list[Alias]]:
        """Alias rows by memory, in order."""
        found: dict[MemoryPk, list[Alias]] = defaultdict(list)
        condition = f"WHERE {filters.among('t.memory')} ORDER BY t.memory, t.position, t.pk"
        for alias in self._records(Alias, condition, (filters.key_list(memories),)):
            found[alias.memory].append(alias)
        return dict(found)

    # --- edges ---------------------------------------------------------------------------

    def edges_touching(self, memories: Iterable[MemoryPk]) -> list[Edge]:
        """Edges with at least one end among these, by pk."""
        keys = filters.key_list(memories)
        sql = (
            f"WHERE t.pk IN (SELECT pk FROM edge WHERE {filters.among('source')}"
            f" UNION SELECT pk FROM edge WHERE {filters.among('target')}) ORDER BY t.pk"
        )
        return self._records(Edge, sql, (keys, keys))

    def beside(self, memories: Sequence[MemoryPk], at: datetime) -> array[int]:
        """Other memories one living relation away. Cost: two look-ups in indexes for each memory."""
        keys, living = filters.key_list(memories), live_edges(to_micros(at))
        ends = (
            f"SELECT target AS beside FROM edge WHERE {filters.among('source')} AND {living}"
            f" UNION ALL SELECT source FROM edge WHERE {filters.among('target')} AND {living}"
        )
        return self._keys(
            f"SELECT beside FROM ({ends}) WHERE beside NOT IN (SELECT value FROM json_each(?))"
            " GROUP BY beside ORDER BY count(*) DESC, beside",
            (keys, keys, keys),
        )

    def neighbours(
        self,
        memories: Sequence[MemoryPk],
        relations: Collection[RelationId],
        *,
        outward: bool,
        inward: bool,
        at: datetime | None,
    ) -> array[int]:
        """Memories at the other end of relations, by pk."""
        return neighbours(self._rows, memories, relations, outward=outward, inward=inward, at=at)

    def edge_ends(self, memory: MemoryPk, at: datetime) -> list[EdgeEnds]:
        """All relations of a memory as far as they are sorted by."""
        return edge_ends(self._rows, memory, at)

    def edges_between(self, source: MemoryPk, target: MemoryPk) -> list[Edge]:
        """Edges of exactly this direction, by pk."""
        return self._records(Edge, "WHERE t.source = ? AND t.target = ? ORDER BY t.pk", (source, target))

    def edges_in(self, folder: FolderPk) -> list[Edge]:
        """Edges whose source lies in the folder, by pk."""
        return self._records(
            Edge, "JOIN memory m ON m.pk = t.source WHERE m.folder = ? ORDER BY t.pk", (folder,)
        )

    def pins_of(self, place: str) -> list[Pin]:
        """Pins of one picture of the graph, by memory."""
        return self._records(Pin, "WHERE t.place = ? ORDER BY t.memory", (place,))

    def pins_on(self, memories: Iterable[MemoryPk]) -> list[Pin]:
        """Pins of these memories, by pk."""
        where = f"WHERE {filters.among('t.memory')} ORDER BY t.pk"
        return self._records(Pin, where, (filters.key_list(memories),))

    def not_duplicates_of(self, memories: Iterable[MemoryPk]) -> list[NotDuplicate]:
        """Pairs told to be different in which one of these stands, by pk."""
        keys = filters.key_list(memories)
        where = f"WHERE {filters.among('t.a')} OR {filters.among('t.b')} ORDER BY t.pk"
        return self._records(NotDuplicate, where, (keys, keys))

    def merges(
        self, *, survivors: Iterable[MemoryPk] = (), losers: Iterable[MemoryPk] = ()
    ) -> list[MergeRecord]:
        """What was merged into one of the survivors, or is one of the losers, by pk."""
        where = f"WHERE {filters.among('t.survivor')} OR {filters.among('t.loser')} ORDER BY t.pk"
        return self._records(MergeRecord, where, (filters.key_list(survivors), filters.key_list(losers)))

    # --- folders and what lies in them ---------------------------------------------------

    def proposal(self, pk: int) -> Proposal | None:
        """One proposal with its parts and what was decided about them."""
        return proposal_rows.one(self._connection, pk)

    def proposal_rows(self, kind: ProposalKind | None, folder: FolderPk | None) -> list[ProposalRow]:
        """Proposals with numbers of parts, newest first."""
        return proposal_rows.listed(self._connection, kind, folder)

    def last_recalled(self, folder: FolderPk) -> tuple[MemoryPk, ...] | None:
        """What a recall handed out last for the folder."""
        found = self._rows(
            "SELECT selected FROM recall_run WHERE folder = ? ORDER BY pk DESC LIMIT 1", (folder,)
        )
        return tuple(MemoryPk(pk) for pk in json.loads(found[0][0])) if found else None

    def folder_named(self, name: str) -> Folder | None:
        """The folder of that name."""
        found = self._records(Folder, "WHERE t.name = ?", (name,))
        return found[0] if found else None

    def folder_nodes(self) -> list[FolderNode]:
        """Folders with counts, by name."""
        memories = {
            row[0]: row[1:]
            for row in self._rows(
                "SELECT folder, count(*), sum(status = 'archived') FROM memory INDEXED BY ix_memory_list"
                " WHERE deleted_at IS NULL GROUP BY folder"
            )
        }
        trash = dict(
            self._pairs(
                "SELECT folder, count(*) FROM memory INDEXED BY ix_memory_trash"
                " WHERE deleted_at IS NOT NULL GROUP BY folder"
            )
        )
        messages = dict(self._pairs("SELECT folder, count(*) FROM message GROUP BY folder"))
        documents = dict(self._pairs("SELECT folder, count(*) FROM document GROUP BY folder"))
        nodes = []
        for folder in self._records(Folder, "ORDER BY t.name"):
            live, archived = memories.get(folder.pk, (0, 0))
            nodes.append(
                FolderNode(
                    folder,
                    live,
                    archived,
                    trash.get(folder.pk, 0),
                    messages.get(folder.pk, 0),
                    documents.get(folder.pk, 0),
                )
            )
        return nodes

    def messages_of(self, folder: FolderPk, start: int = 0, stop: int | None = None) -> list[Message]:
        """Chat lines of a folder by floor."""
        if stop is None:
            return self._records(Message, "WHERE t.folder = ? AND t.seq >= ? ORDER BY t.seq", (folder, start))
        return self._records(
            Message, "WHERE t.folder = ? AND t.seq >= ? AND t.seq < ? ORDER BY t.seq", (folder, start, stop)
        )

    def messages_from(self, folder: FolderPk, start: int, limit: int) -> list[Message]:
        """At most so many chat lines of a folder from a floor on, by floor."""
        where = "WHERE t.folder = ? AND t.seq >= ? ORDER BY t.seq LIMIT ?"
        return self._records(Message, where, (folder, start, limit))

    def floor_counts(self) -> dict[FolderPk, FloorCounts]:
        """Sizes of all chats."""
        return chat_rows.floor_counts(self._rows)

    def floor_numbers(self, folder: FolderPk, start: int = 0, stop: int | None = None) -> array[int]:
        """Numbers of the floors of a stretch."""
        return chat_rows.floor_numbers(self._rows, folder, start, stop)

    def floors_with(self, folder: FolderPk, text: str, start: int = 0, stop: int | None = None) -> array[int]:
        """Numbers of the floors that hold a text."""
        return chat_rows.floors_with(self._rows, folder, text, start, stop)

    def floor_spans(self, folder: FolderPk) -> dict[MemoryPk, tuple[int, int]]:
        """First and last floor of each memory of a folder."""
        return chat_rows.floor_spans(self._rows, folder)

    def with_extra(self, folder: FolderPk, key: str) -> list[MemoryPk]:
        """Memories of a folder that keep something under a key."""
        return chat_rows.with_extra(self._rows, folder, key)

    def documents_of(self, folder: FolderPk) -> list[Document]:
        """Documents of a folder, by pk."""
        return self._records(Document, "WHERE t.folder = ? ORDER BY t.pk", (folder,))

    def document_rows(self, folder: FolderPk | None) -> list[DocumentRow]:
        """Documents with the number of their pieces, by pk."""
        within, parameters = ("", ()) if folder is None else (" WHERE d.folder = ?", (folder,))
        sql = (
            "SELECT d.pk, d.id, d.folder, f.name, d.title, d.path, d.media_type, d.version, length(d.text), d.extra, d.content_hash, d.created_at,"
            " (SELECT count(*) FROM memory m WHERE m.document = d.pk AND m.deleted_at IS NULL),"
            " (SELECT count(*) FROM memory m JOIN outbox o ON o.memory = m.pk WHERE m.document = d.pk)"
            f" FROM document d JOIN folder f ON f.pk = d.folder{within} ORDER BY d.pk"
        )
        return [_document_row(row) for row in self._rows(sql, parameters)]

    def documents_like(self, folder: FolderPk, content_hash: str, path: str, title: str) -> list[Document]:
        """Documents of a folder with that text, that path or that title, by pk."""
        where = (
            "WHERE t.folder = ? AND (t.content_hash = ? OR (t.path <> '' AND t.path = ?) OR t.title = ?)"
            " ORDER BY t.pk"
        )
        return self._records(Document, where, (folder, content_hash, path, title))

    def depended_on(self, memories: Iterable[MemoryPk]) -> set[int]:
        """Those of the memories to which others refer."""
        keys = filters.key_list(memories)
        found: set[int] = set()
        for table, column in _LEADS_TO_MEMORY:
            found.update(self._keys(f"SELECT {column} FROM {table} WHERE {filters.among(column)}", (keys,)))
        return found

    def memos_of(self, folder: FolderPk) -> list[Memo]:
        """Memos of a folder, by pk."""
        return self._records(Memo, "WHERE t.folder = ? ORDER BY t.pk", (folder,))

    # --- schema and sizes ----------------------------------------------------------------

    def keys_of(self, kind: Kind, ids: Sequence[str]) -> dict[str, int]:
        """Keys by public id."""
        return keys_of(self._connection, kind, ids)

    def vector_groups(self, memories: Sequence[MemoryPk] | None) -> list[tuple[str, int, int]]:
        """Model, bytes of a vector and number of memories."""
        return vector_groups(self._connection, memories)

    def stored_vectors(
        self, model_key: str, size: int, memories: Sequence[MemoryPk]
    ) -> list[tuple[str, str, bytes]]:
        """Id, text hash and vector of memories."""
        return stored_vectors(self._connection, model_key, size, memories)

    def schema(self) -> Schema:
        """Memory types and relation types, in their order. Read once a view."""
        if self._known_schema is None:
            types, relations = (
                tuple(self._rows(_select(kind, "ORDER BY t.position, t.pk")))
                for kind in (Kind.MEMORY_TYPE, Kind.RELATION_TYPE)
            )
            self._known_schema = _schema(types, relations)
        return self._known_schema

    def faulty(self, fault: Fault, now: datetime) -> list[Faulty]:
        """Rows with a fault, each with what would put it right."""
        return faults.faulty(self._connection, fault, now)

    def types_in_use(self) -> dict[str, int]:
        """Number of memories (trashed too) by type."""
        return dict(self._pairs("SELECT type, count(*) FROM memory GROUP BY type"))

    def relations_in_use(self) -> dict[str, int]:
        """Number of edges by relation."""
        return dict(self._pairs("SELECT relation, count(*) FROM edge GROUP BY relation"))

    def counts(self, *, journal: bool = True) -> LibraryCounts:
        """Sizes; that of the journal is 0 when it is not asked for (Cost: it reads all of the journal)."""
        row = self._rows(
            "SELECT (SELECT count(*) FROM memory WHERE deleted_at IS NULL),"
            " (SELECT count(*) FROM memory INDEXED BY ix_memory_list"
            " WHERE deleted_at IS NULL AND status = 'archived'),"
            " (SELECT count(*) FROM memory WHERE deleted_at IS NOT NULL),"
            " (SELECT count(*) FROM edge), (SELECT count(*) FROM folder), (SELECT count(*) FROM message),"
            " (SELECT count(*) FROM document), (SELECT count(*) FROM outbox), (SELECT count(*) FROM op),"
            " (SELECT coalesce(sum(coalesce(length(before), 0) + coalesce(length(after), 0)), 0)"
            " FROM journal WHERE ?)",
            (journal,),
        )[0]
        return LibraryCounts(*row)

    def _pairs(self, sql: str) -> list[tuple[Any, int]]:
        return [(row[0], row[1]) for row in self._rows(sql)]


def _select(kind: Kind, tail: str, alias: str = "t") -> str:
    columns = ", ".join(f'{alias}."{name}"' for name in FIELDS[kind])
    return f"SELECT {columns} FROM {kind.value} {alias} {tail}"


@lru_cache(maxsize=8)
def _schema(types: tuple[tuple[Any, ...], ...], relations: tuple[tuple[Any, ...], ...]) -> Schema:
    """Kept by the very rows: every op reads them, and making sense of them would be half its cost."""
    return Schema(
        tuple(decode(MemoryType, row) for row in types),
        tuple(decode(RelationType, row) for row in relations),
    )


def _tag_set(tags: Iterable[Tag]) -> TagSet:
    groups: dict[TagKind, list[str]] = {kind: [] for kind in TagKind}
    for tag in tags:
        groups[tag.kind].append(tag.value)
    return TagSet(
        general=tuple(groups[TagKind.GENERAL]),
        core=tuple(groups[TagKind.CORE]),
        diffusion=tuple(groups[TagKind.DIFFUSION]),
        opposing=tuple(groups[TagKind.OPPOSING]),
    )


def _state(row: tuple[Any, ...]) -> MemoryState:
    return MemoryState(
        pk=MemoryPk(row[0]),
        id=MemoryId(row[1]),
        foreign_id=row[2],
        folder=FolderPk(row[3]),
        type=TypeId(row[4]),
        layer=Layer(row[5]),
        status=Status(row[6]),
        status_reason=None if row[7] is None else StatusReason(row[7]),
        locked=bool(row[8]),
        trashed=bool(row[9]),
        merged_into=None if row[10] is None else MemoryPk(row[10]),
    )


def _document_row(row: tuple[Any, ...]) -> DocumentRow:
    return DocumentRow(
        pk=DocumentPk(row[0]),
        id=row[1],
        folder=FolderPk(row[2]),
        folder_name=row[3],
        title=row[4],
        path=row[5],
        media_type=row[6],
        version=row[7],
        characters=row[8],
        details=json.loads(row[9]),
        content_hash=row[10],
        created_at=from_micros(row[11]),
        pieces=row[12],
        waiting=row[13],
    )


def _memory_row(row: tuple[Any, ...]) -> MemoryRow:
    title, start = row[5], row[6]
    one_line = " ".join(start.split())
    shown = title or cut_title(one_line)
    return MemoryRow(
        pk=MemoryPk(row[0]),
        id=MemoryId(row[1]),
        type=TypeId(row[2]),
        folder=FolderPk(row[3]),
        folder_name=row[4],
        title=shown,
        snippet=one_line[:SNIPPET_CHARS],
        layer=Layer(row[7]),
        status=Status(row[8]),
        importance=row[9],
        activation_count=row[10],
        last_activated_at=None if row[11] is None else from_micros(row[11]),
        created_at=from_micros(row[12]),
        updated_at=from_micros(row[13]),
        seq=row[14],
        level=row[15],
        locked=bool(row[16]),
        trashed=bool(row[17]),
        revision=row[18],
    )
