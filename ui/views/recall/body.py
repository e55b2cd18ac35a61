"""The three columns of the Recall page as widgets; made anew when the language or text size changes."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from ui.context import Context
from ui.operations import Operations
from ui.views.recall.cases import CasesPanel
from ui.views.recall.compare import ComparePanel
from ui.views.recall.detail_card import DetailCard
from ui.views.recall.injection import InjectionView
from ui.views.recall.request_panel import RequestPanel
from ui.views.recall.results import ResultsList
from ui.views.recall.run_header import RunHeader
from ui.views.recall.runs import RunsPanel
from ui.views.recall.why_bar import WhyBar
from ui.widgets.state_stack import StateStack

SETTING_SPLITTER = "ui.recall_splitter"
LEFT_PX, MIDDLE_PX, RIGHT_PX = 216, 300, 280
"""Least widths, not grown with the text: at 200 % the window must still fit on a small screen."""
REQUEST_PX = 272
REQUEST_SHARE, RESULTS_SHARE = 0.3, 0.52


class RecallBody(QWidget):
    """Request, results and text side by side."""

    def __init__(self, ctx: Context, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        tr = ctx.tr
        self.request = RequestPanel(ctx)
        self.header = RunHeader(ctx)
        self.results = ResultsList(ctx)
        self.stack = StateStack(self.results)
        self.card = DetailCard(ctx)
        self.why = WhyBar(ctx)
        self.injection = InjectionView(ctx)
        self.compare = ComparePanel(ctx)
        self.runs = RunsPanel(ctx)
        self.cases = CasesPanel(ctx, operations)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        for view, name in (
            (self.injection, "injection"),
            (self.compare, "compare"),
            (self.runs, "runs"),
            (self.cases, "cases"),
        ):
            self.tabs.addTab(view, tr(f"recall_page.tab.{name}"))
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.stack, 1)
        column.addWidget(self.card)
        column.addWidget(self.why)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        for part, least in ((self.request, LEFT_PX), (middle, MIDDLE_PX), (self.tabs, RIGHT_PX)):
            part.setMinimumWidth(least)
            self.splitter.addWidget(part)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setStretchFactor(2, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        saved = str(ctx.settings.get(SETTING_SPLITTER))
        self._arranged = bool(saved) and self.splitter.restoreState(
            QByteArray.fromBase64(saved.encode("ascii"))
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._arranged:
            self._arranged = True
            self._arrange()

    def _arrange(self) -> None:
        """Widths that nobody chose yet: the request as narrow as it can be, the rest for results and text."""
        left = min(self._ctx.theme.px(REQUEST_PX), int(self.width() * REQUEST_SHARE))
        middle = int((self.width() - left) * RESULTS_SHARE)
        self.splitter.setSizes([left, middle, self.width() - left - middle])

    def save_state(self) -> None:
        """Keep what a person arranged."""
        state = bytes(self.splitter.saveState().toBase64().data()).decode("ascii")
        self._ctx.settings.set(SETTING_SPLITTER, state)
        self.request.save_state()
