"""New types and relation types: empty ones, and copies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from core.domain import texts
from core.domain.ids import RelationId, TypeId
from core.domain.schema import Column, ColumnFormat, ColumnRole, Labels, MemoryType, RelationType
from core.domain.schema_data import default_schema
from ui.language import Language
from ui.views.types.edits import RELATIONS, Item, Key, stored_in


def fresh(kind: int, taken: Collection[str], tr: Language) -> Item:
    """A new one, to be named."""
    if kind == RELATIONS:
        name = free_id("relation", taken)
        return RelationType(id=RelationId(name), labels={tr.code: tr("types.new_relation")})
    name = free_id("type", taken)
    return MemoryType(
        id=TypeId(name),
        labels={tr.code: tr("types.new_type")},
        table_name=name,
        icon="mdi6.circle-outline",
        columns=(
            Column(name="title", role=ColumnRole.TITLE, required=True, labels={tr.code: tr("value.title")}),
            Column(
                name="summary",
                role=ColumnRole.BODY,
                format=ColumnFormat.LONG_TEXT,
                labels={tr.code: tr("value.body")},
            ),
        ),
    )


def copy_of(item: Item, taken: Collection[str]) -> Item:
    """A new one like this."""
    free, labels = free_id(f"{item.id}_copy", taken), _copied(item.labels)
    if isinstance(item, MemoryType):
        return replace(
            item, pk=0, id=TypeId(free), labels=labels, table_name=free, built_in=False, position=0
        )
    return replace(item, pk=0, id=RelationId(free), labels=labels, built_in=False, position=0)


def _copied(labels: Labels) -> Labels:
    """Names of a copy, each in its own language."""
    return {
        code: texts.render(code, "types.copy_of", name=text) if code in texts.LANGUAGES else text
        for code, text in labels.items()
    }


def free_id(name: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number that is free."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}{number}"
    return free


def built_in(key: Key) -> Item | None:
    """The one of a key as it came with the program."""
    return stored_in(default_schema(), key)


def alike(stored: Item, given: Item | None) -> bool:
    """Whether a type is as it came, but for its key and place."""
    if isinstance(stored, MemoryType) and isinstance(given, MemoryType):
        return replace(stored, pk=0, position=0, built_in=True) == replace(
            given, pk=0, position=0, built_in=True
        )
    if isinstance(stored, RelationType) and isinstance(given, RelationType):
        return replace(stored, pk=0, position=0, built_in=True) == replace(
            given, pk=0, position=0, built_in=True
        )
    return False
