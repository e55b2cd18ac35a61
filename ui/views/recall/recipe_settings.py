"""All settings of the chosen recipe, in their groups, with sliders that re-rank at once."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.domain.recall import Setting
from core.domain.recipes import Recipe
from ui.context import Context
from ui.views.recall.setting_row import SettingRow
from ui.widgets.fold import Fold

ELSEWHERE = frozenset({"top_k", "budget_tokens", "layout", "include_archived", "include_knowledge"})
"""Settings that have a field of their own in the request."""


class RecipeSettings(QWidget):
    """`changed` after each move. Only what differs from the recipe's defaults is part of a request."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.rows: dict[str, SettingRow] = {}
        self._folds: dict[str, Fold] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self.reset_all = QPushButton(ctx.tr("recall_page.reset_all"))
        self.reset_all.setProperty("flat", True)
        self.reset_all.clicked.connect(self._reset)
        bar = QHBoxLayout()
        bar.addStretch(1)
        bar.addWidget(self.reset_all)
        self._column.addLayout(bar)
        self._body: QWidget | None = None

    def show_recipe(self, recipe: Recipe, values: Mapping[str, Setting]) -> None:
        """Make the controls of a recipe, standing at these values."""
        opened = {name for name, fold in self._folds.items() if fold.is_open}
        if self._body is not None:
            self._column.removeWidget(self._body)
            self._body.hide()
            self._body.deleteLater()
        self._body, self.rows, self._folds = QWidget(), {}, {}
        column = QVBoxLayout(self._body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for setting in recipe.settings:
            if setting.key in ELSEWHERE:
                continue
            row = SettingRow(self._ctx, setting)
            row.set_value(values.get(setting.key))
            row.changed.connect(self._on_changed)
            self.rows[setting.key] = row
            self._fold(setting.group, column, is_open=setting.group in opened).column.addWidget(row)
        self._column.addWidget(self._body)
        self._say_changes()

    def values(self) -> dict[str, Setting]:
        """What differs from the recipe's defaults."""
        return {key: row.value for key, row in self.rows.items() if row.value is not None}

    def set_values(self, values: Mapping[str, Setting]) -> None:
        """Stand at these values, everything else at its default."""
        for key, row in self.rows.items():
            row.set_value(values.get(key))
        self._say_changes()

    def _fold(self, group: str, column: QVBoxLayout, *, is_open: bool) -> Fold:
        fold = self._folds.get(group)
        if fold is None:
            tr = self._ctx.tr
            key = f"recipe.group.{group}"
            fold = Fold(self._ctx.theme, tr(key) if tr.has(key) else group, is_open=is_open)
            self._folds[group] = fold
            column.addWidget(fold)
        return fold

    def _reset(self) -> None:
        self.set_values({})
        self.changed.emit()

    def _on_changed(self) -> None:
        self._say_changes()
        self.changed.emit()

    def _say_changes(self) -> None:
        changed = self.values()
        self.reset_all.setEnabled(bool(changed))
        for group, fold in self._folds.items():
            count = sum(self.rows[key].setting.group == group for key in changed)
            note: QLabel = fold.note
            note.setText(self._ctx.tr("recall_page.changed", count=count) if count else "")
