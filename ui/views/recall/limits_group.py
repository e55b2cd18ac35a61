"""What may come in and how much: archived, documents, number of memories, budget, layout, seed."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from core.domain.recall import Layout, RecallRequest
from core.domain.recipes import Recipe
from ui.context import Context
from ui.views.recall.setting_row import SettingRow
from ui.widgets.wheel import guard_wheel

MOST_SEED = 999_999
OWN = ("top_k", "budget_tokens", "layout")


class LimitsGroup(QWidget):
    """Fields of the request that stand beside the recipe's settings; their defaults are the recipe's."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        self.archived = QCheckBox(tr("recall_page.archived"))
        self.archived.setToolTip(tr("recall_page.archived.tip"))
        self.knowledge = QCheckBox(tr("recall_page.knowledge"))
        self.knowledge.setToolTip(tr("recall_page.knowledge.tip"))
        self.knowledge.setChecked(True)
        self.seed = QSpinBox()
        self.seed.setRange(0, MOST_SEED)
        self.seed.setKeyboardTracking(False)
        self.seed.setFixedWidth(ctx.theme.px(84))
        self.seed.setAccessibleName(tr("recall_page.seed"))
        self.seed.setToolTip(tr("recall_page.seed.tip"))
        guard_wheel(self.seed)
        self.rows: dict[str, SettingRow] = {}
        self._own = QVBoxLayout()
        self._own.setSpacing(4)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.archived)
        column.addWidget(self.knowledge)
        column.addLayout(self._own)
        row = QHBoxLayout()
        label = QLabel(tr("recall_page.seed"))
        label.setToolTip(tr("recall_page.seed.tip"))
        row.addWidget(label)
        row.addStretch(1)
        row.addWidget(self.seed)
        column.addLayout(row)
        self.archived.toggled.connect(lambda _on: self.changed.emit())
        self.knowledge.toggled.connect(lambda _on: self.changed.emit())
        self.seed.valueChanged.connect(lambda _value: self.changed.emit())

    def show_recipe(self, recipe: Recipe) -> None:
        """Number of memories, budget and layout as the recipe declares them."""
        for row in self.rows.values():
            self._own.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {}
        for setting in recipe.settings:
            if setting.key in OWN:
                row = SettingRow(self._ctx, setting)
                row.changed.connect(self.changed)
                self.rows[setting.key] = row
                self._own.addWidget(row)

    def fill(self, request: RecallRequest) -> RecallRequest:
        """The request with these fields."""
        top_k, budget, layout = (self._value(key) for key in OWN)
        return replace(
            request,
            include_archived=self.archived.isChecked(),
            include_knowledge=self.knowledge.isChecked(),
            top_k=top_k if isinstance(top_k, int) else None,
            budget_tokens=budget if isinstance(budget, int) else None,
            layout=Layout(layout) if isinstance(layout, str) else None,
            seed=self.seed.value(),
        )

    def show_request(self, request: RecallRequest) -> None:
        """Show these fields of a request without `changed`."""
        for field, value in (
            (self.archived, request.include_archived),
            (self.knowledge, request.include_knowledge),
        ):
            field.blockSignals(True)
            field.setChecked(value)
            field.blockSignals(False)
        self.seed.blockSignals(True)
        self.seed.setValue(request.seed)
        self.seed.blockSignals(False)
        given: dict[str, int | str | None] = {
            "top_k": request.top_k,
            "budget_tokens": request.budget_tokens,
            "layout": request.layout and request.layout.value,
        }
        for key, row in self.rows.items():
            row.set_value(given.get(key))

    def summary(self) -> str:
        """What differs from the plain case, for the folded heading."""
        tr = self._ctx.tr
        count = sum(row.value is not None for row in self.rows.values())
        count += self.archived.isChecked() + (not self.knowledge.isChecked()) + bool(self.seed.value())
        return tr("recall_page.changed", count=count) if count else ""

    def _value(self, key: str) -> object:
        row = self.rows.get(key)
        return row.value if row is not None else None
