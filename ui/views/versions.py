"""The versions of a memory: who changed what and when, each as a difference, with a way back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from core.domain.commands import EditMemory
from core.domain.ids import MemoryPk
from core.domain.json_types import Json
from core.domain.queries_history import VersionsOf
from core.domain.results import MemoryDetail, OpResult, RowVersion
from core.domain.schema import MemoryType, Schema
from ui.context import Context
from ui.read_only import needs_writing
from ui.tasks import Lane
from ui.views.editor_values import changes, edit_of, values_of
from ui.views.naming import value_name, value_text
from ui.views.op_words import op_label, writer
from ui.views.version_values import ValueChange, changes_in, values_after
from ui.widgets.diff_text import DiffText
from ui.widgets.focus_chain import put_page
from ui.widgets.state_stack import StateStack


class VersionsView(QWidget):
    """A list of versions, newest first, over what the chosen one changed."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._detail: MemoryDetail | None = None
        self._schema: Schema | None = None
        self._versions: tuple[RowVersion, ...] = ()
        tr = ctx.tr
        self.list = QListWidget()
        self.list.setAccessibleName(tr("detail.tab.history"))
        self.list.setWordWrap(True)
        self.list.setProperty("role", "versions")
        self.list.currentRowChanged.connect(self._show_version)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.back_button = QPushButton(ctx.theme.icon("mdi6.backup-restore"), tr("versions.bring_back"))
        self.back_button.setToolTip(tr("versions.bring_back.tip"))
        self.back_button.clicked.connect(self.bring_back)
        needs_writing(self._ctx, self.back_button)
        lower = QWidget()
        lower.setProperty("surface", "base")
        box = QVBoxLayout(lower)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.area, 1)
        bar = QWidget()
        bar.setProperty("role", "bar")
        row = QVBoxLayout(bar)
        row.setContentsMargins(16, 8, 16, 8)
        row.addWidget(self.back_button, 0, Qt.AlignmentFlag.AlignRight)
        box.addWidget(bar)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.list)
        split.addWidget(lower)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 2)
        split.setChildrenCollapsible(False)
        self.stack = StateStack(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stack)

    def show_memory(self, detail: MemoryDetail, schema: Schema) -> None:
        """Load the versions of a memory."""
        self._detail, self._schema = detail, schema
        pk, engine = detail.memory.pk, self._ctx.engine
        self.stack.show_loading(self._ctx.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[RowVersion, ...]:
            return engine.ask(VersionsOf(pk), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ,
            ask,
            lambda found: self._show(pk, found),
            owner=self,
            query="versions",
            failed=self._fail,
        )

    def bring_back(self) -> None:
        """Make the memory say again what it said after the chosen version, as one change."""
        command = self._way_back(self.list.currentRow())
        if command is None:
            return
        engine = self._ctx.engine

        def run(_progress: Report, _cancel: Cancel) -> OpResult:
            return engine.run(command)

        self._ctx.tasks.run(Lane.WRITE, run, owner=self)

    def _way_back(self, index: int) -> EditMemory | None:
        if self._detail is None or not 0 <= index < len(self._versions):
            return None
        now = values_of(self._detail)
        then = values_after(now, self._versions, index)
        changed = changes(now, then)
        memory = self._detail.memory
        return edit_of(memory.pk, changed, then, memory.revision) if changed else None

    def _show(self, pk: MemoryPk, versions: tuple[RowVersion, ...]) -> None:
        if self._detail is None or self._detail.memory.pk != pk:
            return
        tr = self._ctx.tr
        at = max(0, self.list.currentRow())
        self._versions = versions
        self.list.clear()
        for version in versions:
            op = version.op
            item = QListWidgetItem(f"{op_label(op, tr)}\n{tr.relative(op.at)} · {writer(op, tr)}")
            item.setToolTip(tr.exact(op.at))
            self.list.addItem(item)
        if versions:
            self.stack.show_content()
            self.list.setCurrentRow(min(at, len(versions) - 1))
        else:
            self.stack.show_notice(tr("versions.none"))

    def _fail(self, error: Exception) -> None:
        def again() -> None:
            if self._detail is not None and self._schema is not None:
                self.show_memory(self._detail, self._schema)

        self.stack.show_notice(self._ctx.tr.error(error), self._ctx.tr("state.again"), again)

    def _show_version(self, index: int) -> None:
        page = QWidget()
        page.setProperty("surface", "base")
        box = QVBoxLayout(page)
        box.setContentsMargins(16, 12, 16, 12)
        box.setSpacing(4)
        if 0 <= index < len(self._versions):
            found = changes_in(self._versions[index])
            for change in found:
                self._add_change(box, change)
            if not found:
                words = QLabel(
                    self._ctx.tr("versions.created" if index == len(self._versions) - 1 else "versions.same")
                )
                words.setWordWrap(True)
                words.setProperty("role", "secondary")
                box.addWidget(words)
        box.addStretch(1)
        put_page(self.area, page)
        trashed = self._detail is not None and self._detail.memory.deleted_at is not None
        self.back_button.setEnabled(not trashed and self._way_back(index) is not None)

    def _add_change(self, box: QVBoxLayout, change: ValueChange) -> None:
        theme, name = self._ctx.theme, self._name(change.key)
        heading = QLabel(name)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setProperty("role", "section")
        view = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), max_lines=14)
        view.setProperty("role", "reading")
        view.setAccessibleName(name)
        view.show_difference(self._text(change.key, change.before), self._text(change.key, change.after))
        box.addWidget(heading)
        box.addWidget(view)
        box.addSpacing(4)

    def _name(self, key: str) -> str:
        return value_name(self._ctx.tr, self._kind(), key)

    def _text(self, key: str, value: Json) -> str:
        return value_text(self._ctx.tr, self._schema, self._kind(), key, value) if self._schema else ""

    def _kind(self) -> MemoryType | None:
        return self._schema.type(self._detail.memory.type) if self._schema and self._detail else None
