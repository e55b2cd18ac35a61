"""Models and the window: the settings dialog, the name in the top bar, requests that wait for a person."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from core import model_settings
from core.domain.api import Cancel, Report
from core.domain.endpoints import BUILTIN, MANUAL, ModelTask
from core.domain.model_answers import SAME_WEIGHTS, ManualRequest
from core.domain.queries_models import CheckWeights, ManualRequests
from ui.context import Context
from ui.tasks import Lane

LOOK_MS = 1000
"""How often requests are looked for while a task is served by hand (a look into memory, no store)."""


class ModelLink(QObject):
    """`named(text)`: which model is in use, for the top bar. `warned(text, is_error)`: something to know."""

    named = Signal(str)
    warned = Signal(str, bool)

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self._shown: set[int] = set()
        self.open_request: QWidget | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look_again)
        context.actions.on("window.settings", self.show_settings)
        context.actions.on("library.models", self.show_models)
        context.actions.on("library.requests", self.show_requests)
        end = context.settings.subscribe(self._on_setting)
        self.destroyed.connect(end)
        context.tr.changed.connect(self.say)
        self._follow()

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
            self._follow()

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

    def _follow(self) -> None:
        settings = self._context.settings
        by_hand = any(model_settings.served_by(settings, task) == MANUAL for task in ModelTask)
        if by_hand and not self._timer.isActive():
            self._timer.start()
        elif not by_hand:
            self._timer.stop()

    def show_requests(self) -> None:
        """Show requests that were put off, too."""
        self._shown.clear()
        self._look(said=True)

    def _look_again(self) -> None:
        self._look()

    def _look(self, *, said: bool = False) -> None:
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[ManualRequest, ...]:
            return engine.ask(ManualRequests(), cancel=cancel)

        def done(requests: tuple[ManualRequest, ...]) -> None:
            if said and not requests:
                self.warned.emit(self._context.tr("manual.none"), False)
            self._on_requests(requests)

        self._context.tasks.run(Lane.READ, ask, done, owner=self, query="manual")

    def _on_requests(self, requests: tuple[ManualRequest, ...]) -> None:
        """Show the oldest request that was not put off."""
        self._shown &= {each.number for each in requests}
        waiting = [each for each in requests if each.number not in self._shown]
        if self.open_request is not None or not waiting:
            return
        from ui.dialogs.manual_reply import ManualReplyDialog

        request = waiting[0]
        self._shown.add(request.number)
        dialog = ManualReplyDialog(self._context, request, self._window.window())
        self.open_request = dialog
        dialog.finished.connect(self._on_closed)
        dialog.answered.connect(lambda: self._shown.discard(request.number))
        dialog.open()

    def _on_closed(self) -> None:
        self.open_request = None
        if self._shown:
            self.warned.emit(self._context.tr("manual.waits"), False)
