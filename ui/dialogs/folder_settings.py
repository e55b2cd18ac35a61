"""What a folder does by itself: extraction and what follows it; three profiles, shown as a diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_extract import SetFolderValues
from core.domain.folder_settings import FolderSetting, Profile, Value, ValueForm
from core.domain.ids import FolderPk
from core.domain.queries_extract import FolderValue, FolderValuesOf, ProfileDiff, ProfileDiffs
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane
from ui.theme import ROW_PX
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.wheel import guard_wheel

ROWS = 14
WIDTH = 620
DECIMALS, STEP = 2, 0.05
Answer = tuple[tuple[FolderValue, ...], tuple[ProfileDiff, ...]]


class ValueField(QWidget):
    """The editor of one setting. `edited()`."""

    edited = Signal()

    def __init__(self, ctx: Context, setting: FolderSetting, value: Value) -> None:
        super().__init__()
        self.setting = setting
        self._ctx = ctx
        self._editor = self._make()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._editor, 1 if setting.form is ValueForm.TEXT else 0)
        if setting.form is not ValueForm.TEXT:
            row.addStretch(1)
        self.set_value(value)

    def _make(self) -> QWidget:
        setting, tr = self.setting, self._ctx.tr
        editor: QWidget
        match setting.form:
            case ValueForm.FLAG:
                editor = flag = QCheckBox()
                flag.toggled.connect(lambda _on: self.edited.emit())
            case ValueForm.CHOICE:
                editor = choice = QComboBox()
                for each in setting.choices:
                    choice.addItem(tr(f"{setting.text}.{each}"), each)
                choice.currentIndexChanged.connect(lambda _at: self.edited.emit())
            case ValueForm.WHOLE:
                editor = whole = QSpinBox()
                whole.setRange(int(setting.low or 0), int(setting.high or 0))
                whole.valueChanged.connect(lambda _value: self.edited.emit())
            case ValueForm.NUMBER:
                editor = number = QDoubleSpinBox()
                number.setRange(setting.low or 0.0, setting.high or 0.0)
                number.setDecimals(DECIMALS)
                number.setSingleStep(STEP)
                number.valueChanged.connect(lambda _value: self.edited.emit())
            case ValueForm.TEXT:
                editor = text = PlainLineEdit()
                text.textChanged.connect(lambda _text: self.edited.emit())
        editor.setAccessibleName(tr(setting.text))
        editor.setToolTip(tr(f"{setting.text}.hint"))
        guard_wheel(editor)
        return editor

    def value(self) -> Value:
        """What stands in the field."""
        match self._editor:
            case QCheckBox() as flag:
                return flag.isChecked()
            case QComboBox() as choice:
                return str(choice.currentData())
            case QSpinBox() as whole:
                return whole.value()
            case QDoubleSpinBox() as number:
                return round(number.value(), DECIMALS)
            case PlainLineEdit() as text:
                return text.text()
        raise AssertionError(self.setting.form)

    def set_value(self, value: Value) -> None:
        """Put a value into the field."""
        match self._editor:
            case QCheckBox() as flag:
                flag.setChecked(value is True)
            case QComboBox() as choice:
                choice.setCurrentIndex(max(choice.findData(value), 0))
            case QSpinBox() as whole:
                whole.setValue(int(value))
            case QDoubleSpinBox() as number:
                number.setValue(float(value))
            case PlainLineEdit() as text:
                text.setText(str(value))


class FolderSettingsDialog(CommandDialog):
    """All settings of a folder by heading; a profile fills the form, nothing is kept before Save."""

    def __init__(self, ctx: Context, folder: FolderPk, parent: QWidget | None = None) -> None:
        super().__init__(ctx, parent, ctx.tr("folder_settings.title"), ctx.tr("dialog.save"), width=WIDTH)
        self._folder = folder
        self._before: Mapping[str, Value] = {}
        self._profiles: Mapping[str, Profile] = {}
        self.fields: dict[str, ValueField] = {}
        self.profile_buttons: dict[str, QPushButton] = {}
        self._head = QHBoxLayout()
        self._head.setSpacing(8)
        lead = QLabel(ctx.tr("folder_settings.profile"))
        lead.setProperty("role", "secondary")
        self._head.addWidget(lead)
        self.changes = QLabel()
        self.changes.setWordWrap(True)
        self.changes.setTextFormat(Qt.TextFormat.PlainText)
        self.changes.setProperty("role", "small")
        self._form = QWidget()
        self._grid = QGridLayout(self._form)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self._form)
        scroll.setMinimumHeight(ctx.theme.tall(ROW_PX * ROWS))
        self.body.addLayout(self._head)
        self.body.addWidget(scroll, 1)
        self.body.addWidget(self.changes)
        self.check()
        self._load()

    def _load(self) -> None:
        engine, folder = self.ctx.engine, self._folder

        def ask(_progress: Report, cancel: Cancel) -> Answer:
            values = engine.ask(FolderValuesOf(folder), cancel=cancel)
            return values, engine.ask(ProfileDiffs(folder), cancel=cancel)

        self.ctx.tasks.run(Lane.READ, ask, self._fill, owner=self, failed=self.fail)

    def _fill(self, answer: Answer) -> None:
        values, diffs = answer
        self._before = {each.setting.key: each.value for each in values}
        group = ""
        for each in values:
            if each.setting.group != group:
                group = each.setting.group
                self._add_heading(group)
            self._add_field(each)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        self._add_profiles(diffs)
        self._say_changes()
        self.check()

    def _add_heading(self, group: str) -> None:
        heading = QLabel(self.ctx.tr(f"folder_settings.group.{group}"))
        heading.setProperty("role", "section")
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 2)

    def _add_field(self, each: FolderValue) -> None:
        field = self.fields[each.setting.key] = ValueField(self.ctx, each.setting, each.value)
        field.edited.connect(self._on_edited)
        label = QLabel(self.ctx.tr(each.setting.text))
        label.setToolTip(self.ctx.tr(f"{each.setting.text}.hint"))
        label.setWordWrap(True)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(field, row, 1)

    def _add_profiles(self, diffs: Sequence[ProfileDiff]) -> None:
        tr = self.ctx.tr
        self._profiles = {diff.profile.id: diff.profile for diff in diffs}
        for name, profile in self._profiles.items():
            button = self.profile_buttons[name] = QPushButton(tr(profile.text))
            button.setToolTip(tr(f"{profile.text}.hint"))
            button.setAutoDefault(False)
            button.clicked.connect(partial(self.use_profile, name))
            self._head.addWidget(button)
        self.default_button = QPushButton(tr("folder_settings.defaults"))
        self.default_button.setProperty("flat", True)
        self.default_button.setAutoDefault(False)
        self.default_button.clicked.connect(self.use_defaults)
        self._head.addStretch(1)
        self._head.addWidget(self.default_button)

    # --- what the form says ---

    def use_profile(self, name: str) -> None:
        """Fill the form with a profile's values; what it does not name stays."""
        for key, value in self._profiles[name].values.items():
            self.fields[key].set_value(value)
        self._on_edited()

    def use_defaults(self) -> None:
        """Fill the form with the defaults."""
        for field in self.fields.values():
            field.set_value(field.setting.default)
        self._on_edited()

    def changed(self) -> dict[str, Value]:
        """What differs from what is kept."""
        return {
            key: field.value() for key, field in self.fields.items() if field.value() != self._before[key]
        }

    def ready(self) -> bool:
        return bool(self.fields) and bool(self.changed())

    def command(self) -> Command | None:
        changed = self.changed()
        values = {
            key: None if value == self.fields[key].setting.default else value
            for key, value in changed.items()
        }
        return SetFolderValues(self._folder, values) if values else None

    def _on_edited(self) -> None:
        self._say_changes()
        self.check()

    def _say_changes(self) -> None:
        """The diff: each value that Save would change."""
        tr = self.ctx.tr
        lines = [
            tr(
                "folder_settings.change",
                name=tr(self.fields[key].setting.text),
                before=self._shown(key, self._before[key]),
                after=self._shown(key, value),
            )
            for key, value in self.changed().items()
        ]
        self.changes.setText("\n".join(lines) or tr("folder_settings.same"))

    def _shown(self, key: str, value: Value) -> str:
        tr, setting = self.ctx.tr, self.fields[key].setting
        if setting.form is ValueForm.FLAG:
            return tr("folder_settings.on" if value else "folder_settings.off")
        if setting.form is ValueForm.CHOICE:
            return tr(f"{setting.text}.{value}")
        if setting.form is ValueForm.TEXT:
            return tr("folder_settings.quoted", text=value) if value else tr("folder_settings.empty")
        return f"{value:g}"
