"""What is wrong with a file, grouped by how much it matters, each with the places it is about."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from core.domain.results import Problem
from ui.context import Context
from ui.views.transfer_words import problem_text

SEVERITIES = {
    "error": "mdi6.close-circle-outline",
    "warning": "mdi6.alert-outline",
    "info": "mdi6.information-outline",
}
COLORS = {"error": "danger", "warning": "warning", "info": "secondary"}
MOST_REFS = 200


class ProblemList(QWidget):
    """A tree: severity, problem, ids. Says so when there is none."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setWordWrap(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.tree.setAccessibleName(ctx.tr("problems.title"))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addWidget(self.label)
        box.addWidget(self.tree, 1)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show these."""
        tr = self._ctx.tr
        self.tree.clear()
        self.tree.setVisible(bool(problems))
        self.label.setText(tr("problems.some", count=len(problems)) if problems else tr("problems.none"))
        self.label.setProperty("role", "secondary" if problems else "ok")
        self.label.style().polish(self.label)
        for severity in dict.fromkeys([*SEVERITIES, *(problem.severity for problem in problems)]):
            group = [problem for problem in problems if problem.severity == severity]
            if group:
                self._add_group(severity, group)

    def _add_group(self, severity: str, problems: Sequence[Problem]) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        key = severity if severity in SEVERITIES else "warning"
        top = QTreeWidgetItem([tr(f"problems.{key}", count=len(problems))])
        top.setIcon(0, theme.icon(SEVERITIES[key], COLORS[key]))
        self.tree.addTopLevelItem(top)
        for problem in problems:
            text = problem_text(problem, tr)
            item = QTreeWidgetItem([text])
            item.setToolTip(0, text)
            for ref in problem.refs[:MOST_REFS]:
                item.addChild(QTreeWidgetItem([ref]))
            if len(problem.refs) > MOST_REFS:
                item.addChild(QTreeWidgetItem([tr("problems.more", count=len(problem.refs) - MOST_REFS)]))
            top.addChild(item)
        top.setExpanded(key != "info")
