"""What one change did: each row with what stood there before and what stands there after."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.enums import Kind
from core.domain.json_types import Json
from core.domain.queries import LibrarySchema
from core.domain.queries_history import OpDiff
from core.domain.results import HistoryEntry, RowDiff
from core.domain.schema import MemoryType, Schema
from ui.context import Context
from ui.language import Language, isolate
from ui.tasks import Lane
from ui.views.editor_values import FIELD
from ui.views.naming import shorten, value_name, value_text
from ui.views.op_words import op_label, writer
from ui.views.proposal.words import source_name, used_words
from ui.views.row_words import SILENT, TIMES, moment_text, row_value_name, row_value_text
from ui.views.version_values import HIDDEN, ValueChange, mapping_of
from ui.widgets.diff_text import DiffText
from ui.widgets.focus_chain import put_page
from ui.widgets.state_stack import StateStack

SHOWN = 40
"""Rows shown at once; a change of thousands says how many more there are."""
VALUES, TITLE_CHARS = 12, 48
MARKS = {
    "created": ("mdi6.plus-circle-outline", "ok"),
    "changed": ("mdi6.pencil-outline", "secondary"),
    "removed": ("mdi6.minus-circle-outline", "danger"),
}


@dataclass(frozen=True, slots=True)
class _Read:
    """What is needed to show a change."""

    rows: tuple[RowDiff, ...]
    schema: Schema


class OpView(QWidget):
    """`open_memories(pks)`: go to what a row is about."""

    open_memories = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._entry: HistoryEntry | None = None
        self._read: _Read | None = None
        self.title, self.about = QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.about.setProperty("role", "secondary")
        for label in (self.title, self.about):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        whole = QWidget()
        whole.setProperty("surface", "base")
        box = QVBoxLayout(whole)
        box.setContentsMargins(0, 0, 0, 0)
        head = QVBoxLayout()
        head.setContentsMargins(16, 12, 16, 4)
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.about)
        box.addLayout(head)
        box.addWidget(self.area, 1)
        self.stack = StateStack(whole)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stack)
        self.views: list[DiffText] = []
        self.show_entry(None)

    def show_entry(self, entry: HistoryEntry | None) -> None:
        """Show a change; None = say what to do."""
        self._entry, self._read = entry, None
        tr = self._context.tr
        if entry is None:
            self._context.tasks.drop(self, "diff")
            self.stack.show_notice(tr("history.choose"))
            return
        engine, op = self._context.engine, entry.op.id
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Read:
            rows = engine.ask(OpDiff(op, SHOWN), cancel=cancel)
            return _Read(rows, engine.ask(LibrarySchema(), cancel=cancel))

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="diff", failed=self._fail)

    def _fail(self, error: Exception) -> None:
        tr, entry = self._context.tr, self._entry
        self.stack.show_notice(tr.error(error), tr("state.again"), lambda: self.show_entry(entry))

    def _take(self, read: _Read) -> None:
        self._read = read
        self.say()

    def say(self) -> None:
        """Show it in the present language and colours."""
        entry, read, tr = self._entry, self._read, self._context.tr
        if entry is None or read is None:
            if entry is None:
                self.stack.show_notice(tr("history.choose"))
            return
        op = entry.op
        self.title.setText(op_label(op, tr))
        rows = tr("history.touched", count=entry.rows)
        said = [writer(op, tr), tr.exact(op.at), rows]
        if model := op.args.get("model"):
            said.append(source_name(str(model), tr))
        tokens, cost = op.args.get("tokens", 0), op.args.get("cost", 0)
        if isinstance(tokens, int) and isinstance(cost, int | float):
            said += used_words(tokens, cost, tr)
        self.about.setText(" · ".join(said))
        page = QWidget()
        page.setProperty("surface", "base")
        box = QVBoxLayout(page)
        box.setContentsMargins(16, 8, 16, 16)
        box.setSpacing(4)
        self.views = []
        for row in read.rows:
            self._add_row(box, row, read.schema)
        left = entry.rows - len(read.rows)
        if read.rows and left > 0:
            box.addWidget(self._words(tr("history.more_rows", count=left)))
        if not read.rows:
            box.addWidget(self._words(tr("history.no_rows")))
        box.addStretch(1)
        put_page(self.area, page)
        self.stack.show_content()

    def _words(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setWordWrap(True)
        label.setProperty("role", "secondary")
        return label

    def _add_row(self, box: QVBoxLayout, row: RowDiff, schema: Schema) -> None:
        tr, theme = self._context.tr, self._context.theme
        icon, color = MARKS[row.action]
        mark = QLabel()
        mark.setPixmap(theme.icon(icon, color).pixmap(theme.icon_size))
        kind = tr(f"kind.{row.kind.value}")
        title = isolate(shorten(row.title, TITLE_CHARS))
        named = tr(f"history.row.{row.action}", kind=kind, title=title)
        name = QLabel(named if row.title.strip() else tr(f"history.unnamed.{row.action}", kind=kind))
        name.setWordWrap(True)
        name.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(mark)
        line.addWidget(name, 1)
        if row.memory is not None:
            go = QPushButton(tr("history.go"))
            go.setProperty("flat", "true")
            go.clicked.connect(lambda _checked=False, pk=row.memory: self.open_memories.emit((pk,)))
            line.addWidget(go)
        box.addLayout(line)
        memory_type = type_of(row, schema)
        for change in changes_of(row)[:VALUES]:
            self._add_value(box, row.kind, change, memory_type, schema)
        box.addSpacing(8)

    def _add_value(
        self,
        box: QVBoxLayout,
        kind: Kind,
        change: ValueChange,
        memory_type: MemoryType | None,
        schema: Schema,
    ) -> None:
        tr, theme = self._context.tr, self._context.theme
        name, before, after = words_of(tr, kind, memory_type, schema, change)
        if before == after:
            return
        heading = QLabel(name)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setProperty("role", "section")
        heading.setContentsMargins(theme.px(24), 0, 0, 0)
        view = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), max_lines=10)
        view.setProperty("role", "reading")
        view.setAccessibleName(name)
        view.show_difference(before, after)
        holder = QHBoxLayout()
        holder.setContentsMargins(theme.px(20), 0, 0, 0)
        holder.addWidget(view)
        box.addWidget(heading)
        box.addLayout(holder)
        self.views.append(view)


def words_of(
    tr: Language, kind: Kind, memory_type: MemoryType | None, schema: Schema, change: ValueChange
) -> tuple[str, str, str]:
    """Name of a value of a row, and what stood there before and stands there after."""
    key = change.key
    if kind is Kind.MEMORY:
        name = value_name(tr, memory_type, key)
        words = partial(value_text, tr, schema, memory_type, key)
    else:
        name = row_value_name(tr, kind, key)
        words = partial(row_value_text, tr, schema, kind, key)
    if key in TIMES:
        words = partial(moment_text, tr)
    return name, words(change.before), words(change.after)


def changes_of(row: RowDiff) -> list[ValueChange]:
    """The values of a row that differ; a memory's fields are taken apart, keys of rows are left out."""
    found: list[ValueChange] = []
    for column in dict.fromkeys([*row.before, *row.after]):
        before, after = row.before.get(column), row.after.get(column)
        if row.kind is Kind.MEMORY and column == "fields":
            old, new = mapping_of(before), mapping_of(after)
            names = dict.fromkeys([*old, *new])
            found += [ValueChange(FIELD + name, old.get(name), new.get(name)) for name in names]
        elif column not in HIDDEN and column != "foreign_id" and not _is_key(row.kind, column):
            found.append(ValueChange(column, before, after))
    return [change for change in found if _shown(change.before) != _shown(change.after)]


def _shown(value: Json) -> Json:
    return None if value in ("", [], {}) else value


def _is_key(kind: Kind, column: str) -> bool:
    """Columns that hold keys of other rows say nothing to a person."""
    keys = ("folder", "parent", "merged_into", "document", "position")
    return (kind, column) in SILENT or (column in keys and kind is not Kind.MEMORY_TYPE)


def type_of(row: RowDiff, schema: Schema) -> MemoryType | None:
    """The type of the memory that a row is, as far as the row tells it."""
    if row.kind is not Kind.MEMORY:
        return None
    return schema.type(str(row.after.get("type") or row.before.get("type") or row.type))
