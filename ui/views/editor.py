"""The editor of one memory: a typed form with drafts, one change per save, and a way out of conflicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report, draft_key
from core.domain.commands import Command, CreateMemory, MergeIntoMemory
from core.domain.enums import Layer, TagKind
from core.domain.errors import Conflict, UserError
from core.domain.folder import Folder
from core.domain.ids import MemoryPk, TypeId
from core.domain.json_types import Json, JsonObject
from core.domain.queries import MemoryRows, NoveltyOf, TagNames
from core.domain.results import MemoryDetail, MemoryRow, NoveltyReport, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.drafts import DraftKeeper
from ui.tasks import Lane, single_shot
from ui.views.clash_panel import ClashPanel
from ui.views.editor_form import EditorForm
from ui.views.editor_values import (
    Values,
    changes,
    creation_of,
    draft_of,
    edit_of,
    empty_values,
    faults,
    key_of,
    merged,
    too_long,
    values_of,
)
from ui.views.naming import json_text, mapping, value_name, value_text
from ui.views.twin_panel import TwinPanel

DRAFT_AFTER_MS = 400
SETTING_EMBEDDER, NO_EMBEDDER = "embedder", "none"
Judged = tuple[NoveltyReport, dict[MemoryPk, MemoryRow]]
NARROW_PX = 320
"""Below this width what stands side by side stands one below the other."""


@dataclass
class _Subject:
    """What is being edited. `pk` None = a memory that does not exist yet.

    `stored` are the values in the library, `base` those from which the person started.
    """

    key: str
    pk: MemoryPk | None
    folder: Folder
    schema: Schema
    stored: Values
    base: Values
    revision: int | None = None
    twin: MemoryPk | None = None
    sent: Values = field(default_factory=dict)


class Editor(QWidget):
    """Edits one memory or a new one. Typed text is kept as a draft until it is saved or reverted."""

    dirty_changed = Signal(bool)
    saved = Signal(object)
    """Pk of the memory, after the change is in the library."""
    reload_wanted = Signal()
    """The memory was changed by somebody else: load it again and `show_memory` merges."""

    def __init__(self, ctx: Context, drafts: DraftKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._drafts = drafts
        self._subject: _Subject | None = None
        self._dirty = False
        self._saving = False
        self._tried = False
        self.judged: Judged | None = None
        """How new the text of the memory made last is, and the nearest ones; None when nobody could tell."""
        self.form = EditorForm(ctx)
        self.form.changed.connect(self._on_changed)
        self.clashes = ClashPanel(ctx)
        self.clashes.chosen.connect(self._on_chosen)
        self.twins = TwinPanel(ctx)
        self.twins.merge_wanted.connect(self._merge_into_twin)
        self.twins.create_wanted.connect(self._create_anyway)
        self._draft_timer = single_shot(self, DRAFT_AFTER_MS, self.keep_draft)
        self._build()

    def _build(self) -> None:
        tr = self._ctx.tr
        page = QWidget()
        page.setProperty("surface", "base")
        inside = QVBoxLayout(page)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(0)
        holder = QVBoxLayout()
        holder.setContentsMargins(16, 0, 16, 0)
        holder.setSpacing(8)
        holder.addWidget(self.clashes)
        holder.addWidget(self.twins)
        inside.addLayout(holder)
        inside.addWidget(self.form, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        self._said = QLabel()
        self._said.setWordWrap(True)
        self._said.setProperty("role", "small")
        self.revert_button = QPushButton(tr("edit.revert"))
        self.revert_button.setToolTip(tr("edit.revert.tip"))
        self.revert_button.clicked.connect(self.revert)
        self.save_button = QPushButton()
        self.save_button.setProperty("primary", True)
        self.save_button.clicked.connect(self.save)
        bar = QWidget()
        bar.setProperty("role", "bar")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.revert_button)
        buttons.addWidget(self.save_button)
        self._foot = QBoxLayout(QBoxLayout.Direction.LeftToRight, bar)
        self._foot.setContentsMargins(16, 8, 16, 8)
        self._foot.setSpacing(8)
        self._foot.addWidget(self._said, 1)
        self._foot.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll, 1)
        column.addWidget(bar)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < self._ctx.theme.px(NARROW_PX)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._foot.setDirection(way)
        self.form.lay_out(narrow=narrow)

    # --- what is edited ---

    @property
    def dirty(self) -> bool:
        """Whether something was typed that is not saved."""
        return self._dirty

    @property
    def is_new(self) -> bool:
        """Whether a memory is being made that does not exist yet."""
        return self._subject is not None and self._subject.pk is None

    def show_memory(self, detail: MemoryDetail, schema: Schema) -> None:
        """Edit a memory. Text typed on it before comes back; what changed meanwhile is merged.

        The same memory again (a refresh) keeps cursor and typed text.
        """
        stored = values_of(detail)
        key = draft_key(detail.memory.id)
        subject = self._subject
        if subject is not None and subject.key == key:
            mine, base = self.form.values(), subject.base
            if subject.sent and not changes(stored, subject.sent):
                base = subject.sent  # our own change came back: what differs now was typed since
        else:
            self.keep_draft()
            draft = mapping(self._drafts.get(key) or {})
            mine = dict(mapping(draft.get("mine"))) or dict(stored)
            base = dict(mapping(draft.get("base"))) or dict(stored)
            self._tried = False
        self._subject = _Subject(
            key, detail.memory.pk, detail.folder, schema, stored, base, detail.memory.revision
        )
        self._merge(mine)

    def show_new(self, folder: Folder, schema: Schema, type_id: TypeId, layer: str) -> None:
        """Begin a new memory in a folder, or go on with the one begun there before."""
        self.twins.forget()
        self.keep_draft()
        key = draft_key(None, folder.pk)
        stored = empty_values(type_id) | {"layer": layer}
        mine = dict(stored) | dict(mapping(mapping(self._drafts.get(key) or {}).get("mine")))
        self._tried = False
        self._subject = _Subject(key, None, folder, schema, stored, dict(stored))
        self._show(mine)
        self.clashes.show_clashes((), str, _plain)
        self._refresh()

    def forget(self) -> None:
        """Stop editing; what was typed stays as a draft."""
        self.twins.forget()
        self.keep_draft()
        self._subject = None
        self._set_dirty(False)

    # --- drafts ---

    def keep_draft(self) -> None:
        """Put what is typed among the drafts now."""
        self._draft_timer.stop()
        subject = self._subject
        if subject is None or self._saving:
            return
        mine = self.form.values()
        if changes(subject.stored, mine):
            self._drafts.keep(subject.key, draft_of(subject.pk, subject.base, mine))
        else:
            self._drafts.discard(subject.key)

    def draft(self) -> JsonObject | None:
        """The draft of what is being edited."""
        return self._drafts.get(self._subject.key) if self._subject else None

    # --- saving ---

    def save(self) -> None:
        """Write the changed values as one change."""
        subject = self._subject
        if subject is None or self._saving:
            return
        self.form.commit_inputs()
        self._tried = True
        mine = self.form.values()
        if self._stands_against(subject, mine):
            return
        changed = changes(subject.stored, mine)
        if subject.pk is None:
            self._look_for_twin(subject, mine)
        elif changed:
            self._run(subject, edit_of(subject.pk, changed, mine, subject.revision), mine)
        else:
            self._drafts.discard(subject.key)

    def _look_for_twin(self, subject: _Subject, mine: Values) -> None:
        """Ask how new the text is before a memory is made; without an embedder it is made at once."""
        command, engine = creation_of(subject.folder.pk, mine), self._ctx.engine
        self.judged = None
        if self._ctx.settings.text(SETTING_EMBEDDER) == NO_EMBEDDER:
            self._run(subject, command, mine)
            return
        new = command.memory
        query = NoveltyOf(folder=new.folder, title=new.title, body=new.body, layer=new.layer or Layer.MEMORY)
        self._saving = True
        self._refresh()

        def ask(_progress: Report, cancel: Cancel) -> tuple[NoveltyReport, dict[MemoryPk, MemoryRow]]:
            report = engine.ask(query, cancel=cancel)
            near = tuple(each.pk for each in report.neighbours)
            return report, {row.pk: row for row in engine.ask(MemoryRows(near), cancel=cancel)}

        def decide(found: tuple[NoveltyReport, dict[MemoryPk, MemoryRow]]) -> None:
            self._saving = False
            report, rows = found
            self.judged = found
            if report.merges and rows and self._subject is subject:
                self.twins.show_report(report, rows)
                self._refresh()
                self._say("twin.decide")
            else:
                self._run(subject, self._creation(subject, mine), mine)

        def create(_error: Exception) -> None:
            self._saving = False
            self._run(subject, command, mine)

        self._ctx.tasks.run(Lane.READ, ask, decide, owner=self, query="twin", failed=create)

    def _create_anyway(self) -> None:
        subject = self._subject
        self.twins.forget()
        if subject is not None and subject.pk is None:
            mine = self.form.values()
            self._run(subject, self._creation(subject, mine), mine)

    def _creation(self, subject: _Subject, mine: Values) -> CreateMemory:
        """The command that makes the memory, with how new its text was found to be."""
        command = creation_of(subject.folder.pk, mine)
        if self.judged is None:
            return command
        return replace(command, memory=replace(command.memory, novelty=self.judged[0].novelty))

    def _merge_into_twin(self) -> None:
        subject, twin = self._subject, self.twins.twin
        self.twins.forget()
        if subject is not None and subject.pk is None and twin is not None:
            mine = self.form.values()
            subject.twin = twin.pk
            new = self._creation(subject, mine).memory
            self.judged = None
            command = MergeIntoMemory(target=twin.pk, memory=new, expected_revision=twin.revision)
            self._run(subject, command, mine)

    def revert(self) -> None:
        """Back to what the library holds; the draft is dropped (Ctrl+Z in a field cannot bring it back)."""
        subject = self._subject
        if subject is None:
            return
        self._draft_timer.stop()
        self._drafts.discard(subject.key)
        subject.base = dict(subject.stored)
        self._tried = False
        self.clashes.show_clashes((), str, _plain)
        self._show(subject.stored)
        self._refresh()

    def _stands_against(self, subject: _Subject, mine: Mapping[str, Json]) -> bool:
        kind = self.form.kind
        found = faults(mine, kind, None if subject.pk is None else subject.stored) if kind else {}
        self.form.show_faults(found)
        if found:
            self.form.focus_on(next(iter(found)))
            self._say("edit.faults", count=len(found))
        elif self.clashes.undecided:
            self._say("clash.decide", count=len(self.clashes.undecided))
            self.clashes.setFocus()
        return bool(found or self.clashes.undecided)

    def _run(self, subject: _Subject, command: Command, mine: Values) -> None:
        self._draft_timer.stop()
        self._drafts.keep(subject.key, draft_of(subject.pk, subject.base, mine))
        self._saving = True
        subject.sent = mine
        self._refresh()

        def run(_progress: Report, _cancel: Cancel) -> OpResult:
            return self._ctx.engine.run(command)

        self._ctx.tasks.run(
            Lane.WRITE,
            run,
            lambda result: self._on_saved(subject, result),
            owner=self,
            failed=lambda error: self._on_failed(subject, error),
        )

    def _on_saved(self, subject: _Subject, result: OpResult) -> None:
        self._saving = False
        self._drafts.discard(subject.key)
        pk = result.created[0] if result.created else subject.pk or subject.twin
        if self._subject is subject or (self._subject and self._subject.key == subject.key):
            if subject.pk is None:
                self._subject = None
                self._set_dirty(False)
            else:
                self._subject.stored = dict(subject.sent)
                self._subject.base = dict(subject.sent)
                self._tried = False
                self._on_changed()
        self.saved.emit(pk)

    def _on_failed(self, subject: _Subject, error: Exception) -> None:
        self._saving = False
        self._refresh()
        if self._subject is None or self._subject.key != subject.key:
            self._ctx.tasks.error.emit(error)
            return
        if isinstance(error, Conflict):
            self._say("clash.found")
            self.reload_wanted.emit()
        else:
            self._said.setProperty("role", "danger")
            self._said.style().polish(self._said)
            self._said.setText(self._ctx.tr.error(error))
            self._point_at(error)

    def _point_at(self, error: Exception) -> None:
        """Put the cursor into the column that an error names."""
        kind = self.form.kind
        if not isinstance(error, UserError) or kind is None:
            return
        named = str(error.text_args.get("column") or error.text_args.get("columns") or "").split(", ")
        keys = [key_of(column) for column in kind.columns if column.name in named]
        if keys:
            self.form.focus_on(keys[0])

    # --- showing ---

    def _merge(self, mine: Values) -> None:
        """Bring what is typed and what the library holds now together."""
        subject = self._subject
        if subject is None:
            return
        result, found = merged(subject.base, mine, subject.stored)
        open_keys = {clash.key for clash in found}
        old_base = subject.base
        subject.base = {
            key: old_base.get(key) if key in open_keys else value for key, value in subject.stored.items()
        }
        self._show(result)
        if {clash.key for clash in found} != set(self.clashes.undecided) or not found:
            self.clashes.show_clashes(found, self._name, self._text)
        self._refresh()

    def _show(self, values: Values) -> None:
        subject = self._subject
        if subject is not None:
            self.form.show_values(subject.schema, values, subject.folder.name)
            self.form.show_faults({})

    def _on_chosen(self, key: str, value: Json) -> None:
        subject = self._subject
        if subject is not None:
            subject.base[key] = subject.stored.get(key)
            self.form.set_value(key, value)

    def _on_changed(self) -> None:
        subject = self._subject
        if subject is None:
            return
        self._draft_timer.start()
        self.twins.forget()
        if (kind := self.form.kind) is not None:
            base = None if subject.pk is None else subject.stored
            mine = self.form.values()
            self.form.show_faults(faults(mine, kind, base) if self._tried else too_long(mine, kind))
        self._refresh()

    def _refresh(self) -> None:
        subject = self._subject
        tr = self._ctx.tr
        dirty = subject is not None and bool(changes(subject.stored, self.form.values()))
        self.save_button.setText(tr("edit.create") if self.is_new else tr("edit.save"))
        self.save_button.setEnabled(dirty and not self._saving)
        self.save_button.setToolTip(tr("edit.save.tip") if dirty else tr("edit.save.nothing"))
        self.revert_button.setEnabled(dirty and not self._saving)
        self._say("edit.saving" if self._saving else "edit.unsaved" if dirty else "edit.unchanged")
        self._set_dirty(dirty)

    def _set_dirty(self, dirty: bool) -> None:
        if dirty != self._dirty:
            self._dirty = dirty
            self.dirty_changed.emit(dirty)

    def _say(self, key: str, **args: object) -> None:
        self._said.setProperty("role", "small")
        self._said.style().polish(self._said)
        self._said.setText(self._ctx.tr(key, **args))

    def _name(self, key: str) -> str:
        return value_name(self._ctx.tr, self.form.kind, key)

    def _text(self, key: str, value: Json) -> str:
        subject = self._subject
        if subject is None:
            return json_text(value)
        return value_text(self._ctx.tr, subject.schema, self.form.kind, key, value)

    # --- help while typing ---

    def load_tag_suggestions(self) -> None:
        """Read the tags in use for completion."""

        def ask(_progress: Report, cancel: Cancel) -> dict[TagKind, list[str]]:
            engine = self._ctx.engine
            return {
                kind: [name for name, _count in engine.ask(TagNames(kind), cancel=cancel)] for kind in TagKind
            }

        done: Callable[[dict[TagKind, list[str]]], None] = self.form.set_tag_suggestions
        self._ctx.tasks.run(Lane.READ, ask, done, owner=self, query="tags")


def _plain(_key: str, value: Json) -> str:
    return json_text(value)
