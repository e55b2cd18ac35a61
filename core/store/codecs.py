"""Between records (core.domain) and rows: one table of columns with their encodings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeVar

from core.domain.edge import Edge
from core.domain.enums import Apart, FolderKind, Kind, Layer, Role, Status, StatusReason, TagKind
from core.domain.folder import Document, Folder, Memo, Message, NotDuplicate
from core.domain.json_types import canonical
from core.domain.memory import Alias, Memory, Tag
from core.domain.merge import MergeRecord
from core.domain.pin import Pin
from core.domain.proposal import Decision, PartVerdict
from core.domain.recall import RecallCase
from core.domain.safe_text import storable
from core.domain.saved_search import SavedSearch
from core.domain.schema import Column, ColumnFormat, ColumnRole, Compression, MemoryType, RelationType
from core.ports.store import R, Record

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

E = TypeVar("E", bound=StrEnum)


def to_micros(time: datetime) -> int:
    """UTC microseconds since 1970."""
    return (time - _EPOCH) // _MICROSECOND


def from_micros(value: int) -> datetime:
    """The aware time of UTC microseconds."""
    return _EPOCH + timedelta(microseconds=value)


@dataclass(frozen=True, slots=True)
class Codec:
    """How one column is written and read. None passes through both ways."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def _dump(value: Any) -> str:
    if not value and isinstance(value, dict):  # most fields of most rows
        return "{}"
    return storable(canonical(value))


def _dump_list(values: Any) -> str:
    """Texts of a list are escaped like any text of a column of its own; numbers stay."""
    return _dump([storable(each) if isinstance(each, str) else each for each in values]) if values else "[]"


def _same(value: Any) -> Any:
    return value


def _decode_types(text: str) -> tuple[Column, ...]:
    return tuple(
        Column(
            **{
                **item,
                "role": ColumnRole(item["role"]),
                "format": ColumnFormat(item["format"]),
                "choices": tuple(item["choices"]),
            }
        )
        for item in json.loads(text)
    )


def _enum(kind: type[E]) -> Codec:
    values = {member.value: member for member in kind}
    return Codec(lambda value: kind(value).value, values.__getitem__)


PLAIN = Codec(_same, _same)
TEXT = Codec(storable, _same)
FLAG = Codec(int, bool)
REAL = Codec(float, float)
TIME = Codec(to_micros, from_micros)
JSON = Codec(_dump, json.loads)
LIST = Codec(_dump_list, lambda text: tuple(json.loads(text)))
COLUMNS = Codec(lambda value: _dump([asdict(column) for column in value]), _decode_types)
COMPRESSION = Codec(lambda value: _dump(asdict(value)), lambda text: Compression(**json.loads(text)))

_BY_NAME: dict[str, Codec] = {
    **dict.fromkeys(
        (
            "created_at",
            "updated_at",
            "deleted_at",
            "last_activated_at",
            "valid_from",
            "invalid_from",
            "expired_at",
            "expires_at",
            "sent_at",
        ),
        TIME,
    ),
    **dict.fromkeys(("fields", "extra", "settings", "origin", "labels", "inverse", "moved", "image"), JSON),
    **dict.fromkeys(("visibility", "also_reads"), LIST),
    **dict.fromkeys(
        ("locked", "inhibits", "hidden", "always_inject", "latest_only", "force_update", "built_in"), FLAG
    ),
    **dict.fromkeys(("importance", "novelty", "strength", "x", "y"), REAL),
    **dict.fromkeys(
        (
            "title",
            "body",
            "source_text",
            "foreign_id",
            "value",
            "name",
            "character",
            "text",
            "content",
            "path",
        ),
        TEXT,
    ),
    "columns": COLUMNS,
    "compression": COMPRESSION,
}

_SPECIAL: dict[tuple[Kind, str], Codec] = {
    (Kind.MEMORY, "layer"): _enum(Layer),
    (Kind.MEMORY, "status"): _enum(Status),
    (Kind.MEMORY, "status_reason"): _enum(StatusReason),
    (Kind.MEMORY, "source"): TEXT,
    (Kind.MEMORY, "type"): TEXT,
    (Kind.TAG, "kind"): _enum(TagKind),
    (Kind.FOLDER, "kind"): _enum(FolderKind),
    (Kind.MESSAGE, "role"): _enum(Role),
    (Kind.NOT_DUPLICATE, "about"): _enum(Apart),
    (Kind.DECISION, "verdict"): _enum(PartVerdict),
    (Kind.RECALL_CASE, "message"): TEXT,
    (Kind.RECALL_CASE, "viewer"): TEXT,
    (Kind.RECALL_CASE, "expected"): LIST,
}

RECORDS: dict[Kind, type[Record]] = {
    record.KIND: record
    for record in (
        Memory,
        Tag,
        Alias,
        Edge,
        Folder,
        Message,
        Document,
        Memo,
        MemoryType,
        RelationType,
        NotDuplicate,
        Pin,
        RecallCase,
        SavedSearch,
        MergeRecord,
        Decision,
    )
}

FIELDS: dict[Kind, tuple[str, ...]] = {
    kind: tuple(item.name for item in fields(record)) for kind, record in RECORDS.items()
}
"""Column names of each kind, in the order of the record; `pk` comes first."""

CODECS: dict[Kind, dict[str, Codec]] = {
    kind: {name: _SPECIAL.get((kind, name)) or _BY_NAME.get(name, PLAIN) for name in names}
    for kind, names in FIELDS.items()
}
_GETTERS = {kind: attrgetter(*names) for kind, names in FIELDS.items()}
_ENCODERS: dict[Kind, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    kind: tuple((name, codec.encode) for name, codec in codecs.items() if codec.encode is not _same)
    for kind, codecs in CODECS.items()
}
_DECODERS: dict[Kind, tuple[tuple[int, str, Callable[[Any], Any]], ...]] = {
    kind: tuple(
        (place, name, codec.decode)
        for place, (name, codec) in enumerate(CODECS[kind].items())
        if codec.decode is not _same
    )
    for kind in FIELDS
}


def encode(kind: Kind, values: Mapping[str, object]) -> dict[str, Any]:
    """Column values of a patch. Errors: KeyError for a name that is no column."""
    codecs = CODECS[kind]
    return {name: None if value is None else codecs[name].encode(value) for name, value in values.items()}


def encode_record(record: Record) -> dict[str, Any]:
    """All column values of a record."""
    kind = record.KIND
    values: dict[str, Any] = dict(zip(FIELDS[kind], _GETTERS[kind](record), strict=True))
    for name, write in _ENCODERS[kind]:
        value = values[name]
        if value is not None:
            values[name] = write(value)
    return values


def decode(record: type[R], row: tuple[Any, ...]) -> R:
    """The record of a row whose columns stand in the order of FIELDS."""
    kind = record.KIND
    values = dict(zip(FIELDS[kind], row, strict=True))
    for place, name, read in _DECODERS[kind]:
        value = row[place]
        if value is not None:
            values[name] = read(value)
    return record(**values)
