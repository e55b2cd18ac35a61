"""What the editor edits, as plain values: the state of a form, its changes, its faults, its merging.

A form's values are one flat JSON object: `title`, `body`, `type`, `layer`, `importance`, `seq`,
`seq_start`, `seq_end`, `visibility`, `aliases`, `tags.<kind>` and `fields.<name>`. Being JSON, they
are also what a draft keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from core.domain.commands import CreateMemory, EditMemory, NewMemory
from core.domain.enums import Layer, TagKind
from core.domain.ids import FolderPk, MemoryPk, TypeId, is_person_id
from core.domain.json_types import Json, JsonObject
from core.domain.memory import TagSet
from core.domain.results import MemoryDetail
from core.domain.schema import Column, ColumnFormat, ColumnRole, MemoryType
from core.domain.tags import TRIPLE
from core.domain.texts import Text

Values = dict[str, Json]

FIELD = "fields."
TAG = "tags."
LISTS = ("visibility", "aliases")
PLAIN = ("title", "body", "type", "layer", "importance", "seq", "seq_start", "seq_end")
PERSON_ID = "person_id"
FLOORS = ("seq", "seq_start", "seq_end")
NUMBERS = {ColumnFormat.NUMBER: "edit.fault.number", ColumnFormat.TIME: "edit.fault.time"}
BEGAN, ENDED = "fields.event_start_at", "fields.event_end_at"


@dataclass(frozen=True, slots=True)
class Clash:
    """A value that was changed here and elsewhere, differently."""

    key: str
    base: Json
    mine: Json
    theirs: Json


def values_of(detail: MemoryDetail) -> Values:
    """The values of a stored memory."""
    memory = detail.memory
    values: Values = {
        "title": memory.title,
        "body": memory.body,
        "type": memory.type,
        "layer": memory.layer.value,
        "importance": memory.importance,
        "seq": memory.seq,
        "seq_start": memory.seq_start,
        "seq_end": memory.seq_end,
        "visibility": list(memory.visibility),
        "aliases": list(detail.aliases),
    }
    values |= {TAG + kind.value: list(detail.tags.group(kind)) for kind in TagKind}
    values |= {FIELD + name: value for name, value in memory.fields.items()}
    return values


def empty_values(type_id: TypeId) -> Values:
    """The values of a memory that is about to be made."""
    values: Values = {
        "title": "",
        "body": "",
        "type": type_id,
        "layer": Layer.MEMORY.value,
        "importance": 5.0,
        "seq": None,
        "seq_start": None,
        "seq_end": None,
        "visibility": [],
        "aliases": [],
    }
    return values | {TAG + kind.value: [] for kind in TagKind}


def is_blank(value: Json) -> bool:
    """Whether a value says nothing."""
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def same(a: Json, b: Json) -> bool:
    """Whether two values are equal for a person: a missing field and an empty one are."""
    return a == b or (is_blank(a) and is_blank(b) and not (isinstance(a, str) and isinstance(b, str)))


def changes(base: Mapping[str, Json], mine: Mapping[str, Json]) -> Values:
    """The values of `mine` that differ from `base`; a key that `mine` lacks was not edited."""
    return {key: value for key, value in mine.items() if not same(base.get(key), value)}


def edit_of(
    pk: MemoryPk, changed: Mapping[str, Json], mine: Mapping[str, Json], revision: int | None
) -> EditMemory:
    """The one command that makes these changes. `mine`: all values (tags go as a whole)."""
    given: dict[str, Any] = {key: changed[key] for key in PLAIN if key in changed}
    if "layer" in given:
        given["layer"] = Layer(given["layer"])
    if "type" in given:
        given["type"] = TypeId(given["type"])
    given |= {key: texts(changed[key]) for key in LISTS if key in changed}
    if any(key.startswith(TAG) for key in changed):
        given["tags"] = tag_set(mine)
    fields = {key.removeprefix(FIELD): value for key, value in changed.items() if key.startswith(FIELD)}
    if fields:
        given["fields"] = {name: None if is_blank(value) else value for name, value in fields.items()}
    return EditMemory(memory=pk, expected_revision=revision, **given)


def creation_of(folder: FolderPk, values: Mapping[str, Json]) -> CreateMemory:
    """The command that makes a new memory of these values."""
    fields = {
        key.removeprefix(FIELD): value
        for key, value in values.items()
        if key.startswith(FIELD) and not is_blank(value)
    }
    return CreateMemory(
        NewMemory(
            folder=folder,
            type=TypeId(str(values["type"])),
            title=str(values["title"]),
            body=str(values["body"]),
            fields=fields,
            layer=Layer(str(values["layer"])),
            importance=float(cast("float", values["importance"])),
            seq=cast("int | None", values["seq"]),
            seq_start=cast("int | None", values["seq_start"]),
            seq_end=cast("int | None", values["seq_end"]),
            visibility=texts(values["visibility"]),
            tags=tag_set(values),
            aliases=texts(values["aliases"]),
        )
    )


def tag_set(values: Mapping[str, Json]) -> TagSet:
    """All four tag groups of a form."""
    return TagSet(
        general=texts(values.get(TAG + TagKind.GENERAL)),
        core=texts(values.get(TAG + TagKind.CORE)),
        diffusion=texts(values.get(TAG + TagKind.DIFFUSION)),
        opposing=texts(values.get(TAG + TagKind.OPPOSING)),
    )


def texts(value: Json) -> tuple[str, ...]:
    """A JSON list as a tuple of texts; anything else is empty."""
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def key_of(column: Column) -> str:
    """Under which key a form keeps the value of a column."""
    match column.role:
        case ColumnRole.TITLE:
            return "title"
        case ColumnRole.BODY:
            return "body"
        case ColumnRole.FIELD:
            return FIELD + column.name


def faults(
    values: Mapping[str, Json], kind: MemoryType, base: Mapping[str, Json] | None = None
) -> dict[str, Text]:
    """What stands against saving, by key.

    A required value that was already empty in `base` (imported so) does not hold up other edits.
    """
    found: dict[str, Text] = {}
    for column in kind.columns:
        key = key_of(column)
        value = values.get(key)
        untouched = base is not None and same(base.get(key), value)
        if column.required and is_blank(value) and not (base is not None and is_blank(base.get(key))):
            found[key] = Text("edit.fault.required")
        elif column.format in NUMBERS and isinstance(value, str) and value.strip() and not untouched:
            found[key] = Text(NUMBERS[column.format])
    found |= too_long(values, kind)
    if kind.id == "person" and _bad_person(values, base):
        found[FIELD + PERSON_ID] = Text("edit.fault.person_id")
    if not any(not is_blank(values.get(key_of(column))) for column in kind.columns):
        found.setdefault(key_of(kind.columns[0]), Text("edit.fault.nothing"))
    found |= _bad_floors(values)
    began, ended = values.get(BEGAN), values.get(ENDED)
    if isinstance(began, int | float) and isinstance(ended, int | float) and 0 < ended < began:
        found[ENDED] = Text("edit.fault.times")
    return found | _bad_triple(values)


def too_long(values: Mapping[str, Json], kind: MemoryType) -> dict[str, Text]:
    """Texts longer than their columns allow, by key; said while they are typed."""
    return {
        key_of(column): Text("edit.fault.too_long", {"length": len(value), "limit": column.limit})
        for column in kind.columns
        if column.limit and isinstance(value := values.get(key_of(column)), str) and len(value) > column.limit
    }


def _bad_floors(values: Mapping[str, Json]) -> dict[str, Text]:
    found: dict[str, Text] = {}
    for key in FLOORS:
        value = values.get(key)
        if isinstance(value, str):
            found[key] = Text("edit.fault.number")
        elif isinstance(value, int) and value < 0:
            found[key] = Text("edit.fault.floor")
    start, end = values.get("seq_start"), values.get("seq_end")
    if isinstance(start, int) and isinstance(end, int) and start > end:
        found.setdefault("seq_end", Text("edit.fault.range"))
    return found


def _bad_triple(values: Mapping[str, Json]) -> dict[str, Text]:
    found: dict[str, Text] = {}
    filled = [group for group in TRIPLE if texts(values.get(TAG + group))]
    if filled and len(filled) < len(TRIPLE):
        for group in TRIPLE:
            if group not in filled:
                found[TAG + group] = Text("edit.fault.triple")
    return found


def _bad_person(values: Mapping[str, Json], base: Mapping[str, Json] | None) -> bool:
    value = values.get(FIELD + PERSON_ID)
    if base is not None and same(base.get(FIELD + PERSON_ID), value) and base.get("type") == "person":
        return False
    return not is_person_id(str(value or "").strip())


def merged(
    base: Mapping[str, Json], mine: Mapping[str, Json], theirs: Mapping[str, Json]
) -> tuple[Values, list[Clash]]:
    """A three-way merge: what only one side changed is taken; the rest is a clash (mine stands in)."""
    result: Values = dict(theirs)
    clashes: list[Clash] = []
    for key, value in mine.items():
        old, new = base.get(key), theirs.get(key)
        if same(old, value):
            continue
        result[key] = value
        if not same(old, new) and not same(value, new):
            clashes.append(Clash(key, old, value, new))
    return result, clashes


def draft_of(pk: MemoryPk | None, base: Mapping[str, Json], mine: Mapping[str, Json]) -> JsonObject:
    """What is kept of an unfinished edit: of which memory, what it began from, what was typed."""
    return {"pk": pk, "base": dict(base), "mine": dict(mine)}
