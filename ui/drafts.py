"""Drafts: what is typed and not saved yet, and what a person arranged in one library.

Kept in the library under a key each, so that it is never lost; no changes, and not undone.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, EngineApi, Report
from core.domain.json_types import JsonObject
from ui.context import Context
from ui.tasks import Lane, TaskRunner

PK = "pk"
"""Key in a draft under which it names its memory."""


def drafts_of(ctx: Context) -> DraftKeeper:
    """The drafts of an open library; all views share them."""
    for keeper in ctx.tasks.findChildren(DraftKeeper):
        if keeper.engine is ctx.engine:
            return keeper
    return DraftKeeper(ctx.engine, ctx.tasks, ctx.tasks)


class DraftKeeper(QObject):
    """Knows all drafts of the library; writes them in the background, and the rest on `close`."""

    changed = Signal()

    def __init__(self, engine: EngineApi, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._tasks = engine, tasks
        self._drafts: dict[str, JsonObject] = {}
        self._unwritten: dict[str, JsonObject | None] = {}
        self._asked = False
        self.loaded = False
        """Whether it is known what the library holds."""

    @property
    def engine(self) -> EngineApi:
        """Whose library keeps them."""
        return self._engine

    def load(self) -> None:
        """Read which drafts there are, once."""
        if self._asked:
            return
        self._asked = True

        def read(_progress: Report, _cancel: Cancel) -> Mapping[str, JsonObject]:
            return self._engine.drafts.all()

        self._tasks.run(Lane.READ, read, self._on_loaded, owner=self, query="all")

    @property
    def memories(self) -> frozenset[int]:
        """Pks of the memories that have a draft."""
        return frozenset(pk for draft in self._drafts.values() if isinstance(pk := draft.get(PK), int))

    def get(self, key: str) -> JsonObject | None:
        """The draft of that key, as typed last."""
        return self._drafts.get(key)

    def below(self, prefix: str) -> Mapping[str, JsonObject]:
        """The drafts whose keys begin so."""
        return {key: data for key, data in self._drafts.items() if key.startswith(prefix)}

    def keep(self, key: str, data: JsonObject) -> None:
        """Keep a draft in place of an older one; not where the library is only read."""
        if self._engine.read_only is not None or self._drafts.get(key) == data:
            return
        new = key not in self._drafts
        self._drafts[key] = data
        self._write(key, data)
        if new:
            self.changed.emit()

    def discard(self, key: str) -> None:
        """Forget a draft."""
        if self._engine.read_only is not None:
            return
        if self._drafts.pop(key, None) is not None or key in self._unwritten:
            self._write(key, None)
            self.changed.emit()

    def close(self) -> None:
        """Write at once what the background has not written yet."""
        self._tasks.drop_below(self)
        for key, data in list(self._unwritten.items()):
            self._store(key, data)
        self._unwritten.clear()

    def _on_loaded(self, stored: Mapping[str, JsonObject]) -> None:
        dropped = {key for key, data in self._unwritten.items() if data is None}
        kept = {key: data for key, data in stored.items() if key not in dropped}
        self._drafts = kept | self._drafts
        self.loaded = True
        self.changed.emit()

    def _write(self, key: str, data: JsonObject | None) -> None:
        self._unwritten[key] = data

        def write(_progress: Report, _cancel: Cancel) -> None:
            self._store(key, data)

        def written(_result: None) -> None:
            if self._unwritten.get(key, ...) is data:
                del self._unwritten[key]

        self._tasks.run(Lane.WRITE, write, written, owner=self, query=key)

    def _store(self, key: str, data: JsonObject | None) -> None:
        if data is None:
            self._engine.drafts.discard(key)
        else:
            self._engine.drafts.save(key, data)
