"""Which columns refer to which rows: the one table behind conflicts, order of restoring, and checks."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.enums import Kind


@dataclass(frozen=True, slots=True)
class Reference:
    """Column `column` of `kind` holds the key of a `target`; `optional` ones may be emptied."""

    kind: Kind
    column: str
    target: Kind
    optional: bool = False


REFERENCES = (
    Reference(Kind.TAG, "memory", Kind.MEMORY),
    Reference(Kind.ALIAS, "memory", Kind.MEMORY),
    Reference(Kind.EDGE, "source", Kind.MEMORY),
    Reference(Kind.EDGE, "target", Kind.MEMORY),
    Reference(Kind.NOT_DUPLICATE, "a", Kind.MEMORY),
    Reference(Kind.NOT_DUPLICATE, "b", Kind.MEMORY),
    Reference(Kind.PIN, "memory", Kind.MEMORY),
    Reference(Kind.DECISION, "memory", Kind.MEMORY, optional=True),
    Reference(Kind.MERGE, "survivor", Kind.MEMORY),
    Reference(Kind.MERGE, "loser", Kind.MEMORY),
    Reference(Kind.MEMORY, "folder", Kind.FOLDER),
    Reference(Kind.MEMORY, "document", Kind.DOCUMENT, optional=True),
    Reference(Kind.MEMORY, "parent", Kind.MEMORY, optional=True),
    Reference(Kind.MEMORY, "merged_into", Kind.MEMORY, optional=True),
    Reference(Kind.MESSAGE, "folder", Kind.FOLDER),
    Reference(Kind.DOCUMENT, "folder", Kind.FOLDER),
    Reference(Kind.MEMO, "folder", Kind.FOLDER),
    Reference(Kind.RECALL_CASE, "folder", Kind.FOLDER, optional=True),
)

UNIQUE: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (Kind.FOLDER, ("name",)),
    (Kind.MEMORY, ("folder", "foreign_id")),
    (Kind.MEMORY_TYPE, ("id",)),
    (Kind.MEMORY_TYPE, ("table_name",)),
    (Kind.RELATION_TYPE, ("id",)),
    (Kind.NOT_DUPLICATE, ("about", "a", "b")),
    (Kind.PIN, ("place", "memory")),
    (Kind.MERGE, ("loser",)),
    (Kind.DECISION, ("proposal", "part")),
    (Kind.SAVED_SEARCH, ("name",)),
)
"""Column groups that must be unique and can be taken by another row in the meantime."""

RESTORE_ORDER = (
    Kind.FOLDER,
    Kind.MEMORY_TYPE,
    Kind.RELATION_TYPE,
    Kind.DOCUMENT,
    Kind.MEMORY,
    Kind.TAG,
    Kind.ALIAS,
    Kind.EDGE,
    Kind.NOT_DUPLICATE,
    Kind.PIN,
    Kind.MESSAGE,
    Kind.MEMO,
    Kind.RECALL_CASE,
    Kind.SAVED_SEARCH,
    Kind.MERGE,
    Kind.DECISION,
)
"""Kinds in an order in which what is referred to comes first."""
