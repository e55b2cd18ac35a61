"""The relations of a memory: parent and children, live and past ones, and every change to them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_graph import EditEdge, RemoveEdges
from core.domain.commands_upkeep import UnfoldSummaries
from core.domain.enums import Status
from core.domain.ids import MemoryPk
from core.domain.results import EdgeView, MemoryDetail, MemoryRow, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.relation import AddRelation, EditRelation, EndRelation
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.naming import name_of, relation_name
from ui.widgets.state_stack import StateStack

EDGE, OTHER = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class RelationsView(QWidget):
    """A list in groups: parent, children, live relations, past relations (dimmed)."""

    open_memory = Signal(int)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._detail: MemoryDetail | None = None
        self._schema: Schema | None = None
        self._edges: dict[int, EdgeView] = {}
        tr = ctx.tr
        self.tree = QTreeWidget()
        self.tree.setColumnCount(3)
        self.tree.setHeaderLabels([tr("relations.relation"), tr("relations.memory"), tr("relations.note")])
        self.tree.setAccessibleName(tr("detail.tab.relations"))
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setAllColumnsShowFocus(True)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setStretchLastSection(False)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.itemActivated.connect(self._on_activated)
        self.tree.currentItemChanged.connect(lambda *_: self._enable())
        self.stack = StateStack(self.tree)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.stack, 1)
        column.addWidget(self._make_bar())
        self._enable()

    def show_memory(self, detail: MemoryDetail, schema: Schema) -> None:
        """Show the relations of a memory; the current row stays on a refresh."""
        current = self.current_edge()
        self._detail, self._schema = detail, schema
        self._edges = {view.edge.pk: view for view in detail.edges}
        self.tree.clear()
        tr = self._ctx.tr
        if detail.parent is not None:
            self._add_family("relations.parent", (detail.parent,))
        if detail.children:
            group = self._add_family("relations.children", detail.children)
            if any(child.updated_at > detail.memory.updated_at for child in detail.children):
                group.setText(0, tr("relations.outdated", name=group.text(0)))
                group.setForeground(0, QBrush(self._ctx.theme.color("warning")))
                group.setToolTip(0, tr("relations.outdated.tip"))
        live = [view for view in detail.edges if view.live]
        past = [view for view in detail.edges if not view.live]
        if live:
            self._add_edges(tr("relations.live", count=len(live)), live)
        if past:
            self._add_edges(tr("relations.past", count=len(past)), past)
        self._select(current.edge.pk if current else None)
        self._show_family(detail)
        if self.tree.topLevelItemCount():
            self.stack.show_content()
        else:
            button = "" if detail.memory.deleted_at else tr("relations.add")
            self.stack.show_notice(tr("relations.none"), button, self.add)
        self._enable()

    def current_edge(self) -> EdgeView | None:
        """The relation of the current row."""
        item = self.tree.currentItem()
        return self._edges.get(item.data(0, EDGE)) if item is not None else None

    # --- changing ---

    def add(self) -> None:
        """Ask for a new relation."""
        if self._detail is not None and self._schema is not None:
            AddRelation(self._ctx, self._detail, self._schema, self).open()

    def edit(self) -> None:
        """Ask for other values of the current relation."""
        view = self.current_edge()
        if view is not None and self._schema is not None:
            EditRelation(self._ctx, view, self._schema, self).open()

    def end(self) -> None:
        """Ask when the current relation ended."""
        view = self.current_edge()
        if view is not None and view.live:
            EndRelation(self._ctx, view, self).open()

    def reverse(self) -> None:
        """Swap the ends of the current relation."""
        view = self.current_edge()
        if view is not None:
            self._run(EditEdge(edge=view.edge.pk, reverse=True))

    def remove(self) -> None:
        """Remove the current relation (can be undone)."""
        view = self.current_edge()
        if view is not None:
            self._run(RemoveEdges((view.edge.pk,)))

    def unfold(self) -> None:
        """Put the children back in use in place of this summary."""
        if self._detail is not None:
            self._run(UnfoldSummaries(memories=(self._detail.memory.pk,)))

    def _show_family(self, detail: MemoryDetail) -> None:
        """Offer to unfold a summary."""
        memory = detail.memory
        in_use = memory.status is Status.ACTIVE and memory.deleted_at is None
        self.unfold_button.setVisible(bool(detail.children) and in_use)

    def _run(self, command: Command) -> None:
        def run(_progress: Report, _cancel: Cancel) -> OpResult:
            return self._ctx.engine.run(command)

        self._ctx.tasks.run(Lane.WRITE, run, owner=self)

    # --- showing ---

    def _make_bar(self) -> QWidget:
        tr = self._ctx.tr
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(4)
        self._buttons: dict[str, QPushButton] = {}
        for name, icon, slot in (
            ("add", "mdi6.plus", self.add),
            ("edit", "mdi6.pencil-outline", self.edit),
            ("end", "mdi6.timer-stop-outline", self.end),
            ("reverse", "mdi6.swap-horizontal", self.reverse),
            ("remove", "mdi6.link-variant-off", self.remove),
        ):
            button = QPushButton(self._ctx.theme.icon(icon), tr(f"relations.{name}") if name == "add" else "")
            button.setProperty("flat", True)
            button.setToolTip(tr(f"relations.{name}.tip"))
            button.setAccessibleName(tr(f"relations.{name}"))
            button.clicked.connect(slot)
            self._buttons[name] = button
            needs_writing(self._ctx, button)
            row.addWidget(button)
            if name == "add":
                row.addWidget(self._make_unfold())
                row.addStretch(1)
        return bar

    def _make_unfold(self) -> QPushButton:
        tr = self._ctx.tr
        self.unfold_button = QPushButton(
            self._ctx.theme.icon("mdi6.arrow-expand-vertical"), tr("action.memory.unfold")
        )
        self.unfold_button.setProperty("flat", True)
        self.unfold_button.setToolTip(tr("action.memory.unfold.tip"))
        self.unfold_button.clicked.connect(self.unfold)
        needs_writing(self._ctx, self.unfold_button)
        self.unfold_button.hide()
        return self.unfold_button

    def _enable(self) -> None:
        view = self.current_edge()
        here = self._detail is not None and self._detail.memory.deleted_at is None
        for name, button in self._buttons.items():
            button.setEnabled(
                here and (name == "add" or view is not None) and (name != "end" or bool(view and view.live))
            )

    def _add_group(self, title: str) -> QTreeWidgetItem:
        group = QTreeWidgetItem([title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        group.setForeground(0, QBrush(self._ctx.theme.color("secondary")))
        group.setFirstColumnSpanned(True)
        self.tree.addTopLevelItem(group)
        group.setFirstColumnSpanned(True)
        return group

    def _add_family(self, key: str, rows: tuple[MemoryRow, ...]) -> QTreeWidgetItem:
        tr = self._ctx.tr
        group = self._add_group(tr(key, count=len(rows)))
        for row in rows:
            item = QTreeWidgetItem(
                ["", name_of(row.title or row.snippet, tr), tr("detail.level", level=row.level)]
            )
            item.setIcon(1, self._ctx.theme.type_icon(row.type))
            item.setData(0, OTHER, row.pk)
            item.setToolTip(1, row.snippet)
            group.addChild(item)
        group.setExpanded(True)
        return group

    def _add_edges(self, title: str, views: list[EdgeView]) -> None:
        group = self._add_group(title)
        for view in views:
            group.addChild(self._edge_item(view))
        group.setExpanded(True)

    def _edge_item(self, view: EdgeView) -> QTreeWidgetItem:
        tr, theme, edge = self._ctx.tr, self._ctx.theme, view.edge
        me = self._detail.memory.pk if self._detail else MemoryPk(0)
        outgoing = edge.source == me
        other = edge.target if outgoing else edge.source
        title = view.target_title if outgoing else view.source_title
        kind = view.target_type if outgoing else view.source_type
        name = relation_name(self._schema.relation(edge.relation) if self._schema else None, edge, me, tr)
        item = QTreeWidgetItem([f"{'→' if outgoing else '←'} {name}", name_of(title, tr), self._note(view)])
        item.setIcon(1, theme.type_icon(kind))
        item.setData(0, EDGE, edge.pk)
        item.setData(0, OTHER, other)
        item.setToolTip(0, tr("relations.inhibits") if edge.inhibits else "")
        item.setToolTip(1, tr("relations.open", title=name_of(title, tr)))
        item.setToolTip(2, self._times(view))
        if edge.inhibits:
            item.setForeground(0, QBrush(theme.color("inhibits")))
        if not view.live:
            for column in range(3):
                item.setForeground(column, QBrush(theme.color("disabled")))
        return item

    def _note(self, view: EdgeView) -> str:
        tr, edge = self._ctx.tr, view.edge
        if view.live:
            return tr("relations.strength", value=f"{edge.strength:.2f}".rstrip("0").rstrip("."))
        if edge.ended_seq is not None:
            return tr("relations.ended_floor", floor=edge.ended_seq)
        ended = edge.invalid_from or edge.expired_at
        if ended is not None:
            key = "relations.ended" if edge.invalid_from else "relations.retired"
            return tr(key, when=tr.relative(ended))
        return tr("relations.not_yet", when=tr.exact(edge.valid_from))

    def _times(self, view: EdgeView) -> str:
        tr, edge = self._ctx.tr, view.edge
        lines = [
            tr(key, when=tr.exact(moment))
            for key, moment in (
                ("relations.created", edge.created_at),
                ("relations.valid_from", edge.valid_from),
                ("relations.ended", edge.invalid_from),
                ("relations.retired", edge.expired_at),
            )
            if moment is not None
        ]
        if edge.from_seq is not None:
            lines.append(tr("relations.from_floor", floor=edge.from_seq))
        return "\n".join(lines)

    def _select(self, edge: int | None) -> None:
        if edge is None:
            return
        for at in range(self.tree.topLevelItemCount()):
            group = self.tree.topLevelItem(at)
            for row in range(group.childCount() if group else 0):
                item = group.child(row) if group else None
                if item is not None and item.data(0, EDGE) == edge:
                    self.tree.setCurrentItem(item)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        other = item.data(0, OTHER)
        if other is not None:
            self.open_memory.emit(int(other))

    def _show_menu(self, at: QPoint) -> None:
        item = self.tree.currentItem()
        if item is None or item.data(0, OTHER) is None:
            return
        tr, menu = self._ctx.tr, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("relations.open_this"), lambda: self._on_activated(item))
        for name in ("edit", "end", "reverse", "remove"):
            if self._buttons[name].isEnabled():
                menu.addAction(tr(f"relations.{name}"), self._buttons[name].click)
        menu.popup(self.tree.viewport().mapToGlobal(at))
