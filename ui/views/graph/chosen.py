"""What is chosen on the Graph page, and going to a memory that may be in another graph."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from ui.graph.canvas import Canvas
from ui.views.graph.picture import GraphPicture
from ui.views.graph.seeing import Seeing


class Chosen(QObject):
    """`picked(pks, current)`: another selection, made here; `changed`: it may look different; `elsewhere`:
    a memory is wanted that this graph does not hold."""

    picked = Signal(object, object)
    changed = Signal()
    elsewhere = Signal()

    def __init__(self, picture: GraphPicture, canvas: Canvas, seeing: Seeing, parent: QObject) -> None:
        super().__init__(parent)
        self._picture, self._canvas, self._seeing = picture, canvas, seeing
        self.pks: tuple[int, ...] = ()
        self.current: int | None = None
        self._next: tuple[int, ...] = ()
        canvas.picked.connect(self._take)

    def select(self, pks: Sequence[int], *, tell: bool = False) -> None:
        """Select these memories, as far as they are in the graph."""
        state = self._picture.state
        there = tuple(pks) if state is None else tuple(pk for pk in pks if state.index(pk) >= 0)
        self.pks, self.current = there, there[-1] if there else None
        if state is None:
            return
        self.ring()
        if tell:
            self.picked.emit(self.pks, self.current)
        self.changed.emit()

    def expect(self, pk: int) -> None:
        """A memory will come with the next load: it is the selection then."""
        self.pks, self.current = (pk,), pk

    def select_all(self) -> None:
        """Select everything that is shown."""
        scene = self._canvas.scene
        if scene is not None:
            self.select(scene.nodes.pks[scene.nodes.shown].tolist(), tell=True)

    def make_current(self, pk: int) -> None:
        """One memory of the selection is the current one; it is selected when it was not."""
        if pk not in self.pks:
            self.select((pk,))
        self.current = pk
        self.ring()
        self.picked.emit(self.pks, pk)
        self.changed.emit()

    def go_to(self, pks: tuple[int, ...]) -> None:
        """Select memories and look at them; the whole library is wanted when one is not in this graph."""
        state = self._picture.state
        if not pks:
            return
        if state is None or any(state.index(pk) < 0 for pk in pks):
            self._next = pks
            self.elsewhere.emit()
        elif len(pks) == 1:
            self._seeing.go_to(pks[0])
        else:
            self.select(pks, tell=True)
            self._canvas.fit([state.index(pk) for pk in pks])

    def on_loaded(self) -> None:
        """Other data: what is still there stays chosen, and what was waited for is looked at."""
        state = self._picture.state
        if state is None:
            return
        kept = tuple(pk for pk in self.pks if state.index(pk) >= 0)
        self.select(kept, tell=kept != self.pks)
        wanted, self._next = self._next, ()
        self.go_to(tuple(pk for pk in wanted if state.index(pk) >= 0))

    def ring(self) -> None:
        """Ring the selection on the canvas."""
        state = self._picture.state
        if state is not None:
            nodes = [state.index(pk) for pk in self.pks]
            current = state.index(self.current) if self.current is not None else -1
            self._canvas.select([node for node in nodes if node >= 0], current)

    def _take(self, picked: tuple[tuple[int, ...], int | None]) -> None:
        self.pks, self.current = picked
        self.picked.emit(self.pks, self.current)
        self.changed.emit()
