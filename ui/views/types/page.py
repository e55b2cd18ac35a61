"""The Types page: the list of types and relation types beside the form of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Command
from core.domain.commands_health import ArrangeTypes, ImportSchema
from core.domain.commands_schema import RemoveMemoryType, RemoveRelationType, SaveMemoryType, SaveRelationType
from core.domain.enums import Kind
from core.domain.ids import RelationId, TypeId
from core.domain.queries import LibrarySchema
from core.domain.queries_schema import CheckMemoryType, CheckRelationType, SchemaUse, Use
from core.domain.results import Changes, OpResult, Problem
from core.domain.schema import MemoryType, Schema
from core.domain.schema_data import default_schema
from ui.context import Context
from ui.operations import Operations
from ui.path_choice import PathChoice
from ui.read_only import entries_need_writing, needs_writing
from ui.tasks import Lane, single_shot
from ui.views.types.edits import TYPES, Item, Key, TypeEdits, stored_in
from ui.views.types.files import TypeFiles
from ui.views.types.form_pane import FormPane
from ui.views.types.fresh import alike, built_in, copy_of, fresh
from ui.views.types.list_pane import DOT, TypeList
from ui.widgets.state_stack import StateStack

CHECK_AFTER_MS = 200
LIST_PX = 280


@dataclass(frozen=True, slots=True)
class _Read:
    """The schema and what uses it."""

    schema: Schema
    use: Use


class TypesPage(QWidget):
    """Edits are kept for each type until they are saved or put back, also after a restart."""

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
        self._read: _Read | None = None
        self._current: Key | None = None
        self._problem: Problem | None = None
        self.setProperty("surface", "base")
        self.edits = TypeEdits(ctx, self)
        self.files = TypeFiles(ctx, operations, paths or PathChoice(), self)
        self.side, self.pane = TypeList(ctx, self.edits), FormPane(ctx)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.side)
        split.addWidget(self.pane)
        split.setStretchFactor(1, 1)
        split.setSizes([ctx.theme.px(LIST_PX), 4000])
        split.setChildrenCollapsible(False)
        self.stack = StateStack(split)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)
        self._connect()
        self._check_soon = single_shot(self, CHECK_AFTER_MS, self._check)
        self._say()

    def _connect(self) -> None:
        side, pane, tools = self.side, self.pane, self.side.tools
        side.kind_chosen.connect(self._fill)
        side.current.connect(self._on_current)
        pane.types.changed.connect(self._on_edit)
        pane.relations.changed.connect(self._on_edit)
        ways: dict[str, Callable[[], None]] = {
            "add": self.add,
            "copy": self.copy,
            "remove": self.remove,
            "up": lambda: self.shift(-1),
            "down": lambda: self.shift(1),
        }
        for name, way in ways.items():
            tools[name].clicked.connect(way)
        pane.save_button.clicked.connect(self.save)
        pane.discard_button.clicked.connect(self.discard)
        pane.default_button.clicked.connect(self.back_to_default)
        needs_writing(
            self._ctx,
            pane.types,
            pane.relations,
            *(tools[name] for name in ways),
            pane.save_button,
            pane.default_button,
        )
        self.edits.changed.connect(self._on_edits)
        self.files.imported.connect(self.refresh)
        self._ctx.bridge.changes.connect(self._on_changes)
        self._ctx.tr.changed.connect(self._say)
        self._ctx.theme.changed.connect(self._say)

    # --- reading -------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def save_state(self) -> None:
        """Before the library closes: what is typed goes into it."""
        self.edits.close()

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
        self.edits.settle(read.schema)
        self.stack.show_content()
        self._fill()

    def _on_edits(self) -> None:
        """Edits came back from the library."""
        if self._read is not None:
            self._take(self._read)

    def _on_changes(self, changes: Changes) -> None:
        if {Kind.MEMORY_TYPE, Kind.RELATION_TYPE, Kind.MEMORY} & changes.touched.keys() and self.isVisible():
            self.refresh()

    # --- the list ------------------------------------------------------------------------

    def _items(self) -> list[tuple[Key, Item]]:
        """What the list shows: stored ones, then new ones; each as it is typed."""
        if self._read is None:
            return []
        kind, schema = self.side.kind, self._read.schema
        keys: list[Key] = [
            (kind, str(item.id)) for item in (schema.types if kind == TYPES else schema.relations)
        ]
        keys += [key for key in self.edits.new(kind) if key not in keys]
        found = ((key, self.edits.get(key) or stored_in(schema, key)) for key in keys)
        return [(key, item) for key, item in found if item is not None]

    def _fill(self) -> None:
        self.side.fill(self._items(), self._current)
        self._on_current()

    def _stored(self, key: Key | None) -> Item | None:
        return None if key is None or self._read is None else stored_in(self._read.schema, key)

    def _on_current(self) -> None:
        key = self._current = self.side.key
        shown = None if key is None else self.edits.get(key) or self._stored(key)
        new = key is not None and self.edits.is_new(key)
        self.pane.show_item(key, shown, new=new)
        self._problem = None
        self._say_state()
        if shown is not None:
            self._check()

    # --- editing -------------------------------------------------------------------------

    @property
    def value(self) -> Item | None:
        """What the form in sight says."""
        return self.pane.value(self.side.kind)

    def _on_edit(self) -> None:
        key, value = self._current, self.value
        if key is None or value is None:
            return
        self.edits.put(key, value, self._stored(key))
        self.side.rename(value)
        self._check_soon.start()
        self._say_state()

    def _check(self) -> None:
        """Ask the rules of the domain what stands against saving."""
        key, value, engine = self._current, self.value, self._ctx.engine
        if key is None or value is None:
            return
        new = self.edits.is_new(key)

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
            if self.edits.get(key) == value:  # else it was typed on meanwhile
                self.edits.drop(key)
            if self._current == key:
                self._current = (key[0], str(value.id))
            self.refresh()

        self._operations.run(command, done)

    def discard(self) -> None:
        """Put the edits of this one back."""
        if self._current is not None:
            self.edits.drop(self._current)
            self._fill()

    def add(self) -> None:
        """A new one, to be named."""
        self._begin(fresh(self.side.kind, self._taken(), self._ctx.tr))

    def copy(self) -> None:
        """A new one like this."""
        if (value := self.value) is not None:
            self._begin(copy_of(value, self._taken()))

    def _taken(self) -> set[str]:
        """Ids and names of tables that are in use, by unsaved ones too."""
        taken = {str(item.id) for _key, item in self._items()} | {key[1] for key in self.edits.new()}
        if self._read is not None:
            taken |= {item.table_name for item in self._read.schema.types}
        return taken

    def _begin(self, item: Item) -> None:
        key = (self.side.kind, str(item.id))
        self.edits.begin(key, item)
        self._current = key
        self._fill()
        self.pane.begin_typing()

    def remove(self) -> None:
        """Remove this one; the store refuses one that is in use or built in."""
        key = self._current
        if key is None:
            return
        if self.edits.is_new(key):
            self.discard()
            return
        command: Command = (
            RemoveMemoryType(TypeId(key[1])) if key[0] == TYPES else RemoveRelationType(RelationId(key[1]))
        )
        self._operations.run(command, lambda _result: self._forget(key))

    def shift(self, by: int) -> None:
        """One place up or down in all lists."""
        at, ids = self.side.list.currentRow(), [key[1] for key, _item in self._items()]
        if not 0 <= at + by < len(ids) or self.edits.new():
            return
        ids[at], ids[at + by] = ids[at + by], ids[at]
        of_types = self.side.kind == TYPES
        command = ArrangeTypes(types=tuple(ids)) if of_types else ArrangeTypes(relations=tuple(ids))
        self._operations.run(command, lambda _result: self.refresh())

    def back_to_default(self) -> None:
        """The chosen one as it came with the program; its place and its memories stay."""
        key = self._current
        given = None if key is None or self.edits.is_new(key) else built_in(key)
        if isinstance(given, MemoryType):
            self._operations.run(ImportSchema(types=(given,)), lambda _result: self._forget(key))
        elif given is not None:
            self._operations.run(ImportSchema(relations=(given,)), lambda _result: self._forget(key))

    def all_to_default(self) -> None:
        """All built-in ones as they came; a person's own stay."""
        schema = default_schema()
        self._operations.run(
            ImportSchema(types=schema.types, relations=schema.relations), lambda _result: self._forget(None)
        )

    def _forget(self, key: Key | None) -> None:
        """Forget the edits of one, or of all that are stored."""
        if key is None:
            self.edits.drop_stored()
        else:
            self.edits.drop(key)
        self.refresh()

    # --- words ---------------------------------------------------------------------------

    def _say(self) -> None:
        tr, more = self._ctx.tr, self.side.tools["more"]
        self.side.say()
        self.pane.say()
        menu = QMenu(more)
        menu.addAction(tr("types.export"), self.files.ask_export)
        taken = menu.addAction(tr("types.import"), self.files.ask_import)
        menu.addSeparator()
        default = menu.addAction(tr("types.all_default"), self.all_to_default)
        entries_need_writing(self._ctx, menu, taken, default)
        more.setMenu(menu)
        self.pane.forget()
        self._fill()

    def _say_state(self) -> None:
        tr, pane, key = self._ctx.tr, self.pane, self._current
        edited = key is not None and self.edits.get(key) is not None
        new = key is not None and self.edits.is_new(key)
        used = self._used(key)
        row = self.side.list.currentItem()
        pane.title.setText("" if key is None or row is None else row.text().removesuffix(DOT))
        name = "memories" if self.side.kind == TYPES else "relations"
        pane.used.setText(
            tr("types.new") if new else tr(f"types.used.{name}", count=used) if key is not None else ""
        )
        affects = tr(f"types.affects.{name}", count=used) if edited and used and not new else ""
        problem = self._problem if edited else None
        pane.say_result(problem, affects)
        stored, given = self._stored(key), None if key is None or new else built_in(key)
        pane.save_button.setEnabled(edited and problem is None)
        pane.discard_button.setEnabled(edited)
        pane.default_button.setVisible(given is not None)
        pane.default_button.setEnabled(stored is not None and not alike(stored, given))
        is_built_in = bool(stored and stored.built_in)
        self.side.enable(there=key is not None, new=new, used=used, built_in=is_built_in)

    def _used(self, key: Key | None) -> int:
        """How many memories or relations are of it."""
        if key is None or self._read is None:
            return 0
        counts = self._read.use.types if key[0] == TYPES else self._read.use.relations
        return counts.get(key[1], 0)
