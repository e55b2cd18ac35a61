"""Move or copy memories to a folder by typing its name; relations across the border are decided here."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QButtonGroup, QLabel, QListWidget, QRadioButton, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import Border, Command, CopyMemories, MoveMemories
from core.domain.commands_folders import CreateFolder
from core.domain.ids import FolderPk, MemoryPk
from core.domain.queries import CrossingEdges, LibrarySchema
from core.domain.results import EdgeView, OpResult
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.language import isolate
from ui.tasks import Lane
from ui.views.naming import label, name_of, shorten
from ui.widgets.folder_picker import FolderPicker

SHOWN_EDGES = 200
LIST_ROWS = 4


class MoveDialog(CommandDialog):
    """Ctrl+M: type a part of the folder's name, Enter. A new folder can be made on the way."""

    def __init__(
        self, ctx: Context, pks: Sequence[MemoryPk], parent: QWidget | None = None, *, copy: bool = False
    ) -> None:
        kind = "copy" if copy else "move"
        super().__init__(
            ctx, parent, ctx.tr(f"move.{kind}.title", count=len(pks)), ctx.tr(f"move.{kind}"), width=460
        )
        self._pks, self._copy = tuple(pks), copy
        self.picker = FolderPicker(ctx, may_create=True)
        self.picker.changed.connect(self.check)
        self.picker.activated.connect(self.apply)
        self.body.addWidget(self.picker, 1)
        self.border_label = QLabel()
        self.border_label.setWordWrap(True)
        self.edges = QListWidget()
        self.edges.setMaximumHeight(ctx.theme.row_px * LIST_ROWS)
        self.edges.setAccessibleName(ctx.tr("move.border.list"))
        self.borders = QButtonGroup(self)
        self._choices: list[QRadioButton] = []
        self.body.addWidget(self.border_label)
        self.body.addWidget(self.edges)
        for border in Border:
            button = QRadioButton(ctx.tr(f"move.border.{border.value}"))
            button.setToolTip(ctx.tr(f"move.border.{border.value}.tip"))
            button.setProperty("border", border.value)
            button.setChecked(border is Border.LEAVE)
            self.borders.addButton(button)
            self._choices.append(button)
            self.body.addWidget(button)
        self._show_border(())
        if not copy:
            self._ask_border()
        self.check()
        self.picker.setFocus()

    def ready(self) -> bool:
        return self.picker.picked is not None or bool(self.picker.new_name)

    @property
    def border(self) -> Border:
        """What happens to relations that would cross."""
        chosen = self.borders.checkedButton()
        return Border(chosen.property("border")) if chosen is not None else Border.LEAVE

    def command(self) -> Command | None:
        folder = self.picker.picked
        return None if folder is None else self._to(folder)

    def apply(self) -> None:
        """Move; a new folder is made first."""
        name = self.picker.new_name
        if not name:
            if self.ready():
                super().apply()
            return
        engine = self.ctx.engine

        def make(_progress: Report, _cancel: Cancel) -> OpResult:
            return engine.run(CreateFolder(name))

        def move(result: OpResult) -> None:
            if result.created_folder is not None:
                self.run_command(self._to(result.created_folder))

        self.ctx.tasks.run(Lane.WRITE, make, move, owner=self, failed=self.fail)

    def _to(self, folder: FolderPk) -> Command:
        if self._copy:
            return CopyMemories(memories=self._pks, folder=folder)
        return MoveMemories(memories=self._pks, folder=folder, border=self.border)

    def _ask_border(self) -> None:
        engine, pks = self.ctx.engine, self._pks

        def ask(_progress: Report, cancel: Cancel) -> tuple[Schema, tuple[EdgeView, ...]]:
            schema = engine.ask(LibrarySchema(), cancel=cancel)
            return schema, engine.ask(CrossingEdges(pks), cancel=cancel)

        self.ctx.tasks.run(Lane.READ, ask, self._take_border, owner=self, query="border", failed=self.fail)

    def _take_border(self, found: tuple[Schema, tuple[EdgeView, ...]]) -> None:
        schema, views = found
        tr = self.ctx.tr
        for view in views[:SHOWN_EDGES]:
            relation = schema.relation(view.edge.relation)
            name = label(relation.labels, tr.code, view.edge.relation) if relation else view.edge.relation
            ends = [
                isolate(shorten(name_of(title, tr), 40)) for title in (view.source_title, view.target_title)
            ]
            self.edges.addItem(f"{ends[0]} — {name} → {ends[1]}")
        if len(views) > SHOWN_EDGES:
            self.edges.addItem(tr("move.border.more", count=len(views) - SHOWN_EDGES))
        self._show_border(views)

    def _show_border(self, views: Sequence[EdgeView]) -> None:
        self.border_label.setText(self.ctx.tr("move.border", count=len(views)))
        for part in (self.border_label, self.edges, *self._choices):
            part.setVisible(bool(views))
        self.adjustSize()
