"""Rows of Booku's record table as planned memories, and the rows that our records make again.

Source: spec/BOOKU §1.1, §1.5, §1.6; the layers of old databases are told apart before the original collapses them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.adapters.formats.booku_db import Cell, Row
from core.adapters.formats.json_text import BrokenJson, parse
from core.adapters.formats.problems import INFO, Problems
from core.adapters.formats.values import epoch_s, moment, number, text, whole
from core.algos.booku_names import DEFAULT_FOLDER, MEMORY, json_list
from core.algos.booku_rows import ADDED_COLUMNS
from core.domain.enums import Layer, Status, StatusReason
from core.domain.ids import TypeId, is_person_id
from core.domain.json_types import Json, JsonObject
from core.domain.safe_text import storable
from core.domain.schema import Schema

EXTRA_KEY = "booku"
LEGACY_LAYER = "legacy_layer"
SECONDS = 1.0
SECONDS_BEFORE_1971 = 86_400.0 * 365
DEFAULT_TYPE = "knowledge"
PERSON = "person"
TEXT_FIELDS = (
    "person_id",
    "knowledge_type",
    "address_or_coord",
    "place_type",
    "asset_type",
    "disposition_status",
    "procedure_type",
)
TIME_FIELDS = ("event_start_at", "event_end_at")
LIST_COLUMNS = ("relation_memory_ids", "relation_aliases", "related_people")
_ADDED = {column.name: column.default for column in ADDED_COLUMNS}
_FIRST = ("memory_id", "title", "folder_id", "bucket", "content", "source")
_NUMBERS = (
    "novelty_energy",
    "is_archived",
    "is_deleted",
    "deleted_at",
    "created_at",
    "updated_at",
    "last_activated_at",
    "activation_count",
)
COLUMNS: dict[str, Cell] = {
    **dict.fromkeys(_FIRST, ""),
    "folder_id": DEFAULT_FOLDER,
    "bucket": MEMORY,
    "source": "agent",
    **_ADDED,
    **dict.fromkeys(_NUMBERS, 0),
}
"""All columns of the newest generation in their order, with the defaults of missing ones."""

_DEFAULTS: dict[str, Json] = {
    name: None if isinstance(value, bytes) else value for name, value in COLUMNS.items()
}
_LAYERS = {
    "memory": Layer.MEMORY,
    "knowledge": Layer.KNOWLEDGE,
    "emergent": Layer.EMERGENT,
    "inherent": Layer.INHERENT,
    "archived": Layer.MEMORY,
}
ARCHIVED_BUCKET = "archived"
UNKNOWN = "columns"
"""In a record's own part of `extra`: columns that no generation known here has; they leave as they came."""


class RecordLike(Protocol):
    """What a planned and a stored memory have in common, as far as a row shows it."""

    @property
    def type(self) -> str: ...
    @property
    def layer(self) -> Layer: ...
    @property
    def status(self) -> Status: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def fields(self) -> JsonObject: ...
    @property
    def novelty(self) -> float: ...
    @property
    def activation_count(self) -> int: ...
    @property
    def last_activated_at(self) -> datetime | None: ...
    @property
    def source(self) -> str: ...
    @property
    def created_at(self) -> datetime: ...
    @property
    def updated_at(self) -> datetime: ...
    @property
    def deleted_at(self) -> datetime | None: ...
    @property
    def extra(self) -> JsonObject: ...


@dataclass(slots=True, kw_only=True)
class ReadRow:
    """A row on its way in: values for a planned memory, and what is still to be looked up."""

    key: str
    raw: dict[str, Json]
    foreign_id: str | None
    type: TypeId
    layer: Layer
    bucket: str
    status: Status
    title: str
    body: str
    fields: dict[str, Json]
    novelty: float
    activation_count: int
    last_activated_at: datetime | None
    source: str
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None
    aliases: tuple[str, ...]
    related_ids: tuple[str, ...]
    people: tuple[str, ...]
    own: dict[str, Json] = field(default_factory=dict)
    repaired: set[str] = field(default_factory=set)

    @property
    def extra(self) -> dict[str, Json]:
        """What the format keeps, as a record has it."""
        return {EXTRA_KEY: self.own} if self.own else {}

    @property
    def status_reason(self) -> StatusReason | None:
        """Why it is not in use: the file does not say."""
        return None if self.status is Status.ACTIVE else StatusReason.IMPORTED


def read_row(row: Row, index: int, schema: Schema, fallback: datetime, problems: Problems) -> ReadRow:
    """One row, with everything odd about it noted. `fallback` stands in for a missing time of creation."""
    raw: dict[str, Json] = {name: _json(value) for name, value in row.items()}
    cells: dict[str, Json] = _DEFAULTS | {name: value for name, value in raw.items() if value is not None}
    memory_id = text(cells["memory_id"]).strip()
    name = memory_id or f"#{index}"
    if not memory_id:
        problems.add("import.problem.row_without_id", name)
    title, body, plain = split_content(text(cells["title"]), text(cells["content"]))
    bucket, layer = _layer(cells["bucket"], name, problems)
    repaired: set[str] = set()
    times = _times(cells, name, repaired, problems)
    created = times["created_at"] or times["updated_at"] or fallback
    deleted = number(cells["is_deleted"])
    read = ReadRow(
        key=name,
        raw=raw,
        foreign_id=memory_id or None,
        type=_type(cells, name, schema, problems),
        layer=layer,
        bucket=bucket,
        status=_status(cells["status"], bucket, name, problems),
        title=title,
        body=body,
        fields=_fields(cells, times, name, problems),
        novelty=min(1.0, max(0.0, number(cells["novelty_energy"]) or 0.0)),
        activation_count=whole(cells["activation_count"]).value,
        last_activated_at=times["last_activated_at"],
        source=text(cells["source"]),
        created_at=created,
        updated_at=times["updated_at"] or created,
        deleted_at=(times["deleted_at"] or times["updated_at"] or created) if deleted else None,
        aliases=tuple(dict.fromkeys(_list(cells, "relation_aliases", name, problems))),
        related_ids=tuple(dict.fromkeys(_list(cells, "relation_memory_ids", name, problems))),
        people=tuple(dict.fromkeys(_list(cells, "related_people", name, problems))),
        repaired=repaired,
    )
    if bucket != layer.value:
        read.own[LEGACY_LAYER] = raw.get("bucket") or ""
    if plain:
        read.own["plain"] = True
    if unknown := {
        name: value for name, value in raw.items() if name.lower() not in COLUMNS and value is not None
    }:
        read.own[UNKNOWN] = unknown
    if not title and not body:
        problems.add("import.problem.empty_row", name, severity=INFO)
    return read


def _json(value: Cell) -> Json:
    """A cell as JSON: blobs are read as text, texts made storable, infinities are null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return storable(value) if isinstance(value, str) else value


def split_content(title: str, content: str) -> tuple[str, str, bool]:
    """Title, body, and whether the content stands without its heading line although there is a title.

    The heading counts only as a whole first line (the original also eats the beginning of a longer one); a title of
    several lines stands whole before the text.
    """
    first, _, rest = content.partition("\n")
    heading = first.strip()
    shown = title.strip()
    if not shown and heading.startswith("# "):
        return heading[2:].strip(), rest.lstrip("\n"), False
    if shown and heading == f"# {shown}":
        return shown, rest.lstrip("\n"), False
    if "\n" in shown and content.startswith(f"# {shown}\n"):
        return shown, content[len(shown) + 3 :].lstrip("\n"), False
    if shown and content.strip() == shown:
        return shown, "", False
    return shown, content, bool(shown)


def join_content(title: str, body: str, *, plain: bool) -> str:
    """The stored text of a record; `plain` = without the heading line."""
    if plain or not title.strip():
        return body
    return f"# {title}\n{body}" if body else title


def _layer(raw: Json, name: str, problems: Problems) -> tuple[str, Layer]:
    bucket = text(raw).strip().lower()
    layer = _LAYERS.get(bucket)
    if layer is None:
        problems.add("import.problem.unknown_bucket", name, severity=INFO)
        return "unknown", Layer.MEMORY
    return bucket, layer


def _status(raw: Json, bucket: str, name: str, problems: Problems) -> Status:
    """Status of a row; a row of the old archived layer is archived unless it says something else."""
    word = text(raw).strip().lower()
    try:
        status = Status(word) if word else Status.ACTIVE
    except ValueError:
        problems.add("import.problem.unknown_status", name)
        status = Status.ACTIVE
    return Status.ARCHIVED if bucket == ARCHIVED_BUCKET and status is Status.ACTIVE else status


def _type(cells: Mapping[str, Json], name: str, schema: Schema, problems: Problems) -> TypeId:
    word = text(cells["memory_type"]).strip().lower() or DEFAULT_TYPE
    if schema.type(word) is None:
        problems.add("import.problem.unknown_type", name, severity=INFO)
    person_id = text(cells["person_id"]).strip()
    if word == PERSON and not person_id:
        problems.add("import.problem.person_without_id", name)
    elif person_id and not is_person_id(person_id):
        problems.add("import.problem.bad_person_id", name)
    return TypeId(word)


def _times(
    cells: Mapping[str, Json], name: str, repaired: set[str], problems: Problems
) -> dict[str, datetime | None]:
    found: dict[str, datetime | None] = {}
    for column in ("created_at", "updated_at", "last_activated_at", "deleted_at", *TIME_FIELDS):
        time = moment(cells[column], SECONDS)
        found[column] = time.value
        if column in TIME_FIELDS and time.value is None and _story_time(cells[column]):
            continue
        if time.repaired:
            kind = "other_time_unit" if time.value else "bad_time"
            problems.add(f"import.problem.{kind}", name)
            repaired.add(column)
    return found


def _story_time(raw: Json) -> bool:
    """Whether it is a time of an event before 1971: odd, but no mistake in another unit."""
    value = number(raw)
    return value is not None and 0 < value < SECONDS_BEFORE_1971


def _fields(
    cells: Mapping[str, Json], times: Mapping[str, datetime | None], name: str, problems: Problems
) -> dict[str, Json]:
    fields: dict[str, Json] = {
        column: value for column in TEXT_FIELDS if (value := text(cells[column]).strip())
    }
    for column in TIME_FIELDS:
        time = times[column]
        plain = number(cells[column])
        if time is not None:
            fields[column] = epoch_s(time)
        elif plain is not None and _story_time(cells[column]):
            fields[column] = plain
    start, end = (number(fields.get(column)) for column in TIME_FIELDS)
    if start is not None and end is not None and end < start:
        problems.add("import.problem.reversed_time", name)
    return fields


def _list(cells: Mapping[str, Json], column: str, name: str, problems: Problems) -> list[str]:
    raw = cells[column]
    if isinstance(raw, str) and raw.strip():
        try:
            value = parse(raw, problems)
        except BrokenJson:
            value = None
        if not isinstance(value, list):
            problems.add("import.problem.broken_list", name)
            return []
        raw = value
    return [storable(item) for item in json_list(raw)]


def row_of(
    record: RecordLike,
    memory_id: str,
    folder_id: str,
    people: list[str],
    related: list[str],
    aliases: list[str],
) -> dict[str, Json]:
    """The row of a record in the newest generation (spec/BOOKU §1.4)."""
    own = own_extra(record.extra)
    fields = record.fields
    inactive = record.status is not Status.ACTIVE
    cells: dict[str, Json] = {
        "memory_id": memory_id,
        "title": record.title,
        "folder_id": folder_id,
        "bucket": _bucket(record, own),
        "content": join_content(record.title, record.body, plain=own.get("plain") is True),
        "source": record.source or "agent",
        "memory_type": record.type,
        "status": record.status.value,
        "person_id": text(fields.get("person_id")) or None,
        "relation_memory_ids": _list_text(related),
        "relation_aliases": _list_text(aliases),
        "related_people": _list_text(people),
        "novelty_energy": record.novelty,
        "is_archived": int(inactive),
        "is_deleted": int(record.deleted_at is not None),
        "deleted_at": epoch_s(record.deleted_at) if record.deleted_at else 0.0,
        "created_at": epoch_s(record.created_at),
        "updated_at": epoch_s(record.updated_at),
        "last_activated_at": epoch_s(record.last_activated_at) if record.last_activated_at else 0.0,
        "activation_count": record.activation_count,
    }
    cells |= {column: text(fields.get(column)) for column in TEXT_FIELDS if column != "person_id"}
    cells |= {column: number(fields.get(column)) or 0.0 for column in TIME_FIELDS}
    return {column: cells[column] for column in COLUMNS}


def _bucket(record: RecordLike, own: Mapping[str, Json]) -> str:
    """The layer under Booku's name; the original bucket of a row whose layer was not changed since."""
    legacy = own.get(LEGACY_LAYER)
    if isinstance(legacy, str) and _LAYERS.get(legacy.strip().lower(), Layer.MEMORY) is record.layer:
        still_archived = record.status is not Status.ACTIVE or legacy.strip().lower() != ARCHIVED_BUCKET
        if still_archived:
            return legacy
    return record.layer.value


def _list_text(items: list[str]) -> str:
    return json.dumps(items, ensure_ascii=False)


def own_extra(extra: JsonObject) -> Mapping[str, Json]:
    """What this format kept in the `extra` of a record."""
    found = extra.get(EXTRA_KEY)
    return found if isinstance(found, Mapping) else {}
