"""The light in the status line: asks how the library is, at the start and after changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from core.domain.api import Cancel, Report
from core.domain.health import HealthState
from core.domain.queries_health import Health
from ui.context import Context
from ui.tasks import Lane, single_shot

FIRST_LOOK_MS, AFTER_CHANGE_MS, LOOK_MS = 2500, 3000, 60_000
"""The list comes first; changes come in crowds; an endpoint may stop answering by itself."""


class HealthLight(QObject):
    """`changed(HealthState)`."""

    changed = Signal(object)

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.state: HealthState | None = None
        self._soon = single_shot(self, AFTER_CHANGE_MS, self.look)
        self._clock = QTimer(self)
        self._clock.setInterval(LOOK_MS)
        self._clock.timeout.connect(self.look)
        context.bridge.changes.connect(lambda _changes: self._soon.start())

    def start(self) -> None:
        """Look soon, and again now and then."""
        self._soon.start(FIRST_LOOK_MS)
        self._clock.start()

    def look(self) -> None:
        """Ask now."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> HealthState:
            return engine.ask(Health(), cancel=cancel)

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="health", failed=_ignore)

    def _take(self, state: HealthState) -> None:
        self._soon.setInterval(AFTER_CHANGE_MS)
        self.state = state
        self.changed.emit(state)


def _ignore(_error: Exception) -> None:
    """The next look asks again; a real fault shows where it is."""
