"""The numbers of the current memory: parts, ranks by stage, path, and real buttons for what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.domain.recall import Recalled, Stage
from ui.context import Context
from ui.models.recall_remedy import writes
from ui.models.recall_results import ResultRow
from ui.models.recall_view import RecallView
from ui.read_only import why_not
from ui.views.naming import name_of
from ui.views.recall.words import (
    DECAY,
    dropped_text,
    no_remedy_text,
    number,
    part_color,
    part_name,
    sorted_parts,
    source_text,
    stage_name,
)

BODY_PX = 132
SWATCH_PX, GAP_PX, BETWEEN_PX = 10, 8, 16
SETTING_CLOSED = "ui.recall_card_closed"


class DetailCard(QWidget):
    """Shown below the list while a memory is current. `remedy_wanted(pk)`, `opened(pk)`, `why_wanted(pk)`."""

    remedy_wanted = Signal(int)
    opened = Signal(int)
    why_wanted = Signal(int)

    def __init__(self, ctx: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ctx = ctx
        self._pk = 0
        tr = ctx.tr
        self.setProperty("role", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.fold = QToolButton()
        self.fold.setCheckable(True)
        self.fold.setProperty("fold", "true")
        self.fold.setChecked(not ctx.settings.get(SETTING_CLOSED))
        self.fold.setToolTip(tr("recall_page.numbers"))
        self.fold.setAccessibleName(tr("recall_page.numbers"))
        self.title = QLabel()
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setProperty("role", "section")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.remedy = QPushButton()
        self.why = QPushButton(tr("recall_page.why_this"))
        self.open_button = QPushButton(tr("recall_page.open"))
        self.why.setToolTip(tr("recall_page.why_this.tip"))
        self.open_button.setToolTip(tr("recall_page.open.tip"))
        self.remedy.clicked.connect(lambda: self.remedy_wanted.emit(self._pk))
        self.why.clicked.connect(lambda: self.why_wanted.emit(self._pk))
        self.open_button.clicked.connect(lambda: self.opened.emit(self._pk))
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setMaximumHeight(ctx.theme.px(BODY_PX))
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.fold)
        head.addWidget(self.title, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.remedy)
        buttons.addWidget(self.why)
        buttons.addStretch(1)
        buttons.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 12, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.area)
        column.addLayout(buttons)
        self.fold.toggled.connect(self._on_fold)
        self._on_fold(self.fold.isChecked())
        self.hide()

    def show_row(self, row: ResultRow | None, view: RecallView | None, remedy: str) -> None:
        """Show a row's numbers; None hides the card. `remedy`: what the button says."""
        if row is None or row.pk is None or view is None:
            self.hide()
            return
        tr = self._ctx.tr
        self._pk = row.pk
        known = view.rows.get(row.pk)
        where = f" · {known.folder_name}" if known is not None and known.folder_name else ""
        title = name_of(view.title(row.pk) or (row.recalled.title if row.recalled else ""), tr)
        self.title.setText(f"{title}{where}")
        self.remedy.setText(remedy)
        self.remedy.setVisible(bool(remedy))
        kept = self._ctx.read_only if row.answer is not None and writes(row.answer) else None
        self.remedy.setEnabled(kept is None)
        self.remedy.setToolTip("" if kept is None else why_not(tr, kept))
        self.why.setVisible(
            row.answer is None
            and row.recalled is not None
            and row.recalled.stage is not Stage.SELECTED
            and row.pk not in view.in_text
        )
        body = self._body(row, view, remedy)
        self.area.setWidget(body)
        self.area.setMinimumHeight(min(body.sizeHint().height(), self.area.maximumHeight()))
        self.show()

    def _on_fold(self, is_open: bool) -> None:
        self.area.setVisible(is_open)
        icon = "mdi6.chevron-down" if is_open else "mdi6.chevron-right"
        self.fold.setIcon(self._ctx.theme.icon(icon, "secondary"))
        self._ctx.settings.set(SETTING_CLOSED, not is_open)

    def _body(self, row: ResultRow, view: RecallView, remedy: str) -> QWidget:
        tr = self._ctx.tr
        body = QWidget()
        body.setProperty("surface", "window")
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        recalled = row.recalled
        if recalled is None:
            self._add_line(column, tr("recall_page.always"))
            column.addStretch(1)
            return body
        if recalled.stage is Stage.SELECTED:
            self._add_line(column, source_text(tr, view, recalled))
        else:
            self._add_line(column, dropped_text(tr, recalled, view))
            if row.answer is not None and not remedy and recalled.pk not in view.in_text:
                self._add_line(column, no_remedy_text(tr, row.answer))
        column.addLayout(self._table(recalled))
        ranks = self._ranks(recalled)
        if ranks:
            self._add_line(column, ranks, role="small")
        column.addStretch(1)
        return body

    def _table(self, recalled: Recalled) -> QGridLayout:
        """Each part with its colour, name and number; then the sum."""
        tr, theme = self._ctx.tr, self._ctx.theme
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP_PX)
        grid.setVerticalSpacing(1)
        cells = [
            (part_color(name), part_name(tr, name), number(value, 3))
            for name, value in sorted_parts(recalled)
        ]
        if DECAY in recalled.parts:
            cells.append(("", part_name(tr, DECAY), f"×{number(recalled.parts[DECAY], 3)}"))
        if recalled.score:
            cells.append(("", tr("recall_page.sum"), f"= {number(recalled.score, 3)}"))
        columns = self._columns(cells)
        for at, (color, name, value) in enumerate(cells):
            row, column = divmod(at, columns)
            if color:
                swatch = QLabel()
                swatch.setFixedSize(theme.px(SWATCH_PX), theme.px(SWATCH_PX))
                swatch.setStyleSheet(f"background: {theme.color(color).name()};")
                grid.addWidget(swatch, row, 4 * column)
            grid.addWidget(QLabel(name), row, 4 * column + 1)
            amount = QLabel(value)
            amount.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(amount, row, 4 * column + 2)
            grid.setColumnMinimumWidth(4 * column + 3, theme.px(BETWEEN_PX))
        grid.setColumnStretch(4 * columns - 1, 1)
        return grid

    def _columns(self, cells: Sequence[tuple[str, str, str]]) -> int:
        """How many parts stand side by side with their longest name and number unclipped."""
        wide, px = self.fontMetrics().horizontalAdvance, self._ctx.theme.px
        texts = sum(max((wide(cell[part]) for cell in cells), default=0) for part in (1, 2))
        one = texts + px(SWATCH_PX) + px(BETWEEN_PX) + 4 * GAP_PX
        bar = self.area.verticalScrollBar().sizeHint().width()
        return max(1, (self.area.width() - bar) // max(1, one))

    def _ranks(self, recalled: Recalled) -> str:
        tr = self._ctx.tr
        order = {stage: at for at, stage in enumerate(Stage)}
        places = sorted(recalled.ranks.items(), key=lambda item: order[item[0]])
        steps = [tr("recall_page.rank", stage=stage_name(tr, stage), place=place) for stage, place in places]
        return tr("recall_page.ranks", steps=" → ".join(steps)) if steps else ""

    def _add_line(self, column: QVBoxLayout, text: str, role: str = "") -> None:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        if role:
            label.setProperty("role", role)
        column.addWidget(label)
