"""Names and values of the merge desk in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.domain.enums import Layer
from core.domain.json_types import Json
from core.domain.queries_merge import MergePlan, RelationChange
from core.domain.schema import Column, Schema
from ui.context import Context
from ui.language import Language
from ui.models.merge_choice import AUDIENCE, COLUMN, FOLDER, IMPORTANCE, LAYER, TYPE
from ui.views.naming import column_name, json_text, label, layer_name, name_of, shown_value, type_name

Why = Sequence[tuple[str, Mapping[str, Any]]]
_NAMES = {
    "title": "value.title",
    "body": "value.body",
    TYPE: "value.type",
    FOLDER: "value.folder",
    LAYER: "value.layer",
    IMPORTANCE: "value.importance",
    AUDIENCE: "value.visibility",
}


class MergeWords:
    """Words for one plan."""

    def __init__(self, context: Context, schema: Schema, plan: MergePlan) -> None:
        self._context, self._schema, self._plan = context, schema, plan
        self._kind = schema.type(plan.type)
        self._folders = {member.memory.folder: member.folder_name for member in plan.members}

    def name(self, line: str) -> str:
        """Name of a column."""
        tr = self._context.tr
        if not line.startswith(COLUMN):
            return tr(_NAMES[line])
        column = self._column(line)
        return line.removeprefix(COLUMN) if column is None else column_name(column, tr)

    def _column(self, line: str) -> Column | None:
        """The column as the survivor's type knows it, else that of a member."""
        for kind in (self._kind, *(self._schema.type(m.memory.type) for m in self._plan.members)):
            for column in kind.columns if kind is not None else ():
                if f"{COLUMN}{column.name}" == line:
                    return column
        return None

    def value(self, line: str, value: Json) -> str:
        """A value of a column."""
        tr = self._context.tr
        if line == TYPE:
            kind = self._schema.type(str(value))
            return type_name(kind, tr) if kind is not None else str(value)
        if line == FOLDER:
            return next((name for pk, name in self._folders.items() if pk == value), str(value))
        if line == LAYER:
            return layer_name(tr, Layer(str(value)))
        if line == AUDIENCE:
            names = [str(name) for name in value] if isinstance(value, list | tuple) else []
            return ", ".join(names) or tr("merge.everyone")
        column = self._column(line)
        if value is None and column is not None:
            return tr("merge.left_out")
        return json_text(shown_value(column, value, tr) if column is not None else value)

    def made(self, line: str) -> str:
        """What is said of a value that no member has: why it is offered."""
        tr = self._context.tr
        if line == AUDIENCE:
            return tr("merge.narrower")
        known = {f"{COLUMN}{column.name}" for column in self._kind.columns} if self._kind else set()
        if self._kind is not None and line.startswith(COLUMN) and line not in known:
            return tr("merge.left_out.why", type=type_name(self._kind, tr))
        return ""

    def relation(self, change: RelationChange) -> str:
        """A relation, and what becomes of it."""
        tr, view = self._context.tr, change.view
        kind = self._schema.relation(view.edge.relation)
        name = label(kind.labels, tr.code, view.edge.relation) if kind is not None else view.edge.relation
        ends = (name_of(view.source_title, tr), name_of(view.target_title, tr))
        return f"{ends[0]} — {name} → {ends[1]}: {tr(f'merge.relation.{change.fate.value}')}"


def reasons_text(tr: Language, why: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Reasons in one line."""
    return " · ".join(dict.fromkeys(tr(key, **args) for key, args in why))
