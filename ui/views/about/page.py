"""Everything about X: from any name to who bears it, its condition by floor, events, relations and mentions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.about import About
from core.domain.api import Cancel, Report
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import LibrarySchema
from core.domain.queries_sayings import EverythingAbout
from core.domain.schema import ColumnRole, Schema
from ui.context import Context
from ui.language import isolate
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.about.lists import ConditionList, MemoryList, RelationList, Section, counted
from ui.views.naming import column_name, json_text, name_of, shorten, shown_value, type_name
from ui.widgets.chips import ChipRow
from ui.widgets.plain_text import PlainLineEdit
from ui.widgets.state_stack import StateStack

REFRESH_MS = 400
LISTED = 100
"""So many events, changes, relations of a type and mentions: more are no list to read, and the counts say them."""
NAME_PX, LEAST_NAME_PX = 320, 160
NARROW_PX = 860
"""Below this width, which grows with the text, the ways stand below the name."""
MOST_NOW, NOW_CHARS = 8, 160
MARGIN = 16
HALF = 1_000
"""Any size: both parts of a splitter begin alike."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What is shown, with the schema for its words."""

    about: About
    schema: Schema


class AboutPage(QWidget):
    """`open_memories(pks)`: a row was followed; `graph_wanted(pk)`; `recall_wanted(name, folder)`; `back`."""

    open_memories = Signal(object)
    graph_wanted = Signal(int)
    recall_wanted = Signal(str, object)
    back = Signal()

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._operations = context, operations
        self._asked: EverythingAbout | None = None
        self._before: list[EverythingAbout] = []
        self._read: _Read | None = None
        self._late = False
        self.setProperty("surface", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._make()
        self._lay_out()
        self._waiting: list[Callable[[], None]] = []
        self._soon = single_shot(self, REFRESH_MS, self._ask)
        self._next = single_shot(self, 0, self._fill_next)
        context.bridge.changes.connect(self._on_changes)
        context.theme.bind(self, self._say)
        context.tr.changed.connect(self._say)
        self.stack.show_notice(context.tr("about.start"))

    def _make(self) -> None:
        context = self._context
        self.back_button = QToolButton()
        self.back_button.clicked.connect(self._go_back)
        self.name = PlainLineEdit()
        self.name.returnPressed.connect(lambda: self.show_name(self.name.text()))
        self.everywhere = QCheckBox()
        self.everywhere.toggled.connect(self._on_everywhere)
        self.open_button, self.graph_button, self.recall_button = QPushButton(), QPushButton(), QPushButton()
        self.open_button.clicked.connect(self._open)
        self.graph_button.clicked.connect(self._show_on_graph)
        self.recall_button.clicked.connect(self._recall)
        self.others = QToolButton()
        self.others.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.others.setMenu(QMenu(self.others))
        self.icon, self.kind, self.former, self.now = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self.kind, self.former, self.now):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.kind.setProperty("role", "secondary")
        self.former.setProperty("role", "secondary")
        self.now.setWordWrap(True)
        self.names = QVBoxLayout()
        self.steps, self.ends = ConditionList(context), RelationList(context)
        self.happened, self.naming = MemoryList(context), MemoryList(context)
        self.condition, self.relations = Section(self.steps, left=0), Section(self.ends, left=0)
        self.events, self.mentions = Section(self.happened), Section(self.naming)
        for section in (self.condition, self.relations, self.events, self.mentions):
            section.content.open_memory.connect(lambda pk: self.open_memories.emit((MemoryPk(pk),)))

    def _lay_out(self) -> None:
        asked, ways = QHBoxLayout(), QHBoxLayout()
        asked.setSpacing(8)
        asked.addWidget(self.back_button)
        asked.addWidget(self.name, 1)
        asked.addWidget(self.everywhere)
        asked.addStretch(1)
        ways.setSpacing(8)
        for button in (self.open_button, self.graph_button, self.recall_button):
            ways.addWidget(button)
        ways.addStretch(0)
        self._top = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._top.setSpacing(8)
        self._top.addLayout(asked, 1)
        self._top.addLayout(ways)
        who = QHBoxLayout()
        who.setSpacing(8)
        who.addWidget(self.icon)
        who.addWidget(self.kind)
        who.addLayout(self.names, 1)
        who.addWidget(self.former)
        who.addWidget(self.others)
        self.left = left = QSplitter(Qt.Orientation.Vertical)
        right = QSplitter(Qt.Orientation.Vertical)
        left.addWidget(self.condition)
        left.addWidget(self.relations)
        right.addWidget(self.events)
        right.addWidget(self.mentions)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(left)
        both.addWidget(right)
        for splitter in (left, right, both):
            splitter.setChildrenCollapsible(False)
            splitter.setStretchFactor(0, 1)
            splitter.setStretchFactor(1, 1)
            splitter.setSizes([HALF, HALF])
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(8)
        inside.addLayout(who)
        inside.addWidget(self.now)
        inside.addSpacing(4)
        inside.addWidget(both, 1)
        self.stack = StateStack(content)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 12, MARGIN, 12)
        column.setSpacing(12)
        column.addLayout(self._top)
        column.addWidget(self.stack, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._context.theme.px(NARROW_PX)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._top.setDirection(way)

    # --- what is asked ---

    def show_name(self, name: str, folder: FolderPk | None = None) -> None:
        """Everything about whoever bears a name, where it is read together with a folder."""
        if name.strip():
            self._go(EverythingAbout(name=name.strip(), folder=folder))

    def ask_name(self) -> None:
        """Let a person type a name."""
        self.name.setFocus()
        self.name.selectAll()

    def show_memory(self, memory: MemoryPk) -> None:
        """Everything about a memory."""
        self._go(EverythingAbout(memory=memory))

    def _go(self, query: EverythingAbout) -> None:
        query = replace(query, everywhere=self.everywhere.isChecked(), limit=LISTED)
        if self._asked is not None and self._asked != query:
            self._before.append(self._asked)
        self._asked = query
        self.name.setFocus()
        self._ask()

    def _go_back(self) -> None:
        """The name before, else the page before."""
        if self._before:
            self._asked = self._before.pop()
            self._ask()
        else:
            self.back.emit()

    def left_from(self) -> None:
        """Somebody came from another page: going back leads there."""
        self._before.clear()
        self._asked = None

    def _on_everywhere(self, on: bool) -> None:
        if self._asked is not None:
            self._asked = replace(self._asked, everywhere=on)
            self._ask()

    def _ask(self) -> None:
        query, engine, tr = self._asked, self._context.engine, self._context.tr
        if query is None:
            return
        self._late = False
        self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> _Read:
            found = engine.ask(query, cancel=cancel)
            return _Read(found, engine.ask(LibrarySchema(), cancel=cancel))

        self._context.tasks.run(
            Lane.READ,
            ask,
            self._take,
            owner=self,
            query="about",
            failed=lambda error: self.stack.show_notice(tr.error(error), tr("state.again"), self._ask),
        )

    def _on_changes(self, _changes: object) -> None:
        """Out of sight nothing is asked; what changed meanwhile is asked on return."""
        self._late = True
        if self.isVisible():
            self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._late:
            self._soon.start()

    # --- what is shown ---

    def _take(self, read: _Read) -> None:
        self._read = read
        self._say()
        about, tr = read.about, self._context.tr
        if about.memory is None and not about.mentions.total:
            self.stack.show_notice(
                tr("about.nothing", name=isolate(about.name)), tr("about.back"), self._go_back
            )
        else:
            self.stack.show_content()

    def _say(self) -> None:
        tr, theme = self._context.tr, self._context.theme
        self.back_button.setIcon(theme.icon("mdi6.arrow-left"))
        self.back_button.setToolTip(tr("about.back"))
        self.back_button.setAccessibleName(tr("about.back"))
        self.name.setPlaceholderText(tr("about.name"))
        self.name.setAccessibleName(tr("about.name"))
        self.name.setMaximumWidth(theme.px(NAME_PX))
        self.name.setMinimumWidth(theme.px(LEAST_NAME_PX))
        self.everywhere.setText(tr("about.everywhere"))
        self.everywhere.setToolTip(tr("about.everywhere.tip"))
        for button, key, icon in (
            (self.open_button, "about.open", "mdi6.text-box-outline"),
            (self.graph_button, "about.graph", "mdi6.graph-outline"),
            (self.recall_button, "about.recall", "mdi6.text-search"),
        ):
            button.setText(tr(key))
            button.setToolTip(tr(f"{key}.tip"))
            button.setIcon(theme.icon(icon))
        if self._read is not None:
            self._fill(self._read.about, self._read.schema)
        elif self._asked is None:
            self.stack.show_notice(tr("about.start"))

    def _fill(self, about: About, schema: Schema) -> None:
        memory = about.memory
        self.name.setText(about.name if memory is None or not memory.title else memory.title)
        for button in (self.open_button, self.graph_button):
            button.setEnabled(memory is not None)
        self.left.setVisible(memory is not None)
        self._fill_head(about, schema)
        self._waiting = [
            partial(self._fill_condition, about, schema),
            partial(self._fill_relations, about, schema),
            partial(self._fill_events, about),
            partial(self._fill_mentions, about),
        ]
        self._fill_next()

    def _fill_next(self) -> None:
        """One list a turn of the event loop: all together they would hold it."""
        if self._waiting:
            self._waiting.pop(0)()
        if self._waiting:
            self._next.start()

    def _fill_condition(self, about: About, schema: Schema) -> None:
        tr, memory, steps = self._context.tr, about.memory, len(about.condition)
        if memory is not None:
            latest = about.condition[-LISTED:]
            self.steps.show_steps(latest, schema.type(memory.type), memory.pk)
        count = tr.number(steps) if steps else ""
        if steps > LISTED:
            count = tr("about.first", shown=tr.number(LISTED), total=count)
        self.condition.say(tr("about.condition"), count, tr("about.condition.none"))

    def _fill_relations(self, about: About, schema: Schema) -> None:
        tr, total = self._context.tr, sum(group.total for group in about.relations)
        if about.memory is not None:
            self.ends.show_groups(about.relations, schema, about.memory.pk)
        count = tr.number(total) if total else ""
        self.relations.say(tr("about.relations"), count, tr("about.relations.none"))

    def _fill_events(self, about: About) -> None:
        tr = self._context.tr
        self.happened.show_rows(about.events.rows)
        self.events.say(tr("about.events"), counted(self._context, about.events), tr("about.events.none"))

    def _fill_mentions(self, about: About) -> None:
        tr = self._context.tr
        self.naming.show_rows(about.mentions.rows)
        none = tr("about.mentions.none") if about.names else tr("about.no_names")
        self.mentions.say(tr("about.mentions"), counted(self._context, about.mentions), none)

    def _fill_head(self, about: About, schema: Schema) -> None:
        tr, theme, memory = self._context.tr, self._context.theme, about.memory
        self.icon.setVisible(memory is not None)
        if memory is None:
            self.kind.setText(tr("about.nobody", name=isolate(about.name)))
        else:
            kind = schema.type(memory.type)
            self.icon.setPixmap(theme.type_icon(memory.type).pixmap(theme.icon_size))
            name = type_name(kind, tr) if kind else memory.type
            self.kind.setText(f"{name} · {about.folder_name}")
        while (item := self.names.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        if len(about.names) > 1:
            row = ChipRow(about.names)
            row.setAccessibleName(f"{tr('value.aliases')}: {', '.join(about.names)}")
            row.clicked.connect(self.show_name)
            self.names.addWidget(row)
        self.former.setVisible(bool(about.former))
        self.former.setText(tr("about.former", names=", ".join(about.former)))
        self._fill_others(about)
        self.now.setText(self._now(about, schema))
        self.now.setVisible(bool(self.now.text()))

    def _fill_others(self, about: About) -> None:
        """Who else is called so."""
        tr, theme, others = self._context.tr, self._context.theme, about.bearers[1:]
        self.others.setVisible(bool(others))
        self.others.setText(tr("about.others", count=len(others)))
        menu = self.others.menu()
        menu.clear()
        for row in others:
            title = shorten(name_of(row.title or row.snippet, tr), 40)
            entry = menu.addAction(theme.type_icon(row.type), f"{title} · {row.folder_name}")
            entry.triggered.connect(lambda _checked=False, pk=row.pk: self.show_memory(pk))

    def _now(self, about: About, schema: Schema) -> str:
        """How it stands now: the columns of its type that say something."""
        memory, tr = about.memory, self._context.tr
        kind = None if memory is None else schema.type(memory.type)
        if memory is None or kind is None:
            return ""
        parts = []
        for column in kind.columns:
            value = shown_value(column, memory.fields.get(column.name), tr)
            if column.role is ColumnRole.FIELD and value not in (None, "", [], {}):
                parts.append(f"{column_name(column, tr)}: {shorten(json_text(value), NOW_CHARS)}")
        return "\n".join(parts[:MOST_NOW])

    # --- where it leads ---

    def _open(self) -> None:
        if self._read is not None and self._read.about.memory is not None:
            self.open_memories.emit((self._read.about.memory.pk,))

    def _show_on_graph(self) -> None:
        if self._read is not None and self._read.about.memory is not None:
            self.graph_wanted.emit(int(self._read.about.memory.pk))

    def _recall(self) -> None:
        if self._read is not None:
            memory = self._read.about.memory
            folder = memory.folder if memory is not None else None
            self.recall_wanted.emit(self.name.text() or self._read.about.name, folder)
