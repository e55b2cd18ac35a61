"""What runs in the index process: answers requests from its standard input until that closes.

A thread reads the requests, so that the end of the parent (also by kill -9) is noticed while Chroma is
busy; the process then ends at once. Chroma writes a batch as a whole, so nothing acknowledged is lost.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from filelock import FileLock, Timeout

from core.adapters.index_frames import (
    FAILED,
    LOCKED,
    NOT_CHROMA,
    OK,
    WRONG_DIMS,
    Reply,
    Request,
    read_request,
    write_frame,
)

if TYPE_CHECKING:
    from core.adapters.index_chroma import ChromaWorker

LOCK_NAME = "index.lock"
ORPHAN_CHECK_S = 5.0
"""A parent that forked may leave its pipe open in a grandchild: so the parent's id is looked at, too."""
NICENESS = 5
"""The window comes first where processors are few."""


def main() -> None:
    """Serves until the parent closes the pipe or asks for the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal reaches the whole group
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    requests, replies = _private_streams()
    Server(requests, replies).run()


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes for frames alone: whatever a library prints goes to the error stream."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    return requests, replies


class Server:
    """Holds the lock on the directory and the worker that owns Chroma."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._inbox: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._lock: FileLock | None = None
        self._worker: ChromaWorker | None = None
        self._parent = os.getppid()

    def run(self) -> None:
        """Answers requests one after the other; returns after `close`."""
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        while True:
            request = self._next()
            if request.method == "close":
                self._close()
                write_frame(self._replies, Reply(request.number, OK, None))
                os._exit(0)
            reply = self._answer(request)
            try:
                write_frame(self._replies, reply)
            except OSError:
                os._exit(0)

    def _read(self) -> None:
        try:
            while True:
                self._inbox.put(read_request(self._requests))
        except (EOFError, OSError):
            os._exit(0)

    def _next(self) -> Request:
        while True:
            try:
                return self._inbox.get(timeout=ORPHAN_CHECK_S)
            except queue.Empty:
                if os.getppid() != self._parent:
                    os._exit(0)

    def _answer(self, request: Request) -> Reply:
        from core.adapters.index_chroma import NotChroma, WrongDims

        try:
            return Reply(request.number, OK, self._do(request))
        except Timeout:
            return Reply(request.number, LOCKED, "another process holds the index")
        except WrongDims as error:
            return Reply(request.number, WRONG_DIMS, error.args)
        except NotChroma as error:
            return Reply(request.number, NOT_CHROMA, str(error))
        except BaseException as error:  # noqa: BLE001 - the index loop; Rust panics are no Exception
            return Reply(request.number, FAILED, f"{type(error).__name__}: {error}")

    def _do(self, request: Request) -> object:
        if request.method == "open_directory":
            directory, wait_s, clean = request.args
            self._open(Path(str(directory)), float(str(wait_s)), wipe=bool(clean))
            return None
        if self._worker is None:
            raise RuntimeError("no directory is open")
        return getattr(self._worker, request.method)(*request.args)

    def _open(self, directory: Path, wait_s: float, *, wipe: bool) -> None:
        from core.adapters.index_chroma import ChromaWorker, wipe_directory

        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / LOCK_NAME)
        lock.acquire(timeout=wait_s, poll_interval=0.05)
        self._lock = lock
        if wipe:
            wipe_directory(directory, keep=LOCK_NAME)
        self._worker = ChromaWorker(directory)

    def _close(self) -> None:
        if self._worker is not None:
            self._worker.close()
        if self._lock is not None:
            self._lock.release()


if __name__ == "__main__":
    main()
