"""What things are called on screen: values of enums, columns, relations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.domain.edge import Edge
from core.domain.enums import Layer, Status, StatusReason, TagKind
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.memory import Memory
from core.domain.schema import Column, ColumnFormat, Labels, MemoryType, RelationType, Schema
from core.domain.tags import TRIPLE
from ui.language import Language
from ui.views.editor_values import FIELD, TAG, key_of
from ui.views.moments import shown_time

TAG_KINDS = (*TRIPLE, TagKind.GENERAL)


def label(labels: Labels, code: str, otherwise: str) -> str:
    """A label in a language, else in English, else the name given."""
    return labels.get(code) or labels.get("en") or otherwise


def layer_name(tr: Language, layer: Layer) -> str:
    """A layer in words."""
    return tr(f"layer.{layer.value}")


def status_name(tr: Language, status: Status, reason: StatusReason | None = None) -> str:
    """A status in words, with its reason."""
    name = tr(f"status.{status.value}")
    return tr("detail.status_reason", status=name, reason=tr(f"reason.{reason.value}")) if reason else name


def tag_kind_name(tr: Language, kind: TagKind) -> str:
    """A tag group in words."""
    return tr(f"tag_kind.{kind.value}")


def type_name(kind: MemoryType, tr: Language) -> str:
    """A memory type in words."""
    return label(kind.labels, tr.code, kind.id)


def column_name(column: Column, tr: Language) -> str:
    """A column of a type in words."""
    return label(column.labels, tr.code, column.name)


def choice_name(tr: Language, value: str, choices: Sequence[str] = ()) -> str:
    """A value of a choice column in words; the value itself when the catalogue does not know it.

    `choices`: those it stands among; a rule is active (or suspended) in another sense than a storyline (or completed).
    """
    for key in (*(f"choice.{value}.not_{other}" for other in choices), f"choice.{value}"):
        if tr.has(key):
            return tr(key)
    return value


def relation_name(relation: RelationType | None, edge: Edge, seen_from: MemoryPk, tr: Language) -> str:
    """A relation read from one of its ends: its label, or the inverse at the target."""
    if relation is None:
        return edge.relation
    name = label(relation.labels, tr.code, edge.relation)
    if edge.source == seen_from:
        return name
    inverse = label(relation.inverse, tr.code, "")
    return inverse or tr("relation.inverse_of", name=name)


def value_name(tr: Language, kind: MemoryType | None, key: str) -> str:
    """What a form value is called, for messages and versions."""
    if kind is not None:
        for column in kind.columns:
            if key_of(column) == key:
                return column_name(column, tr)
    if key.startswith(FIELD):
        return key.removeprefix(FIELD)
    if key.startswith(TAG):
        return tag_kind_name(tr, TagKind(key.removeprefix(TAG)))
    return tr(f"value.{key}") if tr.has(f"value.{key}") else key


def value_text(tr: Language, schema: Schema, kind: MemoryType | None, key: str, value: Json) -> str:
    """A form value as text."""
    if value is None:
        return ""
    for column in kind.columns if kind else ():
        if key_of(column) == key:
            return json_text(shown_value(column, value, tr))
    if key == "type":
        kind = schema.type(str(value))
        return type_name(kind, tr) if kind else str(value)
    if key == "layer" and value in set(Layer):
        return tr(f"layer.{value}")
    if key == "status" and value in set(Status):
        return tr(f"status.{value}")
    if key == "status_reason" and value in set(StatusReason):
        return tr(f"reason.{value}")
    return json_text(value)


def json_text(value: Json) -> str:
    """A JSON value for reading: texts as they are, lists of texts with commas, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return ", ".join(str(item) for item in value)
    return json.dumps(value, ensure_ascii=False, indent=2)


def floors(tr: Language, memory: Memory) -> str:
    """At which floors of the chat a memory stands; "" when at none."""
    start, end = memory.seq_start, memory.seq_end
    if start is not None and end is not None and start != end:
        return tr("detail.floors", start=start, end=end)
    floor = memory.seq if memory.seq is not None else start if start is not None else end
    return "" if floor is None else tr("detail.floor", floor=floor)


def name_of(title: str, tr: Language) -> str:
    """A title, or the words for none."""
    return title or tr("memory.untitled")


def shorten(text: str, limit: int = 80) -> str:
    """One line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def mapping(value: Json) -> Mapping[str, Json]:
    """A JSON object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def shown_value(column: Column, value: Json, tr: Language) -> Json:
    """A column's value for reading: times as dates, choices in words."""
    if column.format is ColumnFormat.TIME:
        return shown_time(value)
    if column.format is ColumnFormat.CHOICE and isinstance(value, str):
        return choice_name(tr, value, column.choices)
    return value
