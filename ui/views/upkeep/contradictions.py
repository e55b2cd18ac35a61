"""Contradictions: pairs that cannot both be true; one is kept, or both, remembered."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QTreeWidget, QTreeWidgetItem

from core import model_settings
from core.domain.api import Cancel, EngineApi, Report
from core.domain.commands import Command
from core.domain.commands_merge import MarkNotDuplicate, SettleContradiction
from core.domain.endpoints import BUILTIN, ModelTask
from core.domain.enums import Apart
from core.domain.ids import MemoryPk
from core.domain.queries_merge import AskAboutContradictions, Contradiction, FindContradictions, Opinion
from core.domain.results import MemoryRow
from ui.context import Context
from ui.operations import Operations
from ui.read_only import needs_writing
from ui.tasks import Lane, Task
from ui.views.merge.cells import plain_label
from ui.views.merge.words import reasons_text
from ui.views.naming import name_of
from ui.views.upkeep.search_frame import SearchTask

Found = tuple[Contradiction, ...]
Pair = tuple[MemoryPk, MemoryPk]
MOST_SHOWN = 300
OPINION = 4
PLACE = Qt.ItemDataRole.UserRole


class ContradictionsTask(SearchTask[Found]):
    """The list at the top, both texts of the current pair below it."""

    NAME = "contradictions"

    def __init__(self, context: Context, operations: Operations) -> None:
        self.tree = QTreeWidget()
        super().__init__(context, operations, self.tree)
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setProperty("rows", "list")
        self.tree.setAlternatingRowColors(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.setColumnCount(5)
        for column, width in ((0, 96), (1, 260), (2, 260), (3, 200)):
            self.tree.setColumnWidth(column, width)
        self.why = plain_label("", "secondary")
        self.a_button, self.b_button = QPushButton(), QPushButton()
        self.both_button, self.open_button = QPushButton(), QPushButton()
        self.ask_button = QPushButton()
        self.ask_button.clicked.connect(self.ask_model)
        self.tools.addWidget(self.ask_button)
        self.opinions: dict[Pair, Opinion] = {}
        self._asking: Task[tuple[Opinion, ...]] | None = None
        self.bar.insertWidget(1, self.why, 1)
        for button, act in (
            (self.open_button, self.open_both),
            (self.both_button, self.both_true),
            (self.a_button, lambda: self.keep(first=True)),
            (self.b_button, lambda: self.keep(first=False)),
        ):
            button.clicked.connect(lambda _on=False, act=act: act())
            self.bar.addWidget(button)
        needs_writing(self.context, self.both_button, self.a_button, self.b_button)
        self.tree.currentItemChanged.connect(lambda _now, _before: self._enable())
        self.tree.itemActivated.connect(lambda _item, _column: self.open_both())
        self.say_texts()
        self._enable()

    def asked(self) -> Callable[[EngineApi, Report, Cancel], Found]:
        folder, across = self.folder.folder, self.across.isChecked()

        def ask(engine: EngineApi, progress: Report, cancel: Cancel) -> Found:
            query = FindContradictions(folder=folder, across=across, progress=progress)
            return engine.ask(query, cancel=cancel)

        return ask

    def show_found(self, found: Found) -> None:
        tr = self.context.tr
        self.tree.clear()
        self.tree.addTopLevelItems([self._item(at, each) for at, each in enumerate(found[:MOST_SHOWN])])
        text = tr("contradictions.shown", count=tr.number(len(found))) if found else ""
        if len(found) > MOST_SHOWN:
            text = tr("duplicates.shown.cut", count=MOST_SHOWN, all=tr.number(len(found)))
        self.summary.setText(text)
        if found:
            self.stack.show_content()
            self.tree.setCurrentIndex(self.tree.model().index(0, 0))
        else:
            self.stack.show_notice(tr("contradictions.none"), tr("duplicates.again"), self.look)
        self._enable()
        self._show_opinions()

    def _show_opinions(self) -> None:
        """The column of the model's opinions is there once a model was asked."""
        self.tree.setColumnHidden(OPINION, not self.opinions)

    def _item(self, at: int, each: Contradiction) -> QTreeWidgetItem:
        tr = self.context.tr
        why = reasons_text(tr, [(reason.key, reason.args) for reason in each.reasons])
        kind = tr(f"contradictions.kind.{each.kind.value}")
        opinion = self._opinion_text(each)
        item = QTreeWidgetItem([kind, self._text(each, each.a), self._text(each, each.b), why, opinion])
        for column, row in ((1, each.a), (2, each.b)):
            item.setIcon(column, self.context.theme.type_icon(row.type))
        for column in (1, 2, 3, OPINION):
            item.setToolTip(column, item.text(column))
        item.setData(0, PLACE, at)
        return item

    def _text(self, each: Contradiction, row: MemoryRow) -> str:
        tr = self.context.tr
        title = name_of(row.title or row.snippet, tr)
        text = title if not row.snippet or row.snippet.startswith(title) else f"{title}: {row.snippet}"
        return f"{text} {tr('contradictions.later')}" if each.later == row.pk else text

    @property
    def current(self) -> Contradiction | None:
        """The pair that is chosen."""
        item = self.tree.currentItem()
        if item is None or self.found is None or self.stack.shows != "content":
            return None
        return self.found[int(item.data(0, PLACE))]

    def _enable(self) -> None:
        each = self.current
        for button in (self.a_button, self.b_button, self.both_button, self.open_button):
            button.setEnabled(each is not None)
        self.open_button.setToolTip("" if each is not None else self.context.tr("contradictions.open.why"))
        self._say_asking()

    # --- what a model thinks ---

    def ask_model(self) -> None:
        """Ask about the pairs that are shown, or stop asking. Opinions stand beside them and change nothing."""
        if self._asking is not None:
            self._asking.cancel()
            self._asked_all()
            return
        pairs = tuple((each.a.pk, each.b.pk) for each in (self.found or ())[:MOST_SHOWN])
        engine = self.context.engine

        def ask(progress: Report, cancel: Cancel) -> tuple[Opinion, ...]:
            return engine.ask(AskAboutContradictions(pairs=pairs, progress=progress), cancel=cancel)

        self._asking = self.context.tasks.run(
            Lane.NET,
            ask,
            self._take_opinions,
            owner=self,
            query="opinions",
            label="task.opinions",
            failed=self._not_asked,
        )
        self._say_asking()

    def _take_opinions(self, opinions: tuple[Opinion, ...]) -> None:
        self._asked_all()
        self.opinions |= {(each.a, each.b): each for each in opinions}
        for at in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(at)
            if item is not None and self.found is not None:
                text = self._opinion_text(self.found[int(item.data(0, PLACE))])
                item.setText(OPINION, text)
                item.setToolTip(OPINION, text)
        self._show_opinions()
        self.operations.said.emit(self.context.tr("contradictions.asked", count=len(opinions)), False)

    def _not_asked(self, error: Exception) -> None:
        self._asked_all()
        self.operations.show_error(error)

    def _asked_all(self) -> None:
        self._asking = None
        self._say_asking()

    def _opinion_text(self, each: Contradiction) -> str:
        opinion, tr = self.opinions.get((each.a.pk, each.b.pk)), self.context.tr
        if opinion is None:
            return ""
        said = tr(f"contradictions.opinion.{opinion.verdict.value}")
        if opinion.holds is not None:
            side = "a" if opinion.holds == each.a.pk else "b"
            holds = tr(f"contradictions.opinion.holds_{side}")
            said = tr("contradictions.opinion.and_holds", said=said, holds=holds)
        return tr("contradictions.opinion.why", said=said, reason=opinion.reason) if opinion.reason else said

    def _say_asking(self) -> None:
        """The button asks or stops; without a model it says which task has none."""
        tr, asking = self.context.tr, self._asking is not None
        served = model_settings.served_by(self.context.settings, ModelTask.CONSOLIDATE) != BUILTIN
        self.ask_button.setText(tr("contradictions.stop_asking" if asking else "contradictions.ask"))
        self.ask_button.setEnabled(asking or (served and bool(self.found)))
        self.ask_button.setToolTip(tr("contradictions.ask.tip" if served else "contradictions.ask.none"))

    # --- what is done ---

    def keep(self, *, first: bool) -> None:
        """One of the two holds."""
        each = self.current
        if each is not None:
            keep, other = (each.a, each.b) if first else (each.b, each.a)
            self._run(each, SettleContradiction(keep=keep.pk, other=other.pk))

    def both_true(self) -> None:
        """Neither is wrong."""
        each = self.current
        if each is not None:
            pair = ((each.a.pk, each.b.pk),)
            self._run(each, MarkNotDuplicate(pairs=pair, about=Apart.CONTRADICTION))

    def open_both(self) -> None:
        """Show both in the list."""
        each = self.current
        if each is not None:
            self.open_memories.emit((each.a.pk, each.b.pk))

    def _run(self, each: Contradiction, command: Command) -> None:
        def done(_result: object) -> None:
            if self.found is not None:
                self.found = tuple(other for other in self.found if other is not each)
                self.show_found(self.found)

        self.operations.run(command, done)

    def restate(self) -> None:
        tr = self.context.tr
        self.tree.setHeaderLabels(
            [
                tr("contradictions.column.kind"),
                tr("contradictions.column.a"),
                tr("contradictions.column.b"),
                tr("duplicates.column.why"),
                tr("contradictions.column.opinion"),
            ]
        )
        self.tree.setAccessibleName(tr("upkeep.contradictions"))
        for button, name in (
            (self.a_button, "keep_a"),
            (self.b_button, "keep_b"),
            (self.both_button, "both"),
            (self.open_button, "open"),
        ):
            button.setText(tr(f"contradictions.{name}"))
        for button in (self.a_button, self.b_button):
            button.setToolTip(tr("contradictions.keep.tip"))
        self.both_button.setToolTip(tr("contradictions.both.tip"))
