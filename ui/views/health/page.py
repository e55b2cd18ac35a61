"""The Health page: how the library is and why, and everything that keeps it well."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.health import HealthState
from core.domain.queries_health import Health
from ui.context import Context
from ui.operations import Operations
from ui.tasks import Lane, single_shot
from ui.views.health.backups import BackupsTab
from ui.views.health.checkup import CheckupTab
from ui.views.health.log import LogTab
from ui.views.health.overview import Overview
from ui.views.health.rebuild import RebuildTab
from ui.views.status_line import LIGHTS

OVERVIEW, CHECKUP, REBUILD, BACKUPS, LOG = range(5)
TABS = ("overview", "checkup", "rebuild", "backups", "log")
REFRESH_AFTER_MS = 800


class HealthPage(QWidget):
    """`open_memories(pks)` · `restore_wanted(name)` · `looked(HealthState)`: for the light."""

    open_memories = Signal(object)
    restore_wanted = Signal(str)
    looked = Signal(object)

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx, self._operations = ctx, operations
        self.state: HealthState | None = None
        self.setProperty("surface", "base")
        self._mark, self.title, self.reasons = QLabel(), QLabel(), QLabel()
        self.title.setProperty("role", "large")
        self.reasons.setProperty("role", "secondary")
        self.reasons.setWordWrap(True)
        self.reasons.setTextFormat(Qt.TextFormat.PlainText)
        self.overview = Overview(ctx)
        self.checkup = CheckupTab(ctx, operations)
        self.rebuild = RebuildTab(ctx, operations)
        self.backups = BackupsTab(ctx, operations)
        self.log = LogTab(ctx, operations)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for tab in (self.overview, self.checkup, self.rebuild, self.backups, self.log):
            self.tabs.addTab(tab, "")
        self._lay_out()
        self._soon = single_shot(self, REFRESH_AFTER_MS, self.refresh)
        self._stale = True
        self._connect()
        self.say()

    def _lay_out(self) -> None:
        head = QWidget()
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 12, 16, 8)
        row.setSpacing(8)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.reasons)
        row.addLayout(words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self.tabs, 1)

    def _connect(self) -> None:
        ctx = self._ctx
        self.checkup.open_memories.connect(self.open_memories)
        self.checkup.checked.connect(lambda _report: self._look())
        self.backups.restore_wanted.connect(self.restore_wanted)
        self.backups.changed.connect(self._look)
        self.rebuild.changed.connect(self._look)
        self.overview.failed.connect(self._operations.show_error)
        self.tabs.currentChanged.connect(lambda _index: self._refresh_tab())
        ctx.bridge.changes.connect(lambda _changes: self._on_changes())
        ctx.tr.changed.connect(self.say)
        ctx.theme.changed.connect(self.say)

    # --- reading -------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the state and the tab in sight again."""
        self._stale = False
        self._look()
        self._refresh_tab()

    def show_checkup(self) -> None:
        """Go to the check-up and do one if there is none."""
        self.tabs.setCurrentIndex(CHECKUP)
        if self.checkup.report is None:
            self.checkup.check()

    def _on_changes(self) -> None:
        self._stale = True
        if self.isVisible():
            self._soon.start()

    def _refresh_tab(self) -> None:
        match self.tabs.currentIndex():
            case 0:
                self.overview.refresh()
            case 2:
                self.rebuild.refresh()
            case 3:
                self.backups.refresh()
            case 4:
                self.log.refresh()
            case _:
                pass

    def _look(self) -> None:
        engine = self._ctx.engine

        def ask(_progress: Report, cancel: Cancel) -> HealthState:
            return engine.ask(Health(sizes=True), cancel=cancel)

        self._ctx.tasks.run(
            Lane.READ, ask, self.take, owner=self, query="health", failed=self._operations.show_error
        )

    def take(self, state: HealthState) -> None:
        """Show how the library is."""
        self.state = state
        self.overview.show_state(state)
        self._say_state()
        self.looked.emit(state)

    # --- showing -------------------------------------------------------------------------

    def say(self) -> None:
        """All texts anew."""
        tr = self._ctx.tr
        for at, name in enumerate(TABS):
            self.tabs.setTabText(at, tr(f"health.tab.{name}"))
        for tab in (self.overview, self.checkup, self.rebuild, self.backups, self.log):
            tab.say()
        self._say_state()

    def _say_state(self) -> None:
        state, tr, theme = self.state, self._ctx.tr, self._ctx.theme
        if state is None:
            self.title.setText(tr("health.page"))
            return
        name, color = LIGHTS[state.level]
        self._mark.setPixmap(theme.icon(name, color).pixmap(theme.px(24), theme.px(24)))
        self.title.setText(tr(f"health.level.{state.level.value}"))
        lines = [tr(reason.key, **dict(reason.args)) for reason in state.reasons]
        if state.last_check is None:
            lines.append(tr("health.unchecked"))
        self.reasons.setText(
            "\n".join(lines) if lines else tr("health.fine", when=tr.relative(state.last_check))
        )
