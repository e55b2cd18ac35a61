"""The quiet strip above an edited memory: who still says the old thing, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.ids import MemoryPk, TypeId
from core.domain.queries_sayings import OldTextsOf
from core.domain.results import Changes
from core.domain.sayings import OldText, OldTexts
from ui.context import Context
from ui.language import isolate
from ui.read_only import needs_writing
from ui.tasks import Lane, single_shot
from ui.views.naming import name_of, shorten
from ui.widgets.flow_layout import FlowLayout

AGAIN_MS = 150
MOST_IN_TIP = 8
SYNOPSIS = TypeId("synopsis")


class OldTextsStrip(QWidget):
    """`show_wanted(pks)`: list these. `renew_wanted(OldTexts)`, `replace_wanted(OldTexts)`: the person asked for it.

    `alias_wanted(pk, title)`: the old title is to stay another name; `keep_wanted(pk)`: the texts are right.
    """

    show_wanted = Signal(object)
    renew_wanted = Signal(object)
    replace_wanted = Signal(object)
    alias_wanted = Signal(int, str)
    keep_wanted = Signal(int)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._pk: MemoryPk | None = None
        self.found = OldTexts()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.above, self.named = _Line(), _Line()
        self.show_above = self.above.button(self._show_above)
        self.renew = self.above.button(lambda: self.renew_wanted.emit(self.found))
        self.keep_above = self.above.button(self._keep)
        self.show_named = self.named.button(self._show_named)
        self.replace = self.named.button(lambda: self.replace_wanted.emit(self.found))
        self.alias = self.named.button(self._alias)
        self.keep_named = self.named.button(self._keep)
        for button in (self.renew, self.replace, self.alias, self.keep_above, self.keep_named):
            needs_writing(context, button)
        for button in (self.show_above, self.show_named, self.alias, self.keep_above, self.keep_named):
            button.setProperty("flat", True)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.above)
        column.addWidget(self.named)
        self._again = single_shot(self, AGAIN_MS, self._ask)
        context.bridge.changes.connect(self._on_changes)
        self.hide()

    def show_memory(self, pk: MemoryPk | None) -> None:
        """Ask about a memory; the strip is there only when there is something to say."""
        if pk != self._pk:
            self.hide()
            self.found = OldTexts()
        self._pk = pk
        self._ask()

    def _ask(self) -> None:
        pk, engine = self._pk, self._context.engine
        if pk is None:
            self._context.tasks.drop(self, "old texts")
            return

        def ask(_progress: Report, cancel: Cancel) -> OldTexts:
            return engine.ask(OldTextsOf(pk), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._take, owner=self, query="old texts", failed=lambda _error: self.hide()
        )

    def _on_changes(self, changes: Changes) -> None:
        """Somebody may say something else now, also by an undo."""
        if self._pk is not None and changes.memories:
            self._again.start()

    def _take(self, found: OldTexts) -> None:
        self.found = found
        if found.any:
            self._say()
        self.setVisible(found.any)

    def _say(self) -> None:
        tr, found = self._context.tr, self.found
        summaries = [each for each in found.above if not each.words]
        key = "old.above" if len(summaries) == len(found.above) else "old.above_and_others"
        self.above.say(tr(key, count=len(found.above)), self._tip(found.above))
        self.above.setVisible(bool(found.above))
        self.show_above.setText(tr("old.show"))
        self.renew.setText(tr("old.renew"))
        self.renew.setToolTip(tr("old.renew.tip"))
        self.renew.setVisible(any(each.renewable for each in found.above))
        title = isolate(shorten(found.old_titles[0], 24)) if found.old_titles else ""
        count = len(found.named) + found.more
        self.named.say(tr("old.named", count=count, title=title), self._tip(found.named))
        self.named.setVisible(bool(found.named))
        self.show_named.setText(tr("old.show"))
        self.replace.setText(tr("old.replace"))
        self.replace.setToolTip(tr("old.replace.tip"))
        self.replace.setVisible(bool(found.title))
        self.alias.setText(tr("old.alias"))
        self.alias.setToolTip(tr("old.alias.tip", title=title))
        for button, line in ((self.keep_above, found.above), (self.keep_named, found.named)):
            button.setText(tr("old.keep"))
            button.setToolTip(tr("old.keep.tip"))
            button.setVisible(bool(line))
        self.keep_named.setVisible(bool(found.named) and not found.above)
        self.setAccessibleName(self.above.text.text() if found.above else self.named.text.text())

    def _tip(self, texts: Sequence[OldText]) -> str:
        """Who it is, and what of the old thing each holds."""
        tr = self._context.tr
        lines = []
        for each in texts[:MOST_IN_TIP]:
            line = shorten(name_of(each.row.title or each.row.snippet, tr))
            lines.append(f"{line} ({', '.join(each.words[:3])})" if each.words else line)
        return "\n".join([*lines, *(["…"] if len(texts) > MOST_IN_TIP else [])])

    def _show_above(self) -> None:
        self.show_wanted.emit(tuple(each.row.pk for each in self.found.above))

    def _show_named(self) -> None:
        self.show_wanted.emit(tuple(each.row.pk for each in self.found.named))

    def _alias(self) -> None:
        if self._pk is not None and self.found.old_titles:
            self.alias_wanted.emit(int(self._pk), self.found.old_titles[0])

    def _keep(self) -> None:
        if self._pk is not None:
            self.keep_wanted.emit(int(self._pk))


class _Line(QWidget):
    """A sentence with buttons that wrap below it."""

    def __init__(self) -> None:
        super().__init__()
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.text)
        holder = QWidget()
        self._flow = FlowLayout(holder, gap=4)
        column.addWidget(holder)

    def say(self, text: str, tip: str) -> None:
        """The sentence, and what it counts."""
        self.text.setText(text)
        self.text.setToolTip(tip)

    def button(self, clicked: Callable[[], None]) -> QPushButton:
        """One more thing that can be done."""
        button = QPushButton()
        button.clicked.connect(clicked)
        self._flow.addWidget(button)
        return button
