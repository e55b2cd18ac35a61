"""Finding one's way: search, focus, path, neighbours, highlights of a recall or an injection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, Report
from core.domain.graph import GraphPath, HopsFrom, PathBetween, TitlesOf
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import ListMemories, MemoryFilter, Sort, SortKey
from core.domain.queries_recall import LastInjection, Recall, RecallRuns
from core.domain.recall import RecallMode, RecallRequest, RecallResult, RecallRun
from ui.context import Context
from ui.graph.state import Highlight, Shown
from ui.language import isolate
from ui.operations import Operations
from ui.tasks import Lane
from ui.views.graph.picture import GraphPicture
from ui.views.naming import shorten

JUMP_SCALE = 0.9
"""A memory that was jumped to is looked at from at least so near."""
HOPS, MOST_HOPS = 2, 5
"""How far a focus reaches at first and at most."""
MESSAGE_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Handed:
    run: RecallRun | None
    again: RecallResult | None


class Seeing(QObject):
    """`found(text)` says what the search found, `highlighted(name)` what stands out ("" = nothing)."""

    found = Signal(str)
    highlighted = Signal(str)
    went_to = Signal(object)
    focused = Signal()
    """The picture is narrowed to the surroundings of `centre`, or no longer."""

    def __init__(self, ctx: Context, operations: Operations, picture: GraphPicture) -> None:
        super().__init__(picture)
        self._ctx, self._operations, self._picture = ctx, operations, picture
        self._words = ""
        self._only = False
        self._hits: list[int] = []
        self._at = -1
        self.hops = HOPS
        self.centre: tuple[int, ...] = ()
        """The memories around which the picture is narrowed; () = it is not."""

    # --- search ---

    @property
    def hits(self) -> tuple[int, ...]:
        """The memories found, best first."""
        return tuple(self._hits)

    def search(self, text: str) -> None:
        """Find memories in the picture by words; one of just that name is looked at first, else the best."""
        self._words = text.strip()
        if not self._words:
            self._hits, self._at = [], -1
            self._ctx.tasks.drop(self, "search")
            self.found.emit("")
            self._ask_found()
            return
        engine = self._ctx.engine
        where = replace(self._picture.scope, text=self._words)

        name = self._words.casefold()

        def ask(_progress: Report, cancel: Cancel) -> Sequence[int]:
            hits = engine.ask(ListMemories(where, Sort(SortKey.RELEVANCE)), cancel=cancel)
            pks = tuple(MemoryPk(int(pk)) for pk in hits)
            named = [title.strip().casefold() == name for title in engine.ask(TitlesOf(pks), cancel=cancel)]
            return [pk for _other, pk in sorted(zip(named, pks, strict=True), key=lambda hit: not hit[0])]

        self._ctx.tasks.run(Lane.READ, ask, self._take_hits, owner=self, query="search")
        if self._only:
            self._ask_found()

    def _take_hits(self, pks: Sequence[int]) -> None:
        state = self._picture.state
        if state is None:
            return
        there = state.data.index_of(np.asarray(pks, dtype=np.int64)) >= 0
        self._hits = [int(pk) for pk, known in zip(pks, there.tolist(), strict=True) if known]
        self._at = -1
        if self._hits:
            self.next_hit(back=False)
        else:
            self.found.emit(self._ctx.tr("graph.found.none"))

    def next_hit(self, back: bool) -> None:
        """Look at the next memory found, or the one before."""
        if not self._hits:
            return
        self._at = (self._at + (-1 if back else 1)) % len(self._hits)
        tr = self._ctx.tr
        self.found.emit(tr("graph.found", at=tr.number(self._at + 1), count=len(self._hits)))
        self.go_to(self._hits[self._at])

    def go_to(self, pk: int) -> bool:
        """Look at a memory; it pulses. Hidden ones are shown again. False when it is not in the graph."""
        state, canvas = self._picture.state, self._picture.canvas
        node = state.index(pk) if state is not None else -1
        if state is None or node < 0:
            return False
        if canvas.scene is None or not canvas.scene.nodes.shown[node]:
            state.hidden.discard(pk)
            state.unfolded.add(pk)
            self._picture.compose()
        if state.communities is not None and state.many:
            state.opened.add(int(state.communities.leaders[state.communities.of_node[node]]))
            self._picture.compose()
        canvas.centre_on(node, JUMP_SCALE)
        canvas.pulse(node)
        self.went_to.emit(pk)
        return True

    def show_only(self, on: bool) -> None:
        """Leave out what the search did not find."""
        self._only = on
        self._ask_found()

    def filter(self, shown: Shown) -> None:
        """Another filter; tags are asked of the store."""
        tags = self._picture.state.shown.tags if self._picture.state is not None else ()
        self._picture.show(shown)
        if shown.tags != tags:
            self._ask_found()

    def _ask_found(self) -> None:
        state = self._picture.state
        if state is None:
            return
        words, tags = self._words if self._only else "", state.shown.tags
        if not words and not tags:
            self._ctx.tasks.drop(self, "found")
            if state.found is not None:
                self._picture.change(lambda now: setattr(now, "found", None))
            return
        engine = self._ctx.engine
        where: MemoryFilter = replace(
            self._picture.scope, text=words, tags=tuple((None, tag) for tag in tags)
        )

        def ask(_progress: Report, cancel: Cancel) -> NDArray[np.int64]:
            return np.asarray(engine.ask(ListMemories(where), cancel=cancel), dtype=np.int64)

        def show(pks: NDArray[np.int64]) -> None:
            self._picture.change(lambda now: setattr(now, "found", pks))

        self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="found")

    def forget(self) -> None:
        """All filters were cleared."""
        self._only = False
        self._ctx.tasks.drop(self, "found")
        self._ctx.tasks.drop(self, "focus")
        self.centre = ()
        self.focused.emit()

    # --- around a memory ---

    def focus(self, pks: tuple[int, ...], hops: int | None = None) -> None:
        """Show only what lies within so many relations (None = as many as last time) of these memories."""
        state, engine = self._picture.state, self._ctx.engine
        if state is None:
            return
        self.hops = self.hops if hops is None else min(max(hops, 1), MOST_HOPS)
        nodes = tuple(node for node in (state.index(pk) for pk in pks) if node >= 0)
        query = HopsFrom(state.data, nodes, most=self.hops, edges=state.edge_mask())
        known = state.data.nodes.pks

        def ask(_progress: Report, cancel: Cancel) -> frozenset[int]:
            away = engine.ask(query, cancel=cancel)
            return frozenset(known[away >= 0].tolist())

        def show(near: frozenset[int]) -> None:
            self.centre = tuple(pks)
            self._picture.change(lambda now: setattr(now, "focus", near))
            self._picture.canvas.fit()
            self.focused.emit()

        if nodes:
            self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="focus")

    def unfocus(self) -> None:
        """Show again what lies farther away."""
        self._ctx.tasks.drop(self, "focus")
        self.centre = ()
        self._picture.change(lambda now: setattr(now, "focus", None))
        self._picture.canvas.fit()
        self.focused.emit()

    def refocus(self) -> None:
        """The graph has changed: what lies near is found anew."""
        if self.centre:
            self.focus(self.centre)

    def unfold(self, pk: int) -> None:
        """Show all neighbours of a memory."""
        self._around(pk, fold=False)

    def fold(self, pk: int) -> None:
        """Hide the neighbours that hang on a memory alone."""
        self._around(pk, fold=True)

    def _around(self, pk: int, *, fold: bool) -> None:
        state, tr = self._picture.state, self._ctx.tr
        node = state.index(pk) if state is not None else -1
        if state is None or node < 0:
            return
        count = state.fold(node) if fold else state.unfold(node)
        key = "graph.folded" if fold else "graph.unfolded"
        self._operations.said.emit(tr(key, count=count), False)
        if count:
            self._picture.compose()

    def hide(self, pks: tuple[int, ...]) -> None:
        """Leave memories out of the picture."""
        self._picture.change(lambda now: now.hide(pks))

    def path(self, source: int, target: int) -> None:
        """Show a shortest way between two memories."""
        engine = self._ctx.engine
        query = PathBetween(MemoryPk(source), MemoryPk(target))

        def ask(_progress: Report, cancel: Cancel) -> GraphPath | None:
            return engine.ask(query, cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show_path, owner=self, query="path")

    def _show_path(self, way: GraphPath | None) -> None:
        tr = self._ctx.tr
        if way is None:
            self._operations.said.emit(tr("graph.path.none"), False)
            return
        name = tr("graph.highlight.path", count=max(len(way.memories) - 1, 0))
        self.highlight(Highlight(name, dict.fromkeys(map(int, way.memories), 1.0), frozenset(way.edges)))

    # --- highlights ---

    def highlight(self, light: Highlight | None) -> None:
        """Let these memories and relations stand out; None = nothing does."""
        picture = self._picture
        if picture.state is None:
            return
        picture.state.highlight = light
        if light is not None:
            shown = picture.state.node_mask()
            missing = [
                pk for pk in light.energy if (node := picture.state.index(pk)) >= 0 and not shown[node]
            ]
            picture.state.hidden -= set(missing)
            picture.state.unfolded |= set(missing)
        picture.compose()
        self.highlighted.emit(light.name if light is not None else "")
        if light is not None:
            nodes = [node for node in (picture.state.index(pk) for pk in light.energy) if node >= 0]
            if nodes:
                picture.canvas.fit(nodes)

    def show_recall(self, result: RecallResult) -> None:
        """Let what a recall chose stand out, with the ways by which energy reached it."""
        light = recall_light(result, self._ctx.tr("graph.highlight.recall", **_said(result)))
        self._picture.energy = dict(light.energy)
        self.highlight(light)

    def show_injection(self, folder: FolderPk | None) -> None:
        """Let what was handed out last for a folder (None = anywhere) stand out."""
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> _Handed:
            if folder is None:  # the whole library is shown: whatever was handed out last
                run = next(iter(engine.ask(RecallRuns(limit=1), cancel=cancel)), None)
            else:
                run = engine.ask(LastInjection(folder), cancel=cancel)
            if run is None:
                return _Handed(None, None)
            request = RecallRequest(
                message=run.message,
                folder=run.folder,
                viewer=run.viewer or None,
                recipe=run.recipe,
                mode=RecallMode.PREVIEW,
            )
            return _Handed(run, engine.ask(Recall(request), cancel=cancel))

        self._ctx.tasks.run(
            Lane.READ, ask, self._take_injection, owner=self, query="injection", label="graph.task.injection"
        )

    def _take_injection(self, handed: _Handed) -> None:
        tr, run = self._ctx.tr, handed.run
        if run is None:
            self._operations.said.emit(tr("graph.injection.none"), False)
            return
        energy = {int(pk): float(score) for pk, score in zip(run.selected, run.scores, strict=False)}
        ways = recall_light(handed.again, "").edges if handed.again is not None else frozenset()
        message = isolate(shorten(run.message, MESSAGE_CHARS))
        name = tr("graph.highlight.injection", message=message, count=len(energy))
        self._picture.energy = energy
        self.highlight(Highlight(name, energy, ways))


def recall_light(result: RecallResult, name: str) -> Highlight:
    """Energy of everything a recall chose or went through, and the relations along which it went."""
    energy: dict[int, float] = {}
    edges: set[int] = set()
    for recalled in result.selected:
        energy[int(recalled.pk)] = max(energy.get(int(recalled.pk), 0.0), float(recalled.score))
        for step in recalled.path:
            energy.setdefault(int(step.memory), float(step.energy))
            if step.edge is not None:
                edges.add(int(step.edge))
    for pk in result.core:
        energy.setdefault(int(pk), 1.0)
    return Highlight(name, energy, frozenset(edges))


def _said(result: RecallResult) -> dict[str, object]:
    return {
        "message": isolate(shorten(result.request.message, MESSAGE_CHARS)),
        "count": len(result.selected),
    }
