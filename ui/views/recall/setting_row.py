"""One setting of a recipe as a control made from its declaration: switch, slider with number, or choice."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.recall import Setting
from core.domain.recipes import RecipeSetting, SettingForm
from ui.context import Context
from ui.views.recall.words import choice_name, measured, setting_hint, setting_name
from ui.widgets.wheel import guard_wheel

SLIDER_STEPS = 100
WIDEST_SLIDER = 1000
"""A whole number with a wider range gets no slider: a pixel would be many."""
SPIN_PX = 74


class SettingRow(QWidget):
    """`changed` after each move; `value` is None while it stands at the recipe's default."""

    changed = Signal()

    def __init__(self, ctx: Context, setting: RecipeSetting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self.setting = ctx, setting
        self._value: Setting = setting.default
        self._showing = False
        self.reset_button = QToolButton()
        self.reset_button.clicked.connect(self.reset)
        policy = self.reset_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_button.setSizePolicy(policy)
        self._slider: QSlider | None = None
        self._spin: QSpinBox | QDoubleSpinBox | None = None
        self._check: QCheckBox | None = None
        self._combo: QComboBox | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._head = QHBoxLayout()
        self._head.setSpacing(4)
        self._column.addLayout(self._head)
        self._make()
        self._add_mark()
        self._name_all()
        self._show_value()

    # --- its value ---

    @property
    def value(self) -> Setting | None:
        """The chosen value; None = the recipe's default."""
        return None if self._value == self.setting.default else self._value

    def set_value(self, value: Setting | None) -> None:
        """Show a value (None = the default) without `changed`."""
        self._value = self.setting.default if value is None else value
        self._show_value()

    def reset(self) -> None:
        """Back to the recipe's default."""
        self._take(self.setting.default)

    @property
    def field(self) -> QWidget:
        """The control that takes the focus."""
        return self._check or self._combo or self._spin or self

    def _take(self, value: Setting) -> None:
        if self._showing or value == self._value:
            return
        self._value = value
        self._show_value()
        self.changed.emit()

    def _show_value(self) -> None:
        self._showing = True
        value = self._value
        if self._check is not None:
            self._check.setChecked(value is True)
        if self._combo is not None:
            self._combo.setCurrentIndex(max(0, self._combo.findData(value)))
        if isinstance(self._spin, QSpinBox) and not isinstance(value, str):
            self._spin.setValue(int(value))
        elif isinstance(self._spin, QDoubleSpinBox) and not isinstance(value, str):
            self._spin.setValue(float(value))
        if self._slider is not None and not isinstance(value, str):
            self._slider.setValue(self._to_slider(float(value)))
        self._showing = False
        self.reset_button.setVisible(self._value != self.setting.default)

    # --- its controls ---

    def _make(self) -> None:
        match self.setting.form:
            case SettingForm.FLAG:
                self._make_check()
            case SettingForm.CHOICE:
                self._make_combo()
            case SettingForm.WHOLE | SettingForm.NUMBER:
                self._make_number()

    def _make_check(self) -> None:
        self._check = QCheckBox()
        self._check.toggled.connect(self._take)
        self._head.addWidget(self._check)
        self._head.addStretch(1)
        self._head.addWidget(self.reset_button)

    def _make_combo(self) -> None:
        self._combo = combo = QComboBox()
        combo.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for choice in self.setting.choices:
            combo.addItem(choice_name(self._ctx.tr, self.setting, choice), choice)
        combo.currentIndexChanged.connect(lambda _at: self._take(str(combo.currentData())))
        guard_wheel(combo)
        self._add_label()
        self._head.addWidget(self.reset_button)
        self._column.addWidget(combo)

    def _make_number(self) -> None:
        low, high = self.setting.low or 0.0, self.setting.high or 0.0
        if self.setting.form is SettingForm.WHOLE:
            whole = QSpinBox()
            whole.setRange(int(low), int(high))
            whole.valueChanged.connect(self._take)
            self._spin = whole
        else:
            real = QDoubleSpinBox()
            real.setDecimals(3 if high - low <= 1 else 2)
            real.setRange(low, high)
            real.setSingleStep((high - low) / 20 or 0.05)
            real.valueChanged.connect(self._take_number)
            self._spin = real
        self._spin.setKeyboardTracking(False)
        self._spin.setFixedWidth(self._ctx.theme.px(SPIN_PX if high <= WIDEST_SLIDER else SPIN_PX + 14))
        guard_wheel(self._spin)
        self._add_label()
        self._head.addWidget(self.reset_button)
        self._head.addWidget(self._spin)
        if self.setting.form is SettingForm.NUMBER or high - low <= WIDEST_SLIDER:
            self._make_slider(low, high)

    def _make_slider(self, low: float, high: float) -> None:
        whole = self.setting.form is SettingForm.WHOLE
        self._slider = slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(int(low) if whole else 0, int(high) if whole else SLIDER_STEPS)
        slider.setPageStep(max(1, (slider.maximum() - slider.minimum()) // 10))
        slider.setFixedHeight(self._ctx.theme.px(24))
        slider.valueChanged.connect(self._slid)
        guard_wheel(slider)
        self._column.addWidget(slider)

    def _slid(self, at: int) -> None:
        low, high = self.setting.low or 0.0, self.setting.high or 0.0
        whole = self.setting.form is SettingForm.WHOLE
        self._take(at if whole else round(low + (high - low) * at / SLIDER_STEPS, 4))

    def _take_number(self, value: float) -> None:
        """The number field rounds what it shows; a finer value stays until a hand changes it."""
        spin, now = self._spin, self._value
        digits = spin.decimals() if isinstance(spin, QDoubleSpinBox) else 0
        if isinstance(now, str) or round(float(now), digits) != value:
            self._take(value)

    def _to_slider(self, value: float) -> int:
        low, high = self.setting.low or 0.0, self.setting.high or 0.0
        if self.setting.form is SettingForm.WHOLE or high <= low:
            return int(value)
        return round((value - low) / (high - low) * SLIDER_STEPS)

    def _add_label(self) -> None:
        self._label = QLabel(setting_name(self._ctx.tr, self.setting))
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._label.setMinimumWidth(self._ctx.theme.px(56))
        self._label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._head.addWidget(self._label, 1)

    def _add_mark(self) -> None:
        if self.setting.experimental:
            tr = self._ctx.tr
            self.mark = QLabel(
                tr(
                    "recall_page.experimental",
                    name=tr("recipe.experimental"),
                    measured=measured(tr, self.setting),
                )
            )
            self.mark.setWordWrap(True)
            self.mark.setProperty("role", "mark")
            self._column.addWidget(self.mark)

    def _name_all(self) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        name, hint = setting_name(tr, self.setting), setting_hint(tr, self.setting)
        if self._check is not None:
            self._check.setText(name)
        for field in (self._check, self._combo, self._spin, self._slider):
            if field is not None:
                field.setAccessibleName(name)
                field.setAccessibleDescription(hint)
                field.setToolTip(hint)
        self.setToolTip(hint)
        self.reset_button.setIcon(theme.icon("mdi6.restore", "secondary"))
        self.reset_button.setIconSize(theme.icon_size)
        self.reset_button.setToolTip(tr("recall_page.reset"))
        self.reset_button.setAccessibleName(tr("recall_page.reset_named", name=name))
