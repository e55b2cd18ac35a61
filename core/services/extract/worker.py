"""The thread that lets folders extract by themselves while a window keeps the library open.

It sleeps until a chat grew (or a folder was told to extract by itself), waits a little for more, and works. A model
that does not answer is logged; the next change tries again, and what is done stays.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from core.domain.commands_extract import SetFolderValues
from core.domain.enums import Kind, OpRole
from core.domain.errors import BadReply, Cancelled, Unavailable, UserError
from core.domain.results import Changes
from core.ports.progress import CancelToken

PATIENCE_S = 3.0
"""An answer often comes right after a question; both are read together."""

_log = logging.getLogger(__name__)


class AutomaticThread:
    """Runs `work` after changes. `changed` may be called from any thread."""

    def __init__(self, work: Callable[[CancelToken], object], patience_s: float | None = None) -> None:
        self._work = work
        self._patience_s = PATIENCE_S if patience_s is None else patience_s
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._cancel = CancelToken()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread; it waits for the first change."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="automatic-extraction", daemon=True)
            self._thread.start()

    def changed(self, changes: Changes) -> None:
        """After each commit. An undo wakes nothing: what a person took back is not made again at once."""
        told = changes.op.label == SetFolderValues.LABEL
        if changes.op.role is OpRole.CHANGE and (told or Kind.MESSAGE in changes.touched):
            self._wake.set()

    def stop(self) -> None:
        """End the thread; a run that is going on keeps what it has done."""
        self._cancel.cancel()
        self._stopping.set()
        self._wake.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            if self._stopping.wait(self._patience_s):
                return
            self._wake.clear()
            try:
                self._work(self._cancel)
            except Cancelled:
                return
            except Unavailable as error:
                _log.info("automatic extraction: %s unavailable", error.port)
            except BadReply as error:
                _log.info("automatic extraction: %s", error.key)
            except UserError as error:
                _log.warning("automatic extraction: %s", error.key)
