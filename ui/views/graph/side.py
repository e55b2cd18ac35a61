"""Left of the canvas: folders to choose and to drop on, and the legend that is also the filter."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.domain.graph import LAYERS, STATUSES
from ui.context import Context
from ui.graph.coloring import Coloring
from ui.graph.state import EVER, NEVER, GraphState
from ui.views.graph.folders import GraphFolders
from ui.views.graph.legend import Legend
from ui.views.graph.legend_lines import Row, Section
from ui.views.graph.looks import names_of, rgb
from ui.views.graph.picture import GraphPicture
from ui.widgets.fold import Fold

WIDTH_PX = 208


class Side(QScrollArea):
    """`switched(part, value)`: a line of the legend was switched."""

    switched = Signal(str, str)

    def __init__(self, ctx: Context, picture: GraphPicture, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._picture = ctx, picture
        self.folders = GraphFolders(ctx)
        self.legend = Legend(ctx)
        self.legend.switched.connect(self.switched)
        self.places = Fold(ctx.theme, "", is_open=True)
        self.places.column.addWidget(self.folders)
        self.places.column.setContentsMargins(0, 0, 0, 4)
        inner = QWidget()
        inner.setProperty("surface", "window")
        column = QVBoxLayout(inner)
        column.setContentsMargins(8, 8, 4, 8)
        column.setSpacing(4)
        column.addWidget(self.places)
        column.addWidget(self.legend)
        column.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        ctx.theme.bind(self, self._look)

    def _look(self) -> None:
        self.setMinimumWidth(self._ctx.theme.px(150))

    def show_state(self) -> None:
        """Folders and legend as they are now."""
        picture, tr = self._picture, self._ctx.tr
        self.places.rename(tr("sidebar.folders"))
        state = picture.state
        if state is None:
            return
        chosen = next(iter(picture.scope.folders), None)
        self.folders.setAccessibleName(tr("graph.folders"))
        self.folders.show_folders(picture.folders, chosen)
        self._show_colors()
        self.legend.show_sections(self._sections(state))

    def _show_colors(self) -> None:
        colors, mode = self._picture.colors, self._picture.coloring
        title = self._ctx.tr(f"graph.color.{mode.value}")
        if colors is None or mode in {Coloring.TYPE, Coloring.LAYER}:
            self.legend.show_meanings("", (), None)
        else:
            self.legend.show_meanings(title, colors.entries[:13], colors.scale)

    def _sections(self, state: GraphState) -> list[Section]:
        tr = self._ctx.tr
        return [
            Section("type", tr("facet.type"), self._types(state)),
            Section("relation", tr("graph.legend.relations"), self._relations(state)),
            Section("layer", tr("facet.layer"), self._layers(state)),
            Section("status", tr("facet.status"), self._statuses(state)),
            Section("recalled", self._coverage(state), self._recalled(state)),
            Section("folder", tr("graph.legend.folders"), self._folders(state)),
        ]

    def _types(self, state: GraphState) -> tuple[Row, ...]:
        data, theme, code = state.data, self._ctx.theme, self._ctx.tr.code
        counts = np.bincount(data.nodes.type, minlength=len(data.types))
        colored = self._picture.coloring is Coloring.TYPE
        rows = []
        for at, name in enumerate(data.types):
            known = self._picture.schema.type(name)
            plain = theme.icon(known.icon if known is not None else "mdi6.circle-outline", "secondary")
            icon = theme.type_icon(name) if colored else plain
            on = name not in state.shown.types_off
            rows.append(Row(name, theme.type_label(name, code), int(counts[at]), on, icon))
        return _by_count(rows)

    def _relations(self, state: GraphState) -> tuple[Row, ...]:
        data, names = state.data, names_of(self._ctx, self._picture.schema)
        counts = np.bincount(data.edges.relation, minlength=len(data.relations))
        inhibits = {int(at) for at in np.unique(data.edges.relation[data.edges.inhibits])}
        rows = []
        for at, name in enumerate(data.relations):
            color = rgb(self._ctx.theme.color("inhibits")) if at in inhibits else names.relation_color(name)
            on = name not in state.shown.relations_off
            rows.append(Row(name, names.relation_name(name), int(counts[at]), on, None, color))
        return _by_count(rows)

    def _layers(self, state: GraphState) -> tuple[Row, ...]:
        counts = np.bincount(state.data.nodes.layer, minlength=len(LAYERS))
        colors = self._picture.colors
        marks: dict[str, int] = {}
        if colors is not None and self._picture.coloring is Coloring.LAYER:
            marks = {entry.value: entry.rgb for entry in colors.entries}
        return tuple(
            Row(
                layer.value,
                self._ctx.tr(f"layer.{layer.value}"),
                int(counts[at]),
                layer not in state.shown.layers_off,
                None,
                marks.get(layer.value),
            )
            for at, layer in enumerate(LAYERS)
            if counts[at]
        )

    def _statuses(self, state: GraphState) -> tuple[Row, ...]:
        counts = np.bincount(state.data.nodes.status, minlength=len(STATUSES))
        return tuple(
            Row(
                status.value,
                self._ctx.tr(f"status.{status.value}"),
                int(counts[at]),
                status not in state.shown.statuses_off,
            )
            for at, status in enumerate(STATUSES)
            if counts[at]
        )

    def _coverage(self, state: GraphState) -> str:
        """How much of what is in the picture recall has ever handed out."""
        share = float((state.data.nodes.activation_count > 0).mean()) if len(state.data) else 0.0
        return self._ctx.tr("graph.coverage", percent=round(share * 100))

    def _recalled(self, state: GraphState) -> tuple[Row, ...]:
        used = int((state.data.nodes.activation_count > 0).sum())
        off, tr = state.shown.recalled_off, self._ctx.tr
        rows = (
            Row(EVER, tr("graph.recalled"), used, EVER not in off),
            Row(NEVER, tr("graph.never_recalled"), len(state.data) - used, NEVER not in off),
        )
        return rows if len(state.data) else ()

    def _folders(self, state: GraphState) -> tuple[Row, ...]:
        data, names = state.data, self._picture.folder_names
        if len(data.folders) < 2:
            return ()
        counts = np.bincount(data.nodes.folder, minlength=len(data.folders))
        rows = [
            Row(str(pk), names.get(pk, str(pk)), int(counts[at]), pk not in state.shown.folders_off)
            for at, pk in enumerate(data.folders)
        ]
        return _by_count(rows)


def _by_count(rows: list[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.count, row.label)))
