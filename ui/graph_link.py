"""The list and the graph in step: one selection, one detail pane, the same actions on both pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.domain.ids import FolderPk, MemoryPk
from ui.actions import Actions
from ui.desk import Desk
from ui.tasks import single_shot
from ui.views.detail import DetailPane
from ui.views.memories_page import MemoriesPage

if TYPE_CHECKING:
    from ui.views.graph.page import GraphPage

Pks = tuple[MemoryPk, ...]


class GraphLink(QObject):
    """Moves the detail pane and the selection with the page that is shown."""

    def __init__(
        self,
        actions: Actions,
        desk: Desk,
        memories: MemoriesPage,
        detail: DetailPane,
        show_graph: Callable[[], GraphPage],
    ) -> None:
        super().__init__(desk)
        self._actions, self._desk, self._memories, self._detail = actions, desk, memories, detail
        self._show_graph = show_graph
        self._graph: GraphPage | None = None
        self._bring = single_shot(self, 0, self._bring_detail)
        actions.on("memory.show_on_graph", lambda: self.show(desk.selected()))

    def made(self, graph: GraphPage) -> None:
        """The graph page is there."""
        self._graph = graph
        graph.picked.connect(self._on_picked)
        graph.opened.connect(lambda _pk: self._detail.tabs.setFocus())
        self._detail.filled.connect(graph.beside.fill)

    def shown(self, page: object) -> None:
        """Another page is shown."""
        graph = self._graph
        if graph is not None and page is graph:
            self._enter(graph)
        elif self._desk.source is not None and page is self._memories:
            self.leave()

    def show(self, pks: Pks) -> None:
        """Look at memories on the graph."""
        if pks:
            graph = self._show_graph()
            graph.look_at(tuple(int(pk) for pk in pks))

    def _bring_detail(self) -> None:
        """A turn later: dressing the pane for its new place takes as long as making the page."""
        if self._graph is not None and self._desk.source is not None:
            self._graph.add_detail(self._detail)

    def leave(self) -> None:
        """The list has selection and detail again."""
        graph = self._graph
        if self._desk.source is None or graph is None:
            return
        self._bring.stop()
        self._desk.source = None
        self._memories.tells = True
        self._memories.take_detail(self._detail)
        if graph.selected and set(graph.selected) != {int(pk) for pk in self._memories.selected()}:
            self._memories.table.select(graph.selected)
        self._memories.tell()
        self._desk.show_selected()

    def _enter(self, graph: GraphPage) -> None:
        if self._desk.source is None:
            self._desk.source = GraphSource(graph)
            self._memories.tells = False
            self._memories.keep_widths()
            self._bring.start()
            chosen = tuple(int(pk) for pk in self._memories.selected())
            if chosen and set(chosen) != set(graph.selected):
                graph.select(chosen)
        self._on_picked(graph.selected, graph.current)

    def _on_picked(self, pks: tuple[int, ...], current: int | None) -> None:
        if self._desk.source is None:
            return
        self._actions.update(library=True, selected=len(pks), rows=max(len(pks), 1), in_trash=False)
        if len(pks) > 1:
            self._detail.show_many(len(pks))
        else:
            self._detail.show_memory(MemoryPk(current) if current is not None and pks else None)


class GraphSource:
    """The graph's selection as the desk asks for it."""

    def __init__(self, graph: GraphPage) -> None:
        self._graph = graph

    def selected(self) -> Pks:
        """The selected memories."""
        return tuple(MemoryPk(pk) for pk in self._graph.selected)

    def current(self) -> MemoryPk | None:
        """The memory that was selected last."""
        return MemoryPk(self._graph.current) if self._graph.current is not None else None

    def select_all(self) -> None:
        """Select all that is shown."""
        self._graph.select_all()

    def show_new(self, pk: MemoryPk) -> None:
        """A memory was made on this page."""
        self._graph.place_new(int(pk))

    def go_to(self, pks: Pks) -> None:
        """Look at a memory."""
        if pks:
            self._graph.go_to(int(pks[0]))

    def select(self, pks: Pks) -> None:
        """Select memories; the whole library is shown when one is not in this graph."""
        self._graph.look_at(tuple(int(pk) for pk in pks))

    def shows(self, pk: MemoryPk) -> bool:
        """Whether a memory is in this graph."""
        state = self._graph.picture.state
        return state is not None and state.index(int(pk)) >= 0

    def folder(self) -> FolderPk | None:
        """The folder whose graph is shown."""
        return self._graph.folder
