"""One editor per format of a column. Each gives back an untouched value exactly as it was set."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QDate, QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QCalendarWidget,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from core.domain.json_types import Json
from core.domain.schema import Column, ColumnFormat, ColumnRole
from ui.context import Context
from ui.views.moments import shown_time, typed_time
from ui.views.naming import choice_name, json_text, label
from ui.widgets.chips import ChipEditor, split_values
from ui.widgets.plain_text import PlainLineEdit, PlainTextEdit
from ui.widgets.wheel import guard_wheel

DATE_CHARS = 10
LONG_LINES = (3, 18)
SHORT_LINES = (1, 6)


class ValueEditor(QWidget):
    """Base: `set_value`, `value`, `changed`. Subclasses show a JSON value and read it back."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._original: Json = None
        self._shown: Json = None
        self._setting = False

    def set_value(self, value: Json) -> None:
        """Show a value; it counts as untouched."""
        self._original = value
        self._setting = True
        self._show(value)
        self._setting = False
        self._shown = self._read()

    def value(self) -> Json:
        """The value now; what was set, when nobody touched it."""
        read = self._read()
        return self._original if read == self._shown else read

    def _show(self, value: Json) -> None:
        raise NotImplementedError

    def _read(self) -> Json:
        raise NotImplementedError

    def _touched(self, *_args: object) -> None:
        if not self._setting:
            self.changed.emit()

    def _hold(self, widget: QWidget) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(widget)
        self.setFocusProxy(widget)


class TextEditor(ValueEditor):
    """A text of one or many lines."""

    def __init__(
        self, name: str, hint: str, *, lines: tuple[int, int] = SHORT_LINES, one_line: bool = False
    ) -> None:
        super().__init__()
        self.edit = PlainTextEdit(lines=lines[0], max_lines=lines[1], one_line=one_line)
        self.edit.setPlaceholderText(hint)
        self.edit.setAccessibleName(name)
        self.edit.setAccessibleDescription(hint)
        self._hold(self.edit)
        self.edit.edited.connect(self._touched)

    def _show(self, value: Json) -> None:
        self.edit.set_text(json_text(value))

    def _read(self) -> Json:
        return self.edit.text()


class ListEditor(ValueEditor):
    """A list of texts as chips. A text that stands where a list should is shown cut at its commas."""

    def __init__(self, name: str, hint: str, remove_text: str) -> None:
        super().__init__()
        self.chips = ChipEditor(placeholder=hint, remove_text=remove_text, name=name)
        self._hold(self.chips)
        self.chips.changed.connect(self._touched)

    def _show(self, value: Json) -> None:
        items = (
            [json_text(item) for item in value]
            if isinstance(value, list | tuple)
            else split_values(json_text(value))
        )
        self.chips.set_values(items)

    def _read(self) -> Json:
        return list(self.chips.values())


class ChoiceEditor(ValueEditor):
    """One of the values of a choice column, or none. A value outside the list is offered too."""

    def __init__(self, ctx: Context, name: str, choices: Sequence[str]) -> None:
        super().__init__()
        self._ctx = ctx
        self._choices = tuple(choices)
        self.combo = QComboBox()
        self.combo.setAccessibleName(name)
        guard_wheel(self.combo)
        self._hold(self.combo)
        self.combo.currentIndexChanged.connect(self._touched)

    def _show(self, value: Json) -> None:
        text = json_text(value)
        self.combo.clear()
        self.combo.addItem(self._ctx.tr("edit.choice.none"), "")
        for choice in self._choices if not text or text in self._choices else (*self._choices, text):
            self.combo.addItem(choice_name(self._ctx.tr, choice, self._choices), choice)
        self.combo.setCurrentIndex(max(0, self.combo.findData(text)))

    def _read(self) -> Json:
        return str(self.combo.currentData() or "")


class NumberEditor(ValueEditor):
    """A number. What is no number is given back as text, so that it is said and not lost."""

    def __init__(self, name: str, hint: str, *, whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self.edit = PlainLineEdit()
        self.edit.setPlaceholderText(hint)
        self.edit.setAccessibleName(name)
        self._hold(self.edit)
        self.edit.textChanged.connect(self._touched)

    def _show(self, value: Json) -> None:
        self.edit.setText(json_text(value))

    def _read(self) -> Json:
        text = self.edit.text().strip()
        if not text:
            return None
        for kind in (int,) if self._whole else (int, float):
            try:
                number = kind(text)
            except ValueError:
                continue
            if number == number and abs(number) != float("inf"):  # noqa: PLR0124 - NaN is no number
                return number
        return text


class TimeEditor(ValueEditor):
    """A point in time (Unix seconds), typed as a local date and time or picked from a calendar."""

    def __init__(self, ctx: Context, name: str, hint: str) -> None:
        super().__init__()
        self.edit = PlainLineEdit()
        self.edit.setPlaceholderText("2025-03-01 18:30")
        self.edit.setToolTip(hint)
        self.edit.setAccessibleName(name)
        self.edit.setAccessibleDescription(hint)
        self._button = QToolButton()
        self._button.setIcon(ctx.theme.icon("mdi6.calendar", "secondary"))
        self._button.setToolTip(ctx.tr("edit.pick_date"))
        self._button.setAccessibleName(ctx.tr("edit.pick_date"))
        self._button.clicked.connect(self._pick)
        self._locale = ctx.tr.locale
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.edit, 1)
        row.addWidget(self._button)
        self.setFocusProxy(self.edit)
        self.edit.textChanged.connect(self._touched)

    def _show(self, value: Json) -> None:
        self.edit.setText(shown_time(value))

    def _read(self) -> Json:
        return typed_time(self.edit.text())

    def _pick(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        calendar = QCalendarWidget()
        calendar.setLocale(self._locale)
        now = QDate.fromString(self.edit.text()[:DATE_CHARS], Qt.DateFormat.ISODate)
        if now.isValid():
            calendar.setSelectedDate(now)
        holder = QWidgetAction(menu)
        holder.setDefaultWidget(calendar)
        menu.addAction(holder)

        def take(date: QDate) -> None:
            self.edit.setText(date.toString(Qt.DateFormat.ISODate) + self.edit.text()[DATE_CHARS:])
            menu.close()

        calendar.clicked.connect(take)
        calendar.activated.connect(take)
        menu.popup(self._button.mapToGlobal(QPoint(0, self._button.height())))


class JsonView(ValueEditor):
    """A value of a shape no editor knows: shown as JSON, kept as it is."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view = PlainTextEdit(lines=1, max_lines=8, read_only=True)
        self.view.setAccessibleName(name)
        self._value: Json = None
        self._hold(self.view)

    def _show(self, value: Json) -> None:
        self._value = value
        self.view.set_text(json.dumps(value, ensure_ascii=False, indent=2))

    def _read(self) -> Json:
        return self._value


def editor_for(ctx: Context, column: Column, name: str, value: Json) -> ValueEditor:
    """The editor for a column of a type."""
    if isinstance(value, dict) or (
        isinstance(value, list | tuple) and not all(isinstance(item, str) for item in value)
    ):
        return JsonView(name)
    hint = label(column.hint, ctx.tr.code, "")
    if column.role is ColumnRole.TITLE:
        return TextEditor(name, hint, lines=(1, 3), one_line=True)
    if column.role is ColumnRole.BODY:
        return TextEditor(name, hint, lines=(5, 30))
    match column.format:
        case ColumnFormat.TEXT:
            return TextEditor(name, hint)
        case ColumnFormat.LONG_TEXT:
            return TextEditor(name, hint, lines=LONG_LINES)
        case ColumnFormat.LIST:
            return ListEditor(name, hint, ctx.tr("chip.remove"))
        case ColumnFormat.CHOICE:
            return ChoiceEditor(ctx, name, column.choices)
        case ColumnFormat.NUMBER:
            return NumberEditor(name, hint)
        case ColumnFormat.TIME:
            return TimeEditor(ctx, name, hint)


def editor_for_unknown(ctx: Context, name: str, value: Json) -> ValueEditor:
    """The editor for a field that the type does not know, by the shape of its value."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return TextEditor(name, "") if isinstance(value, str) else NumberEditor(name, "")
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ListEditor(name, "", ctx.tr("chip.remove"))
    return JsonView(name)


class FieldRow(QWidget):
    """A label above an editor, with a place for what is wrong with it below."""

    def __init__(
        self, title: str, editor: QWidget, *, required: bool = False, required_text: str = ""
    ) -> None:
        super().__init__()
        self.editor = editor
        name = QLabel(f"{title} *" if required else title)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setProperty("role", "secondary")
        if required:
            name.setToolTip(required_text)
        name.setBuddy(editor)
        self.fault = QLabel()
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setWordWrap(True)
        self.fault.setProperty("role", "danger")
        self.fault.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(2)
        box.addWidget(name)
        box.addWidget(editor)
        box.addWidget(self.fault)

    def show_fault(self, text: str) -> None:
        """Say what is wrong; "" takes it back."""
        self.fault.setText(text)
        self.fault.setVisible(bool(text))
        self.editor.setAccessibleDescription(text)
