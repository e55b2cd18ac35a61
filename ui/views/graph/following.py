"""How the Graph page follows the store: it loads again, a little later, what any program has changed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from core.domain.enums import Kind
from core.domain.results import Changes
from ui.context import Context
from ui.tasks import single_shot
from ui.views.graph.picture import GraphPicture

RELOAD_MS = 120
FOLLOWED = frozenset(
    {Kind.MEMORY, Kind.EDGE, Kind.PIN, Kind.TAG, Kind.FOLDER, Kind.MEMORY_TYPE, Kind.RELATION_TYPE}
)


class Following(QObject):
    """`watched` tells whether the page is looked at; while it is not, it loads when it is shown again."""

    def __init__(self, ctx: Context, picture: GraphPicture, watched: Callable[[], bool]) -> None:
        super().__init__(picture)
        self._picture, self._watched = picture, watched
        self._moved: set[int] = set()
        self._stale = False
        self.soon = single_shot(self, RELOAD_MS, self._reload)
        ctx.bridge.changes.connect(self._on_changes)

    def refresh(self) -> None:
        """Load what was not loaded or has changed meanwhile."""
        if self._picture.state is None or self._stale:
            self._stale = False
            self._picture.load()

    def _on_changes(self, changes: Changes) -> None:
        kinds = set(changes.touched)
        if not kinds & FOLLOWED:
            return
        self._picture.titles.forget(changes.memories)
        if Kind.PIN in kinds:
            self._moved |= set(changes.memories)
        self.soon.start()

    def _reload(self) -> None:
        moved, self._moved = self._moved, set()
        if self._watched():
            self._picture.load(moved=moved)
        else:
            self._stale = True
