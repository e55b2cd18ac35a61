"""The check-up: each finding with its count, what it is about, and a button that puts it right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands_health import RepairFaults
from core.domain.health import CheckReport, Cure, Fault, Finding
from core.domain.queries_health import CheckUp, Remake
from core.domain.results import OpResult
from ui.context import Context
from ui.language import isolate
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.health.parts import MARKS, emptied, scrolled
from ui.widgets.fold import Fold
from ui.widgets.state_stack import StateStack

SHOWN = 12


class CheckupTab(QWidget):
    """`checked(CheckReport)` after each check-up; `open_memories(pks)` to look at what a finding is about."""

    checked = Signal(object)
    open_memories = Signal(object)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self.report: CheckReport | None = None
        self._busy = False
        self.rows: dict[Fault, FindingRow] = {}
        self.said = QLabel()
        self.said.setProperty("role", "secondary")
        self.check_button = QPushButton()
        self.check_button.clicked.connect(self.check)
        self.safe_button = QPushButton()
        self.safe_button.setProperty("primary", "true")
        self.safe_button.clicked.connect(self.repair_safe)
        needs_writing(self._context, self.safe_button)
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(16, 8, 16, 16)
        self._column.setSpacing(8)
        self.stack = StateStack(scrolled(self._inside))
        self._lay_out()

    def _lay_out(self) -> None:
        bar = QWidget()
        bar.setProperty("role", "toolbar")
        bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.said, 1)
        row.addWidget(self.check_button)
        row.addWidget(self.safe_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self.stack, 1)

    # --- doing ---------------------------------------------------------------------------

    def check(self) -> None:
        """Look at everything, in the background."""
        engine, tr = self._context.engine, self._context.tr
        self._set_busy(busy=True)
        self.stack.show_loading(tr("health.checking"))

        def ask(_progress: Report, cancel: Cancel) -> CheckReport:
            return engine.ask(CheckUp(), cancel=cancel)

        self._context.tasks.run(
            Lane.NET, ask, self._take, owner=self, query="check", label="health.checking", failed=self._fail
        )

    def repair(self, faults: Sequence[Fault]) -> None:
        """Put these right: what is a change as one change, the rest made anew; then check again."""
        report = self.report
        if report is None or not faults:
            return
        cures = {each.fault: each.treatment.cure for each in report.findings}
        changes = tuple(fault for fault in faults if cures.get(fault) is Cure.CHANGE)
        rest = tuple(fault for fault in faults if cures.get(fault) is Cure.REMAKE)
        self._set_busy(busy=True)
        if changes:
            self._operations.run(
                RepairFaults(changes), lambda result: self._changed(result, rest), failed=self._failed_repair
            )
        elif rest:
            self._remake(rest)

    def repair_safe(self) -> None:
        """Everything that loses nothing and decides nothing."""
        if self.report is not None:
            self.repair(self.report.safe_repairs)

    def _changed(self, _result: OpResult, rest: tuple[Fault, ...]) -> None:
        if rest:
            self._remake(rest)
        else:
            self.check()

    def _remake(self, faults: tuple[Fault, ...]) -> None:
        engine = self._context.engine

        def work(_progress: Report, cancel: Cancel) -> int:
            return engine.ask(Remake(faults), cancel=cancel)

        def done(count: int) -> None:
            tr = self._context.tr
            self._operations.said.emit(tr("health.remade", count=tr.number(count)), False)
            self.check()

        self._context.tasks.run(
            Lane.NET, work, done, owner=self, label="health.remaking", failed=self._failed_repair
        )

    def _failed_repair(self, error: Exception) -> None:
        self._set_busy(busy=False)
        self._operations.show_error(error)

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self._set_busy(busy=False)
        if self.report is None:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.check)
        else:
            reason = tr("state.stale", reason=tr.error(error))
            self.stack.show_stale(reason, tr("state.again"), self.check)

    # --- showing -------------------------------------------------------------------------

    def _take(self, report: CheckReport) -> None:
        self.report = report
        self._set_busy(busy=False)
        self.checked.emit(report)
        self.say()

    def _set_busy(self, *, busy: bool) -> None:
        self._busy = busy
        self._enable()

    def _enable(self) -> None:
        safe = self.report.safe_repairs if self.report is not None else ()
        self.check_button.setEnabled(not self._busy)
        self.safe_button.setEnabled(bool(safe) and not self._busy)
        self.safe_button.setVisible(bool(safe))
        for row in self.rows.values():
            row.repair_button.setEnabled(not self._busy)

    def say(self) -> None:
        """All texts anew."""
        tr, report = self._context.tr, self.report
        self.check_button.setText(tr("health.check"))
        self.check_button.setToolTip(tr("health.check.tip"))
        self._fill()
        if report is None:
            self.said.setText("")
            self.stack.show_notice(tr("health.unchecked"))
            self._enable()
            return
        self.safe_button.setText(tr("health.repair_safe", count=len(report.safe_repairs)))
        self.safe_button.setToolTip(tr("health.repair_safe.tip"))
        key = f"health.checked.{report.index}"
        key = key if tr.has(key) else "health.checked"
        looked = tr(key, count=tr.number(report.memories), index=report.index)
        self.said.setText(f"{looked} ({tr.relative(report.at)})")
        self.said.setToolTip(tr.exact(report.at))
        if report.findings:
            self.stack.show_content()
        else:
            self.stack.show_notice(tr("health.good.long"))
        self._enable()

    def _fill(self) -> None:
        emptied(self._column)
        self.rows = {}
        if self.report is None:
            return
        for finding in self.report.findings:
            row = FindingRow(self._context, finding)
            row.repair_wanted.connect(lambda fault: self.repair((fault,)))
            row.open_wanted.connect(self.open_memories)
            self.rows[finding.fault] = row
            self._column.addWidget(row)
        self._column.addStretch(1)


class FindingRow(QFrame):
    """One finding. `repair_wanted(Fault)`, `open_wanted(pks)`."""

    repair_wanted = Signal(object)
    open_wanted = Signal(object)

    def __init__(self, context: Context, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        tr, theme = context.tr, context.theme
        self.setProperty("role", "card")
        name, color = MARKS[finding.treatment.severity]
        mark = QLabel()
        mark.setPixmap(theme.icon(name, color).pixmap(theme.icon_size))
        mark.setToolTip(tr(f"health.severity.{finding.treatment.severity.value}"))
        self.text = QLabel(tr(finding.key, count=finding.count, **shown_args(finding)))
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.repair_button = QPushButton(tr("health.repair"))
        self.repair_button.setVisible(finding.repairable)
        self.repair_button.clicked.connect(lambda: self.repair_wanted.emit(finding.fault))
        needs_writing(context, self.repair_button)
        self.open_button = QPushButton(tr("health.show"))
        self.open_button.setProperty("flat", "true")
        self.open_button.setVisible(bool(finding.memories))
        self.open_button.clicked.connect(lambda: self.open_wanted.emit(finding.memories))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(mark)
        head.addWidget(self.text, 1)
        head.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.repair_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(4)
        column.addLayout(head)
        if finding.repairable:
            column.addWidget(self._what_repair_does(context))
        if finding.examples:
            column.addWidget(self._examples(context))

    def _what_repair_does(self, context: Context) -> QLabel:
        tr, treatment = context.tr, self.finding.treatment
        how = tr("health.cure.change" if treatment.cure is Cure.CHANGE else "health.cure.remake")
        self.dry_run = QLabel(f"{tr(self.finding.repair_key, count=self.finding.count)} {how}")
        self.dry_run.setWordWrap(True)
        self.dry_run.setProperty("role", "secondary")
        self.dry_run.setContentsMargins(context.theme.px(24), 0, 0, 0)
        return self.dry_run

    def _examples(self, context: Context) -> Fold:
        tr, finding = context.tr, self.finding
        self.fold = Fold(context.theme, tr("health.examples", count=finding.count))
        lines = [isolate(example.text) for example in finding.examples[:SHOWN]]
        left = finding.count - len(lines)
        if left > 0:
            lines.append(tr("health.more", count=left))
        names = QLabel("\n".join(lines))
        names.setTextFormat(Qt.TextFormat.PlainText)
        names.setWordWrap(True)
        names.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        names.setToolTip("\n".join(example.ref for example in finding.examples[:SHOWN]))
        self.fold.column.addWidget(names)
        self.fold.setContentsMargins(context.theme.px(22), 0, 0, 0)
        return self.fold


def shown_args(finding: Finding) -> dict[str, object]:
    """Arguments of a finding's text."""
    return {name: value for name, value in finding.args.items() if name != "count"}
