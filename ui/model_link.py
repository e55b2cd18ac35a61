"""Models and the window: the settings dialog, the name in the top bar, requests that wait for a person."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from core import model_settings
from core.domain.api import Cancel, Report
from core.domain.endpoints import BUILTIN, MANUAL, ModelTask
from core.domain.errors import WaitsForReply
from core.domain.model_answers import SAME_WEIGHTS, ManualOutcome, ManualRequest
from core.domain.queries_models import CheckWeights, ManualRequests, ResumeManual
from ui.context import Context
from ui.tasks import Lane
from ui.views.transfer_words import problem_text


class ModelLink(QObject):
    """`named(text)`: which model is in use, for the top bar. `warned(text, is_error)`: something to know.

    `requests_changed(number)`: a request for a person came (its number) or went (0). `proposed(pk)`: a reply led to
    a proposal. `answered`: a reply is there that is read when the same is asked again.
    """

    named = Signal(str)
    warned = Signal(str, bool)
    requests_changed = Signal(int)
    proposed = Signal(int)
    answered = Signal()

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self.in_sight: Callable[[], bool] = lambda: False
        """Whether requests are shown elsewhere now, so that no dialog has to open."""
        self.open_request: QWidget | None = None
        self._follows = 0
        """The request that came of the reply to another one."""
        context.tasks.waits.connect(self._on_waits)
        context.actions.on("window.settings", self.show_settings)
        context.actions.on("library.models", self.show_models)
        context.actions.on("library.requests", self.show_requests)
        end = context.settings.subscribe(self._on_setting)
        self.destroyed.connect(end)
        context.tr.changed.connect(self.say)

    # --- the name --------------------------------------------------------------------------

    def say(self) -> None:
        """Tell which model is in use."""
        self.named.emit(self.model_name())

    def model_name(self) -> str:
        """The model of all tasks, or how many there are; "built-in" when nobody else serves."""
        tr, settings = self._context.tr, self._context.settings
        served = {model_settings.served_by(settings, task) for task in ModelTask} - {BUILTIN}
        if not served:
            return tr("models.bar.builtin")
        if len(served) > 1:
            return tr("models.bar.several", count=len(served))
        who = served.pop()
        if who == MANUAL:
            return tr("models.bar.manual")
        found = model_settings.endpoint(settings, who)
        return tr("models.bar.named", name=(found.model or found.name) if found else who)

    def _on_setting(self, key: str) -> None:
        if key.startswith("models."):
            self.say()

    # --- settings --------------------------------------------------------------------------

    def show_settings(self) -> None:
        """Open the settings."""
        from ui.views.settings.dialog import GENERAL

        self._open(GENERAL)

    def show_models(self) -> None:
        """Open the settings at the page Models."""
        from ui.views.settings.dialog import MODELS

        self._open(MODELS)

    def _open(self, page: int) -> None:
        from ui.views.settings.dialog import SettingsDialog

        SettingsDialog(self._context, self._window.window(), page).open()

    def check_weights(self) -> None:
        """Ask once whether the model behind the chosen endpoint is still the one that made the vectors."""
        if model_settings.chosen_embedder(self._context.settings) is None:
            return
        engine, tr = self._context.engine, self._context.tr

        def ask(_progress: Report, cancel: Cancel) -> float | None:
            return engine.ask(CheckWeights(), cancel=cancel)

        def done(agreement: float | None) -> None:
            if agreement is not None and agreement < SAME_WEIGHTS:
                self.warned.emit(tr("models.weights", agreement=f"{agreement:.2f}"), True)

        self._context.tasks.run(
            Lane.NET,
            ask,
            done,
            owner=self,
            query="weights",
            failed=lambda error: self.warned.emit(tr.error(error), True),
        )

    # --- requests for a person -------------------------------------------------------------

    def show_requests(self) -> None:
        """Show the oldest request that waits, also one that was put off or asked before a restart."""
        self._look(0)

    def _on_waits(self, number: int) -> None:
        self.requests_changed.emit(number)
        if not self.in_sight():
            self._look(number)

    def _look(self, number: int) -> None:
        """Open a request; 0 = the oldest one, and say so when there is none."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[ManualRequest, ...]:
            return engine.ask(ManualRequests(), cancel=cancel)

        def done(requests: tuple[ManualRequest, ...]) -> None:
            if not number and not requests:
                self.warned.emit(self._context.tr("manual.none"), False)
            wanted = [each for each in requests if number in (0, each.number)]
            if wanted and self.open_request is None:
                self._open_request(wanted[0])

        self._context.tasks.run(Lane.READ, ask, done, owner=self, query="manual")

    def _open_request(self, request: ManualRequest) -> None:
        from ui.dialogs.manual_reply import ManualReplyDialog

        dialog = ManualReplyDialog(self._context, request, self._window.window())
        self.open_request = dialog
        if request.number == self._follows:
            dialog.panel.say(self._context.tr("manual.follows"))
        dialog.finished.connect(self._on_closed)
        dialog.rejected.connect(lambda: self.warned.emit(self._context.tr("manual.waits"), False))
        dialog.handed_in.connect(self.go_on)
        dialog.given_up.connect(self.gone)
        dialog.open()

    def _on_closed(self) -> None:
        self.open_request = None

    def gone(self, _number: int) -> None:
        """A request was given up."""
        self.warned.emit(self._context.tr("manual.given_up"), False)
        self.requests_changed.emit(0)

    def go_on(self, number: int) -> None:
        """Go on with the work that asked, in the background; it may come to another request."""
        engine = self._context.engine

        def work(_progress: Report, cancel: Cancel) -> ManualOutcome:
            return engine.ask(ResumeManual(number), cancel=cancel)

        self._context.tasks.run(
            Lane.NET, work, self._on_outcome, owner=self, failed=self._on_failed, label="task.manual"
        )

    def _on_outcome(self, outcome: ManualOutcome) -> None:
        tr = self._context.tr
        self.requests_changed.emit(0)
        if not outcome.goes_on:
            self.warned.emit(tr("manual.kept"), False)
            self.answered.emit()
        elif outcome.problems:
            self.warned.emit(problem_text(outcome.problems[0], tr), True)
        elif outcome.why:
            self.warned.emit(tr(outcome.why, **outcome.args), False)
        elif not outcome.proposals:
            self.warned.emit(tr("manual.nothing"), False)
        if outcome.proposals:
            self.proposed.emit(outcome.proposals[-1])

    def _on_failed(self, error: Exception) -> None:
        tr = self._context.tr
        if isinstance(error, WaitsForReply):
            self._follows = error.number
            if error.changed:
                self.warned.emit(tr("manual.changed"), True)
            return
        self.requests_changed.emit(0)
        self.warned.emit(tr.error(error), True)
