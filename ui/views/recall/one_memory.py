"""What the Recall page does with one memory: light its lines, say why it is not there, bring it in."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.domain.api import Cancel, Report
from core.domain.commands import SetAliases
from core.domain.ids import MemoryPk
from core.domain.queries import MemoryDetailOf
from core.domain.recall import Remedy, WhyNotAnswer
from core.domain.results import MemoryDetail
from ui.context import Context
from ui.models.recall_remedy import remedied, restoring
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.recall.host import RecallHost


class OneMemory(QObject):
    """The current memory, the one asked about, and the remedies of those left out."""

    def __init__(self, ctx: Context, operations: Operations, page: RecallHost, parent: QObject) -> None:
        super().__init__(parent)
        self._ctx, self._operations, self._page = ctx, operations, page

    def show(self, memory: MemoryPk | None) -> None:
        """Light its lines in the text, and show its numbers."""
        body = self._page.body
        row = body.results.current_row
        body.injection.text.light((), memory)
        if memory is not None and not body.injection.text.underMouse():
            body.injection.text.show_lines(memory)
        body.card.show_row(row, self._page.view, body.results.remedy_of(row) if row is not None else "")

    def hover(self, memory: MemoryPk | None) -> None:
        """Light the lines of a memory under the pointer."""
        results = self._page.body.results
        results.results.light(())
        self._page.body.injection.text.light(() if memory is None else (memory,), results.current_memory)

    def why(self, memory: MemoryPk) -> None:
        """Ask why it is or is not recalled."""
        self._page.live.why(memory)

    def take_answer(self, answer: WhyNotAnswer) -> None:
        """The answer for the memory asked about came."""
        fresh = self._page.body.results.results.asked_about != answer.recalled.pk
        self.put_answer(answer)
        title = answer.recalled.title
        if self._page.view is not None:
            title = self._page.view.title(answer.recalled.pk) or title
        self._page.body.why.show_asked(title)
        if fresh:
            self._page.body.results.show_asked()

    def put_answer(self, answer: WhyNotAnswer | None) -> None:
        """Show an answer on top of the list; None takes it away."""
        results = self._page.body.results
        results.show_answer(answer)
        self.show(results.current_memory)

    def take_told(self, answer: WhyNotAnswer) -> None:
        """The remedy of a memory in sight has become known."""
        results = self._page.body.results
        results.results.put_answer(answer)
        if results.current_memory == answer.recalled.pk:
            self.show(results.current_memory)

    def remedy(self, pk: int) -> None:
        """Do what the button of a memory says."""
        index = self._page.body.results.results.index_of(MemoryPk(pk))
        row = self._page.body.results.results.row(index)
        answer = row.answer if row is not None else None
        if answer is None:
            return
        changed = remedied(self._page.body.request.request(), answer, self._page.body.request.recipe_record)
        if changed is not None:
            self._page.show_request(changed)
        elif answer.remedy is Remedy.ADD_ALIAS and answer.value:
            self.add_alias(MemoryPk(pk), str(answer.value))
        elif answer.remedy is Remedy.MERGE_TWIN and answer.twin is not None:
            self._operations.open_merge_desk((answer.twin, MemoryPk(pk)))
        else:
            command = restoring(answer, trashed=True)
            if command is not None:
                self._operations.run(command)

    def add_alias(self, memory: MemoryPk, alias: str) -> None:
        """Give a memory another name."""
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> MemoryDetail:
            return engine.ask(MemoryDetailOf(memory), cancel=cancel)

        def add(detail: MemoryDetail) -> None:
            aliases = tuple(dict.fromkeys((*detail.aliases, alias)))
            self._operations.run(SetAliases(memory=memory, aliases=aliases))

        self._ctx.tasks.run(
            Lane.READ, ask, add, owner=self, query="alias", failed=self._operations.show_error
        )
