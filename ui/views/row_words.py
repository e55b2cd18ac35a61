"""What the columns of rows other than memories are called in the history, and their values in words."""

from __future__ import annotations

from datetime import UTC, datetime

from core.domain.enums import Kind, TagKind
from core.domain.json_types import Json
from core.domain.schema import Schema
from ui.language import Language
from ui.views.naming import json_text, label, tag_kind_name

SILENT = frozenset(
    {
        (Kind.DOCUMENT, "media_type"),
        (Kind.DOCUMENT, "content_hash"),
        (Kind.MEMORY_TYPE, "built_in"),
        (Kind.RELATION_TYPE, "built_in"),
        (Kind.NOT_DUPLICATE, "about"),
        (Kind.MERGE, "batch"),
        (Kind.MERGE, "moved"),
        (Kind.MERGE, "image"),
        (Kind.DECISION, "proposal"),
        (Kind.DECISION, "part"),
        (Kind.PIN, "place"),
        (Kind.PIN, "x"),
        (Kind.PIN, "y"),
    }
)
"""Columns that say nothing to a person; that the row is there says all."""
TIMES = frozenset({"valid_from", "invalid_from", "expired_at", "sent_at", "expires_at", "deleted_at"})
"""Points in time, kept as microseconds."""
MICROS = 1_000_000


def row_value_name(tr: Language, kind: Kind, column: str) -> str:
    """What a column of a row is called; its own name where nobody named it."""
    for key in (f"row.{kind.value}.{column}", f"row.{column}", f"value.{column}"):
        if tr.has(key):
            return tr(key)
    return column


def row_value_text(tr: Language, schema: Schema, kind: Kind, column: str, value: Json) -> str:
    """A value of such a column as text."""
    if isinstance(value, bool):
        return tr("row.yes" if value else "row.no")
    if column in TIMES:
        return moment_text(tr, value)
    if kind is Kind.TAG and column == "kind" and value in set(TagKind):
        return tag_kind_name(tr, TagKind(str(value)))
    if kind is Kind.EDGE and column == "relation":
        known = schema.relation(str(value))
        return label(known.labels, tr.code, known.id) if known is not None else str(value)
    key = f"row.{kind.value}.{column}.{value}"
    return tr(key) if isinstance(value, str) and tr.has(key) else json_text(value)


def moment_text(tr: Language, value: Json) -> str:
    """A kept point in time as people read it."""
    if not isinstance(value, int) or isinstance(value, bool):
        return json_text(value)
    try:
        return tr.exact(datetime.fromtimestamp(value / MICROS, UTC))
    except (OverflowError, OSError, ValueError):
        return str(value)
