"""First steps with the sample: a short list that ticks itself when something was done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from core.domain.commands import EditMemory, MergeIntoMemory
from core.domain.commands_merge import MergeMemories
from core.domain.enums import OpRole
from core.domain.results import Changes
from ui.context import Context
from ui.widgets.flow_layout import FlowLayout

SETTING = "ui.first_steps"
CLOSED = "closed"
EDIT, MERGE, WHY, UNDO, DROP = STEPS = ("edit", "merge", "why_not", "undo", "drop")
_BY_LABEL = {EditMemory.LABEL: EDIT, MergeMemories.LABEL: MERGE, MergeIntoMemory.LABEL: MERGE}


class FirstSteps(QWidget):
    """Each step is a button that leads to where it is done; `lead(step)` does so. `reset_wanted`: the
    sample anew.

    What was done, and that the list was closed, is kept in the settings.
    """

    reset_wanted = Signal()

    def __init__(self, context: Context, lead: Callable[[str], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = QLabel()
        self._title.setProperty("role", "section")
        self.buttons = {step: QToolButton() for step in STEPS}
        self._reset, self._close = QToolButton(), QToolButton()
        flow = FlowLayout(gap=8)
        flow.addWidget(self._title)
        for step, button in self.buttons.items():
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setObjectName(f"step.{step}")
            button.clicked.connect(partial(lead, step))
            flow.addWidget(button)
        flow.addWidget(self._reset)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 8, 4)
        row.addLayout(flow, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignVCenter)
        self._reset.clicked.connect(self._start_anew)
        self._close.clicked.connect(self.dismiss)
        context.bridge.changes.connect(self._on_changes)
        context.tr.changed.connect(self._show)
        context.theme.bind(self, self._show)
        self.setVisible(CLOSED not in self._kept)

    @property
    def _kept(self) -> set[str]:
        return set(self._context.settings.text(SETTING).split())

    @property
    def done(self) -> frozenset[str]:
        """The steps that were done."""
        return frozenset(self._kept.intersection(STEPS))

    def tick(self, step: str) -> None:
        """A step was done."""
        if step not in self._kept:
            self._keep({*self._kept, step})

    def dismiss(self) -> None:
        """Close the list; the menu Help brings it back."""
        self._keep({*self._kept, CLOSED})
        self.hide()

    def bring_back(self) -> None:
        """Show the list again."""
        self._keep(self._kept - {CLOSED})
        self.show()

    def _start_anew(self) -> None:
        self._keep(set())
        self.reset_wanted.emit()

    def _keep(self, words: set[str]) -> None:
        self._context.settings.set(SETTING, " ".join(sorted(words)))
        self._show()

    def _on_changes(self, changes: Changes) -> None:
        if changes.foreign:
            return
        if changes.op.role is OpRole.UNDO:
            self.tick(UNDO)
        elif changes.op.role is OpRole.CHANGE and changes.op.label in _BY_LABEL:
            self.tick(_BY_LABEL[changes.op.label])

    def _show(self) -> None:
        tr, theme, done = self._context.tr, self._context.theme, self.done
        all_done = len(done) == len(STEPS)
        self._title.setText(
            tr("steps.all_done") if all_done else tr("steps.title", done=len(done), count=len(STEPS))
        )
        for step, button in self.buttons.items():
            ticked, name = step in done, tr(f"steps.{step}")
            icon = ("mdi6.check-circle", "ok") if ticked else ("mdi6.circle-outline", "secondary")
            button.setIcon(theme.icon(*icon))
            button.setIconSize(theme.icon_size)
            button.setText(name)
            button.setToolTip(tr(f"steps.{step}.tip"))
            button.setAccessibleName(tr("steps.ticked", name=name) if ticked else name)
        self._reset.setText(tr("chooser.reset_sample"))
        self._reset.setToolTip(tr("chooser.reset_sample.tip"))
        self._close.setIcon(theme.icon("mdi6.close", "secondary"))
        self._close.setIconSize(theme.icon_size)
        self._close.setToolTip(tr("steps.close"))
        self._close.setAccessibleName(tr("steps.close"))
