"""A Booku database of any generation as an import plan: one folder for each folder_id, nothing left behind.

Source: spec/BOOKU §1, spec/FORMATS §5; DESIGN §4 (crosswalk).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.formats.booku_db import BookuTables, Cell, read_tables
from core.adapters.formats.booku_links import documents_of, link_rows, note_doubles
from core.adapters.formats.booku_rows import EXTRA_KEY, SECONDS, ReadRow, read_row, row_of
from core.adapters.formats.booku_tags import read_tags
from core.adapters.formats.kept import differences
from core.adapters.formats.problems import Problems
from core.adapters.formats.values import moment, text
from core.domain.enums import Status
from core.domain.errors import Invalid
from core.domain.folder import DEFAULT_FOLDER, MAX_FOLDER_CHARS, clean_folder_name
from core.domain.ids import new_memo_id
from core.domain.json_types import Json
from core.domain.memory import TagSet
from core.domain.safe_text import storable
from core.domain.schema import Schema
from core.domain.transfer import Format, ImportPlan, PlannedEdge, PlannedFolder, PlannedMemo, PlannedMemory


def read_booku(
    path: Path, schema: Schema, problems: Problems | None = None, *, partly: bool = False
) -> ImportPlan:
    """The dry run of an import of a metadata.db (with its -wal beside it). Errors: BadFile, see read_tables."""
    problems = problems if problems is not None else Problems()
    tables = read_tables(path, problems, partly=partly)
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return plan_of(tables, schema, problems, name=_shown_name(path), fallback_time=changed)


def _shown_name(path: Path) -> str:
    """All of Booku's databases have one name: the directory in which it lies tells which bot's it is."""
    place = path.absolute().parent.name
    return f"{place}/{path.name}" if path.name == "metadata.db" and place else path.name


def plan_of(
    tables: BookuTables, schema: Schema, problems: Problems, *, name: str, fallback_time: datetime
) -> ImportPlan:
    """The plan of a database's rows. `fallback_time` stands in where no row has a time at all."""
    times = (moment(_number(row.get("created_at")), SECONDS).value for row in tables.records)
    earliest = min((time for time in times if time), default=fallback_time)
    rows = [read_row(row, index, schema, earliest, problems) for index, row in enumerate(tables.records)]
    _tell_apart(rows, problems)
    folders, folder_of = _folders(rows, tables, name)
    tags = read_tags(tables.tags, rows, problems)
    if tags.orphans:
        folders[0] = _with_orphans(folders[0], tags.orphans)
    edges, left = link_rows(rows, problems)
    documents, document_of = documents_of(rows, folder_of)
    written = _Written(edges, folders, folder_of)
    for row in rows:
        row.fields |= left[row.key]
        written.keep_differences(row, tags.raw.get(row.key))
    memories = tuple(
        _planned(row, folder_of[row.key], tags.sets[row.key], document_of.get(row.key)) for row in rows
    )
    memos = _memos(tables.memos, folders[0].key, earliest) if tables.memos else ()
    pairs = note_doubles(rows, problems)
    if not rows:
        problems.add("import.problem.no_memories")
    return ImportPlan(
        format=Format.BOOKU,
        source_name=name,
        folders=tuple(folders),
        memories=memories,
        edges=tuple(edges),
        documents=tuple(documents),
        memos=memos,
        problems=problems.all(),
        counts=_counts(rows, tables, len(folders), len(edges), len(documents))
        | {"orphan_tags": len(tags.orphans), "doubles": pairs, "memos": len(memos)},
        needs_confirmation=not rows,
    )


def _number(cell: Cell) -> Json:
    return cell if isinstance(cell, str | int | float) else None


def _tell_apart(rows: Sequence[ReadRow], problems: Problems) -> None:
    """Give every row a key of its own; an id that stands twice stays with the first."""
    seen: set[str] = set()
    for index, row in enumerate(rows):
        if row.key in seen:
            problems.add("import.problem.id_twice", row.key)
            row.key, row.foreign_id = f"{row.key}#{index}", None
            row.repaired.add("memory_id")
        seen.add(row.key)


def _folders(
    rows: Sequence[ReadRow], tables: BookuTables, name: str
) -> tuple[list[PlannedFolder], dict[str, str]]:
    """Folders by their cleaned names in the order first met, and the folder key of each row."""
    spelled: dict[str, str] = {}
    folder_of: dict[str, str] = {}
    for row in rows:
        raw = text(row.raw.get("folder_id"))
        shown = _shown_folder(raw)
        folder_of[row.key] = shown
        spelled.setdefault(shown, raw or shown)
    if not spelled:
        spelled[DEFAULT_FOLDER] = DEFAULT_FOLDER
    origin: dict[str, Json] = {
        "format": Format.BOOKU.value,
        "file": name,
        "generation": tables.generation,
    }
    folders = [
        PlannedFolder(
            key=shown,
            name=shown,
            origin=origin,
            extra={EXTRA_KEY: {"folder_id": raw}},
        )
        for shown, raw in spelled.items()
    ]
    return folders, folder_of


def _with_orphans(folder: PlannedFolder, tag_rows: list[Json]) -> PlannedFolder:
    own = folder.extra[EXTRA_KEY]
    assert isinstance(own, Mapping)
    return replace(folder, extra={EXTRA_KEY: {**own, "orphan_tags": tag_rows}})


def _shown_folder(raw: str) -> str:
    try:
        return clean_folder_name(raw[:MAX_FOLDER_CHARS])
    except Invalid:
        return DEFAULT_FOLDER


def _planned(row: ReadRow, folder: str, tags: TagSet, document: str | None) -> PlannedMemory:
    return PlannedMemory(
        key=row.key,
        folder=folder,
        foreign_id=row.foreign_id,
        type=row.type,
        layer=row.layer,
        status=row.status,
        status_reason=row.status_reason,
        title=row.title,
        body=row.body,
        fields=row.fields,
        novelty=row.novelty,
        activation_count=row.activation_count,
        last_activated_at=row.last_activated_at,
        source=row.source,
        document=document,
        created_at=row.created_at,
        updated_at=row.updated_at,
        deleted_at=row.deleted_at,
        tags=tags,
        aliases=row.aliases,
        extra=row.extra,
    )


class _Written:
    """Compares each row with what an export would write, and keeps what differs."""

    def __init__(
        self, edges: Sequence[PlannedEdge], folders: Sequence[PlannedFolder], folder_of: Mapping[str, str]
    ) -> None:
        self._folder_of = folder_of
        self._spelled = {folder.key: _spelling(folder) for folder in folders}
        self._linked: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for edge in edges:
            own = edge.extra[EXTRA_KEY]
            assert isinstance(own, Mapping)
            self._linked[edge.source][edge.relation].append(str(own["written"]))

    def keep_differences(self, row: ReadRow, raw_tags: Json) -> None:
        """Put into the row's own part of `extra` what an export would write differently."""
        linked = self._linked[row.key]
        written = row_of(
            row,
            row.foreign_id or "",
            self._spelled[self._folder_of[row.key]],
            [*linked["involved_in"], *_strings(row.fields.get("related_people"))],
            [*linked["related"], *_strings(row.fields.get("relation_memory_ids"))],
            list(row.aliases),
        )
        present = {column: value for column, value in written.items() if column in row.raw}
        if kept := differences(present, row.raw, row.repaired):
            row.own["kept"] = kept
        if raw_tags is not None:
            row.own["tags"] = raw_tags


def _spelling(folder: PlannedFolder) -> str:
    own = folder.extra[EXTRA_KEY]
    return str(own["folder_id"]) if isinstance(own, Mapping) else folder.name


def _strings(raw: Json) -> list[str]:
    return [item for item in raw if isinstance(item, str)] if isinstance(raw, list) else []


def _memos(rows: Sequence[Mapping[str, Cell]], folder: str, fallback: datetime) -> tuple[PlannedMemo, ...]:
    memos = []
    for row in rows:
        created = moment(_number(row.get("created_at")), SECONDS).value or fallback
        memos.append(
            PlannedMemo(
                folder=folder,
                id=storable(text(_number(row.get("memo_id")))) or new_memo_id(),
                stream_id=storable(text(_number(row.get("stream_id")))),
                content=storable(text(_number(row.get("content")))),
                expires_at=moment(_number(row.get("expires_at")), SECONDS).value or created,
                created_at=created,
                updated_at=moment(_number(row.get("updated_at")), SECONDS).value or created,
            )
        )
    return tuple(memos)


def _counts(
    rows: Sequence[ReadRow], tables: BookuTables, folders: int, edges: int, documents: int
) -> dict[str, int]:
    live = [row for row in rows if row.deleted_at is None]
    buckets = Counter(row.bucket for row in live)
    return {
        "folders": folders,
        "memories": len(rows),
        "edges": edges,
        "tags": len(tables.tags),
        "documents": documents,
        "deleted": len(rows) - len(live),
        "archived": sum(row.status is Status.ARCHIVED for row in rows),
    } | {f"layer.{bucket}": number for bucket, number in sorted(buckets.items())}
