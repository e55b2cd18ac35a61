"""The page Review: what waits at the left, each thing beside it or a way to where it is mended."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.domain.api import Cancel, Report
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.proposal.view import ProposalPanel
from ui.views.review.sources import SOURCES, Waiting
from ui.widgets.manual_request import ManualRequestPanel
from ui.widgets.state_stack import StateStack

KEY = Qt.ItemDataRole.UserRole
REFRESH_AFTER_MS = 500
POLL_MS = 3_000
LIST_PX, LEAST_PX = 320, 160


class ReviewPage(QWidget):
    """`open_memories(pks)`: show these in the list. `lead(page, task)`: go to a page. `counted(count)`: what waits.

    `handed_in(number)`, `given_up(number)`: what became of a request to the manual model.
    """

    open_memories = Signal(object)
    lead = Signal(str, str)
    counted = Signal(int)
    handed_in = Signal(int)
    given_up = Signal(int)

    def __init__(self, context: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._found: list[object] = [None for _ in SOURCES]
        self.waiting: tuple[Waiting, ...] = ()
        self._wanted = ""
        self._stale, self._filled = True, False
        self.setProperty("surface", "base")
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setIndentation(0)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setMinimumWidth(context.theme.px(LEAST_PX))
        self.proposal = ProposalPanel(context, operations)
        self.card = _Card(context)
        self.place = QStackedWidget()
        self.request = ManualRequestPanel(context)
        self.request.setProperty("surface", "base")
        self.request.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        for widget in (QWidget(), self.proposal, self.card, self.request):
            self.place.addWidget(widget)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.list)
        split.addWidget(self.place)
        split.setStretchFactor(1, 1)
        split.setSizes([context.theme.px(LIST_PX), 3 * context.theme.px(LIST_PX)])
        split.setChildrenCollapsible(False)
        self.stack = StateStack(split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.stack)
        self._again = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self._slow_due = True
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._on_poll)
        self._poll.start()
        self.list.currentItemChanged.connect(lambda now, _before: self._show_current(now))
        self.proposal.decided.connect(self._again.start)
        self.proposal.open_memories.connect(self.open_memories)
        self.card.wanted.connect(self.lead)
        self.request.handed_in.connect(self._on_handed_in)
        self.request.given_up.connect(self.given_up)
        context.bridge.changes.connect(lambda _changes: self._on_changes())
        context.tr.changed.connect(self._fill)
        context.theme.changed.connect(self._fill)

    def show_proposal(self, pk: int) -> None:
        """Look at a proposal, also when it is not in the list any more."""
        self._wanted = f"proposals:{pk}"
        self.proposal.show_proposal(pk)
        self.place.setCurrentWidget(self.proposal)
        self.stack.show_content()
        self.refresh()

    def show_request(self, number: int) -> None:
        """Look at a request that waits for a reply; 0 = ask again what waits."""
        if number:
            self._wanted = f"requests:{number}"
        self._stale = True
        if self.isVisible():
            self.refresh()

    @property
    def slow_waiting(self) -> int:
        """How many things wait as far as the slow sources were asked."""
        slow = {source.id for source in SOURCES if source.slow}
        return sum(each.source in slow for each in self.waiting)

    def _on_handed_in(self, number: int) -> None:
        self.handed_in.emit(number)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Ask all sources what waits."""
        self._stale = False
        engine, tr = self._context.engine, self._context.tr
        if not self.waiting:
            self.stack.show_loading(tr("state.loading"))

        def ask(_progress: Report, cancel: Cancel) -> list[object]:
            return [None if source.slow else source.ask(engine, cancel) for source in SOURCES]

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="waiting", failed=self._fail)

    def _on_poll(self) -> None:
        """Proposals grow without a change of the library, group by group."""
        if self.isVisible():
            self.refresh()

    def _on_changes(self) -> None:
        self._stale = self._slow_due = True
        if self.isVisible():
            self._again.start()

    def _take(self, found: list[object]) -> None:
        before = self._found
        self._found = [
            kept if source.slow else new for source, kept, new in zip(SOURCES, before, found, strict=True)
        ]
        if self._found != before or self._wanted or not self._filled:
            self._fill()
        self._ask_slow()

    def _ask_slow(self) -> None:
        """What takes its time comes afterwards; an error of it hides nothing of the rest."""
        if not self._slow_due:
            return
        self._slow_due = False
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> list[object]:
            return [source.ask(engine, cancel) if source.slow else None for source in SOURCES]

        self._context.tasks.run(
            Lane.READ, ask, self._take_slow, owner=self, query="slow", failed=self._context.tasks.error.emit
        )

    def _take_slow(self, found: list[object]) -> None:
        self._found = [
            new if source.slow else kept
            for source, kept, new in zip(SOURCES, self._found, found, strict=True)
        ]
        self._fill()

    def _fill(self) -> None:
        tr, self._filled = self._context.tr, True
        self.waiting = tuple(
            each
            for source, found in zip(SOURCES, self._found, strict=True)
            if found is not None
            for each in source.waiting(found, tr)
        )
        self.counted.emit(len(self.waiting))
        kept = self._wanted or self._current_key()
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for source in SOURCES:
            mine = [each for each in self.waiting if each.source == source.id]
            if mine:
                self.list.addTopLevelItem(self._heading(source.id, len(mine)))
            for each in mine:
                self.list.addTopLevelItem(self._item(each))
        self.list.setAccessibleName(tr("page.review"))
        self.list.blockSignals(blocked)
        self._choose(kept)

    def _choose(self, key: str) -> None:
        items = [self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount())]
        found = [item for item in items if item is not None and item.data(0, KEY)]
        item = next((item for item in found if item.data(0, KEY) == key), None)
        showing = self.place.currentWidget() is self.proposal and key.startswith("proposals:")
        if item is None and self._wanted:
            self._wanted = ""
            return
        self._wanted = ""
        if item is None and showing and self.proposal.isVisible() and found:
            item = found[0]
        if item is None and found:
            item = found[0]
        if item is None:
            self.place.setCurrentIndex(0)
            self.proposal.show_proposal(None)
            self.stack.show_notice(self._context.tr("review.empty"))
            return
        self.stack.show_content()
        self.list.setCurrentItem(item)
        self._show_current(item)

    def _heading(self, source: str, count: int) -> QTreeWidgetItem:
        tr, theme = self._context.tr, self._context.theme
        item = QTreeWidgetItem([tr("review.heading", name=tr(f"review.{source}"), count=tr.number(count))])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        item.setFont(0, theme.font("small", bold=True))
        item.setForeground(0, theme.color("secondary"))
        return item

    def _item(self, each: Waiting) -> QTreeWidgetItem:
        item = QTreeWidgetItem([f"{each.title}\n{each.detail}" if each.detail else each.title])
        item.setIcon(0, self._context.theme.icon(each.icon))
        item.setData(0, KEY, each.key)
        item.setToolTip(0, item.text(0))
        return item

    def _current_key(self) -> str:
        item = self.list.currentItem()
        return "" if item is None else str(item.data(0, KEY) or "")

    def _show_current(self, item: QTreeWidgetItem | None) -> None:
        key = "" if item is None else item.data(0, KEY)
        each = next((each for each in self.waiting if each.key == key), None)
        if each is None:
            return
        if each.request is not None:
            self.request.show_request(each.request)
            self.place.setCurrentWidget(self.request)
        elif each.proposal is not None:
            self.proposal.show_proposal(each.proposal)
            self.place.setCurrentWidget(self.proposal)
        else:
            self.card.show_waiting(each)
            self.place.setCurrentWidget(self.card)

    def _fail(self, error: Exception) -> None:
        tr = self._context.tr
        self.stack.show_notice(tr.error(error), tr("state.again"), self.refresh)


class _Card(QWidget):
    """What waits elsewhere, and the way there. `wanted(page, task)`."""

    wanted = Signal(str, str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.setProperty("surface", "base")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._each: Waiting | None = None
        self.title, self.about, self.button = QLabel(), QLabel(), QPushButton()
        self.title.setProperty("role", "large")
        self.about.setProperty("role", "secondary")
        for label in (self.title, self.about):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.button.setProperty("primary", "true")
        self.button.clicked.connect(self._go)
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        for part in (self.title, self.about):
            column.addWidget(part)
        column.addLayout(row)
        column.addStretch(1)

    def show_waiting(self, each: Waiting) -> None:
        """Say what it is and where it is mended."""
        self._each = each
        self.title.setText(each.title)
        self.about.setText(each.about or each.detail)
        self.button.setText(each.button)

    def _go(self) -> None:
        if self._each is not None:
            self.wanted.emit(self._each.page, self._each.task)
