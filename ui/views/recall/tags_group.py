"""Tags of the query: three groups, all or none, said in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from core.domain.enums import TagKind
from core.domain.memory import TagSet
from core.domain.tags import TRIPLE, clean_triple_tags
from ui.context import Context
from ui.views.naming import tag_kind_name
from ui.widgets.chips import ChipEditor


class TagsGroup(QWidget):
    """`tags` is empty until all three groups are filled."""

    changed = Signal()

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        self.editors: dict[TagKind, ChipEditor] = {}
        for kind in TRIPLE:
            name = tag_kind_name(tr, kind)
            label = QLabel(name)
            label.setProperty("role", "small")
            editor = ChipEditor(clean=clean_triple_tags, name=name, remove_text=tr("recall_page.remove_tag"))
            editor.changed.connect(self._on_changed)
            self.editors[kind] = editor
            column.addWidget(label)
            column.addWidget(editor)
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setProperty("role", "warning")
        self.said.hide()
        column.addWidget(self.said)

    @property
    def missing(self) -> tuple[TagKind, ...]:
        """Groups that are empty while another is not."""
        filled = [kind for kind in TRIPLE if self.editors[kind].values()]
        return tuple(kind for kind in TRIPLE if kind not in filled) if filled else ()

    @property
    def tags(self) -> TagSet:
        """The triple; nothing while one of the groups is missing."""
        if self.missing:
            return TagSet()
        core, diffusion, opposing = (self.editors[kind].values() for kind in TRIPLE)
        return TagSet(core=core, diffusion=diffusion, opposing=opposing)

    @property
    def count(self) -> int:
        """How many tags are typed."""
        return sum(len(editor.values()) for editor in self.editors.values())

    def set_tags(self, tags: TagSet) -> None:
        """Show tags without `changed`."""
        for kind, editor in self.editors.items():
            editor.set_values(tags.group(kind))
        self._say()

    def suggest(self, words: Mapping[TagKind, Sequence[str]]) -> None:
        """Tags in use, for completion."""
        for kind, names in words.items():
            if kind in self.editors:
                self.editors[kind].set_suggestions(names)

    def _on_changed(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        tr, missing = self._ctx.tr, self.missing
        names = tr("list.comma").join(tag_kind_name(tr, kind) for kind in missing)
        self.said.setText(tr("recall_page.tags.missing", names=names) if missing else "")
        self.said.setVisible(bool(missing))
