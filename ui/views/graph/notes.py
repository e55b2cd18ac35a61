"""Words in and over the picture: lanes and bands of the arrangement by time, what stands apart, what is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel

from core.domain.graph import NO_FLOOR, SPACING, Arrangement, time_of
from core.domain.ids import FolderPk
from ui.context import Context
from ui.graph.canvas import Canvas
from ui.graph.scene import Guide, Note, Scene
from ui.graph.state import GraphState
from ui.views.graph.picture import GraphPicture
from ui.views.naming import shorten
from ui.widgets.state_stack import StateStack

TICKS = 5
"""So many floors or days are written above each band."""
BAND_CHARS = 28
APART_LEAST = 2
BAND_RISE, APART_RISE = 2.3, 1.4
"""So far above what they name words stand, in spacings: beyond the names of memories."""

Rows = NDArray[np.bool_]


class Notes(QObject):
    """Writes them into each new scene."""

    def __init__(self, ctx: Context, picture: GraphPicture, canvas: Canvas, stack: StateStack) -> None:
        super().__init__(picture)
        self._ctx, self._picture, self._canvas, self._stack = ctx, picture, canvas, stack
        picture.annotate = self.annotated
        self.hint = QLabel(canvas)
        self.hint.setProperty("role", "secondary")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.hide()

    # --- states of the page ---

    def say_state(
        self, folder: FolderPk | None, whole: Callable[[], None], clear: Callable[[], None]
    ) -> None:
        """Why nothing is shown, with a way out; how relations are made when there is none."""
        tr, state = self._ctx.tr, self._picture.state
        assert state is not None
        if not len(state.data) and folder is not None:
            self._stack.show_notice(tr("graph.empty.folder"), tr("graph.whole"), whole)
        elif not len(state.data):
            new = self._ctx.actions.get("memory.new")
            self._stack.show_notice(tr("graph.empty.library"), new.text(), new.trigger)
        elif not self._picture.shown_count:
            self._stack.show_notice(tr("graph.empty.filtered"), tr("graph.clear"), clear)
        else:
            self._stack.show_content()
        self.hint.setText(tr("graph.no_edges"))
        self.hint.setVisible(len(state.data) > 1 and not len(state.data.edges))
        self.hint.adjustSize()

    def place_hint(self, gap: int) -> None:
        """At the lower rim of the canvas."""
        self.hint.move((self._canvas.width() - self.hint.width()) // 2, gap)

    # --- in the picture ---

    def annotated(self, scene: Scene) -> Scene:
        """A scene with the names of lanes, bands and blocks where they stand in it; with none while a layout
        moves everything."""
        state = self._picture.state
        if state is None or self._picture.live.running:
            return scene
        seen = scene.nodes.shown & state.placed
        if self._picture.arrangement is Arrangement.TIME:
            guides, notes = self._bands(state, seen)
            return replace(scene, guides=guides, notes=notes)
        return replace(scene, notes=self._apart(state, seen))

    def _apart(self, state: GraphState, seen: Rows) -> tuple[Note, ...]:
        """How many stand in the block apart, written above it."""
        if state.apart is None:
            return ()
        block = seen & state.apart & ~state.data.pinned
        number = int((seen & state.apart).sum())
        if number < APART_LEAST or not block.any() or not (seen & ~state.apart).any():
            return ()
        places = state.positions[block]
        tr = self._ctx.tr
        text = tr(f"graph.apart.{self._picture.arrangement.value}", number=tr.number(number))
        return (Note(float(np.median(places[:, 0])), float(places[:, 1].min()) - APART_RISE * SPACING, text),)

    def _bands(self, state: GraphState, seen: Rows) -> tuple[tuple[Guide, ...], tuple[Note, ...]]:
        """Names of bands and lanes at the left rim, floors or days above each band."""
        data, theme, code = state.data, self._ctx.theme, self._ctx.tr.code
        band = state.bands
        if band is None:
            return (), ()
        guides: list[Guide] = []
        notes: list[Note] = []
        found = np.unique(band[seen]).tolist()
        for each in found:
            rows = seen & (band == each)
            top = float(state.positions[rows, 1].min()) - BAND_RISE * SPACING
            if len(found) > 1:
                guides.append(Guide(top, self._band_name(state, each), head=True))
            notes += self._ticks(state, rows & (data.nodes.seq != NO_FLOOR) if each >= 0 else rows, top, each)
            for at in np.unique(data.nodes.type[rows]).tolist():
                lane = state.positions[rows & (data.nodes.type == at), 1]
                guides.append(Guide(float(np.median(lane)), theme.type_label(data.types[at], code)))
        return tuple(guides), tuple(notes)

    def _band_name(self, state: GraphState, band: int) -> str:
        if band < 0:
            return self._ctx.tr("graph.band.dates")
        pk = state.data.folders[band]
        return shorten(self._picture.folder_names.get(pk, str(pk)).split("/")[-1], BAND_CHARS)

    def _ticks(self, state: GraphState, rows: Rows, y: float, band: int) -> list[Note]:
        """Moments of a band at even distances."""
        nodes = np.flatnonzero(rows)
        if not len(nodes):
            return []
        x = state.positions[nodes, 0]
        moment = state.data.nodes.seq[nodes] if band >= 0 else state.data.nodes.created_at[nodes]
        order = np.argsort(moment, kind="stable")
        picks = order[np.unique(np.linspace(0, len(order) - 1, TICKS).round().astype(np.int64))]
        told: dict[str, Note] = {}
        for at in picks.tolist():
            value = int(moment[at])
            text = (
                self._ctx.tr("graph.time.at_floor", floor=value)
                if band >= 0
                else time_of(value).astimezone().strftime("%Y-%m-%d")
            )
            told.setdefault(text, Note(float(x[at]), y, text, small=True))
        return list(told.values())
