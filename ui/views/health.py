"""Health: the check-up behind the light in the status line, its result, and the repair."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.queries import RebuildIndex, Verify
from core.domain.results import VerifyReport
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane

NO_INDEX = "none"


class Health(QObject):
    """`checked(VerifyReport)` after a check-up."""

    checked = Signal(object)

    def __init__(self, context: Context, operations: Operations, parent: QWidget) -> None:
        super().__init__(parent)
        self._context, self._operations, self._window = context, operations, parent
        context.actions.on("library.health", self.check)
        context.actions.on("library.rebuild", self.rebuild)

    def check(self) -> None:
        """Compare store and index in the background, then show what was found."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> VerifyReport:
            return engine.ask(Verify(), cancel=cancel)

        self._context.tasks.run(
            Lane.NET, ask, self._show, owner=self, query="verify", label="task.verify",
            failed=self._operations.show_error,
        )  # fmt: skip

    def rebuild(self) -> None:
        """Make the index anew in the background, then check again."""
        engine, tr = self._context.engine, self._context.tr

        def work(_progress: Report, cancel: Cancel) -> int:
            return engine.ask(RebuildIndex(), cancel=cancel)

        def done(count: int) -> None:
            self._operations.said.emit(tr("health.rebuilt", count=tr.number(count)), False)
            self.check()

        self._context.tasks.run(
            Lane.NET, work, done, owner=self, query="rebuild", label="task.rebuild",
            failed=self._operations.show_error,
        )  # fmt: skip

    def _show(self, report: VerifyReport) -> None:
        self.checked.emit(report)
        HealthDialog(self._context, report, self._window.window()).open()


class HealthDialog(QDialog):
    """What a check-up found, in words, with the repair when there is something to repair."""

    def __init__(self, context: Context, report: VerifyReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tr = context.tr
        self.setWindowTitle(tr("health.title"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(context.theme.wide(440))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        head = QLabel(tr("health.good.long" if report.healthy else "health.bad.long"))
        head.setProperty("role", "ok" if report.healthy else "warning")
        head.setWordWrap(True)
        column.addWidget(head)
        for line in report_lines(context, report):
            label = QLabel(line)
            label.setWordWrap(True)
            column.addWidget(label)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setText(tr("dialog.close"))
        buttons.rejected.connect(self.reject)
        if not report.healthy and context.actions.works("library.rebuild"):
            rebuild = buttons.addButton(tr("action.library.rebuild"), QDialogButtonBox.ButtonRole.ActionRole)
            rebuild.clicked.connect(self.accept)
            rebuild.clicked.connect(context.actions.get("library.rebuild").trigger)
        column.addWidget(buttons)


def report_lines(context: Context, report: VerifyReport) -> list[str]:
    """Each thing that was found as a sentence; first how much was looked at."""
    tr = context.tr
    key = f"health.checked.{report.index}"
    key = key if tr.has(key) else "health.checked"
    lines = [tr(key, count=tr.number(report.checked), index=report.index)]
    found: tuple[tuple[str, int], ...] = (
        ("missing", len(report.missing_in_index)),
        ("extra", len(report.extra_in_index)),
        ("differing", len(report.differing)),
        ("self_query", len(report.self_query_failed)),
        ("waiting", report.waiting),
        ("without_vector", report.without_vector),
    )
    if report.index == NO_INDEX:
        found = ()
    lines += [tr(f"health.{name}", count=count) for name, count in found if count]
    lines += [tr(problem.key, **problem.args) for problem in report.problems]
    return lines
