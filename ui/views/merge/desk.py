"""The merge desk: one group of memories after the other, merged, told apart or put off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands_merge import MarkNotDuplicate, MergeMemories
from core.domain.ids import MemoryPk
from core.domain.queries import LibrarySchema
from core.domain.queries_merge import MergePlan, PlanMerge
from core.domain.results import Changes, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.models.merge_choice import DeskItem, MergeChoice
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.merge.cells import plain_label
from ui.views.merge.form import MergeForm
from ui.views.merge.preview import MergePreview
from ui.views.merge.words import MergeWords, reasons_text
from ui.widgets.focus_chain import put_page
from ui.widgets.state_stack import StateStack

WIDTH, HEIGHT, PREVIEW = 1120, 720, 340
SETTING_LETTERS = "ui.letters"
REFRESH_AFTER_MS = 200


@dataclass(frozen=True, slots=True)
class _Loaded:
    plan: MergePlan
    schema: Schema


class MergeDesk(QDialog):
    """Works through a queue. `handled(pks)`: these were merged or told apart."""

    handled = Signal(object)

    def __init__(
        self, context: Context, operations: Operations, items: Sequence[DeskItem], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._items, self._at = list(items), 0
        self._busy = False
        self.choice: MergeChoice | None = None
        self.form: MergeForm | None = None
        self._words: MergeWords | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setWindowTitle(context.tr("merge.title"))
        self.resize(context.theme.wide(WIDTH), context.theme.high(HEIGHT))
        self._build()
        self._again = single_shot(self, REFRESH_AFTER_MS, self._load)
        context.bridge.changes.connect(self._on_changes)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.activated.connect(operations.undo)
        operations.said.connect(self._say)
        self._load()

    # --- building ---

    def _build(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.title, self.position = QLabel(tr("merge.title")), QLabel()
        self.title.setProperty("role", "large")
        self.position.setProperty("role", "secondary")
        self.why = plain_label("", "secondary")
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title)
        head.addWidget(self.position)
        head.addStretch(1)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(4)
        top.addLayout(head)
        top.addWidget(self.why)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.preview = MergePreview(self._context)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.area)
        split.addWidget(self.preview)
        split.setStretchFactor(0, 1)
        split.setSizes([theme.wide(WIDTH - PREVIEW), theme.wide(PREVIEW)])
        split.setChildrenCollapsible(False)
        self.stack = StateStack(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addWidget(self._bar())
        self.stack.notice.button.setAutoDefault(False)
        self.merge_button.setDefault(True)  # only now: a button knows its dialog when it stands in it

    def _bar(self) -> QWidget:
        tr, letters = self._context.tr, bool(self._context.settings.get(SETTING_LETTERS))

        def key(letter: str) -> str:
            return tr("merge.key", key=letter) if letters else ""

        self.previous_button = _button(
            tr("merge.previous"), lambda: self.go(-1), f"{key('K')}{tr('merge.previous')}"
        )
        self.next_button = _button(tr("merge.next"), lambda: self.go(1), f"{key('J')}{tr('merge.next')}")
        self.later_button = _button(tr("merge.later"), self.later, tr("merge.later.tip", key=key("S")))
        self.apart_button = _button(
            tr("merge.not_same"), self.not_same, tr("merge.not_same.tip", key=key("N"))
        )
        self.merge_button = _button(tr("merge.do"), self.merge, tr("merge.do.tip"))
        self.merge_button.setProperty("primary", "true")
        self.said = plain_label("", "secondary")
        bar = QWidget()
        bar.setProperty("role", "bar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.previous_button)
        row.addWidget(self.next_button)
        row.addWidget(self.said, 1)
        row.addWidget(self.later_button)
        row.addWidget(self.apart_button)
        row.addWidget(self.merge_button)
        return bar

    # --- what is shown ---

    @property
    def item(self) -> DeskItem | None:
        """The entry that is shown."""
        return self._items[self._at] if self._items else None

    def go(self, step: int) -> None:
        """To the next or the one before."""
        if self._items:
            self._at = (self._at + step) % len(self._items)
            self._load()

    def _load(self) -> None:
        item, engine, tr = self.item, self._context.engine, self._context.tr
        self._show_head()
        if item is None:
            self._clear(tr("merge.done"))
            return
        command = MergeMemories(survivor=item.pks[0], losers=item.pks[1:])
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Loaded:
            plan = engine.ask(PlanMerge(command), cancel=cancel)
            return _Loaded(plan, engine.ask(LibrarySchema(), cancel=cancel))

        self._context.tasks.run(
            Lane.READ,
            ask,
            self._show,
            owner=self,
            query="plan",
            failed=lambda _error: self._clear(tr("merge.gone")),
        )

    def _show(self, loaded: _Loaded) -> None:
        self.choice = MergeChoice.of(loaded.plan)
        self._words = MergeWords(self._context, loaded.schema, loaded.plan)
        form = MergeForm(self._context, self.choice, self._words)
        form.changed.connect(self._on_chosen)
        form.keep.connect(self._on_keep)
        form.members.connect(self._on_members)
        self.form = form
        put_page(self.area, form)
        self.stack.show_content()
        self._on_chosen()
        self.merge_button.setFocus()

    def _clear(self, text: str) -> None:
        self.choice = self.form = None
        more = len(self._items) > 1
        tr = self._context.tr
        self.stack.show_notice(
            text, tr("merge.next" if more else "merge.close"), (lambda: self.go(1)) if more else self.reject
        )
        self._enable()

    def _show_head(self) -> None:
        tr, item, count = self._context.tr, self.item, len(self._items)
        self.position.setText(tr("merge.position", at=self._at + 1, count=count) if count > 1 else "")
        why = reasons_text(tr, item.why) if item is not None else ""
        verdict = tr(f"duplicates.verdict.{item.verdict}") if item is not None and item.verdict else ""
        text = tr("merge.why", reasons=why) if why else tr("merge.by_hand") if item is not None else ""
        self.why.setText(" · ".join(part for part in (verdict, text) if part))

    def _on_chosen(self) -> None:
        if self.choice is not None and self._words is not None:
            self.preview.show_choice(self.choice, self._words)
        self._enable()

    def _enable(self) -> None:
        shown = self.choice is not None and not self._busy
        self.merge_button.setEnabled(shown and self.choice is not None and self.choice.ready)
        self.apart_button.setEnabled(shown)
        several = len(self._items) > 1 and not self._busy
        for button in (self.previous_button, self.next_button, self.later_button):
            button.setVisible(len(self._items) > 1)
            button.setEnabled(several)

    def _on_keep(self, pk: int) -> None:
        item = self.item
        if item is not None:
            rest = tuple(other for other in item.pks if other != pk)
            self._items[self._at] = replace(item, pks=(MemoryPk(pk), *rest))
            self._load()

    def _on_members(self, pks: tuple[MemoryPk, ...]) -> None:
        item = self.item
        if item is not None and len(pks) > 1:
            self._items[self._at] = replace(item, pks=pks)
            self._load()

    # --- what is done ---

    def merge(self) -> None:
        """Make one of them."""
        if self.choice is None or self._busy or not self.choice.ready:
            return
        command = self.choice.command()
        self._run(command, (command.survivor, *command.losers))

    def not_same(self) -> None:
        """Remember that these are different."""
        if self.choice is None or self._busy:
            return
        pks = tuple(memory.pk for memory in self.choice.memories)
        self._run(MarkNotDuplicate(pairs=tuple(combinations(pks, 2))), pks)

    def later(self) -> None:
        """Put it at the end."""
        if len(self._items) > 1 and not self._busy:
            self._items.append(self._items.pop(self._at))
            self._at %= len(self._items)
            self._load()

    def _run(self, command: MergeMemories | MarkNotDuplicate, pks: tuple[MemoryPk, ...]) -> None:
        self._busy = True
        self._enable()

        def done(_result: OpResult) -> None:
            self._busy = False
            self.handled.emit(pks)
            self._items.pop(self._at)
            self._at = min(self._at, max(0, len(self._items) - 1))
            if self._items:
                self._load()
            else:
                self.accept()

        def failed(error: Exception) -> None:
            self._busy = False
            self._say(self._context.tr.error(error), True)
            self._load()

        self._operations.run(command, done, failed=failed)

    def _say(self, text: str, is_error: bool) -> None:
        self.said.setProperty("role", "danger" if is_error else "secondary")
        self.said.style().polish(self.said)
        self.said.setText(text)

    def _on_changes(self, changes: Changes) -> None:
        item = self.item
        if item is not None and not self._busy and changes.memories & set(item.pks):
            self._again.start()

    # --- keys ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_J: lambda: self.go(1),
            Qt.Key.Key_K: lambda: self.go(-1),
            Qt.Key.Key_N: self.not_same,
            Qt.Key.Key_S: self.later,
        }
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        act = acts.get(event.key())
        if act is not None and plain and self._letters() and not _typing(self.focusWidget()):
            act()
            return
        super().keyPressEvent(event)

    def _letters(self) -> bool:
        return bool(self._context.settings.get(SETTING_LETTERS))


def _typing(focused: QWidget | None) -> bool:
    """Whether text is being written."""
    if isinstance(focused, QTextEdit):
        return not focused.isReadOnly()
    return isinstance(focused, QLineEdit)


def _button(text: str, act: Callable[[], None], tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setAutoDefault(False)
    made.clicked.connect(act)
    return made
