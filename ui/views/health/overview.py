"""How the library is, in short: store, index, endpoints; the card of a folder; two plots."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.domain.api import Cancel, Report
from core.domain.health import FolderCard, HealthState, Plots
from core.domain.ids import FolderPk
from core.domain.queries import Folders
from core.domain.queries_health import FolderFigures, PlotNumbers
from core.domain.results import FolderNode
from ui.context import Context
from ui.plots.history import RecallsPlot, TimePlot
from ui.tasks import Lane
from ui.views.health.parts import Card, Figures, scrolled, size_text


class Overview(QWidget):
    """`failed(error)` when something cannot be read."""

    failed = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._state: HealthState | None = None
        self._card: FolderCard | None = None
        self.store, self.index, self.folder_card = Card(), Card(), Card()
        self.store_figures, self.index_figures = Figures(1), Figures(1)
        self.figures, self.kinds, self.layers = Figures(4), Figures(4), Figures(4)
        self.choice = QComboBox()
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.activated.connect(lambda _index: self._ask_folder())
        self.made_card, self.recalled_card = Card(), Card()
        self.made, self.recalled = TimePlot(context), RecallsPlot(context)
        self._lay_out()

    def _lay_out(self) -> None:
        self.store.column.addWidget(self.store_figures)
        self.index.column.addWidget(self.index_figures)
        for card in (self.store, self.index):
            card.column.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(self.store, 1)
        top.addWidget(self.index, 1)
        head = QHBoxLayout()
        head.addWidget(self.choice)
        head.addStretch(1)
        self.folder_card.column.addLayout(head)
        self.folder_card.column.addWidget(self.figures)
        line = QLabel()
        line.setFixedHeight(4)
        self.folder_card.column.addWidget(line)
        self.folder_card.column.addWidget(self.kinds)
        second = QLabel()
        second.setFixedHeight(4)
        self.folder_card.column.addWidget(second)
        self.folder_card.column.addWidget(self.layers)
        self.made_card.column.addWidget(self.made)
        self.recalled_card.column.addWidget(self.recalled)
        plots = QHBoxLayout()
        plots.setSpacing(16)
        plots.addWidget(self.made_card, 1)
        plots.addWidget(self.recalled_card, 1)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(16)
        column.addLayout(top)
        column.addWidget(self.folder_card)
        column.addLayout(plots)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(inside))

    # --- reading -------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read folders and figures again."""
        engine = self._context.engine

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderNode, ...]:
            return engine.ask(Folders(), cancel=cancel)

        self._context.tasks.run(
            Lane.READ, ask, self._show_folders, owner=self, query="folders", failed=self.failed.emit
        )

    def _show_folders(self, nodes: tuple[FolderNode, ...]) -> None:
        chosen = self.choice.currentData()
        self.choice.blockSignals(True)
        self.choice.clear()
        self.choice.addItem(self._context.tr("health.library"), None)
        for node in nodes:
            self.choice.addItem(node.folder.name, int(node.folder.pk))
        self.choice.setCurrentIndex(max(0, self.choice.findData(chosen)))
        self.choice.blockSignals(False)
        self._ask_folder()

    def _ask_folder(self) -> None:
        engine, data = self._context.engine, self.choice.currentData()
        folder = None if data is None else FolderPk(data)

        def ask(_progress: Report, cancel: Cancel) -> tuple[FolderCard, Plots]:
            return engine.ask(FolderFigures(folder), cancel=cancel), engine.ask(
                PlotNumbers(folder), cancel=cancel
            )

        self._context.tasks.run(Lane.READ, ask, self._take, owner=self, query="card", failed=self.failed.emit)

    # --- showing -------------------------------------------------------------------------

    def show_state(self, state: HealthState) -> None:
        """Sizes, and what answers."""
        self._state = state
        self._say_state()

    def _take(self, found: tuple[FolderCard, Plots]) -> None:
        self._card, numbers = found
        self.made.show_days(numbers.made)
        self.recalled.show_counts(numbers.recalled)
        self._say_card()

    def say(self) -> None:
        """All texts anew."""
        tr = self._context.tr
        self.store.name(tr("health.store"))
        self.index.name(tr("health.models"))
        self.folder_card.name(tr("health.figures"))
        self.made_card.name(tr("health.plot.made"))
        self.recalled_card.name(tr("health.plot.recalled"))
        self.choice.setAccessibleName(tr("health.figures"))
        if self.choice.count():
            self.choice.setItemText(0, tr("health.library"))
        self._say_state()
        self._say_card()

    def _say_state(self) -> None:
        state, tr, context = self._state, self._context.tr, self._context
        if state is None:
            return
        backup = tr.relative(state.last_backup) or tr("health.never")
        self.store_figures.show_pairs(
            [
                (tr("health.store.file"), size_text(context, state.store_bytes)),
                (tr("health.store.journal"), size_text(context, state.journal_bytes)),
                (tr("health.store.changes"), tr.number(state.ops)),
                (tr("health.store.backups"), size_text(context, state.backups_bytes)),
                (tr("health.store.last_backup"), backup),
            ]
        )
        pairs = [
            (tr(f"health.use.{each.use}"), self._answers(each.name, each.problem))
            for each in state.endpoints
            if each.name
        ]
        if state.dims:
            pairs.append((tr("health.dims"), tr.number(state.dims)))
        pairs += [
            (tr("health.index.size"), size_text(context, state.index_bytes)),
            (tr("health.index.waiting"), tr.number(state.waiting)),
        ]
        self.index_figures.show_pairs(pairs if state.embedder else [(tr("health.reason.embedder_off"), "")])

    def _answers(self, name: str, problem: str) -> str:
        tr = self._context.tr
        return tr("health.answers_not", name=name) if problem else tr("health.answers", name=name)

    def _say_card(self) -> None:
        card, tr = self._card, self._context.tr
        if card is None:
            return
        floors = "–"
        if card.last_floor is not None:
            floors = tr(
                "health.floors_of", done=tr.number(card.processed + 1), total=tr.number(card.last_floor + 1)
            )
        total = card.active + card.archived + card.expired
        self.figures.show_pairs(
            [
                (tr("status.active"), tr.number(card.active)),
                (tr("status.archived"), tr.number(card.archived)),
                (tr("status.expired"), tr.number(card.expired)),
                (tr("health.trash"), tr.number(card.trashed)),
                (tr("health.live_edges"), tr.number(card.live_edges)),
                (tr("health.past_edges"), tr.number(card.past_edges)),
                (tr("health.vectors"), f"{tr.number(card.vectors)} / {tr.number(total)}"),
                (tr("health.floors"), floors),
                (tr("health.messages"), tr.number(card.messages)),
                (tr("health.documents"), tr.number(card.documents)),
            ]
        )
        theme = self._context.theme
        kinds = [(theme.type_label(name, tr.code), tr.number(count)) for name, count in card.types.items()]
        self.kinds.show_pairs(kinds)
        self.layers.show_pairs(
            [(tr(f"layer.{name}"), tr.number(count)) for name, count in card.layers.items()]
        )
