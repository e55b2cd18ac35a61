"""A page made from the declarations of settings: each has one editor, and a change holds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from core.domain.errors import UserError
from core.settings import DECLARATIONS, Form, Setting
from ui.context import Context
from ui.widgets.wheel import guard_wheel

ELSEWHERE = ("embedder", "token_family")
"""Shown on the page Models."""


class SettingsForm(QWidget):
    """Editors of the settings named. What the file cannot take is said by `fail`."""

    def __init__(
        self,
        context: Context,
        settings: Sequence[Setting],
        fail: Callable[[Exception], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._context, self._fail = context, fail
        self.editors: dict[str, QWidget] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(16)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        for setting in settings:
            editor = self.editors[setting.key] = self._editor(setting)
            name = QLabel(context.tr(setting.text))
            name.setBuddy(editor)
            name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            name.setContentsMargins(0, context.theme.px(4), 0, 0)
            name.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            form.addRow(name, self._with_hint(setting, editor))

    def _with_hint(self, setting: Setting, editor: QWidget) -> QWidget:
        tr = self._context.tr
        editor.setAccessibleName(tr(setting.text))
        editor.setToolTip(tr(f"{setting.text}.hint"))
        hint = QLabel(tr(f"{setting.text}.hint"))
        hint.setProperty("role", "small")
        hint.setWordWrap(True)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(editor)
        column.addWidget(hint)
        return holder

    def _editor(self, setting: Setting) -> QWidget:
        settings = self._context.settings
        match setting.form:
            case Form.FLAG:
                return self._flag(setting)
            case Form.NUMBER:
                number = QSpinBox()
                number.setRange(setting.low or 0, setting.high if setting.high is not None else 1_000_000)
                number.setValue(settings.number(setting.key))
                number.setKeyboardTracking(False)
                number.setMaximumWidth(self._context.theme.px(120))
                number.valueChanged.connect(lambda value: self._set(setting, value))
                guard_wheel(number)
                return number
            case _:
                choice = QComboBox()
                for each in setting.choices:
                    choice.addItem(self._context.tr(f"{setting.text}.{each}"), each)
                choice.setCurrentIndex(max(0, choice.findData(settings.text(setting.key))))
                choice.setMaximumWidth(self._context.theme.px(280))
                choice.currentIndexChanged.connect(
                    lambda _index: self._set(setting, str(choice.currentData()))
                )
                guard_wheel(choice)
                return choice

    def _flag(self, setting: Setting) -> QCheckBox:
        """A box that says in words what it is set to."""
        tr, box = self._context.tr, QCheckBox()

        def say(on: bool) -> None:
            box.setText(tr("settings.on" if on else "settings.off"))

        box.toggled.connect(say)
        box.setChecked(bool(self._context.settings.get(setting.key)))
        say(box.isChecked())
        box.toggled.connect(lambda on: self._set(setting, on))
        return box

    def _set(self, setting: Setting, value: bool | int | str) -> None:
        try:
            self._context.settings.set(setting.key, value)
        except UserError as error:
            self._fail(error)


def general_settings() -> tuple[Setting, ...]:
    """The settings of the general page, in the order of their declarations."""
    return tuple(
        each
        for each in DECLARATIONS
        if each.shown and each.key not in ELSEWHERE and each.form in (Form.FLAG, Form.NUMBER, Form.CHOICE)
    )
