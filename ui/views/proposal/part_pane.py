"""One part of a proposal: what it does, its notes, each value before and after, editable."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.domain.json_types import Json
from core.domain.proposal import FieldChange, Part, PartView
from core.domain.schema import Column, ColumnFormat, Schema
from ui.context import Context
from ui.language import Language
from ui.tasks import single_shot
from ui.views.field_editors import ChoiceEditor
from ui.views.naming import json_text, shorten, shown_value
from ui.views.proposal.edits import editable, with_value
from ui.views.proposal.words import column_of, field_name, note_text, part_title, verb, verb_icon
from ui.widgets.diff_text import DiffText
from ui.widgets.focus_chain import put_page
from ui.widgets.plain_text import PlainTextEdit

TYPED_MS = 500
EDIT_LINES = 14
HEADING_CHARS = 60


class PartPane(QScrollArea):
    """`edited(part)` a little after a person typed, and when the pane is left."""

    edited = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._part: Part | None = None
        self.editors: dict[str, PlainTextEdit | ChoiceEditor] = {}
        self._typed = False
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._soon = single_shot(self, TYPED_MS, self.flush)
        self.below: Callable[[PartView], QWidget | None] = lambda _view: None
        """What stands below the values of a part."""

    @property
    def typing(self) -> bool:
        """Whether there is typed text that was not sent as `edited` yet."""
        return self._typed

    def show_part(self, view: PartView | None, schema: Schema) -> None:
        """Show another part; None shows nothing."""
        self.flush()
        self.editors = {}
        self._part = None if view is None else view.part
        body = QWidget()
        body.setProperty("surface", "base")
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        if view is not None:
            self._fill(column, view, schema)
        column.addStretch(1)
        put_page(self, body)

    def flush(self) -> None:
        """Send what was typed."""
        self._soon.stop()
        if self._typed and self._part is not None:
            self._typed = False
            self.edited.emit(self._part)

    def _fill(self, column: QVBoxLayout, view: PartView, schema: Schema) -> None:
        tr, theme = self._context.tr, self._context.theme
        head = QHBoxLayout()
        head.setSpacing(8)
        icon = QLabel()
        icon.setPixmap(theme.icon(*verb_icon(view.part)).pixmap(theme.icon_size))
        head.addWidget(icon)
        head.addWidget(_label(verb(view, schema, tr), "secondary"))
        head.addStretch(1)
        column.addLayout(head)
        title = part_title(view, schema, tr)
        heading = _label(
            title if view.ends is not None else shorten(title, HEADING_CHARS), "large", wrap=True
        )
        heading.setToolTip(title)
        column.addWidget(heading)
        if view.verdict is not None:
            column.addWidget(
                _label(tr(f"proposal.verdict.{view.verdict.value}.long"), "secondary", wrap=True)
            )
        elif view.obstacle is not None:
            column.addWidget(_label(tr(f"proposal.obstacle.{view.obstacle.value}"), "warning", wrap=True))
        for note in view.part.notes:
            role = "warning" if note.severity == "warning" else "secondary"
            column.addWidget(_label(note_text(note, tr), role, wrap=True))
        for change in view.changes:
            if view.ends is None:
                self._add_value(column, view, change, schema)
        below = self.below(view)
        if below is not None:
            column.addWidget(below)

    def _add_value(self, column: QVBoxLayout, view: PartView, change: FieldChange, schema: Schema) -> None:
        tr, theme = self._context.tr, self._context.theme
        name = field_name(change.name, view, schema, tr)
        column.addWidget(_label(name, "section"))
        column_now = column_of(change.name, view, schema)
        before, after = (_shown(column_now, each, tr) for each in (change.before, change.after))
        if change.before is not None:
            difference = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"))
            difference.setAccessibleName(tr("proposal.difference", name=name))
            difference.show_difference(before, after)
            column.addWidget(difference)
        if editable(view.part) and view.verdict is None and self._context.read_only is None:
            editor: PlainTextEdit | ChoiceEditor
            if column_now is not None and column_now.format is ColumnFormat.CHOICE:
                editor = ChoiceEditor(self._context, name, column_now.choices)
                editor.set_value(change.after)
                editor.changed.connect(partial(self._on_chosen, change, editor))
            else:
                editor = PlainTextEdit(lines=1, max_lines=EDIT_LINES)
                editor.set_text(json_text(change.after))
                editor.setAccessibleName(name)
                editor.edited.connect(partial(self._on_typed, change, editor))
            self.editors[change.name] = editor
            column.addWidget(editor)
        elif change.before is None:
            reader = PlainTextEdit(lines=1, max_lines=EDIT_LINES, read_only=True)
            reader.set_text(after)
            reader.setAccessibleName(name)
            column.addWidget(reader)

    def _on_typed(self, change: FieldChange, editor: PlainTextEdit) -> None:
        if self._part is not None and editor.document().isModified():
            self._part = with_value(self._part, change, editor.text())
            self._typed = True
            self._soon.start()

    def _on_chosen(self, change: FieldChange, editor: ChoiceEditor) -> None:
        if self._part is not None:
            self._part = with_value(self._part, change, json_text(editor.value()))
            self._typed = True
            self._soon.start()


def _shown(column: Column | None, value: Json, tr: Language) -> str:
    """A value for reading: times as dates, choices in words."""
    return json_text(value if column is None else shown_value(column, value, tr))


def _label(text: str, role: str, *, wrap: bool = False) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
