"""The page Graph: canvas, side, tools, time, neighbours, and how they follow each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QByteArray, QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from core.domain.commands import PinMemories
from core.domain.enums import Kind
from core.domain.graph import Arrangement
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import MemoryFilter
from core.domain.recall import RecallResult
from core.domain.results import Changes
from ui.actions import Reach
from ui.context import Context
from ui.graph.canvas import Canvas
from ui.graph.coloring import Coloring
from ui.graph.minimap import Minimap
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.tasks import single_shot
from ui.views.graph.edits import Edits
from ui.views.graph.hover_card import HoverCard
from ui.views.graph.looks import names_of
from ui.views.graph.neighbours import Beside, Neighbours
from ui.views.graph.out import Out
from ui.views.graph.picture import GraphPicture
from ui.views.graph.seeing import Seeing
from ui.views.graph.side import Side
from ui.views.graph.time_bar import TimeBar
from ui.views.graph.tools import Tools
from ui.views.naming import name_of
from ui.widgets.state_stack import StateStack

RELOAD_MS = 120
NEIGHBOURS_MOST = 300
MINIMAP_GAP_PX = 12
SETTING_STILL, SETTING_SPLITTER = "ui.reduce_motion", "ui.graph_splitter"


class GraphPage(QWidget):
    """`picked(pks, current)`: what is selected here now; `opened(pk)`: show it beside the canvas."""

    picked = Signal(object, object)
    opened = Signal(object)

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._selected: tuple[int, ...] = ()
        self._current: int | None = None
        self._stale = False
        self._pins_only = True
        self._moved: set[int] = set()
        self.canvas = Canvas(ctx.tasks)
        self.picture = GraphPicture(ctx, self.canvas, self)
        self.seeing = Seeing(ctx, operations, self.picture)
        self.tools = Tools(ctx)
        self.side = Side(ctx, self.picture)
        self.time = TimeBar(ctx)
        self.neighbours = Neighbours(ctx)
        self.minimap = Minimap(self.canvas)
        self.hover = HoverCard(ctx, self.canvas)
        self.edits = Edits(ctx, operations, self.picture, self)
        self.out = Out(ctx, operations, self.picture, self, PathChoice())
        self._reload_soon = single_shot(self, RELOAD_MS, self._reload)
        self._lay_out()
        self._connect()
        ctx.theme.bind(self, self._on_theme)
        ctx.tr.changed.connect(self._on_language)
        self._on_language()

    # --- building ---

    def _lay_out(self) -> None:
        self.light = QLabel()
        self.light.setTextFormat(Qt.TextFormat.PlainText)
        self.unlight = QPushButton()
        self.unlight.clicked.connect(lambda: self.seeing.highlight(None))
        self.strip = QWidget()
        self.strip.setProperty("role", "strip")
        self.strip.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self.strip)
        row.setContentsMargins(12, 4, 8, 4)
        row.addWidget(self.light, 1)
        row.addWidget(self.unlight)
        self.strip.hide()
        self.hint = QLabel(self.canvas)
        self.hint.setProperty("role", "secondary")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.hide()
        self.stack = StateStack(self.canvas)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.tools, self.strip):
            column.addWidget(widget)
        column.addWidget(self.stack, 1)
        column.addWidget(self.time)
        self.beside = QSplitter(Qt.Orientation.Vertical)
        self.beside.setChildrenCollapsible(False)
        self.beside.addWidget(self.neighbours)
        self.beside.setMinimumWidth(220)
        self.beside.hide()
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        for at, (widget, stretch) in enumerate(((self.side, 0), (middle, 1), (self.beside, 0))):
            self.splitter.addWidget(widget)
            self.splitter.setStretchFactor(at, stretch)
        saved = str(self._ctx.settings.get(SETTING_SPLITTER))
        if not (saved and self.splitter.restoreState(QByteArray.fromBase64(saved.encode("ascii")))):
            px = self._ctx.theme.px
            self.splitter.setSizes([px(208), px(740), px(340)])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)

    def _connect(self) -> None:
        canvas, picture, seeing, tools = self.canvas, self.picture, self.seeing, self.tools
        canvas.picked.connect(self._on_picked)
        canvas.opened.connect(self._on_opened)
        canvas.menu_wanted.connect(self._show_menu)
        canvas.group_opened.connect(picture.open_group)
        canvas.moved.connect(self._place_corner)
        picture.asked.connect(lambda: self.stack.show_loading(self._ctx.tr("graph.loading")))
        picture.loaded.connect(self._on_loaded)
        picture.changed.connect(self._on_changed)
        picture.failed.connect(self._on_failed)
        picture.layout_failed.connect(self._operations.show_error)
        picture.layout_failed.connect(lambda _error: self._show_choice())
        seeing.found.connect(tools.show_found)
        seeing.highlighted.connect(self._on_highlighted)
        seeing.went_to.connect(lambda pk: self.select((pk,), tell=True))
        tools.searched.connect(seeing.search)
        tools.next_wanted.connect(seeing.next_hit)
        tools.only_wanted.connect(seeing.show_only)
        tools.arranged.connect(self._on_arrangement)
        tools.colored.connect(picture.color_by)
        tools.cleared.connect(self.clear_filters)
        tools.panel.changed.connect(seeing.filter)
        tools.search.left_down.connect(canvas.setFocus)
        self.side.switched.connect(self._on_switched)
        self.side.folders.chosen.connect(self.show_folder)
        self.side.folders.dropped.connect(self.edits.drop_on_folder)
        self.time.changed.connect(lambda moment: picture.change(lambda now: setattr(now, "moment", moment)))
        self.neighbours.chosen.connect(self.go_to)
        self.neighbours.edge_wanted.connect(lambda edge: self.edits.show_edge(edge, self._middle()))
        self._ctx.bridge.changes.connect(self._on_changes)
        self.destroyed.connect(self._ctx.settings.subscribe(self._on_setting))
        self._connect_actions()

    def _connect_actions(self) -> None:
        actions, seeing = self._ctx.actions, self.seeing
        actions.attach(self.canvas, Reach.GRAPH)
        actions.attach(self.canvas, Reach.LIST)
        table = {
            "graph.fit": self.canvas.fit,
            "graph.search": self._go_to_search,
            "graph.relate": lambda: self._with_current(self.edits.search_relation),
            "graph.hide": lambda: seeing.hide(self._selected),
            "graph.focus": lambda: seeing.focus(self._selected),
            "graph.unfold": lambda: self._with_current(seeing.unfold),
            "graph.fold": lambda: self._with_current(seeing.fold),
            "graph.path": self._show_path,
            "graph.clear": self.clear_filters,
            "graph.pin": self._pin_selected,
            "graph.unpin": lambda: self.edits.unpin(self._selected),
            "graph.group": lambda: self.edits.ask_group(self._selected, self._middle()),
            "graph.arrange": self.picture.arrange_anew,
            "graph.injection": lambda: seeing.show_injection(self.folder),
            "graph.table": self.show_table,
            "graph.png": lambda: self.out.save("png"),
            "graph.svg": lambda: self.out.save("svg"),
            "graph.graphml": lambda: self.out.save("graphml"),
        }
        for name, act in table.items():
            actions.on(name, act)

    # --- what is chosen ---

    @property
    def folder(self) -> FolderPk | None:
        """The folder whose graph is shown; None = the whole library's."""
        return next(iter(self.picture.scope.folders), None)

    @property
    def selected(self) -> tuple[int, ...]:
        """The selected memories."""
        return self._selected

    @property
    def current(self) -> int | None:
        """The memory that was selected last."""
        return self._current

    def show_folder(self, folder: FolderPk | None) -> None:
        """Show the graph of a folder, or of the whole library."""
        folders = frozenset() if folder is None else frozenset({folder})
        self.picture.scope = MemoryFilter(folders=folders)
        self.picture.live.stop()
        self.picture.state = None
        self.canvas.touched = False
        self.seeing.forget()
        self.picture.load(keep=False)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ctx.actions.update(graph=True)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ctx.actions.update(graph=False)

    def refresh(self) -> None:
        """Load what was not loaded or has changed meanwhile."""
        if self.picture.state is None or self._stale:
            self._stale = False
            self.picture.load()

    def save_state(self) -> None:
        """Keep what a person arranged."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._ctx.settings.set(SETTING_SPLITTER, state)

    def add_detail(self, widget: QWidget) -> None:
        """Put the detail beside the canvas, above the neighbours."""
        self.beside.insertWidget(0, widget)
        self.beside.setStretchFactor(0, 3)
        self.beside.setStretchFactor(1, 1)
        widget.show()
        self.beside.show()
        self.beside.setSizes([self._ctx.theme.px(440), self._ctx.theme.px(220)])

    def select(self, pks: Sequence[int], *, tell: bool = False) -> None:
        """Select these memories, as far as they are in the graph."""
        state = self.picture.state
        if state is None:
            self._selected, self._current = tuple(pks), pks[-1] if pks else None
            return
        self._selected = tuple(pk for pk in pks if state.index(pk) >= 0)
        self._current = self._selected[-1] if self._selected else None
        self._ring()
        if tell:
            self.picked.emit(self._selected, self._current)
        self._show_neighbours()

    def select_all(self) -> None:
        """Select everything that is shown."""
        scene = self.canvas.scene
        if scene is not None:
            self.select(scene.nodes.pks[scene.nodes.shown].tolist(), tell=True)

    def go_to(self, pk: int) -> None:
        """Select a memory and look at it; the whole library is shown when it is not in this graph."""
        state = self.picture.state
        if state is None or state.index(pk) < 0:
            self._go_next = pk
            if state is not None:
                self.show_folder(None)
        else:
            self.seeing.go_to(pk)

    _go_next: int | None = None

    def look_at(self, pks: tuple[int, ...]) -> None:
        """Select memories and look at them; the whole library is shown when one is not in this graph."""
        state = self.picture.state
        if len(pks) == 1:
            self.go_to(pks[0])
        elif state is None or any(state.index(pk) < 0 for pk in pks):
            self._look_next = pks
            if state is not None:
                self.show_folder(None)
            else:
                self.refresh()
        else:
            self.select(pks, tell=True)
            self.canvas.fit([state.index(pk) for pk in pks])

    _look_next: tuple[int, ...] = ()

    def show_recall(self, result: RecallResult) -> None:
        """Let what a recall chose stand out, in the graph of its folder."""
        self._recall_next = result
        if self.picture.state is None or self.folder not in {None, result.request.folder}:
            self.show_folder(result.request.folder)
        else:
            self._light_recall()

    _recall_next: RecallResult | None = None

    def _light_recall(self) -> None:
        result, self._recall_next = self._recall_next, None
        if result is not None:
            self.color_by(Coloring.ENERGY)
            self.seeing.show_recall(result)

    def clear_filters(self) -> None:
        """Show everything again."""
        self.tools.search.set_quietly("")
        self.tools.only.setChecked(False)
        self.seeing.search("")
        self.seeing.forget()
        self.picture.change(lambda state: state.clear())
        self._show_time()
        self.canvas.fit()

    def _on_picked(self, picked: tuple[tuple[int, ...], int | None]) -> None:
        self._selected, self._current = picked
        self.picked.emit(self._selected, self._current)
        self._show_neighbours()

    def _on_opened(self, pk: int) -> None:
        if pk not in self._selected:
            self.select((pk,))
        self._current = pk
        self.picked.emit(self._selected, pk)
        self.opened.emit(pk)

    def _ring(self) -> None:
        state = self.picture.state
        if state is not None:
            nodes = [state.index(pk) for pk in self._selected]
            current = state.index(self._current) if self._current is not None else -1
            self.canvas.select([node for node in nodes if node >= 0], current)

    def _with_current(self, act) -> None:  # type: ignore[no-untyped-def]
        if self._current is not None:
            act(self._current)

    # --- what is shown ---

    def _on_loaded(self) -> None:
        state = self.picture.state
        if state is None:
            return
        self._show_choice()
        self._show_time()
        kept = tuple(pk for pk in self._selected if state.index(pk) >= 0)
        self.select(kept, tell=kept != self._selected)
        if self._go_next is not None:
            pk, self._go_next = self._go_next, None
            self.seeing.go_to(pk)
        self._light_recall()
        if self._look_next:
            pks, self._look_next = self._look_next, ()
            self.look_at(tuple(pk for pk in pks if state.index(pk) >= 0))

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
        self.canvas.over.guides = self._lanes()
        self._ring()
        self._show_neighbours()
        self._say_state()

    def _lanes(self) -> tuple[tuple[float, str], ...]:
        """Names of the lanes when the graph is arranged by time: a lane a type."""
        state, scene = self.picture.state, self.canvas.scene
        if state is None or scene is None or self.picture.arrangement is not Arrangement.TIME:
            return ()
        theme, code, found = self._ctx.theme, self._ctx.tr.code, []
        for at, name in enumerate(state.data.types):
            rows = state.positions[(state.data.nodes.type == at) & scene.nodes.shown & state.placed, 1]
            if len(rows):
                found.append((float(np.median(rows)), theme.type_label(name, code)))
        return tuple(found)

    def _say_state(self) -> None:
        tr, state = self._ctx.tr, self.picture.state
        assert state is not None
        if not len(state.data):
            if self.folder is not None:
                self.stack.show_notice(
                    tr("graph.empty.folder"), tr("graph.whole"), lambda: self.show_folder(None)
                )
            else:
                new = self._ctx.actions.get("memory.new")
                self.stack.show_notice(tr("graph.empty.library"), new.text(), new.trigger)
        elif not self.picture.shown_count:
            self.stack.show_notice(tr("graph.empty.filtered"), tr("graph.clear"), self.clear_filters)
        else:
            self.stack.show_content()
        self.hint.setText(tr("graph.no_edges"))
        self.hint.setVisible(len(state.data) > 1 and not len(state.data.edges))
        self.hint.adjustSize()
        self._place_corner()

    def _on_failed(self, error: Exception) -> None:
        tr = self._ctx.tr
        if self.picture.state is None:
            self.stack.show_notice(tr.error(error), tr("state.again"), self.picture.load)
        else:
            reason = tr("state.stale", reason=tr.error(error))
            self.stack.show_stale(reason, tr("state.again"), self.picture.load)

    def _on_highlighted(self, name: str) -> None:
        self.light.setText(name)
        self.strip.setVisible(bool(name))

    def _show_neighbours(self) -> None:
        state, tr = self.picture.state, self._ctx.tr
        node = state.index(self._current) if state is not None and self._current is not None else -1
        if state is None or node < 0:
            self.neighbours.show_neighbours("", ())
            return
        scene = self.canvas.scene
        mask = scene.lines.shown if scene is not None else None
        around = state.neighbours(node, mask)[:NEIGHBOURS_MOST]
        pks = (state.pk(node), *(state.pk(other) for _, other in around))
        names = names_of(self._ctx, self.picture.schema)
        titles = self.picture.titles.known
        if any(not titles(pk) for pk in pks):
            self._ask_titles(pks)
        edges, data = state.data.edges, state.data
        lines = [
            Beside(
                memory=state.pk(other),
                edge=int(edges.pks[edge]),
                title=name_of(titles(state.pk(other)), tr),
                type=data.types[data.nodes.type[other]],
                relation=names.relation_name(data.relations[edges.relation[edge]]),
                outgoing=int(edges.source[edge]) == node,
                live=bool(edges.live[edge]),
                strength=float(edges.strength[edge]),
            )
            for edge, other in around
        ]
        title = name_of(titles(state.pk(node)), tr)
        self.neighbours.show_neighbours(title, lines)
        self.canvas.setAccessibleDescription(tr("graph.canvas.current", title=title, count=len(lines)))

    def _ask_titles(self, pks: tuple[int, ...]) -> None:
        from ui.tasks import Lane

        titles = self.picture.titles

        def show(found: dict[int, str]) -> None:
            if any(found.values()):
                self._show_neighbours()

        self._ctx.tasks.run(Lane.READ, lambda _p, _c: titles(pks), show, owner=self, query="titles")

    # --- what follows the store ---

    def _on_changes(self, changes: Changes) -> None:
        kinds = set(changes.touched)
        if not kinds & {
            Kind.MEMORY,
            Kind.EDGE,
            Kind.PIN,
            Kind.TAG,
            Kind.FOLDER,
            Kind.MEMORY_TYPE,
            Kind.RELATION_TYPE,
        }:
            return
        self.picture.titles.forget(changes.memories)
        if Kind.PIN in kinds:
            self._moved |= set(changes.memories)
        self._reload_soon.start()

    def _reload(self) -> None:
        moved, self._moved = self._moved, set()
        if not self.isVisible():
            self._stale = True
            return
        self.picture.load(moved=moved)

    # --- what a person asks for ---

    def _on_switched(self, part: str, value: str) -> None:
        state = self.picture.state
        if state is not None:
            self.picture.show(state.toggled(part, value))

    def _on_arrangement(self, arrangement: Arrangement) -> None:
        focus = MemoryPk(self._current) if self._current is not None else None
        self.picture.arrange(arrangement, focus)

    def color_by(self, coloring: Coloring) -> None:
        """Colour by this."""
        self.picture.color_by(coloring)
        self._show_choice()

    def _go_to_search(self) -> None:
        self.tools.search.setFocus()
        self.tools.search.selectAll()

    def _show_path(self) -> None:
        if len(self._selected) == 2:
            self.seeing.path(*self._selected)

    def _pin_selected(self) -> None:
        state = self.picture.state
        if state is None:
            return
        places = {
            pk: tuple(map(float, state.positions[node]))
            for pk in self._selected
            if (node := state.index(pk)) >= 0
        }
        self.edits.pin({pk: (x, y) for pk, (x, y) in places.items() if np.isfinite((x, y)).all()})

    def show_table(self) -> None:
        """The graph as tables."""
        from ui.views.graph.table import GraphTable

        table = GraphTable(self._ctx, self.picture, self.window())
        table.chosen.connect(self.go_to)
        table.show()

    def _show_menu(self, pk: int | None, place: QPoint) -> None:
        ids = NODE_MENU if pk is not None else GROUND_MENU
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addActions(self._ctx.actions.working(ids))
        here = self.canvas.mapFromGlobal(place)
        world = self.canvas.camera.to_world(here.x(), here.y())
        menu.triggered.connect(lambda action: self._on_menu(action.objectName(), world))
        menu.popup(place)

    def _on_menu(self, action: str, world: tuple[float, float]) -> None:
        self._new_at = world if action == "memory.new" else None

    _new_at: tuple[float, float] | None = None

    def place_new(self, pk: int) -> None:
        """A new memory was saved: it stands where it was asked for, and is looked at."""
        state, at = self.picture.state, self._new_at
        if state is not None and at is not None:
            self._new_at = None
            self._operations.run(PinMemories(key=state.data.key, places=((MemoryPk(pk), *at),)))
            self._selected, self._current = (pk,), pk
        else:
            self.go_to(pk)

    def _middle(self) -> QPoint:
        state = self.picture.state
        if state is not None and self._current is not None and (node := state.index(self._current)) >= 0:
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
        tr = self._ctx.tr
        self.canvas.setAccessibleName(tr("graph.canvas"))
        self.unlight.setText(tr("graph.highlight.end"))
        self.tools.fill_more(self._ctx.actions.working(MORE_MENU))
        self.picture.compose()

    def _place_corner(self) -> None:
        canvas, gap = self.canvas, MINIMAP_GAP_PX
        self.minimap.move(
            canvas.width() - self.minimap.width() - gap, canvas.height() - self.minimap.height() - gap
        )
        self.hint.move((canvas.width() - self.hint.width()) // 2, canvas.height() - self.hint.height() - gap)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.strip.isVisible():
            self.seeing.highlight(None)
            return
        super().keyPressEvent(event)


NODE_MENU = (
    "memory.edit", "memory.recall", "memory.why_not", "", "graph.relate", "graph.group", "graph.path", "",
    "graph.focus", "graph.unfold", "graph.fold", "graph.hide", "", "graph.pin", "graph.unpin", "",
    "memory.move", "memory.importance", "memory.layer", "memory.lock", "memory.unlock", "",
    "memory.archive", "memory.restore", "memory.trash",
)  # fmt: skip
GROUND_MENU = (
    "memory.new", "", "graph.fit", "graph.clear", "graph.arrange", "graph.injection", "", "graph.table",
    "graph.png", "graph.svg", "graph.graphml",
)  # fmt: skip
MORE_MENU = (
    "graph.fit", "graph.arrange", "graph.clear", "", "graph.focus", "graph.path", "graph.injection", "",
    "graph.table", "graph.png", "graph.svg", "graph.graphml", "library.export",
)  # fmt: skip
