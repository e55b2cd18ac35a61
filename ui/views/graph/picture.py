"""The picture of one scope: loads the graph, lays it out, composes what the canvas shows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from core.domain.api import Cancel, EngineApi, Report
from core.domain.errors import Unavailable
from core.domain.graph import (
    SPACING,
    Arrange,
    Arrangement,
    Communities,
    CommunitiesOf,
    GraphData,
    GraphFilter,
    GraphOf,
    Separate,
    StandApart,
)
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import Folders, LibrarySchema, MemoryFilter
from core.domain.results import FolderNode
from core.domain.schema import Schema
from ui.context import Context
from ui.graph.canvas import Canvas
from ui.graph.coloring import Coloring, Colors, colors_of
from ui.graph.compose import SINGLE, Base, base_of, scene_of
from ui.graph.scene import Scene
from ui.graph.state import GraphState, Shown
from ui.tasks import Lane
from ui.views.graph.live import LiveLayout
from ui.views.graph.looks import names_of, paint_of, words_of
from ui.views.graph.titles import TitleBook

DISC_SHARE, DISC_GAP = 0.36, 12.0
"""Radius of a disc for the root of its memories, in spacings; room between discs in units."""
MORE_EDGES, EDGES_LEAST = 2.0, 50
"""With so many times the relations for which it was laid out (and some more) a picture no longer says anything."""
MOST_PLACED = 0.5
"""With fewer memories placed than this share the graph is laid out anew."""


Spots = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class _Loaded:
    data: GraphData
    base: Base
    communities: Communities | None
    schema: Schema
    folders: tuple[FolderNode, ...]
    spots: Spots | None
    apart: NDArray[np.bool_]
    bands: NDArray[np.int32] | None


class GraphPicture(QObject):
    """Holds the state. `changed` after each new scene, `loaded` after each load."""

    asked = Signal()
    loaded = Signal()
    changed = Signal()
    failed = Signal(object)
    layout_failed = Signal(object)
    arranged = Signal()

    def __init__(self, ctx: Context, canvas: Canvas, parent: QObject) -> None:
        super().__init__(parent)
        self._ctx, self.canvas = ctx, canvas
        self.state: GraphState | None = None
        self.schema = Schema((), ())
        self.folders: tuple[FolderNode, ...] = ()
        self.scope = MemoryFilter()
        self.arrangement = Arrangement.FORCE
        self.coloring = Coloring.TYPE
        self.colors: Colors | None = None
        self.energy: dict[int, float] = {}
        self.focus_memory: MemoryPk | None = None
        self.titles = TitleBook(ctx.engine)
        self.live = LiveLayout(ctx, self)
        self.live.moved.connect(self._on_moved)
        self.live.ended.connect(self._on_ended)
        self.live.failed.connect(self._on_layout_failed)
        self._base: Base | None = None
        self._moved: set[int] = set()
        self._keep = True
        self._afresh = False
        self._laid_out_for: int | None = None
        """How many relations there were when the picture was laid out; None = as many as there are."""
        self.begin: Callable[[GraphState], object] = lambda state: state
        """Says what is left out of a graph that is about to be shown."""
        self.annotate: Callable[[Scene], Scene] = lambda scene: scene
        """Writes words into a scene before it is shown."""
        self.shown_count = 0
        self.fresh = True
        """Whether the picture is new as a whole, so that all of it is to be looked at."""

    # --- loading ---

    def load(self, *, keep: bool = True, moved: Collection[int] = ()) -> None:
        """Ask for the graph of the scope. `keep`: memories stay where they are, but those of `moved`."""
        self._moved |= set(moved)
        self._keep = self._keep and keep
        engine = self._ctx.engine
        query = GraphOf(GraphFilter(memories=self.scope), self.arrangement)
        arrangement, focus = self.arrangement, self.focus_memory
        self.asked.emit()

        def ask(_progress: Report, cancel: Cancel) -> _Loaded:
            data = engine.ask(query, cancel=cancel)
            fresh = GraphState(data)
            communities = engine.ask(CommunitiesOf(data), cancel=cancel) if len(data) else None
            groups = communities.of_node if communities is not None else None
            return _Loaded(
                data,
                base_of(fresh),
                communities,
                engine.ask(LibrarySchema(), cancel=cancel),
                engine.ask(Folders(), cancel=cancel),
                spots_of(engine, communities, data.positions, cancel)
                if fresh.many and fresh.placed.all()
                else None,
                engine.ask(StandApart(data, arrangement, focus, groups), cancel=cancel),
                data.bands() if arrangement is Arrangement.TIME else None,
            )

        self._ctx.tasks.run(Lane.READ, ask, self._take, owner=self, query="graph", failed=self.failed.emit)

    def _take(self, loaded: _Loaded) -> None:
        keep, self._keep = self._keep, True
        moved, self._moved = self._moved, set()
        if self.state is None:
            self.state = GraphState(loaded.data)
            self.begin(self.state)
            self._laid_out_for = None
            self.fresh, keep = True, False
        else:
            self.state.replace_data(loaded.data, moved, keep=keep)
        self.state.take_communities(loaded.communities)
        self.state.apart, self.state.bands = loaded.apart, loaded.bands
        if not keep:
            self.state.spots = loaded.spots
        self._base, self.schema, self.folders = loaded.base, loaded.schema, loaded.folders
        self._ctx.theme.set_schema(loaded.schema)
        self.compose()
        self.loaded.emit()
        if keep or loaded.spots is None:
            self._ask_spots()
        if not (self.live.running and keep):
            self._lay_out()

    def _lay_out(self) -> None:
        """Lay out what has no place: all of it, or only what came new."""
        state = self.state
        if state is None or not len(state.data):
            self.live.stop()
            return
        placed = state.placed
        edges = len(state.data.edges)
        known = edges if self._laid_out_for is None else self._laid_out_for
        afresh = self._afresh or placed.mean() < MOST_PLACED or edges > MORE_EDGES * known + EDGES_LEAST
        self._laid_out_for = edges if afresh else known
        self._afresh = False
        if placed.all() and not afresh:
            self.live.stop()
            self.look_at_all()
            return
        if afresh:
            self.canvas.touched, self.fresh = False, True
        self.live.start(
            Arrange(
                graph=state.data,
                arrangement=self.arrangement,
                start=state.positions.copy(),
                afresh=afresh,
                focus=self.focus_memory,
                aspect=max(self.canvas.width(), 1) / max(self.canvas.height(), 1),
            )
        )

    def look_at_all(self) -> None:
        """A picture that is new is looked at as a whole; afterwards the view stays where it is."""
        if self.fresh and not self.canvas.touched:
            self.canvas.fit(glide=False)
        self.fresh = self.live.running

    def _ask_spots(self) -> None:
        """Part the discs of communities from each other, for the view from far."""
        state, engine = self.state, self._ctx.engine
        if state is None or state.communities is None or not state.many:
            return
        communities, positions, fit = state.communities, state.positions, self.fresh

        def ask(_progress: Report, cancel: Cancel) -> Spots | None:
            return spots_of(engine, communities, positions, cancel)

        def show(spots: Spots | None) -> None:
            if self.state is state and state.communities is communities:
                state.spots = spots
                self.compose()
                if fit and not self.canvas.touched:
                    self.canvas.fit(glide=False)

        self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="spots")

    def arrange(self, arrangement: Arrangement, focus: MemoryPk | None = None) -> None:
        """Arrange in another way; where it was arranged so before it comes back as it was left."""
        self.live.stop()
        self.focus_memory = focus
        self._afresh, self.fresh = arrangement is Arrangement.RADIAL, True
        self.arrangement = arrangement
        if self.state is not None:
            self.state.apart = self.state.bands = None  # those of the other arrangement
        self.canvas.touched = False
        self.load(keep=False)

    def arrange_anew(self) -> None:
        """Lay everything out again; pinned memories stay."""
        if self.state is not None:
            self._afresh = True
            self._lay_out()

    def _on_moved(self, positions: NDArray[np.float32]) -> None:
        if self.state is not None:
            self.state.take_positions(self.live.pks, positions)
            self._recompose_groups()
            self.canvas.stream(self.state.positions, fit=self.fresh)

    def _on_ended(self, positions: NDArray[np.float32] | None) -> None:
        state = self.state
        if state is not None and positions is not None:
            new = state.take_positions(self.live.pks, positions)
            self.compose()
            self._ask_spots()
            self.look_at_all()
            if len(new):
                state.positions[new] = np.nan
            if len(new) or len(state.data.edges) > MORE_EDGES * (self._laid_out_for or 0) + EDGES_LEAST:
                self._lay_out()
                return
        self.arranged.emit()

    def _on_layout_failed(self, error: Exception) -> None:
        if isinstance(error, Unavailable) and self.arrangement is Arrangement.MEANING:
            self.arrangement = Arrangement.FORCE
            self.load(keep=False)
        self.layout_failed.emit(error)

    # --- composing ---

    @property
    def folder_names(self) -> dict[FolderPk, str]:
        """Names of folders by pk."""
        return {node.folder.pk: node.folder.name for node in self.folders}

    def compose(self) -> None:
        """Make the scene anew from the state."""
        state, base = self.state, self._base
        if state is None or base is None:
            return
        words = words_of(self._ctx, self.folder_names)
        self.colors = colors_of(self.coloring, state.data, state.communities, self.energy, words)
        scene = scene_of(
            state,
            base,
            self.colors,
            paint_of(self._ctx),
            names_of(self._ctx, self.schema),
            self.titles,
            self.arrangement,
        )
        self.shown_count = int(scene.nodes.shown.sum())
        self.canvas.show_scene(self.annotate(scene), state.data.edges.pks)
        self.changed.emit()

    def _recompose_groups(self) -> None:
        """Discs follow their members while these move."""
        scene, state = self.canvas.scene, self.state
        if scene is None or state is None or scene.groups is None or state.communities is None:
            return
        seen = np.where(scene.nodes.shown[:, None], state.positions, np.float32(np.nan))
        centre, radius = state.communities.circles(seen)
        keep = np.asarray(np.isfinite(scene.groups.centre).all(axis=1))
        centre = np.where(keep[:, None], centre, np.float32(np.nan)).astype(np.float32)
        groups = replace(scene.groups, centre=centre, radius=radius, spot=centre, snug=radius)
        self.canvas.scene = replace(scene, groups=groups)

    # --- what is shown ---

    def show(self, shown: Shown) -> None:
        """Another filter of the legend and the sliders."""
        if self.state is not None:
            self.state.shown = shown
            self.compose()

    def change(self, act: Callable[[GraphState], object]) -> None:
        """Change the state and show it."""
        if self.state is not None:
            act(self.state)
            self.compose()

    def color_by(self, coloring: Coloring) -> None:
        """Another meaning of the colours."""
        self.coloring = coloring
        self.compose()

    def open_group(self, group: int) -> None:
        """A community was opened by a click."""
        state = self.state
        if state is not None and state.communities is not None:
            state.opened.add(int(state.communities.leaders[group]))
            self.compose()


def spots_of(
    engine: EngineApi, communities: Communities | None, positions: NDArray[np.float32], cancel: Cancel
) -> Spots | None:
    """Middles (k, 2) and radii (k,) of discs that do not overlap, near the members of each community."""
    if communities is None:
        return None
    centre, radius = communities.circles(positions)
    snug = np.minimum(radius, DISC_SHARE * SPACING * np.sqrt(communities.sizes)).astype(np.float32)
    there = np.isfinite(centre).all(axis=1) & (communities.sizes >= SINGLE)
    if there.any():
        query = Separate(centre[there], snug[there] + np.float32(DISC_GAP))
        centre[there] = engine.ask(query, cancel=cancel)
    return centre, snug
