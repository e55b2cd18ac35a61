"""Tags and visibility of many memories, each as one change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from core.domain.api import Cancel, Report
from core.domain.commands import ChangeTags, Command, SetVisibility
from core.domain.enums import TagKind
from core.domain.ids import MemoryPk
from core.domain.queries import TagNames
from core.domain.tags import clean_general_tags, clean_triple_tags
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane
from ui.views.naming import TAG_KINDS, tag_kind_name
from ui.widgets.chips import ChipEditor


class BulkDialog(CommandDialog):
    """Says how many memories it changes; `kind` names its texts (`bulk.<kind>.title`)."""

    def __init__(self, ctx: Context, pks: Sequence[MemoryPk], parent: QWidget | None, kind: str) -> None:
        super().__init__(ctx, parent, ctx.tr(f"bulk.{kind}.title", count=len(pks)), ctx.tr("bulk.apply"))
        self.pks = tuple(pks)
        if ctx.tr.has(f"bulk.{kind}.note"):
            note = QLabel(ctx.tr(f"bulk.{kind}.note"))
            note.setWordWrap(True)
            note.setProperty("role", "secondary")
            self.body.addWidget(note)


class VisibilityDialog(BulkDialog):
    """Who may recall them; nobody named = everyone."""

    def __init__(self, ctx: Context, pks: Sequence[MemoryPk], parent: QWidget | None = None) -> None:
        super().__init__(ctx, pks, parent, "visibility")
        self.chips = ChipEditor(
            placeholder=ctx.tr("edit.add.visibility"),
            remove_text=ctx.tr("chip.remove"),
            name=ctx.tr("value.visibility"),
        )
        self.body.addWidget(self.chips)
        self.chips.setFocus()

    def command(self) -> Command | None:
        return SetVisibility(memories=self.pks, visibility=self.chips.values())


class TagsDialog(BulkDialog):
    """Add tags to one group and take others away."""

    def __init__(self, ctx: Context, pks: Sequence[MemoryPk], parent: QWidget | None = None) -> None:
        super().__init__(ctx, pks, parent, "tags")
        tr = ctx.tr
        self.group = QComboBox()
        self.group.setAccessibleName(tr("bulk.tags.group"))
        for kind in (TagKind.GENERAL, *(kind for kind in TAG_KINDS if kind is not TagKind.GENERAL)):
            self.group.addItem(tag_kind_name(tr, kind), kind.value)
        self.group.currentIndexChanged.connect(self._on_group)
        self.body.addWidget(QLabel(tr("bulk.tags.group")))
        self.body.addWidget(self.group)
        self.add = self._chips("bulk.tags.add")
        self.remove = self._chips("bulk.tags.remove")
        self._on_group()
        self.check()
        self.add.setFocus()

    @property
    def kind(self) -> TagKind:
        """The group that is changed."""
        return TagKind(str(self.group.currentData()))

    def ready(self) -> bool:
        return bool(self.add.values() or self.remove.values())

    def command(self) -> Command | None:
        clean = clean_general_tags if self.kind is TagKind.GENERAL else clean_triple_tags
        return ChangeTags(
            memories=self.pks,
            kind=self.kind,
            add=clean(self.add.values()),
            remove=clean(self.remove.values()),
        )

    def _chips(self, key: str) -> ChipEditor:
        name = self.ctx.tr(key)
        chips = ChipEditor(
            placeholder=self.ctx.tr(f"{key}.hint"), remove_text=self.ctx.tr("chip.remove"), name=name
        )
        chips.changed.connect(self.check)
        self.body.addWidget(QLabel(name))
        self.body.addWidget(chips)
        return chips

    def _on_group(self) -> None:
        kind, engine = self.kind, self.ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> list[str]:
            return [name for name, _count in engine.ask(TagNames(kind), cancel=cancel)]

        def fill(words: list[str]) -> None:
            self.add.set_suggestions(words)
            self.remove.set_suggestions(words)

        self.ctx.tasks.run(Lane.READ, ask, fill, owner=self, query="tags", failed=self.fail)
