"""How a memory would stand in the prompt: its tokens, and folded below them the line itself."""

from __future__ import annotations

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries_recall import InjectedLineOf
from core.domain.recall import InjectedLine
from ui.context import Context
from ui.tasks import Lane
from ui.views.recall.words import recipe_name
from ui.widgets.fold import Fold
from ui.widgets.plain_text import PlainTextEdit

MAX_LINES = 12


class InjectedFold(Fold):
    """Asks in the background; hidden until there is an answer."""

    def __init__(self, context: Context, *, is_open: bool = False) -> None:
        super().__init__(context.theme, "", is_open=is_open)
        self._context = context
        self.line = PlainTextEdit(lines=1, max_lines=MAX_LINES, read_only=True)
        self.line.setProperty("role", "reading")
        self.column.addWidget(self.line)
        self.hide()

    def show_memory(self, pk: MemoryPk) -> None:
        """Count the tokens of a memory's line."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> InjectedLine:
            return engine.ask(InjectedLineOf(pk, quick=True), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._show, owner=self, query="line", failed=lambda _error: self.hide()
        )

    def _show(self, line: InjectedLine) -> None:
        tr = self._context.tr
        self.setVisible(bool(line.text))
        self.rename(tr("injected.tokens" if line.exact else "injected.about", count=line.tokens))
        family = tr(f"recipe.setting.token_family.{line.family}")
        self.note.setText(recipe_name(tr, line.recipe))
        tip = tr("injected.tip", recipe=recipe_name(tr, line.recipe), family=family, count=line.whole)
        tip = tip if line.exact else f"{tip}\n{tr('injected.why_about')}"
        self.button.setToolTip(tip)
        self.note.setToolTip(tip)
        self.line.set_text(line.text)
        self.line.setAccessibleName(self.button.text())
