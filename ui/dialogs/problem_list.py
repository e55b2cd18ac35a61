"""What is wrong with a file, grouped by how much it matters, each with the places it is about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.domain.results import Problem
from ui.context import Context
from ui.language import isolate
from ui.views.transfer_words import problem_text
from ui.widgets.focus_chain import put_page

SEVERITIES = {
    "error": "mdi6.close-circle-outline",
    "warning": "mdi6.alert-outline",
    "info": "mdi6.information-outline",
}
COLORS = {"error": "danger", "warning": "warning", "info": "secondary"}
MOST_REFS = 40
BY_LINE = frozenset(
    f"import.problem.{name}"
    for name in ("message_no_text", "thinking_unclosed", "swipe_out_of_range", "swipe_info")
)
"""Problems whose places are lines of the file; those of the others are names."""


class ProblemList(QWidget):
    """Severity, sentence, ids. Says so when there is no problem."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setAccessibleName(ctx.tr("problems.title"))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.label)
        box.addWidget(self.area, 1)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show these."""
        tr = self._ctx.tr
        self.label.setText(tr("problems.some", count=len(problems)) if problems else tr("problems.none"))
        self.label.setProperty("role", "secondary" if problems else "ok")
        self.label.style().polish(self.label)
        page = QWidget()
        page.setProperty("surface", "base")
        grid = QGridLayout(page)
        grid.setContentsMargins(12, 8, 12, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for severity in SEVERITIES:
            group = [problem for problem in problems if _severity(problem) == severity]
            if group:
                self._add_group(grid, severity, group)
        grid.setRowStretch(grid.rowCount(), 1)
        put_page(self.area, page)
        self.area.setVisible(bool(problems))

    def _add_group(self, grid: QGridLayout, severity: str, problems: Sequence[Problem]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        row = grid.rowCount()
        icon = QLabel()
        icon.setPixmap(theme.icon(SEVERITIES[severity], COLORS[severity]).pixmap(theme.icon_size))
        grid.addWidget(icon, row, 0)
        grid.addWidget(_label(tr(f"problems.{severity}", count=len(problems)), "section"), row, 1)
        for problem in problems:
            row = grid.rowCount()
            grid.addWidget(_label(problem_text(problem, tr), ""), row, 1)
            if problem.refs:
                grid.addWidget(_label(self._refs(problem), "small"), row + 1, 1)

    def _refs(self, problem: Problem) -> str:
        shown = ", ".join(isolate(ref) for ref in problem.refs[:MOST_REFS])
        more = len(problem.refs) - MOST_REFS
        if more > 0:
            shown = f"{shown} {self._ctx.tr('problems.more', count=more)}"
        by_line = problem.key in BY_LINE
        return self._ctx.tr("problems.lines", count=len(problem.refs), lines=shown) if by_line else shown


def _severity(problem: Problem) -> str:
    return problem.severity if problem.severity in SEVERITIES else "warning"


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setProperty("role", role)
    return label
