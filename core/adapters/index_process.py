"""The program's side of the index process: starts it, sends calls, notices its end.

Chroma lives in a process of its own because its calls hold the interpreter for seconds and damaged files
may end it natively (DESIGN §3, cases c520). Two threads per process, one for each direction, so that
neither a busy nor a stopped child can block a caller longer than the caller's time limit.
"""

from __future__ import annotations

import itertools
import logging
import os
import queue
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import IO, BinaryIO, cast

from core.adapters.index_frames import Reply, Request, read_reply, write_frame
from core.domain.errors import Unavailable

INDEX_PROCESS_FLAG = "--index-process"
"""First argument with which a frozen program must call `core.adapters.index_server.main`."""

CLOSE_S = 1.0
ERROR_CHARS = 500

_log = logging.getLogger(__name__)
_START = "import sys; sys.path.insert(0, sys.argv[1]); from core.adapters.index_server import main; main()"


def start_command() -> list[str]:
    """How the index process is started: this interpreter without the window's main module."""
    if getattr(sys, "frozen", False):
        return [sys.executable, INDEX_PROCESS_FLAG]
    root = Path(__file__).resolve().parents[2]
    # -P: a module in the current folder must not stand in for a library.
    return [sys.executable, "-P", "-X", "utf8", "-c", _START, str(root), "memory-curator-index"]


class IndexProcess:
    """One running index process. Calls may come from any thread; after its end all of them fail."""

    def __init__(self) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by _finish
        try:
            self._process = subprocess.Popen(
                start_command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            self._errors.close()
            raise Unavailable("index", f"cannot be started: {error}", key="index.cannot_start") from error
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._ended: str | None = None

        self._waiting: dict[int, Future[Reply]] = {}
        self._outgoing: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._send, name="index-send", daemon=True),
            threading.Thread(target=self._receive, name="index-receive", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return self._ended is None and self._process.poll() is None

    def call(self, method: str, *args: object, timeout_s: float) -> Reply:
        """The worker's reply. Errors: Unavailable("index") when the process ended or took too long.

        One that takes too long is ended: what it was doing is repeated by the next one.
        """
        future: Future[Reply] = Future()
        number = next(self._numbers)
        with self._lock:
            if self._ended is not None:
                raise Unavailable("index", self._ended, key="index.ended")
            self._waiting[number] = future
        self._outgoing.put(Request(number, method, args))
        try:
            return future.result(timeout_s)
        except TimeoutError as error:
            self.kill()
            raise Unavailable(
                "index", f"no answer within {timeout_s:g} s", key="index.too_slow", seconds=round(timeout_s)
            ) from error

    def close(self) -> None:
        """Ends an idle process in good order, within CLOSE_S seconds; one that is at work at once."""
        with self._lock:
            busy = bool(self._waiting)
        try:
            if self.alive and not busy:
                self.call("close", timeout_s=CLOSE_S)
        except Unavailable as error:
            _log.info("index process: %s", error.reason)
        self.kill()

    def kill(self) -> None:
        """Ends the process now. Harmless: the outbox in SQL still names what it has not acknowledged."""
        self._process.kill()
        self._outgoing.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    def _send(self) -> None:
        stream = cast("BinaryIO", self._process.stdin)
        while (request := self._outgoing.get()) is not None:
            try:
                write_frame(stream, request)
            except (OSError, ValueError):
                return  # the receiving side tells the callers

    def _receive(self) -> None:
        stream = cast("BinaryIO", self._process.stdout)
        try:
            while True:
                reply = read_reply(stream)
                with self._lock:
                    future = self._waiting.pop(reply.number, None)
                if future is not None:
                    future.set_result(reply)
        except (EOFError, OSError):
            self._finish()

    def _finish(self) -> None:
        code = self._process.wait()
        self._outgoing.put(None)
        reason = self._why(code)
        with self._lock:
            self._ended = reason
            left = list(self._waiting.values())
            self._waiting.clear()
        for future in left:
            future.set_exception(Unavailable("index", reason, key="index.ended"))
        for stream in (self._process.stdout, self._process.stdin):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                _log.debug("a pipe to the index process was broken")
        self._errors.close()

    def _why(self, code: int) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - ERROR_CHARS))
        printed = self._errors.read().decode(errors="replace").strip()
        return f"the index process ended with code {code}" + (f": {printed}" if printed else "")
