"""What every view and dialog is given: the one way to the engine and to the window's services."""

from __future__ import annotations

from dataclasses import dataclass

from core.domain.access import ReadOnly
from core.domain.api import EngineApi
from core.settings import Settings
from ui.actions import Actions
from ui.bridge import Bridge
from ui.language import Language
from ui.tasks import TaskRunner
from ui.theme import Theme


@dataclass(frozen=True, slots=True)
class Context:
    """One open library in one window.

    engine   reads and writes. Never call it on the main thread: go through `tasks`.
    tasks    `run(Lane.READ | WRITE | NET, function(progress, cancel) -> T, done(T), owner=widget,
             failed=..., query="name", label="text key")`; a newer run of the same owner + query
             replaces the older; results for a dead owner are dropped.
    bridge   `changes` (core.domain.results.Changes) after each commit, `waiting(int)`, on the main thread.
    settings live get/set.
    theme    `color(name)`, `type_color(type)`, `icon(name)`, `type_icon(type)`, `changed`.
    tr       `tr(key, **args)`; `tr.relative(datetime)`, `tr.exact(datetime)`, `tr.error(exception)`, `tr.code`,
             `tr.changed`.
    actions  `actions.get(id)` is the QAction; `actions.on(id, slot)` says what it does.
    """

    engine: EngineApi
    tasks: TaskRunner
    bridge: Bridge
    settings: Settings
    theme: Theme
    tr: Language
    actions: Actions

    @property
    def read_only(self) -> ReadOnly | None:
        """Why nothing can be written; controls that would write are kept off by ui.read_only."""
        return self.engine.read_only
