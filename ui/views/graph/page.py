"""The page Graph: canvas, side, tools, time, neighbours, and how they follow each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStyle, QVBoxLayout, QWidget

from core.domain.commands_graph import PinMemories
from core.domain.graph import Arrangement
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import MemoryFilter
from core.domain.recall import RecallResult
from ui.actions import Reach
from ui.context import Context
from ui.graph.canvas import Canvas
from ui.graph.coloring import Coloring
from ui.graph.minimap import Minimap
from ui.language import isolate
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.views.graph.beside import BesideColumn
from ui.views.graph.chosen import Chosen
from ui.views.graph.edits import Edits
from ui.views.graph.following import Following
from ui.views.graph.hover_card import HoverCard
from ui.views.graph.kept import KeptChoices
from ui.views.graph.menus import Menus
from ui.views.graph.neighbours import Neighbours
from ui.views.graph.notes import Notes
from ui.views.graph.out import Out
from ui.views.graph.picture import GraphPicture
from ui.views.graph.room import Corners, Room
from ui.views.graph.seeing import MOST_HOPS, Seeing
from ui.views.graph.side import Side
from ui.views.graph.strip import Strip
from ui.views.graph.time_bar import TimeBar
from ui.views.graph.tools import Tools
from ui.views.naming import name_of, shorten
from ui.widgets.state_stack import StateStack

TITLE_CHARS = 48
SETTING_STILL, SETTING_LETTERS = "ui.reduce_motion", "ui.letters"


class GraphPage(QWidget):
    """`picked(pks, current)`: what is selected here now; `opened(pk)`: show it beside the canvas."""

    picked = Signal(object, object)
    opened = Signal(object)

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._recall_next: RecallResult | None = None
        self.canvas = Canvas(ctx.tasks)
        self.picture = GraphPicture(ctx, self.canvas, self)
        self.seeing = Seeing(ctx, operations, self.picture)
        self.chosen = Chosen(self.picture, self.canvas, self.seeing, self)
        self.menus = Menus(ctx, self.canvas, self.seeing, self)
        self.tools, self.strip = Tools(ctx), Strip(ctx)
        self.side = Side(ctx, self.picture)
        self.time = TimeBar(ctx)
        self.beside = BesideColumn(ctx, self.picture, self.canvas)
        self.minimap = Minimap(self.canvas)
        self.hover = HoverCard(ctx, self.canvas)
        self.stack = StateStack(self.canvas)
        self.notes = Notes(ctx, self.picture, self.canvas, self.stack)
        self.corners = Corners(self.canvas, self.minimap, self.notes)
        self.edits = Edits(ctx, operations, self.picture, self)
        self.out = Out(ctx, operations, self.picture, self, PathChoice())
        self.kept = KeptChoices(ctx, self.picture)
        self.following = Following(ctx, self.picture, self.isVisible)
        self._lay_out()
        self._connect_canvas()
        self._connect_controls()
        self._connect_actions()
        ctx.theme.bind(self, self._on_theme)
        ctx.tr.changed.connect(self._on_language)
        self._on_language()

    # --- building ---

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        column.addWidget(self.strip)
        column.addWidget(self.stack, 1)
        column.addWidget(self.time)
        self.room = Room(self._ctx, self.side, middle, self.beside, self.tools, self.canvas)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.room.splitter)

    def _connect_canvas(self) -> None:
        canvas, picture, chosen = self.canvas, self.picture, self.chosen
        canvas.opened.connect(self._on_opened)
        canvas.group_opened.connect(picture.open_group)
        chosen.picked.connect(self.picked)
        chosen.changed.connect(self._on_chosen)
        chosen.elsewhere.connect(self._show_whole)
        picture.asked.connect(lambda: self.stack.show_loading(self._ctx.tr("graph.loading")))
        picture.loaded.connect(self._on_loaded)
        picture.changed.connect(self._on_changed)
        picture.failed.connect(self._on_failed)
        picture.layout_failed.connect(self._operations.show_error)
        picture.layout_failed.connect(lambda _error: self._show_choice())

    def _connect_controls(self) -> None:
        picture, seeing, tools, strip = self.picture, self.seeing, self.tools, self.strip
        seeing.found.connect(tools.show_found)
        seeing.highlighted.connect(strip.show_light)
        seeing.focused.connect(self._show_focus)
        seeing.went_to.connect(lambda pk: self.chosen.select((pk,), tell=True))
        strip.unlit.connect(lambda: seeing.highlight(None))
        strip.hops_chosen.connect(lambda hops: seeing.focus(seeing.centre, hops))
        strip.unfocused.connect(seeing.unfocus)
        self.menus.focus_wanted.connect(lambda hops: seeing.focus(self.selected, hops))
        tools.searched.connect(seeing.search)
        tools.next_wanted.connect(seeing.next_hit)
        tools.only_wanted.connect(seeing.show_only)
        tools.arranged.connect(self._on_arrangement)
        tools.colored.connect(picture.color_by)
        tools.cleared.connect(self.clear_filters)
        tools.panel.changed.connect(seeing.filter)
        tools.search.left_down.connect(self.canvas.setFocus)
        self.side.switched.connect(self._on_switched)
        self.side.folders.chosen.connect(self.show_folder)
        self.side.folders.dropped.connect(self.edits.drop_on_folder)
        self.time.changed.connect(lambda moment: picture.change(lambda now: setattr(now, "moment", moment)))
        self.neighbours.chosen.connect(self.go_to)
        self.neighbours.edge_wanted.connect(lambda edge: self.edits.show_edge(edge, self._middle()))
        self.beside.shown.connect(self._on_beside)
        self.destroyed.connect(self._ctx.settings.subscribe(self._on_setting))

    def _connect_actions(self) -> None:
        actions, seeing = self._ctx.actions, self.seeing
        actions.attach(self.canvas, Reach.GRAPH)
        actions.attach(self.canvas, Reach.LIST)
        table = {
            "graph.open": lambda: self._with_current(self._on_opened),
            "graph.fit": self.canvas.fit,
            "graph.search": self._go_to_search,
            "graph.relate": lambda: self._with_current(self.edits.search_relation),
            "graph.hide": lambda: seeing.hide(self.selected),
            "graph.focus": lambda: seeing.focus(self.selected),
            "graph.unfold": lambda: self._with_current(seeing.unfold),
            "graph.fold": lambda: self._with_current(seeing.fold),
            "graph.path": self._show_path,
            "graph.clear": self.clear_filters,
            "graph.pin": lambda: self.edits.pin_here(self.selected),
            "graph.unpin": lambda: self.edits.unpin(self.selected),
            "graph.group": lambda: self.edits.ask_group(self.selected, self._middle()),
            "graph.arrange": self.picture.arrange_anew,
            "graph.injection": lambda: seeing.show_injection(self.folder),
            "graph.table": self.show_table,
            "graph.png": lambda: self.out.save("png"),
            "graph.svg": lambda: self.out.save("svg"),
            "graph.graphml": lambda: self.out.save("graphml"),
        }
        for name, act in table.items():
            actions.on(name, act)

    # --- what others ask of the page ---

    @property
    def folder(self) -> FolderPk | None:
        """The folder whose graph is shown; None = the whole library's."""
        return next(iter(self.picture.scope.folders), None)

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected memories."""
        return self.chosen.pks

    @property
    def current(self) -> int | None:
        """The memory that was selected last."""
        return self.chosen.current

    @property
    def neighbours(self) -> Neighbours:
        """The list of neighbours beside the canvas."""
        return self.beside.neighbours

    @property
    def waiting(self) -> bool:
        """Whether something is about to happen by itself, for tests and tours."""
        timers = (self.following.soon, self.time.soon, self.beside.soon)
        return self.picture.live.running or any(timer.isActive() for timer in timers)

    def show_folder(self, folder: FolderPk | None) -> None:
        """Show the graph of a folder, or of the whole library."""
        folders = frozenset() if folder is None else frozenset({folder})
        self.picture.scope = MemoryFilter(folders=folders)
        self.picture.live.stop()
        self.picture.state = None
        self.canvas.touched = False
        self.seeing.forget()
        self.picture.load(keep=False)

    def refresh(self) -> None:
        """Load what was not loaded or has changed meanwhile."""
        self.following.refresh()

    def save_state(self) -> None:
        """Keep what a person arranged."""
        self.room.save_state()
        self.kept.keep()

    def add_detail(self, widget: QWidget) -> None:
        """Put the detail beside the canvas, above the neighbours."""
        self.beside.add_detail(widget)

    def select(self, pks: Sequence[int], *, tell: bool = False) -> None:
        """Select these memories, as far as they are in the graph."""
        self.chosen.select(pks, tell=tell)

    def select_all(self) -> None:
        """Select everything that is shown."""
        self.chosen.select_all()

    def go_to(self, pk: int) -> None:
        """Select a memory and look at it; the whole library is shown when it is not in this graph."""
        self.chosen.go_to((pk,))

    def look_at(self, pks: tuple[int, ...]) -> None:
        """Select memories and look at them; the whole library is shown when one is not in this graph."""
        self.chosen.go_to(pks)

    def show_recall(self, result: RecallResult) -> None:
        """Let what a recall chose stand out, in the graph of its folder."""
        self._recall_next = result
        if self.picture.state is None or self.folder not in {None, result.request.folder}:
            self.show_folder(result.request.folder)
        else:
            self._light_recall()

    def place_new(self, pk: int) -> None:
        """A new memory was saved: it stands where it was asked for, and is looked at."""
        state, at = self.picture.state, self.menus.new_at
        if state is not None and at is not None:
            self.menus.new_at = None
            self._operations.run(PinMemories(key=state.data.key, places=((MemoryPk(pk), *at),)))
            self.chosen.expect(pk)
        else:
            self.go_to(pk)

    def clear_filters(self) -> None:
        """Show everything again."""
        self.tools.search.set_quietly("")
        self.tools.only.setChecked(False)
        self.seeing.search("")
        self.seeing.forget()
        self.picture.change(lambda state: state.clear())
        self._show_time()
        self.canvas.fit()

    def color_by(self, coloring: Coloring) -> None:
        """Colour by this."""
        self.picture.color_by(coloring)
        self._show_choice()

    def show_table(self) -> None:
        """The graph as tables."""
        from ui.views.graph.table import GraphTable

        table = GraphTable(self._ctx, self.picture, self.window())
        table.chosen.connect(self.go_to)
        table.show()

    # --- what was chosen ---

    def _show_whole(self) -> None:
        """Something is wanted that is not in this graph."""
        if self.picture.state is not None:
            self.show_folder(None)
        else:
            self.refresh()

    def _on_opened(self, pk: int) -> None:
        self.chosen.make_current(pk)
        self.beside.settle()
        self.opened.emit(pk)

    def _on_chosen(self) -> None:
        self.beside.choose(bool(self.selected))
        self.beside.show_around(self.current)

    def _with_current(self, act: Callable[[int], object]) -> None:
        if self.current is not None:
            act(self.current)

    # --- what is shown ---

    def _on_loaded(self) -> None:
        self._show_choice()
        self._show_time()
        self.chosen.on_loaded()
        self.seeing.refocus()
        self._light_recall()

    def _light_recall(self) -> None:
        result, self._recall_next = self._recall_next, None
        if result is not None:
            self.color_by(Coloring.ENERGY)
            self.seeing.show_recall(result)

    def _show_choice(self) -> None:
        self.tools.show_choice(self.picture.arrangement, self.picture.coloring)

    def _show_time(self) -> None:
        state = self.picture.state
        if state is not None:
            self.time.show_range(state.time_range(), state.moment)

    def _on_changed(self) -> None:
        picture, state = self.picture, self.picture.state
        if state is None:
            return
        self.tools.show_counts(picture.shown_count, state.data.total)
        panel = state.shown.importance_min or state.shown.strength_min or state.shown.tags
        self.tools.show_narrowed(state.narrowed, bool(panel) or not state.shown.past_edges)
        self.tools.panel.show_filter(state.shown)
        self.side.show_state()
        self.notes.say_state(self.folder, lambda: self.show_folder(None), self.clear_filters)
        self.chosen.ring()
        self.beside.show_around(self.current)
        self.corners.place()

    def _on_failed(self, error: Exception) -> None:
        tr = self._ctx.tr
        if self.picture.state is None:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.picture.load)
        else:
            reason = tr("state.stale", reason=tr.error(error))
            self.stack.show_stale(reason, tr("state.again"), self.picture.load)

    def _show_focus(self) -> None:
        tr, centre = self._ctx.tr, self.seeing.centre
        title = ""
        if len(centre) == 1:
            title = isolate(shorten(name_of(self.picture.titles.known(centre[0]), tr), TITLE_CHARS))
        elif centre:
            title = tr("graph.focus.many", count=len(centre))
        self.strip.show_focus(title, self.seeing.hops)

    # --- room ---

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.room.divide()

    def _on_beside(self, shown: bool) -> None:
        state, current = self.picture.state, self.current
        if shown and state is not None and current is not None:
            self.room.make_way(state.index(current))
        else:
            self.room.make_way(-1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ctx.actions.update(graph=True)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ctx.actions.update(graph=False)

    # --- what a person asks for ---

    def _on_switched(self, part: str, value: str) -> None:
        state = self.picture.state
        if state is not None:
            self.picture.show(state.toggled(part, value))

    def _on_arrangement(self, arrangement: Arrangement) -> None:
        self.picture.arrange(arrangement, MemoryPk(self.current) if self.current is not None else None)

    def _go_to_search(self) -> None:
        self.tools.search.setFocus()
        self.tools.search.selectAll()

    def _show_path(self) -> None:
        if len(self.selected) == 2:
            self.seeing.path(*self.selected)

    def _middle(self) -> QPoint:
        state = self.picture.state
        if state is not None and self.current is not None and (node := state.index(self.current)) >= 0:
            return self.canvas.mapToGlobal(self.canvas.place_of(node).toPoint())
        return self.canvas.mapToGlobal(self.canvas.rect().center())

    # --- look ---

    def _on_theme(self) -> None:
        self.canvas.ground = self._ctx.theme.color("base")
        self._on_still()
        self.picture.compose()

    def _on_setting(self, key: str) -> None:
        if key == SETTING_STILL:
            self._on_still()

    def _on_still(self) -> None:
        duration = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)
        self.canvas.still = bool(self._ctx.settings.get(SETTING_STILL)) or duration == 0

    def _on_language(self) -> None:
        self.canvas.setAccessibleName(self._ctx.tr("graph.canvas"))
        self.tools.fill_more(self.menus.more())
        self._show_focus()
        self.picture.compose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape ends what stands out, then the focus; 1 to 5 focus so far around the selection."""
        key = event.key()
        if key == Qt.Key.Key_Escape and not self.strip.light.isHidden():
            self.seeing.highlight(None)
        elif key == Qt.Key.Key_Escape and self.seeing.centre:
            self.seeing.unfocus()
        elif (
            self.canvas.hasFocus()
            and self.selected
            and Qt.Key.Key_1 <= key < Qt.Key.Key_1 + MOST_HOPS
            and not event.modifiers()
            and self._ctx.settings.get(SETTING_LETTERS)
        ):
            self.seeing.focus(self.selected, key - Qt.Key.Key_1 + 1)
        else:
            super().keyPressEvent(event)
