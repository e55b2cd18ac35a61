"""The type schema and the relation types: data that says which columns a type of memory has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from core.domain.enums import Kind
from core.domain.ids import RelationId, TypeId

Labels = Mapping[str, str]
"""Texts by language: ``{"en": ..., "zh_CN": ...}``."""


class ColumnRole(StrEnum):
    """Where a column's value lives: in a real column of the memory or among its fields."""

    TITLE = "title"
    BODY = "body"
    FIELD = "field"


class ColumnFormat(StrEnum):
    """How a field is edited."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    LIST = "list"
    CHOICE = "choice"
    NUMBER = "number"
    TIME = "time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a type. `embed`: its text is part of what is embedded. `limit`: most characters, 0 = any."""

    name: str
    labels: Labels = field(default_factory=dict)
    hint: Labels = field(default_factory=dict)
    required: bool = False
    role: ColumnRole = ColumnRole.FIELD
    format: ColumnFormat = ColumnFormat.TEXT
    choices: tuple[str, ...] = ()
    embed: bool = False
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Compression:
    """Hierarchical compression of a type; all zero = none (spec/STBME §2.1)."""

    threshold: int = 0
    fan_in: int = 0
    max_depth: int = 0
    keep_recent: int = 0
    instruction: Labels = field(default_factory=dict)

    @property
    def hierarchical(self) -> bool:
        """Whether memories of the type are compressed at all."""
        return self.fan_in > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryType:
    """One row of the type schema. `pk` 0 = not stored yet; `position` = order in lists."""

    KIND: ClassVar[Kind] = Kind.MEMORY_TYPE

    pk: int = 0
    id: TypeId
    labels: Labels
    table_name: str
    columns: tuple[Column, ...]
    always_inject: bool = False
    latest_only: bool = False
    force_update: bool = False
    key_column: str | None = None
    compression: Compression = field(default_factory=Compression)
    color: str = "#5B6472"
    color_dark: str = "#A3ACBA"
    icon: str = "circle"
    position: int = 0
    built_in: bool = False

    def column_of(self, role: ColumnRole) -> Column | None:
        """The column with the role title or body, if there is one."""
        return next((column for column in self.columns if column.role is role), None)

    @property
    def field_columns(self) -> tuple[Column, ...]:
        """The columns whose values live in `Memory.fields`."""
        return tuple(column for column in self.columns if column.role is ColumnRole.FIELD)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationType:
    """A kind of relation. `inverse` = label when read from target to source."""

    KIND: ClassVar[Kind] = Kind.RELATION_TYPE

    pk: int = 0
    id: RelationId
    labels: Labels
    inverse: Labels = field(default_factory=dict)
    inhibits: bool = False
    color: str = "#8A93A1"
    position: int = 0
    built_in: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """All memory types and relation types of a library, in their order."""

    types: tuple[MemoryType, ...]
    relations: tuple[RelationType, ...]

    def type(self, type_id: str) -> MemoryType | None:
        """The type of that id."""
        return next((item for item in self.types if item.id == type_id), None)

    def relation(self, relation_id: str) -> RelationType | None:
        """The relation type of that id."""
        return next((item for item in self.relations if item.id == relation_id), None)
