"""Save and remove memory types and relation types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, replace

from core.domain.commands_schema import RemoveMemoryType, RemoveRelationType, SaveMemoryType, SaveRelationType
from core.domain.edge import DEFAULT_RELATION
from core.domain.enums import Kind
from core.domain.errors import Invalid
from core.domain.schema import Column, ColumnRole, Labels, MemoryType, RelationType
from core.ports.store import Reader, UnitOfWork
from core.services.lookup import relation_of, type_of
from core.services.outcome import Outcome

LATEST_ONLY_KEYS = frozenset({"name", "title", "summary"})
"""A type of which only the newest version is kept has one of these columns (spec/STBME §2.4)."""

_ID = re.compile(r"[^\s,|]{1,80}")
_COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def save_type(uow: UnitOfWork, command: SaveMemoryType) -> Outcome:
    """A new or changed type. Errors: Invalid, saying which rule it breaks."""
    schema = uow.schema()
    old = schema.type(command.type.id)
    new = replace(command.type, built_in=old is not None and old.built_in)
    check_type(new, [other for other in schema.types if other.id != new.id])
    uow.label(count=1, title=_label(new.labels, new.id))
    if old is None:
        place = max((item.position for item in schema.types), default=-1) + 1
        uow.insert([replace(new, position=new.position or place)])
        return Outcome(changed=1)
    check_roles_kept(uow, old, new)
    return Outcome(changed=uow.update(Kind.MEMORY_TYPE, [old.pk], _values(new)))


def _values(record: MemoryType | RelationType) -> dict[str, object]:
    return {item.name: getattr(record, item.name) for item in fields(record) if item.name != "pk"}


def check_type(new: MemoryType, others: Sequence[MemoryType]) -> None:
    """The rules of spec/STBME §2.4 and those of our columns. Errors: Invalid."""
    if not _ID.fullmatch(new.id):
        raise Invalid("error.schema.id", id=new.id)
    _check_labels(new.labels, new.id)
    if not new.table_name.strip():
        raise Invalid("error.schema.table_empty", type=new.id)
    if any(other.table_name == new.table_name for other in others):
        raise Invalid("error.schema.table_taken", table=new.table_name)
    _check_columns(new)
    _check_compression(new)
    for color in (new.color, new.color_dark):
        _check_color(color)


def _check_columns(new: MemoryType) -> None:
    if not new.columns:
        raise Invalid("error.schema.no_columns", type=new.id)
    names = [column.name for column in new.columns]
    for name in names:
        if not name.strip():
            raise Invalid("error.schema.column_empty", type=new.id)
        if any(column.limit < 0 for column in new.columns):
            raise Invalid("error.schema.limit", type=new.id)
        if names.count(name) > 1:
            raise Invalid("error.schema.column_twice", column=name, type=new.id)
    for role in (ColumnRole.TITLE, ColumnRole.BODY):
        if sum(column.role is role for column in new.columns) > 1:
            raise Invalid("error.schema.role_twice", role=role.value, type=new.id)
    if not any(column.required for column in new.columns):
        raise Invalid("error.schema.none_required", type=new.id)
    if new.latest_only and not LATEST_ONLY_KEYS.intersection(names):
        raise Invalid("error.schema.latest_key", type=new.id)
    if new.key_column is not None and new.key_column not in names:
        raise Invalid("error.schema.key_column", column=new.key_column, type=new.id)


def _check_compression(new: MemoryType) -> None:
    numbers = new.compression
    values = (numbers.threshold, numbers.fan_in, numbers.max_depth, numbers.keep_recent)
    if any(value < 0 for value in values):
        raise Invalid("error.schema.compression", type=new.id)
    if numbers.hierarchical and (numbers.fan_in < 2 or numbers.threshold < 1 or numbers.max_depth < 1):
        raise Invalid("error.schema.compression", type=new.id)


def check_roles_kept(reader: Reader, old: MemoryType, new: MemoryType) -> None:
    """A column in use stays where its values live: in the row, or among the fields. Errors: Invalid."""
    before = {column.name: column for column in old.columns}
    moved = [column.name for column in new.columns if _moved(before.get(column.name), column)]
    used = reader.types_in_use().get(old.id, 0)
    if moved and used:
        raise Invalid("error.schema.role_in_use", column=moved[0], type=old.id, count=used)


def _moved(before: Column | None, after: Column) -> bool:
    return before is not None and before.role is not after.role


def remove_type(uow: UnitOfWork, command: RemoveMemoryType) -> Outcome:
    """Errors: Invalid when it is built in or memories (in the trash too) use it."""
    memory_type = type_of(uow, command.type)
    if memory_type.built_in:
        raise Invalid("error.schema.built_in", type=memory_type.id)
    if used := uow.types_in_use().get(memory_type.id, 0):
        raise Invalid("error.schema.type_in_use", type=memory_type.id, count=used)
    uow.label(count=1, title=_label(memory_type.labels, memory_type.id))
    return Outcome(changed=uow.delete(Kind.MEMORY_TYPE, [memory_type.pk]))


def save_relation(uow: UnitOfWork, command: SaveRelationType) -> Outcome:
    """A new or changed relation type. Errors: Invalid.

    Relations that exist already keep what they were made with (`inhibits` too), as imported ones do.
    """
    schema = uow.schema()
    new = command.relation
    old = schema.relation(new.id)
    new = replace(new, built_in=old is not None and old.built_in)
    check_relation(new)
    uow.label(count=1, title=_label(new.labels, new.id))
    if old is None:
        place = max((item.position for item in schema.relations), default=-1) + 1
        uow.insert([replace(new, position=new.position or place)])
        return Outcome(changed=1)
    return Outcome(changed=uow.update(Kind.RELATION_TYPE, [old.pk], _values(new)))


def check_relation(new: RelationType) -> None:
    """The rules of a relation type. Errors: Invalid."""
    if not _ID.fullmatch(new.id):
        raise Invalid("error.schema.id", id=new.id)
    _check_labels(new.labels, new.id)
    _check_color(new.color)


def remove_relation(uow: UnitOfWork, command: RemoveRelationType) -> Outcome:
    """Errors: Invalid when it is built in or relations use it."""
    relation = relation_of(uow, command.relation)
    if relation.built_in or relation.id == DEFAULT_RELATION:
        raise Invalid("error.schema.built_in", type=relation.id)
    if used := uow.relations_in_use().get(relation.id, 0):
        raise Invalid("error.schema.relation_in_use", relation=relation.id, count=used)
    uow.label(count=1, title=_label(relation.labels, relation.id))
    return Outcome(changed=uow.delete(Kind.RELATION_TYPE, [relation.pk]))


def _check_labels(labels: Labels, owner: str) -> None:
    if not any(text.strip() for text in labels.values()):
        raise Invalid("error.schema.label_empty", type=owner)


def _check_color(color: str) -> None:
    if not _COLOR.fullmatch(color):
        raise Invalid("error.schema.color", color=color)


def _label(labels: Labels, owner: str) -> str:
    return labels.get("en") or next((text for text in labels.values() if text), owner)
