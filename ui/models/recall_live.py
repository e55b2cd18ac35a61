"""The live recall: asks again a moment after each change and drops what was overtaken."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk
from core.domain.queries_recall import WhyNot
from core.domain.recall import RecallMode, RecallRequest, WhyNotAnswer
from ui.context import Context
from ui.models.recall_view import RecallView, load_view
from ui.tasks import Lane, single_shot

RANK_AFTER_MS = 60
"""After the last change of the request: short enough to follow a slider."""
STALE_AFTER_MS = 400
CALLER = "window"


class RecallLive(QObject):
    """Keeps one preview up to date with a request.

    `asked` when a run starts, `came(RecallView)` and `failed(error)` when it ends; `committed(RecallView)` after one
    that counts. `answered(WhyNotAnswer)`: about the memory asked for, `told(WhyNotAnswer)`: about one in sight.
    """

    asked = Signal()
    came = Signal(object)
    failed = Signal(object)
    committed = Signal(object)
    answered = Signal(object)
    told = Signal(object)

    def __init__(self, ctx: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._request: RecallRequest | None = None
        self._awake = False
        self._late = False
        self._soon = single_shot(self, RANK_AFTER_MS, self._run)
        self._again = single_shot(self, STALE_AFTER_MS, self._run)
        self._waiting = 0
        ctx.bridge.changes.connect(lambda _changes: self._on_changes())
        ctx.bridge.waiting.connect(self._on_waiting)

    @property
    def request(self) -> RecallRequest | None:
        """What is shown, or being asked."""
        return self._request

    def wake(self, awake: bool) -> None:
        """Whether somebody looks: out of sight nothing is asked, what changed meanwhile is asked on return."""
        self._awake = awake
        if awake and self._late:
            self._soon.start()
        elif not awake:
            self._again.stop()

    def show(self, request: RecallRequest) -> None:
        """Ask for this a moment later."""
        self._request = replace(request, mode=RecallMode.PREVIEW, caller=CALLER)
        self._late = True
        if self._awake:
            self._soon.start()

    def refresh(self) -> None:
        """Ask the same again."""
        self._late = True
        self._soon.start()

    def forget(self) -> None:
        """Nothing is asked any more; results under way are dropped."""
        self._request = None
        self._late = False
        self._soon.stop()
        self._again.stop()
        for query in ("recall", "told"):
            self._ctx.tasks.drop(self, query)

    def commit(self, request: RecallRequest) -> None:
        """A real recall: counted and kept."""
        engine = self._ctx.engine
        wanted = replace(request, mode=RecallMode.COMMIT, caller=CALLER)

        def run(_progress: Report, cancel: Cancel) -> RecallView:
            return load_view(engine, wanted, cancel)

        self._ctx.tasks.run(
            Lane.WRITE,
            run,
            self.committed.emit,
            owner=self,
            failed=self.failed.emit,
            label="recall_page.committing",
        )

    def why(self, memory: MemoryPk) -> None:
        """Ask about one memory."""
        request, engine = self._request, self._ctx.engine
        if request is None:
            return

        def ask(_progress: Report, cancel: Cancel) -> WhyNotAnswer:
            return engine.ask(WhyNot(request, memory), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ, ask, self.answered.emit, owner=self, query="why", failed=self.failed.emit
        )

    def tell(self, memories: tuple[MemoryPk, ...]) -> None:
        """Ask for the remedies of these, one after the other; `told(answer)` for each."""
        request, engine = self._request, self._ctx.engine
        if request is None or not memories:
            return
        first, rest = memories[0], memories[1:]

        def ask(_progress: Report, cancel: Cancel) -> WhyNotAnswer:
            return engine.ask(WhyNot(request, first), cancel=cancel)

        def done(answer: WhyNotAnswer) -> None:
            self.told.emit(answer)
            if self._request is request:
                self.tell(rest)

        self._ctx.tasks.run(Lane.READ, ask, done, owner=self, query="told", failed=lambda _error: None)

    def _on_changes(self) -> None:
        self._late = True
        if self._awake and self._request is not None:
            self._again.start()

    def _on_waiting(self, count: int) -> None:
        """New vectors are no change of the library, but recall by meaning finds more with them."""
        before, self._waiting = self._waiting, count
        if before and not count:
            self._on_changes()

    def _run(self) -> None:
        request, engine = self._request, self._ctx.engine
        if request is None:
            return
        self._late = False
        self._ctx.tasks.drop(self, "told")
        self.asked.emit()

        def ask(_progress: Report, cancel: Cancel) -> RecallView:
            return load_view(engine, request, cancel)

        self._ctx.tasks.run(
            Lane.READ, ask, self.came.emit, owner=self, query="recall", failed=self.failed.emit
        )
