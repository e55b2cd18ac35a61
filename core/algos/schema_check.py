"""Problems of a custom type schema as it stands in a file.

Source: spec/STBME §2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

_KEY_COLUMNS = frozenset({"name", "title", "summary"})


class SchemaProblem(StrEnum):
    """What is wrong with a schema."""

    NO_TYPES = "no_types"
    NOT_AN_OBJECT = "not_an_object"
    NO_ID = "no_id"
    DOUBLE_ID = "double_id"
    NO_LABEL = "no_label"
    NO_TABLE_NAME = "no_table_name"
    DOUBLE_TABLE_NAME = "double_table_name"
    NO_COLUMNS = "no_columns"
    NO_COLUMN_NAME = "no_column_name"
    DOUBLE_COLUMN = "double_column"
    NO_REQUIRED_COLUMN = "no_required_column"
    LATEST_WITHOUT_KEY = "latest_without_key"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, the place of the type in the list, and the id or column meant."""

    problem: SchemaProblem
    at: int | None = None
    subject: str = ""


def check_schema(schema: object) -> list[Finding]:
    """All problems of the schema; none = it can be used."""
    if not isinstance(schema, list | tuple) or not schema:
        return [Finding(SchemaProblem.NO_TYPES)]
    findings: list[Finding] = []
    ids: set[str] = set()
    tables: set[str] = set()
    for at, item in enumerate(schema):
        if not isinstance(item, Mapping):
            findings.append(Finding(SchemaProblem.NOT_AN_OBJECT, at))
            continue
        findings += _named(item, "id", at, ids, SchemaProblem.NO_ID, SchemaProblem.DOUBLE_ID)
        if not _is_name(item.get("label")):
            findings.append(Finding(SchemaProblem.NO_LABEL, at, _subject(item)))
        findings += _named(
            item, "tableName", at, tables, SchemaProblem.NO_TABLE_NAME, SchemaProblem.DOUBLE_TABLE_NAME
        )
        findings += _columns(item, at)
    return findings


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _subject(item: Mapping[str, object]) -> str:
    return str(item.get("id") or "")


def _named(
    item: Mapping[str, object],
    key: str,
    at: int,
    seen: set[str],
    missing: SchemaProblem,
    double: SchemaProblem,
) -> list[Finding]:
    value = item.get(key)
    if not isinstance(value, str) or not value.strip():
        return [Finding(missing, at, _subject(item))]
    if value in seen:
        return [Finding(double, at, value)]
    seen.add(value)
    return []


def _columns(item: Mapping[str, object], at: int) -> list[Finding]:
    columns = item.get("columns")
    if not isinstance(columns, list | tuple) or not columns:
        return [Finding(SchemaProblem.NO_COLUMNS, at, _subject(item))]
    findings: list[Finding] = []
    names: set[str] = set()
    for column in columns:
        name = column.get("name") if isinstance(column, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            findings.append(Finding(SchemaProblem.NO_COLUMN_NAME, at, _subject(item)))
        elif name in names:
            findings.append(Finding(SchemaProblem.DOUBLE_COLUMN, at, name))
        else:
            names.add(name)
    if not any(isinstance(column, Mapping) and column.get("required") for column in columns):
        findings.append(Finding(SchemaProblem.NO_REQUIRED_COLUMN, at, _subject(item)))
    if item.get("latestOnly") and not names & _KEY_COLUMNS:
        findings.append(Finding(SchemaProblem.LATEST_WITHOUT_KEY, at, _subject(item)))
    return findings
