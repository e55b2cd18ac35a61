"""One type or relation type: what it is used for, its form, and what can be done with what was typed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from core.domain.results import Problem
from core.domain.schema import MemoryType
from ui.context import Context
from ui.views.types.edits import TYPES, Item, Key
from ui.views.types.relation_form import RelationForm
from ui.views.types.type_form import TypeForm


class FormPane(QWidget):
    """Title, the form in sight, and the bar with Save and Discard."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._shown: tuple[Key, bool] | None = None
        self.types, self.relations = TypeForm(ctx), RelationForm(ctx)
        self.forms = QStackedWidget()
        self.title, self.used, self.said = QLabel(), QLabel(), QLabel()
        self.save_button, self.discard_button = QPushButton(), QPushButton()
        self.default_button = QPushButton()
        self.setProperty("surface", "base")
        for form in (self.types, self.relations):
            area = QScrollArea()
            area.setWidgetResizable(True)
            form.setProperty("surface", "base")
            area.setWidget(form)
            self.forms.addWidget(area)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head())
        column.addWidget(self.forms, 1)
        column.addWidget(self._bar())

    def _head(self) -> QVBoxLayout:
        self.title.setProperty("role", "large")
        self.used.setProperty("role", "secondary")
        head = QVBoxLayout()
        head.setContentsMargins(16, 12, 16, 0)
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.used)
        return head

    def _bar(self) -> QWidget:
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.save_button.setProperty("primary", "true")
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.said, 1)
        for button in (self.default_button, self.discard_button, self.save_button):
            row.addWidget(button)
        return bar

    def value(self, kind: int) -> Item | None:
        """What the form of a kind says."""
        return self.types.value if kind == TYPES else self.relations.value

    def show_item(self, key: Key | None, item: Item | None, *, new: bool) -> None:
        """Show one. What stands there already is left alone: somebody may be typing in it."""
        if key is None or item is None:
            return
        self.forms.setCurrentIndex(key[0])
        if self._shown == (key, new) and self.value(key[0]) == item:
            return
        self._shown = (key, new)
        if isinstance(item, MemoryType):
            self.types.show_type(item, new=new)
        else:
            self.relations.show_relation(item, new=new)

    def forget(self) -> None:
        """Show the next one anew, whatever it is: words or colours are others now."""
        self._shown = None

    def begin_typing(self) -> None:
        """The cursor into the name of a new one."""
        form = self.types if self.forms.currentIndex() == TYPES else self.relations
        edit = form.labels.edits[self._ctx.tr.code]
        edit.setFocus()
        edit.selectAll()

    def say(self) -> None:
        """All texts anew."""
        tr = self._ctx.tr
        self.save_button.setText(tr("types.save"))
        self.discard_button.setText(tr("types.discard"))
        self.default_button.setText(tr("types.default"))
        self.default_button.setToolTip(tr("types.default.tip"))
        self.types.say()
        self.relations.say()

    def say_result(self, problem: Problem | None, affects: str) -> None:
        """What stands against saving, else what saving affects."""
        self.said.setProperty("role", "secondary" if problem is None else "danger")
        self.said.setText(affects if problem is None else self._ctx.tr(problem.key, **dict(problem.args)))
        self.said.style().polish(self.said)
