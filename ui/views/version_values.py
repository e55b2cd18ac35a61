"""Versions of a memory from the journal: what each changed, and how the memory stood after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.domain.enums import TagKind
from core.domain.json_types import Json
from core.domain.results import RowVersion
from ui.views.editor_values import FIELD, PLAIN, TAG, Values, texts

ALIAS = "alias"
LISTS = {kind.value: TAG + kind.value for kind in TagKind} | {ALIAS: "aliases"}
"""Names under which the journal gives lost and gained values, and their form keys."""
EDITABLE = {*PLAIN, "visibility"}
HIDDEN = frozenset(
    {"pk", "id", "foreign_id", "search_text", "created_at", "updated_at", "revision", "extra", "text_hash"}
)


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value of a memory before and after a version."""

    key: str
    before: Json
    after: Json


def changes_in(version: RowVersion) -> list[ValueChange]:
    """What a version changed, value by value; fields are taken apart."""
    found: list[ValueChange] = []
    for column in dict.fromkeys([*version.before, *version.after]):
        before, after = version.before.get(column), version.after.get(column)
        if column == "fields":
            found += _field_changes(before, after)
        elif column in LISTS:
            found.append(ValueChange(LISTS[column], before, after))
        elif column not in HIDDEN and before != after:
            found.append(ValueChange(column, before, after))
    return found


def _field_changes(before: Json, after: Json) -> list[ValueChange]:
    old, new = mapping_of(before), mapping_of(after)
    names = dict.fromkeys([*old, *new])
    return [
        ValueChange(FIELD + name, old.get(name), new.get(name))
        for name in names
        if old.get(name) != new.get(name)
    ]


def values_after(current: Values, versions: Sequence[RowVersion], index: int) -> Values:
    """The form values as they stood after `versions[index]` (newest first): the newer ones taken back."""
    values = dict(current)
    for version in versions[:index]:
        for column, before in version.before.items():
            if column == "fields":
                values = {key: value for key, value in values.items() if not key.startswith(FIELD)}
                values |= {FIELD + name: value for name, value in mapping_of(before).items()}
            elif column in LISTS:
                key, gained = LISTS[column], texts(version.after.get(column))
                kept = [value for value in texts(values.get(key)) if value not in gained]
                values[key] = [*kept, *texts(before)]
            elif column in EDITABLE:
                values[column] = before
    for key in current:
        values.setdefault(key, None)
    return values


def mapping_of(value: Json) -> Mapping[str, Json]:
    """A JSON object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}
