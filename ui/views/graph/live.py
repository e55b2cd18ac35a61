"""A layout that runs in a worker while its positions are shown."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal

from core.domain.api import Cancel, Report
from core.domain.graph import Arrange, Frame, KeepPositions, Layout
from ui.context import Context
from ui.tasks import Lane

FRAME_S, FRAME_S_A_NODE, FRAME_S_MOST = 0.05, 1e-5, 0.4
"""Positions are sent to the view at most so often: seldom for many nodes, as drawing them holds the layout up."""

Reals = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class _News:
    run: int
    layout: Layout
    frame: Frame | None


class LiveLayout(QObject):
    """`moved(positions)` while it runs, `ended(positions)` at the end; `failed(error)`."""

    moved = Signal(object)
    ended = Signal(object)
    failed = Signal(object)
    _news = Signal(object)

    def __init__(self, ctx: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._run = 0
        self._layout: Layout | None = None
        self.pks: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """The memories of the positions that are sent."""
        self.done = 1.0
        """How far the layout is, 0..1."""
        self._news.connect(self._hear, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        """Whether a layout is on its way."""
        return self.done < 1.0

    def start(self, query: Arrange) -> None:
        """Begin anew; a layout that runs is given up."""
        self._run += 1
        run, engine = self._run, self._ctx.engine
        self.done, self._layout, self.pks = 0.0, None, query.graph.nodes.pks

        def work(_progress: Report, cancel: Cancel) -> Reals | None:
            layout = engine.ask(query, cancel=cancel)
            self._news.emit(_News(run, layout, None))
            last, sent = None, 0.0
            pause = min(FRAME_S + FRAME_S_A_NODE * len(query.graph), FRAME_S_MOST)
            while (frame := layout.step()) is not None:
                cancel.check()
                last = frame.positions
                if time.monotonic() - sent >= pause:
                    sent = time.monotonic()
                    self._news.emit(_News(run, layout, frame))
            return last

        self._ctx.tasks.run(
            Lane.READ,
            work,
            lambda positions: self._end(run, query, positions),
            owner=self,
            query="layout",
            failed=lambda error: self._fail(run, error),
        )

    def stop(self) -> None:
        """Give up; nodes stay where they are."""
        self._run += 1
        self.done, self._layout = 1.0, None
        self._ctx.tasks.drop(self, "layout")

    def hold(self, pk: int, x: float, y: float) -> None:
        """A memory is held by a hand."""
        node = self._node(pk)
        if self._layout is not None and node >= 0:
            self._layout.hold(node, x, y)

    def release(self, pk: int) -> None:
        """The hand let go of a memory."""
        node = self._node(pk)
        if self._layout is not None and node >= 0:
            self._layout.release(node)

    def _node(self, pk: int) -> int:
        at = int(np.searchsorted(self.pks, pk))
        return at if at < len(self.pks) and self.pks[at] == pk else -1

    def keep(self, key: str, memories: NDArray[np.int64], positions: Reals) -> None:
        """Keep positions for the next time, where something can be kept."""
        if self._ctx.read_only is not None:
            return
        engine, query = self._ctx.engine, KeepPositions(key, memories, positions)

        def work(_progress: Report, cancel: Cancel) -> None:
            engine.ask(query, cancel=cancel)

        self._ctx.tasks.run(Lane.WRITE, work, owner=self)

    def _hear(self, news: _News) -> None:
        if news.run != self._run:
            return
        self._layout = news.layout
        if news.frame is not None:
            self.done = min(news.frame.done, 0.999)
            self.moved.emit(news.frame.positions)

    def _end(self, run: int, query: Arrange, positions: Reals | None) -> None:
        if run != self._run:
            return
        self.done, self._layout = 1.0, None
        if positions is not None:
            self.keep(query.graph.key, query.graph.nodes.pks, positions)
        self.ended.emit(positions)

    def _fail(self, run: int, error: Exception) -> None:
        if run == self._run:
            self.done, self._layout = 1.0, None
            self.failed.emit(error)
