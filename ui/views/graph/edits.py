"""What the hand changed on the canvas, as commands; where several are meant, it asks first."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QDrag
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command, CopyMemories, MoveMemories
from core.domain.commands_graph import PinMemories, UnpinMemories
from core.domain.graph import TitlesOf
from core.domain.ids import EdgePk, FolderPk, MemoryPk
from core.domain.queries import Edges
from core.domain.results import EdgeView
from ui.context import Context
from ui.language import isolate
from ui.models.memory_table import encode_memories
from ui.operations import Operations
from ui.read_only import entries_need_writing
from ui.tasks import Lane
from ui.views.graph.cards import Card, EdgeCard, GroupCard, RelationCard
from ui.views.graph.picture import GraphPicture
from ui.views.graph.relation_search import RelationSearch
from ui.views.naming import name_of, shorten

TITLE_CHARS = 40


class Edits(QObject):
    """Connects the canvas's gestures with commands. `place` is the widget over which cards open."""

    def __init__(self, ctx: Context, operations: Operations, picture: GraphPicture, place: QWidget) -> None:
        super().__init__(place)
        self._ctx, self._operations = ctx, operations
        self._picture, self._place = picture, place
        self.card: Card | None = None
        self.menu: QMenu | None = None
        canvas = picture.canvas
        canvas.pinned.connect(self.pin)
        canvas.dropped_on.connect(self.ask_drop)
        canvas.linked.connect(self.ask_relation)
        canvas.edge_clicked.connect(self.show_edge)
        canvas.carried_out.connect(self.carry)
        canvas.relation_wanted.connect(self.search_relation)

    # --- pins ---

    def pin(self, places: dict[int, tuple[float, float]]) -> None:
        """Nodes were put down: they stay there."""
        state = self._picture.state
        if state is None:
            return
        positions = state.positions.copy()
        for pk, (x, y) in places.items():
            if (node := state.index(pk)) >= 0:
                positions[node] = (x, y)
                self._picture.live.hold(pk, x, y)
        state.positions = positions
        if self._ctx.read_only is not None:
            return  # it stands there until the picture is drawn anew
        self._operations.run(
            PinMemories(
                key=state.data.key, places=tuple((MemoryPk(pk), x, y) for pk, (x, y) in places.items())
            ),
            failed=self._pin_failed,
        )

    def pin_here(self, pks: tuple[int, ...]) -> None:
        """Keep nodes where they stand now."""
        state = self._picture.state
        if state is None:
            return
        nodes = {pk: node for pk in pks if (node := state.index(pk)) >= 0 and state.placed[node]}
        places = {
            pk: (float(state.positions[node, 0]), float(state.positions[node, 1]))
            for pk, node in nodes.items()
        }
        if places:
            self.pin(places)

    def _pin_failed(self, error: Exception) -> None:
        self._operations.show_error(error)
        self._picture.load(keep=False)

    def unpin(self, pks: tuple[int, ...]) -> None:
        """Let nodes go."""
        state = self._picture.state
        if state is None:
            return
        for pk in pks:
            self._picture.live.release(pk)
        self._operations.run(UnpinMemories(key=state.data.key, memories=_pks(pks)))

    # --- relations ---

    def ask_relation(self, source: int, target: int, place: QPoint) -> None:
        """A relation was drawn: ask for its type and strength."""
        engine, ends = self._ctx.engine, (MemoryPk(source), MemoryPk(target))

        def ask(_progress: Report, cancel: Cancel) -> tuple[str, ...]:
            return engine.ask(TitlesOf(ends), cancel=cancel)

        def show(titles: tuple[str, ...]) -> None:
            names = [shorten(name_of(title, self._ctx.tr), TITLE_CHARS) for title in titles]
            self._open(
                RelationCard(self._ctx, self._picture.schema, ends, (names[0], names[1]), self._place), place
            )

        self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="card")

    def search_relation(self, source: int) -> None:
        """Find the other end by typing (R)."""
        finder = RelationSearch(self._ctx, self._picture.schema, MemoryPk(source), self._place.window())
        finder.open()

    def show_edge(self, edge: int, place: QPoint) -> None:
        """A relation was clicked: show it, to be changed."""
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[EdgeView, ...]:
            return engine.ask(Edges((EdgePk(edge),)), cancel=cancel)

        def show(found: tuple[EdgeView, ...]) -> None:
            if found:
                self._open(EdgeCard(self._ctx, found[0], self._picture.schema, self._place), place)

        self._ctx.tasks.run(Lane.READ, ask, show, owner=self, query="card")

    # --- dropping ---

    def ask_drop(self, moved: tuple[int, ...], target: int, place: QPoint) -> None:
        """Nodes were dropped on another one: nothing happens before it is said what is meant."""
        tr, menu = self._ctx.tr, QMenu(self._place)
        title = isolate(shorten(name_of(self._picture.titles.known(target), tr), 30))
        relate = QAction(tr("graph.drop.relation", title=title), menu)
        relate.setIcon(self._ctx.theme.icon("mdi6.vector-line"))
        relate.setEnabled(len(moved) == 1)
        relate.triggered.connect(lambda: self.ask_relation(moved[0], target, place))
        menu.addAction(relate)
        group = QAction(tr("graph.drop.group"), menu)
        group.setIcon(self._ctx.theme.icon("mdi6.tag-outline"))
        group.triggered.connect(lambda: self.ask_group((*moved, target), place))
        menu.addAction(group)
        merge = QAction(tr("graph.drop.merge", title=title), menu)
        merge.setIcon(self._ctx.theme.icon("mdi6.call-merge"))
        merge.triggered.connect(lambda: self._operations.open_merge_desk(_pks((target, *moved))))
        menu.addAction(merge)
        entries_need_writing(self._ctx, menu, relate, group, merge)
        menu.addSeparator()
        menu.addAction(tr("graph.drop.nothing"))
        self._show_menu(menu, place)

    def ask_group(self, pks: tuple[int, ...], place: QPoint) -> None:
        """Ask for the name of a group."""
        self._open(GroupCard(self._ctx, _pks(tuple(dict.fromkeys(pks))), self._place), place)

    def carry(self, pks: tuple[int, ...]) -> None:
        """Nodes were dragged out of the canvas: they can be dropped on a folder."""
        drag = QDrag(self._place)
        drag.setMimeData(encode_memories(_pks(pks)))
        label = QLabel(self._ctx.tr("drag.memories", count=len(pks)))
        label.setProperty("role", "drag")
        label.ensurePolished()
        label.adjustSize()
        drag.setPixmap(label.grab())
        drag.exec(Qt.DropAction.MoveAction | Qt.DropAction.CopyAction, Qt.DropAction.MoveAction)

    def drop_on_folder(self, pks: tuple[MemoryPk, ...], folder: FolderPk, copy: bool) -> None:
        """Memories were dropped on a folder."""
        command: Command = (
            CopyMemories(memories=pks, folder=folder) if copy else MoveMemories(memories=pks, folder=folder)
        )
        self._operations.run(command)

    # --- inside ---

    def _open(self, card: Card, place: QPoint) -> None:
        card.done.connect(self._operations.run)
        card.destroyed.connect(self._forget_card)
        self.card = card
        card.open_at(place)

    def _forget_card(self) -> None:
        self.card = None

    def _show_menu(self, menu: QMenu, place: QPoint) -> None:
        self.menu = menu
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)


def _pks(values: tuple[int, ...]) -> tuple[MemoryPk, ...]:
    return tuple(MemoryPk(value) for value in values)
