"""Folders as a Booku metadata.db of the newest generation, and the collections of its Chroma folder.

Source: spec/BOOKU §1.4, §1.6, §1.7.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.adapters.formats.booku_db import MEMOS, TAGS
from core.adapters.formats.booku_links import INVOLVED_IN
from core.adapters.formats.booku_rows import COLUMNS, PERSON, UNKNOWN, own_extra, row_of
from core.adapters.formats.booku_tags import rows_to_write
from core.adapters.formats.kept import give_back
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.values import epoch_s, text
from core.algos.booku_names import collection
from core.algos.booku_rows import RECORDS
from core.algos.titles import PIECE_MARK, join_title
from core.domain.edge import DEFAULT_RELATION, Edge
from core.domain.enums import Layer
from core.domain.folder import Document, Folder
from core.domain.ids import DocumentPk, MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.transfer import NAME_GIVEN, FolderBundle
from core.ports.file_formats import VectorsOf
from core.ports.vector_files import CollectionData

_FLOATS = ("event_start_at", "event_end_at", "novelty_energy", "deleted_at", "created_at", "updated_at")
_INTEGERS = ("is_archived", "is_deleted", "activation_count")
NULLABLE = "person_id"
"""The one column that may hold NULL; old databases may hold it elsewhere too, new ones cannot."""
_INDEXES = (
    f"CREATE INDEX idx_booku_memory_folder_bucket ON {RECORDS} (folder_id, bucket, is_archived)",
    f"CREATE INDEX idx_booku_memory_type_status ON {RECORDS} (memory_type, status, last_activated_at)",
    f"CREATE INDEX idx_booku_memory_person_id ON {RECORDS} (person_id)",
    f"CREATE INDEX idx_booku_memory_tags_memory ON {TAGS} (memory_id, tag_type)",
    f"CREATE INDEX idx_booku_temporary_memos_stream_id ON {MEMOS} (stream_id)",
    f"CREATE INDEX idx_booku_temporary_memos_expires_at ON {MEMOS} (expires_at)",
    f"CREATE INDEX idx_booku_temporary_memos_updated_at ON {MEMOS} (updated_at)",
)


@dataclass(frozen=True, slots=True)
class BookuRecord:
    """A row of the record table with its tag rows, and the memory it is made of."""

    memory: Memory
    row: dict[str, Json]
    tags: list[tuple[str, str]]
    unknown: Mapping[str, Json] = field(default_factory=dict)


def records_of(bundles: Sequence[FolderBundle], problems: Problems) -> list[BookuRecord]:
    """The rows of all folders, trashed memories as deleted ones. Ids that stand twice get our own.

    What the format cannot hold (kinds of relations, places in a chat) is counted in `problems`.
    """
    ids = _file_ids(bundles, problems)
    everything = {memory.pk: memory for bundle in bundles for memory in bundle.memories}
    records = []
    for bundle in bundles:
        links = _links(bundle, ids, everything, problems)
        folder_id = folder_id_of(bundle.folder)
        for memory in bundle.memories:
            own = own_extra(memory.extra)
            people, related = links[memory.pk]
            row = row_of(
                memory,
                ids[memory.pk],
                folder_id,
                [*people, *_strings(memory.fields.get("related_people"))],
                [*related, *_strings(memory.fields.get("relation_memory_ids"))],
                list(bundle.aliases.get(memory.pk, ())),
            )
            document = None if memory.document is None else bundle.documents.get(memory.document)
            if document is not None and "cutting" in document.extra:
                _name_piece(row, memory, document)
            cells = dict(row)
            give_back(row, own.get("kept"))
            row |= {name: cell for name, cell in cells.items() if row.get(name) is None and name != NULLABLE}
            tags = rows_to_write(bundle.tags[memory.pk], own.get("tags"))
            records.append(BookuRecord(memory, row, tags, _unknown_of(own)))
    return records


def _unknown_of(own: Mapping[str, Json]) -> dict[str, Json]:
    found = own.get(UNKNOWN)
    if not isinstance(found, Mapping):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str | int | float)}


def _name_piece(row: dict[str, Json], memory: Memory, document: Document) -> None:
    """A piece that was cut here, as Booku names and stores it: by its document and number, without a heading line."""
    row["content"] = memory.body
    if PIECE_MARK not in memory.title:
        bare = document.title.removeprefix("《").removesuffix("》")
        number = memory.extra.get("piece", 1)
        row["title"] = f"《{bare}{PIECE_MARK}{number}：{memory.title}"


def folder_id_of(folder: Folder) -> str:
    """The folder as Booku named it, as long as it was not renamed."""
    own = own_extra(folder.extra)
    if "folder_id" in own and folder.origin.get(NAME_GIVEN) == folder.name:
        return text(own["folder_id"])
    return folder.name


def _file_ids(bundles: Sequence[FolderBundle], problems: Problems) -> dict[MemoryPk, str]:
    ids: dict[MemoryPk, str] = {}
    taken: set[str] = set()
    for bundle in bundles:
        for memory in bundle.memories:
            wanted = memory.foreign_id or memory.id
            if wanted in taken:
                problems.add("export.problem.id_twice", wanted, severity=INFO)
                wanted = memory.id
            taken.add(wanted)
            ids[memory.pk] = wanted
    return ids


def _links(
    bundle: FolderBundle,
    ids: Mapping[MemoryPk, str],
    everything: Mapping[MemoryPk, Memory],
    problems: Problems,
) -> defaultdict[MemoryPk, tuple[list[str], list[str]]]:
    """People and related ids of each memory, from its outgoing edges."""
    found: defaultdict[MemoryPk, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for edge in bundle.edges:
        target = everything.get(edge.target)
        people, related = found[edge.source]
        if edge.relation == INVOLVED_IN and target is not None and target.type == PERSON:
            _append(people, _written(edge) or text(target.fields.get("person_id")) or target.title)
            continue
        if edge.invalid_from is not None or edge.expired_at is not None:
            problems.add("export.problem.past_edge", edge.id, severity=INFO)
            continue
        if edge.relation != DEFAULT_RELATION:
            problems.add("export.problem.relation_kind", edge.id, severity=INFO)
        target_id = ids.get(edge.target) or bundle.outside.get(edge.target)
        if target_id:
            _append(related, target_id)
    return found


def _append(items: list[str], item: str) -> None:
    if item and item not in items:
        items.append(item)


def _written(edge: Edge) -> str:
    return text(own_extra(edge.extra).get("written"))


def _strings(raw: Json) -> list[str]:
    return [item for item in raw if isinstance(item, str)] if isinstance(raw, list) else []


def write_database(path: Path, records: Sequence[BookuRecord], bundles: Sequence[FolderBundle]) -> None:
    """Write a new metadata.db in one file: no -wal is left beside it, user_version stays 0."""
    with closing(sqlite3.connect(path)) as connection, connection:
        unknown = _unknown_columns(records)
        _create(connection, unknown)
        names = [*COLUMNS, *map(_quoted, unknown)]
        connection.executemany(
            f"INSERT INTO {RECORDS} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
            (
                [*(record.row[column] for column in COLUMNS), *(record.unknown.get(name) for name in unknown)]
                for record in records
            ),
        )
        connection.executemany(
            f"INSERT INTO {TAGS} (memory_id, tag_type, tag_value) VALUES (?, ?, ?)",
            ((record.row["memory_id"], *tag) for record in records for tag in record.tags),
        )
        connection.executemany(
            f"INSERT INTO {TAGS} (memory_id, tag_type, tag_value) VALUES (?, ?, ?)",
            (tag for bundle in bundles for tag in _orphan_tags(bundle.folder)),
        )
        connection.executemany(
            f"INSERT OR REPLACE INTO {MEMOS} VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    memo.id,
                    memo.stream_id,
                    memo.content,
                    epoch_s(memo.expires_at),
                    epoch_s(memo.created_at),
                    epoch_s(memo.updated_at),
                )
                for bundle in bundles
                for memo in bundle.memos
            ),
        )


def _orphan_tags(folder: Folder) -> list[tuple[str, str, str]]:
    """Tag rows that came without a memory: they leave as they came."""
    kept = own_extra(folder.extra).get("orphan_tags")
    rows = kept if isinstance(kept, list) else []
    return [(text(row[0]), text(row[1]), text(row[2])) for row in rows if isinstance(row, list)]


def _unknown_columns(records: Sequence[BookuRecord]) -> list[str]:
    """Names of all columns that are not known here, each once whatever its case, as SQLite tells names apart."""
    names = {name.lower(): name for record in reversed(records) for name in record.unknown}
    return sorted(name for lower, name in names.items() if lower not in COLUMNS)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _create(connection: sqlite3.Connection, unknown: Sequence[str]) -> None:
    columns = []
    for name in COLUMNS:
        kind = "INTEGER" if name in _INTEGERS else "FLOAT" if _is_float(name) else "TEXT"
        columns.append(f"{name} {kind}" + ("" if name == NULLABLE else " NOT NULL"))
    columns += [_quoted(name) for name in unknown]  # without a type, so that each value stays what it is
    connection.execute(f"CREATE TABLE {RECORDS} ({', '.join(columns)}, PRIMARY KEY (memory_id))")
    connection.execute(
        f"CREATE TABLE {TAGS} (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL,"
        " tag_type TEXT NOT NULL, tag_value TEXT NOT NULL)"
    )
    connection.execute(
        f"CREATE TABLE {MEMOS} (memo_id TEXT NOT NULL, stream_id TEXT NOT NULL, content TEXT NOT NULL,"
        " expires_at FLOAT NOT NULL, created_at FLOAT NOT NULL, updated_at FLOAT NOT NULL, PRIMARY KEY (memo_id))"
    )
    for statement in _INDEXES:
        connection.execute(statement)


def _is_float(name: str) -> bool:
    return name in _FLOATS or name == "last_activated_at"


def collections_of(
    records: Sequence[BookuRecord],
    bundles: Sequence[FolderBundle],
    vectors_of: VectorsOf,
    is_collection_name: Callable[[str], bool],
    problems: Problems,
) -> list[CollectionData]:
    """The vector collections of the newest generation: one for each folder, one for all documents.

    Memories without a vector, and folders whose names Chroma refuses, are counted in `problems`: the original
    embeds such memories again when they are saved there.
    """
    vectors = vectors_of([record.memory.pk for record in records if record.memory.deleted_at is None])
    grouped: defaultdict[str, list[BookuRecord]] = defaultdict(list)
    for record in records:
        if record.memory.deleted_at is not None:
            continue
        name = collection(str(record.row["bucket"]), str(record.row["folder_id"]))
        if not is_collection_name(name):
            problems.add("export.problem.collection_name", str(record.row["memory_id"]), severity=INFO)
        elif record.memory.pk not in vectors:
            problems.add("export.problem.no_vector", str(record.row["memory_id"]), severity=INFO)
        else:
            grouped[name].append(record)
    titles = {pk: document.title for bundle in bundles for pk, document in bundle.documents.items()}
    return [
        CollectionData(
            name=name,
            ids=tuple(str(record.row["memory_id"]) for record in members),
            documents=tuple(_embedded(record) for record in members),
            metadatas=tuple(_metadata(record, titles) for record in members),
            vectors=np.stack([vectors[record.memory.pk] for record in members]).astype(np.float32),
        )
        for name, members in sorted(grouped.items())
    ]


def _embedded(record: BookuRecord) -> str:
    stored = str(record.row["content"])
    return stored or join_title(record.memory.title, record.memory.body)


def _metadata(record: BookuRecord, titles: Mapping[DocumentPk, str]) -> dict[str, object]:
    row, memory = record.row, record.memory
    found: dict[str, object] = {name: row[name] for name in ("title", "bucket", "folder_id", "source")}
    found["timestamp"] = row["created_at"]
    if memory.layer is Layer.KNOWLEDGE:
        document_title = titles.get(memory.document) if memory.document is not None else None
        return found | ({"document_title": document_title} if document_title else {})
    found |= {name: row[name] for name in ("memory_type", "status", "novelty_energy")}
    return found | ({"person_id": row["person_id"]} if row["person_id"] else {})
