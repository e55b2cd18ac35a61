"""The Types page: the list of types and relation types beside the form of one of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain import texts
from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_health import ArrangeTypes, ImportSchema
from core.domain.commands_schema import RemoveMemoryType, RemoveRelationType, SaveMemoryType, SaveRelationType
from core.domain.enums import Kind
from core.domain.errors import BadFile, Invalid
from core.domain.ids import RelationId, TypeId
from core.domain.queries import LibrarySchema
from core.domain.queries_schema import CheckMemoryType, CheckRelationType, SchemaUse, Use
from core.domain.results import Changes, OpResult, Problem
from core.domain.schema import Column, ColumnFormat, ColumnRole, Labels, MemoryType, RelationType, Schema
from core.domain.schema_data import (
    default_schema,
    memory_type_to_json,
    relation_type_to_json,
    schema_of_json,
)
from ui.context import Context
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.naming import label, type_name
from ui.views.types.relation_form import RelationForm
from ui.views.types.type_form import TypeForm
from ui.widgets.state_stack import StateStack

TYPES, RELATIONS = range(2)
ID = Qt.ItemDataRole.UserRole
CHECK_AFTER_MS = 200
FILE = "memory-curator-types.json"
Item = MemoryType | RelationType


@dataclass(frozen=True, slots=True)
class _Read:
    """The schema and what uses it."""

    schema: Schema
    use: Use


class TypesPage(QWidget):
    """Edits are kept for each type until they are saved or put back."""

    open_memories = Signal(object)

    def __init__(
        self,
        ctx: Context,
        operations: Operations,
        paths: PathChoice | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self._paths = paths or PathChoice()
        self._read: _Read | None = None
        self._drafts: dict[tuple[int, str], Item] = {}
        self._new: set[tuple[int, str]] = set()
        self._current: tuple[int, str] | None = None
        self._problem: Problem | None = None
        self._filling = False
        self.setProperty("surface", "base")
        self.kinds = QTabBar()
        for _ in range(2):
            self.kinds.addTab("")
        self.list = QListWidget()
        self.types, self.relations = TypeForm(ctx), RelationForm(ctx)
        self.forms = QStackedWidget()
        self.title, self.used, self.said = QLabel(), QLabel(), QLabel()
        self.add_button, self.copy_button, self.remove_button = QToolButton(), QToolButton(), QToolButton()
        self.up_button, self.down_button, self.more_button = QToolButton(), QToolButton(), QToolButton()
        self.save_button, self.discard_button = QPushButton(), QPushButton()
        self.default_button = QPushButton()
        self._lay_out()
        self._connect()
        self._check_soon = single_shot(self, CHECK_AFTER_MS, self._check)
        self._say()

    # --- building ------------------------------------------------------------------------

    def _lay_out(self) -> None:
        tools = QWidget()
        tools.setProperty("role", "bar")
        row = QHBoxLayout(tools)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(2)
        for button in (
            self.add_button, self.copy_button, self.remove_button, self.up_button, self.down_button,
        ):  # fmt: skip
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.more_button)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.kinds)
        column.addWidget(self.list, 1)
        column.addWidget(tools)
        for form in (self.types, self.relations):
            area = QScrollArea()
            area.setWidgetResizable(True)
            form.setProperty("surface", "base")
            area.setWidget(form)
            self.forms.addWidget(area)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(left)
        split.addWidget(self._right())
        split.setStretchFactor(1, 1)
        split.setSizes([self._ctx.theme.px(280), 4000])
        split.setChildrenCollapsible(False)
        self.stack = StateStack(split)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)

    def _right(self) -> QWidget:
        self.title.setProperty("role", "large")
        self.used.setProperty("role", "secondary")
        self.said.setWordWrap(True)
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.save_button.setProperty("primary", "true")
        head = QVBoxLayout()
        head.setContentsMargins(16, 12, 16, 0)
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.used)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QHBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        row.addWidget(self.said, 1)
        row.addWidget(self.default_button)
        row.addWidget(self.discard_button)
        row.addWidget(self.save_button)
        right = QWidget()
        right.setProperty("surface", "base")
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.forms, 1)
        column.addWidget(bar)
        return right

    def _connect(self) -> None:
        self.kinds.currentChanged.connect(lambda _index: self._fill())
        self.list.currentItemChanged.connect(lambda *_: self._on_current())
        self.types.changed.connect(self._on_edit)
        self.relations.changed.connect(self._on_edit)
        self.add_button.clicked.connect(self.add)
        self.copy_button.clicked.connect(self.copy)
        self.remove_button.clicked.connect(self.remove)
        self.up_button.clicked.connect(lambda: self.shift(-1))
        self.down_button.clicked.connect(lambda: self.shift(1))
        self.save_button.clicked.connect(self.save)
        self.discard_button.clicked.connect(self.discard)
        self.default_button.clicked.connect(self.back_to_default)
        needs_writing(
            self._ctx,
            self.types,
            self.relations,
            self.add_button,
            self.copy_button,
            self.remove_button,
            self.up_button,
            self.down_button,
            self.save_button,
            self.default_button,
        )
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._ctx.bridge.changes.connect(self._on_changes)
        self._ctx.tr.changed.connect(self._say)
        self._ctx.theme.changed.connect(self._say)

    # --- reading -------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Read the schema again; edits stay."""
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> _Read:
            return _Read(engine.ask(LibrarySchema(), cancel=cancel), engine.ask(SchemaUse(), cancel=cancel))

        self._ctx.tasks.run(Lane.READ, ask, self._take, owner=self, query="schema", failed=self._fail)

    def _fail(self, error: Exception) -> None:
        tr = self._ctx.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)

    def _take(self, read: _Read) -> None:
        self._read = read
        self._ctx.theme.set_schema(read.schema)
        self.stack.show_content()
        self._fill()

    def _on_changes(self, changes: Changes) -> None:
        if {Kind.MEMORY_TYPE, Kind.RELATION_TYPE, Kind.MEMORY} & changes.touched.keys() and self.isVisible():
            self.refresh()

    # --- the list ------------------------------------------------------------------------

    @property
    def _kind(self) -> int:
        return self.kinds.currentIndex()

    def _items(self) -> list[Item]:
        """What the list shows: stored ones, then new ones."""
        if self._read is None:
            return []
        schema = self._read.schema
        stored: list[Item] = list(schema.types if self._kind == TYPES else schema.relations)
        known = {item.id for item in stored}
        made = [self._drafts[key] for key in self._new if key[0] == self._kind and key[1] not in known]
        return [*stored, *made]

    def _fill(self) -> None:
        wanted = self._current
        self._filling = True
        self.list.clear()
        for item in self._items():
            self.list.addItem(self._row(item))
        self._filling = False
        at = next((row for row in range(self.list.count()) if self._key(row) == wanted), 0)
        self.list.setCurrentRow(at if self.list.count() else -1)
        self._on_current()

    def _row(self, item: Item) -> QListWidgetItem:
        tr, theme = self._ctx.tr, self._ctx.theme
        key = (self._kind, self._id_of(item))
        name = type_name(item, tr) if isinstance(item, MemoryType) else label(item.labels, tr.code, item.id)
        row = QListWidgetItem(f"{name} •" if key in self._drafts else name)
        row.setData(ID, key[1])
        row.setToolTip(item.id)
        row.setIcon(
            theme.type_icon(item.id) if isinstance(item, MemoryType) else theme.icon("mdi6.arrow-right")
        )
        return row

    def _id_of(self, item: Item) -> str:
        """The id under which a row is known: of a new one the one it was made with."""
        for key in self._new:
            if key[0] == self._kind and self._drafts.get(key) is item:
                return key[1]
        return str(item.id)

    def _key(self, row: int) -> tuple[int, str] | None:
        there = 0 <= row < self.list.count()
        return (self._kind, str(self.list.item(row).data(ID))) if there else None

    def _stored(self, key: tuple[int, str]) -> Item | None:
        if self._read is None:
            return None
        schema = self._read.schema
        return schema.type(key[1]) if key[0] == TYPES else schema.relation(key[1])

    def _on_current(self) -> None:
        if self._filling:
            return
        self._current = self._key(self.list.currentRow())
        key = self._current
        shown = None if key is None else self._drafts.get(key) or self._stored(key)
        self.forms.setCurrentIndex(self._kind)
        if shown is None or key is None:
            self._say_state()
            return
        if isinstance(shown, MemoryType):
            self.types.show_type(shown, new=key in self._new)
        else:
            self.relations.show_relation(shown, new=key in self._new)
        self._problem = None
        self._say_state()
        self._check()

    # --- editing -------------------------------------------------------------------------

    @property
    def value(self) -> Item | None:
        """What the form in sight says."""
        return self.types.value if self._kind == TYPES else self.relations.value

    def _on_edit(self) -> None:
        key, value = self._current, self.value
        if key is None or value is None:
            return
        if value == self._stored(key):
            self._drafts.pop(key, None)
        else:
            self._drafts[key] = value
        self.list.currentItem().setText(self._row(value).text())
        self._check_soon.start()
        self._say_state()

    def _check(self) -> None:
        """Ask the rules of the domain what stands against saving."""
        key, value, engine = self._current, self.value, self._ctx.engine
        if key is None or value is None:
            return
        new = key in self._new

        def ask(_progress: Report, cancel: Cancel) -> Problem | None:
            if isinstance(value, MemoryType):
                return engine.ask(CheckMemoryType(value, new), cancel=cancel)
            return engine.ask(CheckRelationType(value, new), cancel=cancel)

        def take(problem: Problem | None) -> None:
            if key == self._current:
                self._problem = problem
                self._say_state()

        self._ctx.tasks.run(
            Lane.READ, ask, take, owner=self, query="check", failed=self._operations.show_error
        )

    def save(self) -> None:
        """Save what the form says, as one change."""
        key, value = self._current, self.value
        if key is None or value is None:
            return
        command: Command = SaveMemoryType(value) if isinstance(value, MemoryType) else SaveRelationType(value)

        def done(_result: OpResult) -> None:
            self._drafts.pop(key, None)
            self._new.discard(key)
            self._current = (key[0], str(value.id))
            self.refresh()

        self._operations.run(command, done)

    def discard(self) -> None:
        """Put the edits of this one back."""
        if self._current is not None:
            self._drafts.pop(self._current, None)
            self._new.discard(self._current)
            self._fill()

    def add(self) -> None:
        """A new one, to be named."""
        self._begin(self._fresh())

    def copy(self) -> None:
        """A new one like this."""
        value = self.value
        if isinstance(value, MemoryType):
            free = self._free(f"{value.id}_copy")
            labels = self._copied(value.labels)
            self._begin(
                replace(
                    value, pk=0, id=TypeId(free), labels=labels, table_name=free, built_in=False, position=0
                )
            )
        elif value is not None:
            free = self._free(f"{value.id}_copy")
            labels = self._copied(value.labels)
            self._begin(replace(value, pk=0, id=RelationId(free), labels=labels, built_in=False, position=0))

    def _copied(self, labels: Labels) -> Labels:
        """Names of a copy, each in its own language."""
        return {
            code: texts.render(code, "types.copy_of", name=text) if code in texts.LANGUAGES else text
            for code, text in labels.items()
        }

    def _fresh(self) -> Item:
        tr = self._ctx.tr
        if self._kind == RELATIONS:
            name = self._free("relation")
            return RelationType(id=RelationId(name), labels={tr.code: tr("types.new_relation")})
        name = self._free("type")
        return MemoryType(
            id=TypeId(name),
            labels={tr.code: tr("types.new_type")},
            table_name=name,
            icon="mdi6.circle-outline",
            columns=(
                Column(
                    name="title", role=ColumnRole.TITLE, required=True, labels={tr.code: tr("value.title")}
                ),
                Column(
                    name="summary",
                    role=ColumnRole.BODY,
                    format=ColumnFormat.LONG_TEXT,
                    labels={tr.code: tr("value.body")},
                ),
            ),
        )

    def _free(self, name: str) -> str:
        taken = {str(item.id) for item in self._items()} | {key[1] for key in self._new}
        if self._read is not None:
            taken |= {item.table_name for item in self._read.schema.types}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}{number}"
        return free

    def _begin(self, item: Item) -> None:
        key = (self._kind, str(item.id))
        self._new.add(key)
        self._drafts[key] = item
        self._current = key
        self._fill()
        form = self.types if self._kind == TYPES else self.relations
        form.labels.edits[self._ctx.tr.code].setFocus()
        form.labels.edits[self._ctx.tr.code].selectAll()

    def remove(self) -> None:
        """Remove this one; the store refuses one that is in use or built in."""
        key = self._current
        if key is None:
            return
        if key in self._new:
            self.discard()
            return
        command: Command = (
            RemoveMemoryType(TypeId(key[1])) if key[0] == TYPES else RemoveRelationType(RelationId(key[1]))
        )
        self._operations.run(command, lambda _result: self.refresh())

    def shift(self, by: int) -> None:
        """One place up or down in all lists."""
        at, ids = self.list.currentRow(), [str(item.id) for item in self._items()]
        if not 0 <= at + by < len(ids) or self._new:
            return
        ids[at], ids[at + by] = ids[at + by], ids[at]
        command = (
            ArrangeTypes(types=tuple(ids)) if self._kind == TYPES else ArrangeTypes(relations=tuple(ids))
        )
        self._operations.run(command, lambda _result: self.refresh())

    def back_to_default(self) -> None:
        """The chosen one as it came with the program; its place and its memories stay."""
        key = self._current
        built = self._built_in(key)
        if isinstance(built, MemoryType):
            self._operations.run(ImportSchema(types=(built,)), lambda _result: self._forget(key))
        elif built is not None:
            self._operations.run(ImportSchema(relations=(built,)), lambda _result: self._forget(key))

    def all_to_default(self) -> None:
        """All built-in ones as they came; a person's own stay."""
        schema = default_schema()
        self._operations.run(
            ImportSchema(types=schema.types, relations=schema.relations), lambda _result: self._forget(None)
        )

    def _built_in(self, key: tuple[int, str] | None) -> Item | None:
        if key is None or key in self._new:
            return None
        schema = default_schema()
        return schema.type(key[1]) if key[0] == TYPES else schema.relation(key[1])

    def _forget(self, key: tuple[int, str] | None) -> None:
        if key is None:
            self._drafts = {each: item for each, item in self._drafts.items() if each in self._new}
        else:
            self._drafts.pop(key, None)
        self.refresh()

    # --- JSON ----------------------------------------------------------------------------

    def ask_export(self) -> None:
        """Ask where all types go as JSON."""
        tr = self._ctx.tr
        path = self._paths.save_file(self, tr("types.export"), Path.home() / FILE, tr("types.json"))
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write all types and relation types as JSON."""
        engine, tr = self._ctx.engine, self._ctx.tr

        def work(_progress: Report, cancel: Cancel) -> Path:
            schema = engine.ask(LibrarySchema(), cancel=cancel)
            data = {
                "types": [memory_type_to_json(item) for item in schema.types],
                "relations": [relation_type_to_json(item) for item in schema.relations],
            }
            try:
                path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
            except OSError as error:
                raise Invalid("error.schema.cannot_write", path=str(path), details=str(error)) from error
            return path

        self._ctx.tasks.run(
            Lane.NET,
            work,
            lambda done: self._operations.said.emit(tr("types.exported", path=str(done)), False),
            owner=self,
            failed=self._operations.show_error,
        )

    def ask_import(self) -> None:
        """Ask for a JSON file with types."""
        path = self._paths.file(self, self._ctx.tr("types.import"), Path.home())
        if path is not None:
            self.import_from(path)

    def import_from(self, path: Path) -> None:
        """Take in what a file holds, as one change; nothing when one of them breaks a rule."""

        def work(_progress: Report, _cancel: Cancel) -> Schema:
            try:
                text = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise BadFile("error.schema.unreadable", file=path.name, details=str(error)) from error
            return schema_of_json(text, path.name)

        def done(found: Schema) -> None:
            self._operations.run(
                ImportSchema(types=found.types, relations=found.relations), lambda _result: self.refresh()
            )

        self._ctx.tasks.run(Lane.NET, work, done, owner=self, failed=self._operations.show_error)

    # --- words ---------------------------------------------------------------------------

    def _say(self) -> None:
        tr, theme = self._ctx.tr, self._ctx.theme
        self.kinds.setTabText(TYPES, tr("types.memories"))
        self.kinds.setTabText(RELATIONS, tr("types.relations"))
        self.list.setAccessibleName(tr("page.types"))
        for button, name, icon in (
            (self.add_button, "add", "mdi6.plus"),
            (self.copy_button, "copy", "mdi6.content-copy"),
            (self.remove_button, "remove", "mdi6.trash-can-outline"),
            (self.up_button, "up", "mdi6.arrow-up"),
            (self.down_button, "down", "mdi6.arrow-down"),
            (self.more_button, "more", "mdi6.dots-vertical"),
        ):
            button.setIcon(theme.icon(icon))
            button.setIconSize(theme.icon_size)
            button.setToolTip(tr(f"types.do.{name}"))
            button.setAccessibleName(tr(f"types.do.{name}"))
        menu = QMenu(self.more_button)
        menu.addAction(tr("types.export"), self.ask_export)
        menu.addAction(tr("types.import"), self.ask_import)
        menu.addSeparator()
        menu.addAction(tr("types.all_default"), self.all_to_default)
        self.more_button.setMenu(menu)
        self.save_button.setText(tr("types.save"))
        self.discard_button.setText(tr("types.discard"))
        self.default_button.setText(tr("types.default"))
        self.default_button.setToolTip(tr("types.default.tip"))
        self.types.say()
        self.relations.say()
        self._fill()

    def _say_state(self) -> None:
        tr, key = self._ctx.tr, self._current
        there = key is not None
        edited = there and key in self._drafts
        new = there and key in self._new
        used = 0
        if key is not None and self._read is not None:
            counts = self._read.use.types if key[0] == TYPES else self._read.use.relations
            used = counts.get(key[1], 0)
        self.title.setText(self.list.currentItem().text().removesuffix(" •") if there else "")
        name = "memories" if self._kind == TYPES else "relations"
        self.used.setText(tr("types.new") if new else tr(f"types.used.{name}", count=used) if there else "")
        problem = self._problem
        if problem is not None and edited:
            self.said.setProperty("role", "danger")
            self.said.setText(tr(problem.key, **dict(problem.args)))
        else:
            self.said.setProperty("role", "secondary")
            affects = edited and used and not new
            self.said.setText(tr(f"types.affects.{name}", count=used) if affects else "")
        self.said.style().polish(self.said)
        stored = None if key is None else self._stored(key)
        built_in = self._built_in(key)
        self.save_button.setEnabled(bool(edited) and problem is None)
        self.discard_button.setEnabled(bool(edited))
        self.default_button.setVisible(built_in is not None)
        self.default_button.setEnabled(stored is not None and not _alike(stored, built_in))
        self.copy_button.setEnabled(there)
        self._enable_list(there=there, new=bool(new), used=used, built_in=bool(stored and stored.built_in))

    def _enable_list(self, *, there: bool, new: bool, used: int, built_in: bool) -> None:
        tr, at = self._ctx.tr, self.list.currentRow()
        self.remove_button.setEnabled(there and (new or (not used and not built_in)))
        why = "types.why.built_in" if built_in else "types.why.used" if used else "types.do.remove"
        self.remove_button.setToolTip(tr(why, count=used))
        self.up_button.setEnabled(at > 0 and not self._new)
        self.down_button.setEnabled(0 <= at < self.list.count() - 1 and not self._new)


def _alike(stored: Item, built_in: Item | None) -> bool:
    """Whether a type is as it came, but for its key and place."""
    if isinstance(stored, MemoryType) and isinstance(built_in, MemoryType):
        return replace(stored, pk=0, position=0, built_in=True) == replace(
            built_in, pk=0, position=0, built_in=True
        )
    if isinstance(stored, RelationType) and isinstance(built_in, RelationType):
        return replace(stored, pk=0, position=0, built_in=True) == replace(
            built_in, pk=0, position=0, built_in=True
        )
    return False
