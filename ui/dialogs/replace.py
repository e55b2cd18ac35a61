"""Find and replace in many memories, with every change shown before it is made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import Command, FindAndReplace, TextPlace
from core.domain.enums import TagKind
from core.domain.ids import MemoryPk
from core.domain.queries import LibrarySchema, PreviewReplace
from core.domain.results import ReplaceChange, ReplacePreview
from core.domain.schema import Schema
from ui.context import Context
from ui.dialogs.base import CommandDialog
from ui.tasks import Lane, single_shot
from ui.views.naming import column_name, name_of, shorten, tag_kind_name
from ui.widgets.diff_text import DiffText
from ui.widgets.plain_text import PlainLineEdit

PREVIEW_AFTER_MS = 250
CHANGE = Qt.ItemDataRole.UserRole
PLACES = (TextPlace.TITLE, TextPlace.BODY, TextPlace.FIELDS, TextPlace.TAGS)


class ReplaceDialog(CommandDialog):
    """The preview follows what is typed; the main button says how many texts it changes."""

    def __init__(self, ctx: Context, pks: Sequence[MemoryPk], parent: QWidget | None = None) -> None:
        super().__init__(
            ctx, parent, ctx.tr("replace.title", count=len(pks)), ctx.tr("replace.apply"), width=680
        )
        self._pks = tuple(pks)
        self._schema = Schema((), ())
        self._preview: ReplacePreview | None = None
        self._previewed: FindAndReplace | None = None
        tr = ctx.tr
        self.find_text = PlainLineEdit()
        self.find_text.setAccessibleName(tr("replace.find"))
        self.put_text = PlainLineEdit()
        self.put_text.setAccessibleName(tr("replace.with"))
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        self.fault.setProperty("role", "danger")
        self.fault.hide()
        self.regex = QCheckBox(tr("replace.regex"))
        self.regex.setToolTip(tr("replace.regex.tip"))
        self.case = QCheckBox(tr("replace.case"))
        self.case.setChecked(True)
        self.whole_words = QCheckBox(tr("replace.whole_words"))
        self.whole_words.setToolTip(tr("replace.whole_words.tip"))
        self.keep_replaced = QCheckBox()
        self.keep_replaced.setToolTip(tr("replace.keep_replaced.tip"))
        self.keep_replaced.setChecked(True)
        self.places = {place: QCheckBox(tr(f"replace.in.{place.value}")) for place in PLACES}
        for place, box in self.places.items():
            box.setChecked(place is not TextPlace.TAGS)
        self._lay_out()
        self._timer = single_shot(self, PREVIEW_AFTER_MS, self._ask)
        self.find_text.textChanged.connect(self._on_typed)
        self.put_text.textChanged.connect(self._on_typed)
        for box in (self.regex, self.case, self.whole_words, self.keep_replaced, *self.places.values()):
            box.toggled.connect(self._on_typed)
        self.keep_replaced.hide()
        self.check()
        self.find_text.setFocus()

    def _lay_out(self) -> None:
        tr, theme = self.ctx.tr, self.ctx.theme
        form = QFormLayout()
        form.addRow(tr("replace.find"), self.find_text)
        form.addRow("", self.fault)
        form.addRow(tr("replace.with"), self.put_text)
        switches = QHBoxLayout()
        for box in (self.regex, self.case, self.whole_words):
            switches.addWidget(box)
        switches.addStretch(1)
        places = QHBoxLayout()
        for box in self.places.values():
            places.addWidget(box)
        places.addStretch(1)
        form.addRow("", switches)
        form.addRow("", self.keep_replaced)
        form.addRow(tr("replace.in"), places)
        self.body.addLayout(form)
        self.list = QTreeWidget()
        self.list.setHeaderLabels([tr("replace.memory"), tr("replace.place")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setProperty("rows", "list")
        self.list.setColumnWidth(0, theme.px(420))
        self.list.setAccessibleName(tr("replace.preview"))
        self.list.currentItemChanged.connect(lambda now, _before: self._show_change(now))
        self.diff = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), max_lines=10)
        self.diff.setAccessibleName(tr("replace.preview"))
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(self.diff)
        split.setStretchFactor(0, 1)
        split.setMinimumHeight(theme.tall(260))
        self.body.addWidget(split, 1)
        self.count = QLabel(tr("replace.start"))
        self.count.setProperty("role", "secondary")
        self.body.addWidget(self.count)

    def ready(self) -> bool:
        """Only what was previewed can be applied."""
        return bool(self._preview and self._preview.total and self._previewed == self.command())

    def command(self) -> FindAndReplace:
        """The replacement as it stands in the fields."""
        return FindAndReplace(
            memories=self._pks,
            pattern=self.find_text.text(),
            replacement=self.put_text.text(),
            regex=self.regex.isChecked(),
            match_case=self.case.isChecked(),
            places=frozenset(place for place, box in self.places.items() if box.isChecked()),
            whole_words=self.whole_words.isChecked(),
            keep_replaced=self._holds_itself() and self.keep_replaced.isChecked(),
        )

    def prefill(self, pattern: str, replacement: str) -> None:
        """Begin with a name and the one that it has now."""
        self.whole_words.setChecked(True)
        self.find_text.setText(pattern)
        self.put_text.setText(replacement)
        self._timer.start(0)

    def _holds_itself(self) -> bool:
        """Whether the replacement holds what is looked for, so that it could be put in twice."""
        find, put = self.find_text.text(), self.put_text.text()
        if not self.case.isChecked():
            find, put = find.lower(), put.lower()
        return bool(find) and find != put and find in put and not self.regex.isChecked()

    def apply(self) -> None:
        """Replace; only after the preview of just this."""
        if self.ready():
            command: Command = self.command()
            self.run_command(command)

    def _on_typed(self) -> None:
        self.keep_replaced.setText(
            self.ctx.tr("replace.keep_replaced", text=shorten(self.put_text.text(), 40))
        )
        self.keep_replaced.setVisible(self._holds_itself())
        self._timer.start()
        self.check()

    def _ask(self) -> None:
        command = self.command()
        if not command.pattern or not command.places:
            self._show(command, ReplacePreview((), 0))
            self.count.setText(self.ctx.tr("replace.start"))
            return
        engine = self.ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[Schema, ReplacePreview]:
            schema = engine.ask(LibrarySchema(), cancel=cancel)
            return schema, engine.ask(PreviewReplace(command), cancel=cancel)

        def show(found: tuple[Schema, ReplacePreview]) -> None:
            self._schema = found[0]
            self._show(command, found[1])

        self.count.setText(self.ctx.tr("replace.looking"))
        self.ctx.tasks.run(
            Lane.READ,
            ask,
            show,
            owner=self,
            query="preview",
            failed=lambda error: self._refuse(command, error),
        )

    def _show(self, command: FindAndReplace, preview: ReplacePreview) -> None:
        tr = self.ctx.tr
        self._previewed, self._preview = command, preview
        self.fault.hide()
        self.list.clear()
        for change in preview.changes:
            item = QTreeWidgetItem([shorten(name_of(change.title, tr)), self._place(change)])
            item.setData(0, CHANGE, change)
            self.list.addTopLevelItem(item)
        self.diff.set_text("")
        if preview.changes:
            self.list.setCurrentIndex(self.list.model().index(0, 0))
        more = preview.total - len(preview.changes)
        text = tr("replace.count", count=preview.total)
        self.count.setText(f"{text} {tr('replace.more', count=more)}" if more > 0 else text)
        self.check()

    def _refuse(self, command: FindAndReplace, error: Exception) -> None:
        self._preview, self._previewed = None, command
        self.list.clear()
        self.diff.set_text("")
        self.count.setText("")
        self.fault.setText(self.ctx.tr.error(error))
        self.fault.show()
        self.check()

    def _place(self, change: ReplaceChange) -> str:
        name, tr = change.place.rpartition(".")[2], self.ctx.tr
        columns = (column for kind in self._schema.types for column in kind.columns)
        column = next((item for item in columns if item.name == name), None)
        if tr.has(f"value.{name}"):
            return tr(f"value.{name}")
        if name in set(TagKind):
            return tag_kind_name(tr, TagKind(name))
        return column_name(column, tr) if column is not None else name

    def _show_change(self, item: QTreeWidgetItem | None) -> None:
        change = item.data(0, CHANGE) if item is not None else None
        if isinstance(change, ReplaceChange):
            self.diff.show_difference(change.before, change.after)
