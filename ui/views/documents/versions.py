"""The versions of a document: who changed it when, and what changed in its text."""

from __future__ import annotations

from difflib import unified_diff

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QSplitter, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import DocumentPk
from core.domain.queries_drop import DocumentVersion, DocumentVersions
from ui.context import Context
from ui.tasks import Lane
from ui.views.op_words import op_label, writer
from ui.widgets.diff_text import DiffText, Part
from ui.widgets.diff_text import parts as difference
from ui.widgets.state_stack import StateStack

SHORT_CHARS = 20_000
"""Up to this size both texts are compared word by word, longer ones line by line with what stands around."""
MOST_LINES = 2000
AROUND = 2


class DocumentVersionsView(QWidget):
    """A list of versions, newest first, over what the chosen one changed."""

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._document: DocumentPk | None = None
        self._versions: tuple[DocumentVersion, ...] = ()
        self.list = QListWidget()
        self.list.setProperty("role", "versions")
        self.list.setAccessibleName(ctx.tr("documents.versions"))
        self.list.currentRowChanged.connect(self._show_version)
        theme = ctx.theme
        self.text = DiffText(gone=theme.color("diff_gone"), new=theme.color("diff_new"), lines=0)
        self.text.setProperty("role", "reading")
        self.text.setAccessibleName(ctx.tr("documents.versions.change"))
        self.said = QLabel()
        self.said.setProperty("role", "small")
        self.said.setWordWrap(True)
        self.said.setContentsMargins(12, 8, 12, 4)
        lower = QWidget()
        box = QVBoxLayout(lower)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.said)
        box.addWidget(self.text, 1)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.list)
        split.addWidget(lower)
        split.setStretchFactor(1, 3)
        self.stack = StateStack(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stack)

    def show_document(self, document: DocumentPk) -> None:
        """Load the versions of a document."""
        if document != self._document:
            self._document, self._versions = document, ()
            self.list.clear()
        engine = self._ctx.engine
        self.stack.show_loading(self._ctx.tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> tuple[DocumentVersion, ...]:
            return engine.ask(DocumentVersions(document), cancel=cancel)

        self._ctx.tasks.run(Lane.READ, ask, self._show, owner=self, query="versions", failed=self._fail)

    def _show(self, versions: tuple[DocumentVersion, ...]) -> None:
        tr = self._ctx.tr
        at = max(0, self.list.currentRow())
        self._versions = versions
        self.list.clear()
        for version in versions:
            op = version.op
            name = tr("documents.version", version=version.version, name=op_label(op, tr))
            if op.undone_by is not None:
                name = tr("history.is_undone", name=name)
            item = QListWidgetItem(f"{name}\n{tr.relative(op.at)} · {writer(op, tr)}")
            item.setToolTip(tr.exact(op.at))
            self.list.addItem(item)
        if versions:
            self.stack.show_content()
            self.list.setCurrentRow(min(at, len(versions) - 1))
        else:
            self.stack.show_notice(tr("documents.versions.none"))

    def _show_version(self, index: int) -> None:
        if not 0 <= index < len(self._versions):
            return
        version, engine_free = self._versions[index], self._ctx.tasks
        self.said.setText(self._words(version))

        def compare(_progress: Report, _cancel: Cancel) -> list[tuple[Part, str]]:
            return changes_in(version)

        engine_free.run(Lane.READ, compare, self.text.show_parts, owner=self, query="difference")

    def _words(self, version: DocumentVersion) -> str:
        tr = self._ctx.tr
        if not version.before:
            return tr("documents.version.first", count=len(version.after))
        if version.before == version.after:
            return tr("documents.version.cut")
        return tr(
            "documents.version.changed",
            before=tr.number(len(version.before)),
            after=tr.number(len(version.after)),
        )

    def _fail(self, error: Exception) -> None:
        self.stack.show_notice(self._ctx.tr.error(error))


def changes_in(version: DocumentVersion) -> list[tuple[Part, str]]:
    """What a version changed; of long texts only the changed lines with what stands around them."""
    before, after = version.before, version.after
    if not before or before == after:
        return [(Part.SAME, after[:SHORT_CHARS])]
    if len(before) + len(after) <= SHORT_CHARS:
        return difference(before, after)
    found: list[tuple[Part, str]] = []
    for line in unified_diff(before.splitlines(), after.splitlines(), n=AROUND, lineterm=""):
        if line.startswith(("---", "+++")):
            continue
        kind = {"-": Part.GONE, "+": Part.NEW}.get(line[:1], Part.SAME)
        found.append((kind, ("⋯" if line.startswith("@@") else line[1:]) + "\n"))
        if len(found) >= MOST_LINES:
            break
    return found
