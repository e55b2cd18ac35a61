"""Garbage is collected when nobody is waiting: a full collection in the middle of a scroll is felt."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

IDLE_MS = 4000
FULL_EVERY = 15


class IdleCollector(QObject):
    """What exists when it is made (the program itself) is never looked at again; from then on only this
    timer collects, young objects first.

    What a library makes is not frozen: it goes when the library is closed.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setInterval(IDLE_MS)
        self._timer.timeout.connect(self._collect)
        gc.disable()
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """Python collects by itself again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _collect(self) -> None:
        self._turn += 1
        gc.collect(2 if self._turn % FULL_EVERY == 0 else 1)
