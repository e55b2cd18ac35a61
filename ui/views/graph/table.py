"""The graph as two tables: the memories that are shown, and the relations among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.graph import TitlesOf
from core.domain.ids import MemoryPk
from ui.context import Context
from ui.graph.scene import degrees
from ui.tasks import Lane
from ui.views.graph.looks import names_of
from ui.views.graph.picture import GraphPicture
from ui.views.naming import name_of
from ui.widgets.state_stack import StateStack

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Line:
    """A row: the memory it leads to, and its cells."""

    memory: int
    cells: tuple[str, ...]
    orders: tuple[float | str, ...]


class LinesModel(QAbstractTableModel):
    """Rows of text; sorted by numbers where they are numbers."""

    def __init__(self, head: Sequence[str], lines: Sequence[Line], parent: QWidget) -> None:
        super().__init__(parent)
        self._head, self._lines = tuple(head), list(lines)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._head)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return self._lines[index.row()].cells[index.column()]
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._head[section]
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._lines.sort(key=lambda line: line.orders[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.layoutChanged.emit()

    def memory(self, row: int) -> int:
        """The memory of a row."""
        return self._lines[row].memory


class GraphTable(QDialog):
    """`chosen(pk)`: show that memory in the picture."""

    chosen = Signal(object)

    def __init__(self, ctx: Context, picture: GraphPicture, parent: QWidget) -> None:
        super().__init__(parent)
        self._ctx, self._picture = ctx, picture
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(ctx.tr("action.graph.table"))
        self.resize(ctx.theme.px(820), ctx.theme.px(560))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.stack = StateStack(self.tabs)
        column = QVBoxLayout(self)
        column.addWidget(self.stack)
        self._load()

    def _load(self) -> None:
        tr, engine = self._ctx.tr, self._ctx.engine
        state, scene = self._picture.state, self._picture.canvas.scene
        if state is None or scene is None or not scene.nodes.shown.any():
            self.stack.show_notice(tr("graph.empty.none"))
            return
        self.stack.show_loading(tr("state.loading"))
        pks = tuple(MemoryPk(pk) for pk in state.data.nodes.pks[scene.nodes.shown].tolist())

        def ask(_progress: Report, cancel: Cancel) -> dict[int, str]:
            return dict(zip(map(int, pks), engine.ask(TitlesOf(pks), cancel=cancel), strict=True))

        self._ctx.tasks.run(
            Lane.READ,
            ask,
            self._show,
            owner=self,
            query="table",
            failed=lambda error: self.stack.show_notice(tr.error(error), tr("state.again"), self._load),
        )

    def _show(self, titles: dict[int, str]) -> None:
        tr = self._ctx.tr
        memories = [
            tr(f"graph.table.{name}") for name in ("memory", "type", "relations", "importance", "recalls")
        ]
        relations = [tr(f"graph.table.{name}") for name in ("from", "relation", "to", "strength", "state")]
        self._add(tr("graph.table.memories"), memories, self._memory_lines(titles))
        self._add(tr("graph.table.edges"), relations, self._relation_lines(titles))
        self.stack.show_content()

    def _add(self, name: str, head: Sequence[str], lines: Sequence[Line]) -> None:
        view = QTableView()
        view.setAccessibleName(name)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        view.setAlternatingRowColors(True)
        view.setShowGrid(False)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(self._ctx.theme.row_px)
        model = LinesModel(head, lines, self)
        view.setModel(model)
        view.setSortingEnabled(True)
        view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        if len(lines) and name == self._ctx.tr("graph.table.edges"):
            view.horizontalHeader().setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        view.activated.connect(lambda index: self.chosen.emit(model.memory(index.row())))
        self.tabs.addTab(
            view, self._ctx.tr("graph.table.tab", name=name, count=self._ctx.tr.number(len(lines)))
        )

    def _memory_lines(self, titles: dict[int, str]) -> list[Line]:
        state, scene = self._picture.state, self._picture.canvas.scene
        assert state is not None
        assert scene is not None
        tr, theme, nodes = self._ctx.tr, self._ctx.theme, state.data.nodes
        degree = degrees(state.data)
        lines = []
        for node in np.flatnonzero(scene.nodes.shown).tolist():
            pk = state.pk(node)
            if pk not in titles:
                continue
            title = name_of(titles[pk], tr)
            kind = theme.type_label(state.data.types[nodes.type[node]], tr.code)
            numbers = (int(degree[node]), float(nodes.importance[node]), int(nodes.activation_count[node]))
            cells = (title, kind, str(numbers[0]), tr.number(numbers[1]), str(numbers[2]))
            lines.append(Line(pk, cells, (title, kind, *numbers)))
        return lines

    def _relation_lines(self, titles: dict[int, str]) -> list[Line]:
        state, scene = self._picture.state, self._picture.canvas.scene
        assert state is not None
        assert scene is not None
        tr, edges, names = self._ctx.tr, state.data.edges, names_of(self._ctx, self._picture.schema)
        shown = scene.lines.shown & scene.nodes.shown[edges.source] & scene.nodes.shown[edges.target]
        lines = []
        for edge in np.flatnonzero(shown).tolist():
            source, target = state.pk(int(edges.source[edge])), state.pk(int(edges.target[edge]))
            if source not in titles or target not in titles:
                continue
            relation = names.relation_name(state.data.relations[edges.relation[edge]])
            strength = float(edges.strength[edge])
            live = tr("graph.table.live" if edges.live[edge] else "graph.table.past")
            ends = (name_of(titles[source], tr), name_of(titles[target], tr))
            cells = (ends[0], relation, ends[1], f"{strength:.2f}", live)
            lines.append(Line(source, cells, (ends[0], relation, ends[1], strength, live)))
        return lines
