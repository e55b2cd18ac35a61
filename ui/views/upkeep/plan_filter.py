"""Narrow a plan by words, type and what was chosen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox

from core.domain.api import Cancel, Report
from core.domain.queries import ListMemories, MemoryFilter, Sort, SortKey
from core.domain.upkeep import PlanColumns
from ui.context import Context
from ui.models.plan_rows import Choice
from ui.tasks import Lane, single_shot
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.wheel import guard_wheel

TYPING_MS = 200
ANY = -1
SEARCH_PX = 180


class PlanFilter(QObject):
    """Three controls (`words`, `types`, `choices`) and the mask they make. `changed(mask)`."""

    changed = Signal(object)

    def __init__(
        self, context: Context, choices: Sequence[Choice] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context, self._choices = context, tuple(choices)
        self._rows: PlanColumns | None = None
        self._choice: NDArray[np.int8] = np.empty(0, np.int8)
        self._found: NDArray[np.int64] | None = None
        self.words = PlainLineEdit()
        self.words.setFixedWidth(context.theme.px(SEARCH_PX))
        self.words.setClearButtonEnabled(True)
        self.types, self.choices = QComboBox(), QComboBox()
        for combo in (self.types, self.choices):
            guard_wheel(combo)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.activated.connect(lambda _at: self.apply())
        self.choices.setVisible(bool(choices))
        self._typing = single_shot(self, TYPING_MS, self._search)
        self.words.textChanged.connect(lambda _text: self._typing.start())
        self.say()

    def show_rows(self, rows: PlanColumns, choice: NDArray[np.int8]) -> None:
        """Another plan to narrow."""
        self._rows, self._choice = rows, choice
        self._fill_types(rows)
        self.apply()

    def apply(self) -> None:
        """Narrow anew: also after choices changed."""
        rows = self._rows
        if rows is None:
            return
        mask = np.ones(len(rows), np.bool_)
        kind = self.types.currentData()
        if kind is not None and kind in rows.type_ids:
            mask &= rows.types == rows.type_ids.index(kind)
        chosen = self.choices.currentData()
        if chosen is not None and chosen != ANY:
            mask &= self._choice == chosen
        if self._found is not None:
            mask &= np.isin(rows.pks, self._found)
        self.changed.emit(mask)

    def say(self) -> None:
        """Texts in the present language."""
        tr, theme = self._context.tr, self._context.theme
        self.words.setPlaceholderText(tr("plan.words"))
        self.words.setAccessibleName(tr("plan.words"))
        chosen = self.choices.currentData()
        self.choices.clear()
        self.choices.addItem(tr("plan.any_verdict"), ANY)
        for value, choice in enumerate(self._choices):
            self.choices.addItem(theme.icon(choice.icon, choice.color), tr(choice.key), value)
        self.choices.setCurrentIndex(max(self.choices.findData(chosen), 0))
        self.choices.setAccessibleName(tr("plan.column.verdict"))
        if self._rows is not None:
            self._fill_types(self._rows)

    def _fill_types(self, rows: PlanColumns) -> None:
        tr, theme, chosen = self._context.tr, self._context.theme, self.types.currentData()
        counts = np.bincount(rows.types, minlength=len(rows.type_ids)).tolist()
        self.types.clear()
        self.types.addItem(tr("plan.any_type"), None)
        for name, count in sorted(zip(rows.type_ids, counts, strict=False), key=lambda pair: -pair[1]):
            label = tr("plan.type_count", name=theme.type_label(name, tr.code), count=tr.number(count))
            self.types.addItem(theme.type_icon(name), label, name)
        self.types.setCurrentIndex(max(self.types.findData(chosen), 0))
        self.types.setAccessibleName(tr("column.type"))

    def _search(self) -> None:
        text, engine = self.words.text().strip(), self._context.engine
        if not text:
            self._context.tasks.drop(self, "words")
            self._found = None
            self.apply()
            return
        query = ListMemories(MemoryFilter(text=text), Sort(SortKey.CREATED))

        def ask(_progress: Report, cancel: Cancel) -> NDArray[np.int64]:
            return np.array(engine.ask(query, cancel=cancel), np.int64)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="words")

    def _take(self, found: NDArray[np.int64]) -> None:
        self._found = found
        self.apply()
