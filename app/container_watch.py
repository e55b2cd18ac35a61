"""Watched folders of an opened library: what their thread needs, joined."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.domain import queries as q
from core.domain import queries_documents as qd
from core.domain.commands import Command
from core.domain.commands_documents import IngestDocument
from core.domain.document import DocumentRow, FoundFiles
from core.domain.queries_drop import DropKind, SortFiles
from core.domain.watching import WATCHED_SOURCE, WATCHER_NAME
from core.engine import Engine
from core.services.ingest.watch import Doors, FolderWatch
from core.services.ingest.watch_answers import watch_answers
from core.services.ingest.watched_list import WatchedList

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from app.opened import Opened
    from core.domain.api import Cancel
    from core.domain.results import OpResult
    from core.ports.file_watcher import FileWatcher
    from core.services.ingest.watch_answers import Answer


class Watch:
    """Starts and ends the thread, and writes what it takes in under a name of its own."""

    def __init__(
        self, library: Opened, watcher: Callable[[], FileWatcher], in_library: Callable[[Path], bool]
    ) -> None:
        self._library = library
        self._watcher, self._in_library = watcher, in_library
        self._list = WatchedList(library.store.jobs)
        self._thread: FolderWatch | None = None

    def answers(self) -> Mapping[type[q.Query[Any]], Answer]:
        """Answers to the queries about watched folders."""
        return watch_answers(self._list, lambda: self._thread, self._in_library, self._documents)

    def _documents(self) -> Sequence[DocumentRow]:
        return self._library.engine.ask(qd.Documents())

    def start(self) -> None:
        """Watch from now on. Only for the holder of the library's lock."""
        if self._thread is None:
            self._thread = FolderWatch(self._list, self._doors())
            self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()

    def run(self, command: Command, *, cancel: Cancel | None = None) -> OpResult:
        """Run a command of the queue: what was watched for is no change of the person's."""
        watched = isinstance(command, IngestDocument) and command.document.source == WATCHED_SOURCE
        engine = self._engine if watched else self._library.engine
        return engine.run(command, cancel=cancel)

    @cached_property
    def _engine(self) -> Engine:
        """Writes as a program; whoever listens to the library hears of it."""
        from app.writers import program

        engine = Engine(self._library.store, program(WATCHER_NAME))
        engine.subscribe(lambda _changes: _hear(self._library.engine))
        return engine

    def _doors(self) -> Doors:
        engine = self._library.engine

        def find(paths: Sequence[Path], cancel: Cancel) -> FoundFiles:
            return engine.ask(qd.FindDocuments(tuple(paths)), cancel=cancel)

        def is_document(path: Path, cancel: Cancel) -> bool:
            return engine.ask(SortFiles((path,)), cancel=cancel)[0].sort is DropKind.DOCUMENTS

        return Doors(
            watcher=self._watcher(),
            find=find,
            is_document=is_document,
            add=engine.ask,
            work=lambda cancel: engine.ask(qd.RunQueue(), cancel=cancel),
            rows=lambda: engine.ask(qd.QueueRows()),
            documents=self._documents,
            skip=self._in_library,
        )


def _hear(engine: Engine) -> None:
    engine.poll()
