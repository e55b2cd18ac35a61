"""Notices of changed files (core.ports.file_watcher.FileWatcher), by watchfiles."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from watchfiles import watch

from core.ports.file_watcher import StopFlag

TICK_MS = 1000
DEBOUNCE_MS = 800
POLL_MS = 2000

_log = logging.getLogger(__name__)


class SystemFileWatcher:
    """Asks the system; where that cannot watch so much, it looks every two seconds."""

    def changes(self, directories: Sequence[Path], stop: StopFlag) -> Iterator[frozenset[Path]]:
        """See FileWatcher."""
        try:
            yield from self._watch(directories, stop, polling=False)
        except FileNotFoundError:
            raise
        except (OSError, RuntimeError) as error:  # too many watches, or a file system that has none
            if stop.is_set() or not all(each.is_dir() for each in directories):
                raise OSError(str(error)) from error
            _log.info("watching by looking: %s", type(error).__name__)
            yield from self._watch(directories, stop, polling=True)

    def _watch(
        self, directories: Sequence[Path], stop: StopFlag, *, polling: bool
    ) -> Iterator[frozenset[Path]]:
        found = watch(
            *directories,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            stop_event=stop,
            rust_timeout=TICK_MS,
            yield_on_timeout=True,
            force_polling=polling,
            poll_delay_ms=POLL_MS,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for batch in found:
            yield frozenset(Path(path) for _kind, path in batch)
