"""The typed form: editors made from the schema of a memory's type, and what every memory has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QComboBox, QFrame, QLabel, QVBoxLayout, QWidget

from core.domain.enums import Layer, TagKind
from core.domain.json_types import Json
from core.domain.schema import Column, ColumnRole, MemoryType, Schema
from core.domain.tags import TRIPLE, clean_general_tags, clean_triple_tags
from core.domain.texts import Text
from ui.context import Context
from ui.views.editor_values import FIELD, TAG, Values, is_blank, key_of, same, texts
from ui.views.field_editors import FieldRow, NumberEditor, ValueEditor, editor_for, editor_for_unknown
from ui.views.naming import column_name, layer_name, tag_kind_name, type_name
from ui.widgets.chips import ChipEditor, unique
from ui.widgets.importance import ImportanceEditor
from ui.widgets.wheel import guard_wheel

SPACING = 12
COMMON_LISTS = {
    "aliases": unique,
    "visibility": unique,
    TAG + TagKind.CORE: clean_triple_tags,
    TAG + TagKind.DIFFUSION: clean_triple_tags,
    TAG + TagKind.OPPOSING: clean_triple_tags,
    TAG + TagKind.GENERAL: clean_general_tags,
}
SEQ_KEYS = ("seq", "seq_start", "seq_end")


class EditorForm(QWidget):
    """Shows form values (see editor_values) and gives them back; knows nothing of saving.

    The type's own columns come first in their order, title and body on top; then values the type
    does not know; then importance, layer, floors, tags, aliases and visibility. A value that no
    editor shows is kept.
    """

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._schema: Schema | None = None
        self._values: Values = {}
        self._rows: dict[str, FieldRow] = {}
        self._sides: list[QBoxLayout] = []
        self._editors: dict[str, ValueEditor] = {}
        self._built_for: tuple[object, ...] = ()
        self._showing = False
        self._own = QVBoxLayout()
        self._own.setSpacing(SPACING)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(SPACING)
        column.addLayout(self._make_head())
        column.addLayout(self._own)
        column.addWidget(_line())
        column.addLayout(self._make_common())
        column.addWidget(_line())
        column.addLayout(self._make_tags())
        column.addStretch(1)
        ctx.theme.bind(self, self._show_icons)

    # --- values in and out ---

    def show_values(self, schema: Schema, values: Mapping[str, Json], folder_name: str) -> None:
        """Show values; editors that already show the same keep cursor and selection."""
        self._showing = True
        self._schema = schema
        self._folder.setText(folder_name)
        self._values = dict(values)
        self._fill_types(schema, str(values["type"]))
        self._build()
        for key, editor in self._editors.items():
            if not same(editor.value(), values.get(key)) or editor.value() is None:
                editor.set_value(values.get(key))
        self._show_common(values)
        self._showing = False

    def values(self) -> Values:
        """All values as they stand in the form."""
        result = dict(self._values)
        for key, editor in self._editors.items():
            value = editor.value()
            if key in result or not is_blank(value):
                result[key] = value
        result["type"] = str(self._type.currentData())
        result["layer"] = str(self._layer.currentData())
        result["importance"] = self._importance.value()
        for key, chips in self._chips.items():
            result[key] = list(chips.values())
        return result

    def set_value(self, key: str, value: Json) -> None:
        """Put one value into the form."""
        self.show_values(self._need_schema(), self.values() | {key: value}, self._folder.text())
        self.changed.emit()

    def commit_inputs(self) -> None:
        """Turn half-typed chips into chips."""
        for chips in self._chips.values():
            chips.commit()

    @property
    def kind(self) -> MemoryType | None:
        """The type chosen in the form."""
        return self._schema.type(str(self._type.currentData())) if self._schema else None

    def show_faults(self, faults: Mapping[str, Text]) -> None:
        """Say at each field what is wrong with it."""
        for key, row in self._rows.items():
            fault = faults.get(key)
            row.show_fault(self._ctx.tr(fault.key, **fault.args) if fault else "")

    def focus_on(self, key: str) -> None:
        """Put the cursor into a field."""
        row = self._rows.get(key)
        if row is not None:
            row.editor.setFocus()

    def focus_first(self) -> None:
        """Put the cursor where writing begins."""
        first = next(iter(self._editors.values()), None)
        if first is not None:
            first.setFocus()

    def set_tag_suggestions(self, words: Mapping[TagKind, Sequence[str]]) -> None:
        """Tags that completion offers, by group."""
        for kind, names in words.items():
            self._chips[TAG + kind].set_suggestions(names)

    # --- building ---

    def lay_out(self, *, narrow: bool) -> None:
        """Short fields side by side, or one below the other where there is little room."""
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        for side in self._sides:
            side.setDirection(way)

    def _make_side(self, *fields: tuple[QWidget, int]) -> QBoxLayout:
        side = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        side.setSpacing(SPACING)
        for field, share in fields:
            side.addWidget(field, share)
        self._sides.append(side)
        return side

    def _make_head(self) -> QBoxLayout:
        tr = self._ctx.tr
        self._type = QComboBox()
        self._type.setAccessibleName(tr("value.type"))
        guard_wheel(self._type)
        self._type.currentIndexChanged.connect(self._on_type)
        self._folder = QLabel()
        self._folder.setProperty("role", "secondary")
        self._folder.setWordWrap(True)
        return self._make_side(
            (FieldRow(tr("value.type"), self._type), 1), (FieldRow(tr("value.folder"), self._folder), 1)
        )

    def _make_common(self) -> QVBoxLayout:
        tr = self._ctx.tr
        self._importance = ImportanceEditor(name=tr("value.importance"))
        guard_wheel(self._importance.slider)
        guard_wheel(self._importance.spin)
        self._importance.changed.connect(self._on_changed)
        self._layer = QComboBox()
        self._layer.setAccessibleName(tr("value.layer"))
        guard_wheel(self._layer)
        for layer in Layer:
            self._layer.addItem(layer_name(tr, layer), layer.value)
        self._layer.currentIndexChanged.connect(self._on_changed)
        box = QVBoxLayout()
        box.setSpacing(SPACING)
        importance = self._row("importance", self._importance)
        box.addLayout(self._make_side((importance, 3), (self._row("layer", self._layer), 2)))
        self._floor_editors: dict[str, ValueEditor] = {}
        for key in SEQ_KEYS:
            editor = NumberEditor(tr(f"value.{key}"), "", whole=True)
            editor.changed.connect(self._on_changed)
            self._floor_editors[key] = editor
        box.addLayout(
            self._make_side(*((self._row(key, editor), 1) for key, editor in self._floor_editors.items()))
        )
        return box

    def _make_tags(self) -> QVBoxLayout:
        tr = self._ctx.tr
        box = QVBoxLayout()
        box.setSpacing(8)
        rule = QLabel(tr("edit.triple.rule"))
        rule.setProperty("role", "small")
        rule.setWordWrap(True)
        self._chips: dict[str, ChipEditor] = {}
        for key in (*(TAG + kind for kind in TRIPLE), TAG + TagKind.GENERAL, "aliases", "visibility"):
            name = (
                tag_kind_name(tr, TagKind(key.removeprefix(TAG)))
                if key.startswith(TAG)
                else tr(f"value.{key}")
            )
            chips = ChipEditor(
                clean=COMMON_LISTS[key],
                placeholder=tr(f"edit.add.{key}"),
                remove_text=tr("chip.remove"),
                name=name,
            )
            chips.changed.connect(self._on_changed)
            self._chips[key] = chips
            box.addWidget(self._row(key, chips, name))
            if key == TAG + TRIPLE[-1]:
                box.addWidget(rule)
                box.addSpacing(4)
        return box

    def _row(self, key: str, editor: QWidget, name: str = "") -> FieldRow:
        row = FieldRow(name or self._ctx.tr(f"value.{key}"), editor)
        self._rows[key] = row
        return row

    def _fill_types(self, schema: Schema, current: str) -> None:
        self._type.clear()
        for kind in schema.types:
            self._type.addItem(self._ctx.theme.type_icon(kind.id), type_name(kind, self._ctx.tr), kind.id)
        if schema.type(current) is None:
            self._type.addItem(self._ctx.theme.type_icon(current), current, current)
        self._type.setCurrentIndex(self._type.findData(current))

    def _show_icons(self) -> None:
        """The icons of the types in the colours and the size of now."""
        theme = self._ctx.theme
        self._type.setIconSize(theme.icon_size)
        for index in range(self._type.count()):
            self._type.setItemIcon(index, theme.type_icon(str(self._type.itemData(index))))

    def _columns(self) -> list[Column]:
        """The columns to show: title and body first; ones the type lacks only when they say something."""
        kind = self.kind
        own = list(kind.columns) if kind else []
        title = next((c for c in own if c.role is ColumnRole.TITLE), None)
        body = next((c for c in own if c.role is ColumnRole.BODY), None)
        if title is None and not is_blank(self._values.get("title")):
            title = Column(name=self._ctx.tr("value.title"), role=ColumnRole.TITLE)
        if body is None and (kind is None or not is_blank(self._values.get("body"))):
            body = Column(name=self._ctx.tr("value.body"), role=ColumnRole.BODY)
        rest = [c for c in own if c.role is ColumnRole.FIELD]
        return [column for column in (title, body, *rest) if column is not None]

    def _unknown(self, columns: Sequence[Column]) -> list[str]:
        known = {key_of(column) for column in columns}
        return [
            k for k, v in self._values.items() if k.startswith(FIELD) and k not in known and not is_blank(v)
        ]

    def _build(self) -> None:
        """Make the type's editors, unless the form already stands for just these."""
        columns = self._columns()
        unknown = self._unknown(columns)
        shape = (tuple(columns), tuple(unknown), self._ctx.tr.code)
        if shape == self._built_for:
            return
        self._built_for = shape
        for key in self._editors.keys() - self._floor_editors.keys():
            row = self._rows.pop(key)
            self._own.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._editors = {}
        for column in columns:
            name = column_name(column, self._ctx.tr)
            self._add(
                key_of(column),
                name,
                editor_for(self._ctx, column, name, self._values.get(key_of(column))),
                column.required,
            )
        for key in unknown:
            name = key.removeprefix(FIELD)
            self._add(key, name, editor_for_unknown(self._ctx, name, self._values[key]), required=False)
        for key, editor in self._editors.items():
            editor.set_value(self._values.get(key))
            editor.changed.connect(self._on_changed)
        self._editors |= self._floor_editors

    def _add(self, key: str, name: str, editor: ValueEditor, required: bool) -> None:
        row = FieldRow(name, editor, required=required, required_text=self._ctx.tr("edit.required"))
        self._editors[key] = editor
        self._rows[key] = row
        self._own.addWidget(row)

    def _show_common(self, values: Mapping[str, Json]) -> None:
        importance = values.get("importance")
        if isinstance(importance, int | float) and importance != self._importance.value():
            self._importance.set_value(importance)
        self._layer.setCurrentIndex(max(0, self._layer.findData(values.get("layer"))))
        for key, chips in self._chips.items():
            if chips.values() != texts(values.get(key)):
                chips.set_values(texts(values.get(key)))

    def _on_type(self) -> None:
        if self._showing or self._schema is None:
            return
        self.show_values(self._schema, self.values(), self._folder.text())
        self.changed.emit()

    def _on_changed(self) -> None:
        if not self._showing:
            self.changed.emit()

    def _need_schema(self) -> Schema:
        if self._schema is None:
            raise RuntimeError("the form shows nothing yet")
        return self._schema


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("line", "bottom")
    line.setFixedHeight(1)
    return line
