"""A proposal to look at, tick, edit, and apply or dismiss as a whole or by groups."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands_proposals import ApplyProposal, DismissProposal, IfChanged
from core.domain.ids import MemoryPk
from core.domain.proposal import CreatePart, Obstacle, Part, PartView, ProposalView
from core.domain.queries import LibrarySchema
from core.domain.queries_proposals import ProposalOf, SaveProposalParts, TickProposalParts
from core.domain.queries_upkeep import SummariseAgain
from core.domain.results import Changes, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task, single_shot
from ui.views.proposal.part_pane import PartPane
from ui.views.proposal.parts_tree import PartsTree
from ui.views.proposal.source_pane import SourcePane
from ui.views.proposal.words import note_text, proposal_title, source_name, used_words
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.state_stack import StateStack

REFRESH_AFTER_MS = 300
SHARE_PX, PANE_PX = 120, 180
LOST_AFTER_MS = 400


@dataclass(frozen=True, slots=True)
class _Loaded:
    view: ProposalView
    schema: Schema


class ProposalPanel(QWidget):
    """`decided` when nothing of the proposal waits any more; `open_memories(pks)`: show these in the list."""

    decided = Signal()
    open_memories = Signal(object)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._pk: int | None = None
        self._stale = False
        self._summing: Task[None] | None = None
        self._schema = Schema((), ())
        self.view: ProposalView | None = None
        self.setProperty("surface", "base")
        self.title, self.said = QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.title.setWordWrap(True)
        self.said.setProperty("role", "secondary")
        self.said.setWordWrap(True)
        self.problems = QLabel()
        self.problems.setProperty("role", "warning")
        self.problems.setWordWrap(True)
        for label in (self.title, self.said, self.problems):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.tree, self.pane = PartsTree(context), PartPane(context)
        self.source = SourcePane(context)
        self.overwrite = QCheckBox()
        self.words = PlainLineEdit()
        self.words.setClearButtonEnabled(True)
        self.tick_button, self.untick_button = QPushButton(), QPushButton()
        for button in (self.tick_button, self.untick_button):
            button.setProperty("flat", "true")
        self.summary = QLabel()
        self.dismiss_button, self.group_button, self.apply_button = (QPushButton() for _ in range(3))
        self.apply_button.setProperty("primary", "true")
        self._lay_out()
        self._connect()
        self._say()

    def _lay_out(self) -> None:
        self._right = QSplitter(Qt.Orientation.Vertical)
        self._right.addWidget(self.pane)
        self._right.addWidget(self.source)
        self._right.setStretchFactor(0, 3)
        self._right.setStretchFactor(1, 2)
        self._right.setSizes([3 * SHARE_PX, 2 * SHARE_PX])
        self.pane.setMinimumHeight(self._context.theme.tall(PANE_PX))
        self._middle = QSplitter(Qt.Orientation.Horizontal)
        self._middle.addWidget(self._left())
        self._middle.addWidget(self._right)
        self._middle.setStretchFactor(0, 5)
        self._middle.setStretchFactor(1, 4)
        self._middle.setChildrenCollapsible(False)
        self._right.setChildrenCollapsible(False)
        self.stack = StateStack(self._middle)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(4)
        for label in (self.title, self.said, self.problems):
            top.addWidget(label)
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.summary, 1)
        for widget in (self.overwrite, self.dismiss_button, self.group_button, self.apply_button):
            row.addWidget(widget)
        bar = QWidget()
        bar.setProperty("role", "bar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        bar.setLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addWidget(bar)

    def _left(self) -> QWidget:
        """The parts below a line to narrow them, and buttons that tick what is shown."""
        left = QWidget()
        left.setProperty("surface", "base")
        row = QHBoxLayout()
        row.setContentsMargins(16, 4, 8, 4)
        row.setSpacing(4)
        row.addWidget(self.words, 1)
        row.addWidget(self.tick_button)
        row.addWidget(self.untick_button)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.tree, 1)
        return left

    def _connect(self) -> None:
        context = self._context
        self.words.textChanged.connect(self.tree.narrow)
        self.tick_button.clicked.connect(lambda: self.tree.tick_shown(on=True))
        self.untick_button.clicked.connect(lambda: self.tree.tick_shown(on=False))
        self._again = single_shot(self, REFRESH_AFTER_MS, self._load)
        self._lost_again = single_shot(self, LOST_AFTER_MS, self._show_source)
        self.tree.ticked.connect(self._tick)
        self.tree.current.connect(lambda _key: self._show_part())
        self.tree.itemDoubleClicked.connect(lambda *_: self._open())
        self.pane.edited.connect(self._keep)
        self.pane.below = self._below
        self.apply_button.clicked.connect(lambda: self.apply(None))
        self.group_button.clicked.connect(self._apply_group)
        self.dismiss_button.clicked.connect(self.dismiss)
        needs_writing(
            self._context,
            self.tick_button,
            self.untick_button,
            self.apply_button,
            self.group_button,
            self.dismiss_button,
        )
        context.bridge.changes.connect(self._on_changes)
        context.tasks.ended.connect(self._on_ended)
        context.tr.changed.connect(self._say)
        context.theme.changed.connect(self._show)

    # --- loading ---

    def show_proposal(self, pk: int | None) -> None:
        """Show another proposal; None shows none."""
        self.pane.flush()
        if pk != self._pk:
            self._pk, self.view = pk, None
            self.pane.show_part(None, self._schema)
        if pk is not None:
            self._load()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._load()

    def _load(self) -> None:
        engine, pk = self._context.engine, self._pk
        if pk is None:
            return
        self._stale = False
        if self.view is None:
            self.stack.show_loading(self._context.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Loaded:
            return _Loaded(
                engine.ask(ProposalOf(pk), cancel=cancel), engine.ask(LibrarySchema(), cancel=cancel)
            )

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="proposal", failed=self._fail)

    def _take(self, loaded: _Loaded) -> None:
        if self.pane.typing:  # what is typed is kept first, and then everything is read again
            self.pane.flush()
            self._again.start()
            return
        if (self.view, self._schema) != (loaded.view, loaded.schema):
            self.view, self._schema = loaded.view, loaded.schema
            self._show()
        if not loaded.view.proposal.waiting:
            self.decided.emit()

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self._load)

    def _on_changes(self, _changes: Changes) -> None:
        self._stale = self._pk is not None
        if self._stale and self.isVisible():
            self._again.start()

    # --- showing ---

    def _show(self) -> None:
        view, tr = self.view, self._context.tr
        if view is None:
            return
        proposal = view.proposal
        self.title.setText(proposal_title(proposal.kind, proposal.args, tr))
        said = [view.folder_name, source_name(proposal.source, tr), tr.relative(proposal.created_at)]
        said += used_words(proposal.used.tokens, proposal.used.cost, tr)
        self.said.setText(" · ".join(part for part in said if part))
        problems = [*proposal.problems, *(each for group in proposal.groups for each in group.problems)]
        self.problems.setText("\n".join(dict.fromkeys(note_text(each, tr) for each in problems)))
        self.problems.setVisible(bool(problems))
        if not view.parts:
            self.stack.show_notice(tr("proposal.empty"))
        else:
            self.stack.show_content()
        self.tree.show_parts(view, self._schema)
        self.tree.narrow(self.words.text())
        self._show_part()
        self._show_summary()

    def _current(self) -> PartView | None:
        key = self.tree.current_key
        parts = () if self.view is None else self.view.parts
        return next((part for part in parts if part.part.key == key), None)

    def _show_part(self) -> None:
        self.pane.show_part(self._current(), self._schema)
        self._show_source()
        self._show_summary()

    def _show_source(self) -> None:
        view = self.view
        self.source.setVisible(view is not None and self.source.show_source(view, self._current()))

    def _show_summary(self) -> None:
        view, tr = self.view, self._context.tr
        waiting = () if view is None else view.proposal.waiting
        ticked = sum(part.ticked for part in waiting)
        self.summary.setText(
            tr("proposal.ticked", ticked=tr.number(ticked), count=tr.number(len(waiting)))
            if waiting
            else tr("proposal.all_decided")
        )
        obstacles = () if view is None else tuple(each.obstacle for each in view.parts)
        self.overwrite.setVisible(Obstacle.CHANGED in obstacles)
        self.apply_button.setEnabled(bool(ticked))
        self.dismiss_button.setEnabled(bool(waiting))
        keys = set(self.tree.current_group_keys)
        several = view is not None and len({part.part.group for part in view.parts}) > 1
        self.group_button.setVisible(several)
        self.group_button.setEnabled(any(part.ticked and part.key in keys for part in waiting))

    # --- changing parts ---

    def _tick(self, keys: tuple[str, ...], on: bool) -> None:
        engine, pk = self._context.engine, self._pk
        if pk is None or self.view is None:
            return
        for key in keys:
            self._replace(key, lambda part: replace(part, ticked=on))
        self._show_summary()
        query = TickProposalParts(pk, keys, on)
        self._context.tasks.run(
            Lane.WRITE, lambda _p, cancel: engine.ask(query, cancel=cancel), owner=self, failed=self._refused
        )

    def _keep(self, part: Part) -> None:
        engine, pk = self._context.engine, self._pk
        if pk is None or self.view is None:
            return
        ticked = next((each.part.ticked for each in self.view.parts if each.part.key == part.key), True)
        part = replace(part, ticked=ticked)
        self._replace(part.key, lambda _old: part)
        if isinstance(part, CreatePart) and part.sums:
            self._lost_again.start()
        query = SaveProposalParts(pk, (part,))
        self._context.tasks.run(
            Lane.WRITE, lambda _p, cancel: engine.ask(query, cancel=cancel), owner=self, failed=self._refused
        )

    def _replace(self, key: str, change: object) -> None:
        """Change a part in what is shown, ahead of the store."""
        view = self.view
        if view is None or not callable(change):
            return
        views = tuple(
            replace(each, part=change(each.part)) if each.part.key == key else each for each in view.parts
        )
        parts = tuple(each.part for each in views)
        self.view = replace(view, parts=views, proposal=replace(view.proposal, parts=parts))

    def _refused(self, error: Exception) -> None:
        self._operations.show_error(error)
        self._load()

    # --- deciding ---

    def _apply_group(self) -> None:
        view, keys = self.view, set(self.tree.current_group_keys)
        groups = {each.part.group for each in view.parts if each.part.key in keys} if view else set()
        if groups:
            self.apply(tuple(groups))

    def apply(self, groups: tuple[str, ...] | None) -> None:
        """Apply the ticked parts of these groups, or of all; what is not ticked is dismissed."""
        self.pane.flush()
        if self._pk is None:
            return
        how = IfChanged.OVERWRITE if self.overwrite.isChecked() else IfChanged.SKIP
        command = ApplyProposal(proposal=self._pk, groups=groups, if_changed=how)
        self._operations.run(command, self._on_applied, failed=self._refused)

    def _on_applied(self, result: OpResult) -> None:
        tr = self._context.tr
        skipped = sum(count for name, count in result.counts.items() if name.startswith("skipped"))
        if skipped:
            self._operations.said.emit(tr("proposal.skipped", count=skipped), False)
        self._load()

    def dismiss(self) -> None:
        """Decide against all that waits; undo opens it again."""
        self.pane.flush()
        if self._pk is not None:
            self._operations.run(
                DismissProposal(proposal=self._pk), lambda _result: self._load(), failed=self._refused
            )

    def _open(self) -> None:
        current = self._current()
        if current is not None and current.memory is not None:
            self.open_memories.emit((MemoryPk(current.memory),))

    # --- once more, with a hint ---

    def _below(self, view: PartView) -> QWidget | None:
        if view.verdict is not None or not isinstance(view.part, CreatePart) or not view.part.sums:
            return None
        tr = self._context.tr
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        hint = PlainLineEdit()
        hint.setPlaceholderText(tr("proposal.hint"))
        hint.setAccessibleName(tr("proposal.hint"))
        again = QPushButton(tr("proposal.again"))
        again.setToolTip(tr("proposal.again.tip"))
        again.setEnabled(self._summing is None)
        again.clicked.connect(lambda: self._summarise_again(view.part.key, hint.text()))
        needs_writing(self._context, again)
        hint.returnPressed.connect(again.click)
        row.addWidget(hint, 1)
        row.addWidget(again)
        return box

    def _summarise_again(self, key: str, hint: str) -> None:
        self.pane.flush()
        engine, pk = self._context.engine, self._pk
        if pk is None or self._summing is not None:
            return
        query = SummariseAgain(proposal=pk, part=key, hint=hint.strip())

        def done(_none: None) -> None:
            self._load()

        self._summing = self._context.tasks.run(
            Lane.NET,
            lambda _progress, cancel: engine.ask(query, cancel=cancel),
            done,
            owner=self,
            query="again",
            label="task.summarise",
            failed=self._refused,
        )
        self._show_part()

    def _on_ended(self, task: object) -> None:
        """Also after a cancel, of which nobody else hears."""
        if task is self._summing:
            self._summing = None
            self._show_part()

    def _say(self) -> None:
        tr = self._context.tr
        self.apply_button.setText(tr("proposal.apply"))
        self.apply_button.setToolTip(tr("proposal.apply.tip"))
        self.group_button.setText(tr("proposal.apply_group"))
        self.group_button.setToolTip(tr("proposal.apply_group.tip"))
        self.dismiss_button.setText(tr("proposal.dismiss"))
        self.dismiss_button.setToolTip(tr("proposal.dismiss.tip"))
        self.words.setPlaceholderText(tr("proposal.words"))
        self.words.setAccessibleName(tr("proposal.words"))
        self.tick_button.setText(tr("proposal.tick_shown"))
        self.untick_button.setText(tr("proposal.untick_shown"))
        self.tick_button.setToolTip(tr("proposal.tick_shown.tip"))
        self.untick_button.setToolTip(tr("proposal.untick_shown.tip"))
        self.overwrite.setText(tr("proposal.overwrite"))
        self.overwrite.setToolTip(tr("proposal.overwrite.tip"))
        self._show()
